package mark

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
)

// pen draws on a grid of 14 units, as the marks are designed.
type pen struct {
	side    float32
	color   color.Color
	objects []fyne.CanvasObject
}

func (p *pen) u(v float32) float32 { return v * p.side / 14 }

func (p *pen) put(o fyne.CanvasObject, x, y, w, h float32) {
	o.Move(fyne.NewPos(p.u(x), p.u(y)))
	o.Resize(fyne.NewSize(p.u(w), p.u(h)))
	p.objects = append(p.objects, o)
}

// path draws lines through points x, y, with round joints.
func (p *pen) path(stroke float32, xy ...float32) {
	for i := 0; i+3 < len(xy); i += 2 {
		l := canvas.NewLine(p.color)
		l.StrokeWidth = p.u(stroke)
		l.Position1, l.Position2 = fyne.NewPos(p.u(xy[i]), p.u(xy[i+1])), fyne.NewPos(p.u(xy[i+2]), p.u(xy[i+3]))
		p.objects = append(p.objects, l)
	}
	for i := 2; i+3 < len(xy); i += 2 {
		p.dot(xy[i], xy[i+1], stroke/2)
	}
}

// arc draws a ring of which only the degrees from start to end are there; 0 is up, clockwise.
func (p *pen) arc(x, y, radius, stroke, start, end float32) *canvas.Arc {
	outer := radius + stroke/2
	a := canvas.NewArc(start, end, (radius-stroke/2)/outer, p.color)
	p.put(a, x-outer, y-outer, 2*outer, 2*outer)
	return a
}

func (p *pen) circle(x, y, radius, stroke float32) {
	c := canvas.NewCircle(color.Transparent)
	c.StrokeColor, c.StrokeWidth = p.color, p.u(stroke)
	p.put(c, x-radius-stroke/2, y-radius-stroke/2, 2*radius+stroke, 2*radius+stroke)
}

func (p *pen) dot(x, y, radius float32) {
	p.put(canvas.NewCircle(p.color), x-radius, y-radius, 2*radius, 2*radius)
}

func (p *pen) square(x, y, side, radius float32) {
	r := canvas.NewRectangle(p.color)
	r.CornerRadius = p.u(radius)
	p.put(r, x, y, side, side)
}

func (p *pen) triangle() {
	t := canvas.NewArbitraryPolygon([]fyne.Position{
		fyne.NewPos(p.u(7), p.u(1.6)), fyne.NewPos(p.u(13), p.u(12)), fyne.NewPos(p.u(1), p.u(12)),
	}, p.color)
	p.put(t, 0, 0, 14, 14)
}

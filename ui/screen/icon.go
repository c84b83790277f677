package screen

import (
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"keva/ui/theme"
)

// Glyph is the shape of an icon.
type Glyph int

// The glyphs. They are drawn with strokes, as the state marks are, so that they follow colour and scale.
const (
	GlyphBack Glyph = iota
	GlyphMenu
	GlyphMore
	GlyphSearch
	GlyphGear
	GlyphPlus
	GlyphClose
	GlyphDown
	GlyphCopy
	GlyphNext
	GlyphCheck
	GlyphFolder
)

// Icon is a drawn glyph in a square.
type Icon struct {
	widget.BaseWidget
	glyph Glyph
	color fyne.ThemeColorName
	side  float32
}

// NewIcon makes an icon of side dp.
func NewIcon(g Glyph, c fyne.ThemeColorName, side float32) *Icon {
	i := &Icon{glyph: g, color: c, side: side}
	i.ExtendBaseWidget(i)
	return i
}

// CreateRenderer is part of fyne.Widget.
func (i *Icon) CreateRenderer() fyne.WidgetRenderer {
	r := &iconRenderer{icon: i}
	r.build()
	return r
}

type iconRenderer struct {
	icon    *Icon
	objects []fyne.CanvasObject
}

// build draws the glyph on a grid of 20 units, in the middle of the widget.
func (r *iconRenderer) build() {
	r.objects = r.objects[:0]
	size := r.icon.Size()
	side := min(r.icon.side, max(size.Width, 1), max(size.Height, 1))
	if size.Width < 1 {
		side = r.icon.side
	}
	u := side / 20
	ox, oy := (size.Width-side)/2, (size.Height-side)/2
	c := theme.Color(r.icon.color)
	line := func(x1, y1, x2, y2 float32) {
		l := canvas.NewLine(c)
		l.StrokeWidth = 1.7 * u
		l.Position1, l.Position2 = fyne.NewPos(ox+x1*u, oy+y1*u), fyne.NewPos(ox+x2*u, oy+y2*u)
		r.objects = append(r.objects, l)
	}
	ring := func(x, y, radius float32) {
		o := canvas.NewCircle(nil)
		o.StrokeColor, o.StrokeWidth = c, 1.7*u
		o.Move(fyne.NewPos(ox+(x-radius)*u, oy+(y-radius)*u))
		o.Resize(fyne.NewSquareSize(2 * radius * u))
		r.objects = append(r.objects, o)
	}
	dot := func(x, y, radius float32) {
		o := canvas.NewCircle(c)
		o.Move(fyne.NewPos(ox+(x-radius)*u, oy+(y-radius)*u))
		o.Resize(fyne.NewSquareSize(2 * radius * u))
		r.objects = append(r.objects, o)
	}
	box := func(x, y, w, h, radius float32) {
		o := canvas.NewRectangle(nil)
		o.StrokeColor, o.StrokeWidth, o.CornerRadius = c, 1.7*u, radius*u
		o.Move(fyne.NewPos(ox+x*u, oy+y*u))
		o.Resize(fyne.NewSize(w*u, h*u))
		r.objects = append(r.objects, o)
	}
	switch r.icon.glyph {
	case GlyphBack:
		line(3.5, 10, 17, 10)
		line(3.5, 10, 9, 4.5)
		line(3.5, 10, 9, 15.5)
	case GlyphMenu:
		line(3, 5.5, 17, 5.5)
		line(3, 10, 17, 10)
		line(3, 14.5, 17, 14.5)
	case GlyphMore:
		dot(4.5, 10, 1.4)
		dot(10, 10, 1.4)
		dot(15.5, 10, 1.4)
	case GlyphSearch:
		ring(8.5, 8.5, 5)
		line(12.2, 12.2, 17, 17)
	case GlyphGear:
		ring(10, 10, 4.6)
		for k := range 8 {
			a := float64(k) * math.Pi / 4
			x, y := float32(math.Cos(a)), float32(math.Sin(a))
			line(10+5.4*x, 10+5.4*y, 10+7.6*x, 10+7.6*y)
		}
	case GlyphPlus:
		line(4, 10, 16, 10)
		line(10, 4, 10, 16)
	case GlyphClose:
		line(5, 5, 15, 15)
		line(15, 5, 5, 15)
	case GlyphDown:
		line(10, 4, 10, 16)
		line(10, 16, 5, 11)
		line(10, 16, 15, 11)
	case GlyphCopy:
		box(7, 7, 10, 10, 2)
		line(3.5, 13, 3.5, 4.5)
		line(3.5, 3.5, 13, 3.5)
	case GlyphNext:
		line(8, 5, 13, 10)
		line(13, 10, 8, 15)
	case GlyphCheck:
		line(4, 10.5, 8, 14.5)
		line(8, 14.5, 16.5, 5.5)
	case GlyphFolder:
		box(2.5, 6, 15, 10.5, 1.6)
		line(3, 6, 5, 3.8)
		line(5, 3.8, 9, 3.8)
		line(9, 3.8, 10.5, 6)
	}
}

func (r *iconRenderer) Layout(fyne.Size) { r.build() }
func (r *iconRenderer) MinSize() fyne.Size {
	return fyne.NewSquareSize(r.icon.side)
}

func (r *iconRenderer) Refresh() {
	r.build()
	canvas.Refresh(r.icon)
}
func (r *iconRenderer) Objects() []fyne.CanvasObject { return r.objects }
func (r *iconRenderer) Destroy()                     {}

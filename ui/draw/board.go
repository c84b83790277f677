package draw

import (
	"image/color"
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"keva/ui/theme"
)

// Board is what a Widget draws on, for one width. The same drawing function measures and draws, so the two can't differ:
// while Measuring, nothing is made.
type Board struct {
	Width     float32
	Measuring bool

	widget  *Widget
	objects []fyne.CanvasObject
	used    map[string]bool
}

// Box is how a rectangle looks. Empty colours are not drawn.
type Box struct {
	Fill, Line fyne.ThemeColorName
	Radius     float32
	Corners    Corners // where they differ from Radius
}

// Corners are radii; 0 means Radius.
type Corners struct{ TopLeft, TopRight, BottomLeft, BottomRight float32 }

// Rect draws a rectangle.
func (b *Board) Rect(x, y, w, h float32, box Box) {
	if b.Measuring {
		return
	}
	r := &canvas.Rectangle{
		FillColor:    color.Transparent,
		CornerRadius: box.Radius, TopLeftCornerRadius: box.Corners.TopLeft, TopRightCornerRadius: box.Corners.TopRight,
		BottomLeftCornerRadius: box.Corners.BottomLeft, BottomRightCornerRadius: box.Corners.BottomRight,
	}
	if box.Fill != "" {
		r.FillColor = theme.Color(box.Fill)
	}
	if box.Line != "" {
		r.StrokeColor, r.StrokeWidth = theme.Color(box.Line), theme.Border
	}
	b.put(r, x, y, w, h)
}

// Layer is a place in the order of drawing; see RectAt.
func (b *Board) Layer() int { return len(b.objects) }

// RectAt draws a rectangle behind everything that was drawn since Layer gave layer: the ground of what has turned out to
// be that high.
func (b *Board) RectAt(layer int, x, y, w, h float32, box Box) {
	if b.Measuring {
		return
	}
	b.Rect(x, y, w, h, box)
	last := len(b.objects) - 1
	ground := b.objects[last]
	copy(b.objects[layer+1:], b.objects[layer:last])
	b.objects[layer] = ground
}

// Rule draws a horizontal separator.
func (b *Board) Rule(x, y, w float32) { b.Rect(x, y, w, theme.Border, Box{Fill: theme.Line}) }

// Text draws one line in the middle of height h, cut with an ellipsis where w is too narrow.
func (b *Board) Text(x, y, w, h float32, text string, s Style, align fyne.TextAlign) {
	if b.Measuring || text == "" || w <= 0 {
		return
	}
	b.raw(x, y, w, h, Cut(text, w, s, "…"), s, align)
}

// Clipped draws one line that ends at w without an ellipsis.
func (b *Board) Clipped(x, y, w, h float32, text string, s Style) {
	if b.Measuring || text == "" || w <= 0 {
		return
	}
	b.raw(x, y, w, h, Cut(text, w, s, ""), s, fyne.TextAlignLeading)
}

func (b *Board) raw(x, y, w, h float32, text string, s Style, align fyne.TextAlign) {
	t := canvas.NewText(text, theme.Color(s.Color))
	t.TextSize, t.TextStyle, t.Alignment = theme.Size(s.Role), s.TextStyle(), align
	b.put(t, x, y, w, h)
}

// Run draws spans behind each other on one line in the middle of height h, the last that fits cut with an ellipsis, and
// returns the width that they take.
func (b *Board) Run(x, y, w, h float32, spans []Span) float32 {
	used := float32(0)
	for i, s := range spans {
		sw := Width(s.Text, s.Style)
		if used+sw > w+0.5 || i+1 < len(spans) && used+sw+Width("…", s.Style) > w {
			text := Cut(s.Text+"\n", w-used, s.Style, "…") // the line end makes the ellipsis certain
			if i+1 == len(spans) {
				text = Cut(s.Text, w-used, s.Style, "…")
			}
			b.Clipped(x+used, y, w-used, h, text, s.Style)
			return w
		}
		b.Clipped(x+used, y, min(sw+1, w-used), h, s.Text, s.Style)
		used += sw
	}
	return used
}

// RunWidth is the width of spans on one line.
func RunWidth(spans []Span) float32 {
	var w float32
	for _, s := range spans {
		w += Width(s.Text, s.Style)
	}
	return w
}

// Lines draws text of one style, broken into lines, and returns its height.
func (b *Board) Lines(x, y, w float32, text string, s Style) float32 {
	lines := Wrap(text, s, w)
	h := s.LineHeight()
	if !b.Measuring {
		for i, l := range lines {
			if l != "" {
				b.raw(x, y+float32(i)*h, w, h, l, s, fyne.TextAlignLeading)
			}
		}
	}
	return float32(len(lines)) * h
}

// Flow draws spans, broken into lines of height h, and returns their height and where the last one ends. Links call open
// with their address. id is unique among the flows of a widget.
func (b *Board) Flow(id string, x, y, w, h float32, spans []Span, open func(string)) (height, last float32) {
	lines := Flow(spans, w)
	if n := lines[len(lines)-1]; len(n) > 0 {
		last = n[len(n)-1].X + n[len(n)-1].W
	}
	if !b.Measuring {
		for i, line := range lines {
			b.flowLine(id+" "+strconv.Itoa(i), x, y+float32(i)*h, w, h, line, spans, open)
		}
	}
	return float32(len(lines)) * h, last
}

func (b *Board) flowLine(id string, x, y, w, h float32, line FlowLine, spans []Span, open func(string)) {
	for i, p := range line {
		span := spans[p.Span]
		pw := min(p.W, max(w-p.X, 1)) // spaces at the end may hang over
		if span.Style.Ground != "" {
			from, to := max(p.X-2, 0), min(p.X+p.W+2, w)
			b.Rect(x+from, y+1, to-from, h-2, Box{Fill: span.Style.Ground, Radius: 4})
		}
		b.raw(x+p.X, y, pw, h, p.Text, span.Style, fyne.TextAlignLeading)
		if span.Link != "" && open != nil {
			b.Tap(id+"."+strconv.Itoa(i), x+p.X, y, pw, h, TapOptions{Label: span.Link, Link: true, Radius: 4, Tapped: func() { open(span.Link) }})
		}
	}
}

// Tick draws a check in a square.
func (b *Board) Tick(x, y, side float32, c fyne.ThemeColorName) {
	if b.Measuring {
		return
	}
	u := side / 14
	for _, l := range [][4]float32{{3, 7.3, 5.8, 10}, {5.8, 10, 11, 4.2}} {
		line := canvas.NewLine(theme.Color(c))
		line.StrokeWidth = 1.8 * u
		line.Position1, line.Position2 = fyne.NewPos(x+l[0]*u, y+l[1]*u), fyne.NewPos(x+l[2]*u, y+l[3]*u)
		b.objects = append(b.objects, line)
	}
}

// Object places another object.
func (b *Board) Object(o fyne.CanvasObject, x, y, w, h float32) {
	if !b.Measuring {
		b.put(o, x, y, w, h)
	}
}

// Keep returns the object that has id in this widget, made at its first use. It survives being drawn again, so that a tap
// or an entry is not lost while rows change; one that is not used in a drawing is dropped.
func (b *Board) Keep(id string, make func() fyne.CanvasObject) fyne.CanvasObject {
	for b.used[id] { // an engine may give two things the same id: each has its own object
		id += "'"
	}
	o, ok := b.widget.kept[id]
	if !ok {
		o = make()
		b.widget.kept[id] = o
	}
	if !b.Measuring {
		b.used[id] = true
	}
	return o
}

// Tap makes an area that can be tapped.
func (b *Board) Tap(id string, x, y, w, h float32, o TapOptions) {
	if b.Measuring {
		return
	}
	a := b.Keep("tap "+id, func() fyne.CanvasObject { return newArea() }).(*area)
	a.set(o)
	b.put(a, x, y, w, h)
}

func (b *Board) put(o fyne.CanvasObject, x, y, w, h float32) {
	o.Resize(fyne.NewSize(w, h))
	o.Move(fyne.NewPos(x, y))
	b.objects = append(b.objects, o)
}

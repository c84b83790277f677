package screen

import (
	"fyne.io/fyne/v2"

	"keva/ui/theme"
)

// heightFor is what wraps: its height follows from the width that it is given.
type heightFor interface{ HeightFor(width float32) float32 }

// Height is the height of o at a width.
func Height(o fyne.CanvasObject, width float32) float32 {
	if h, ok := o.(heightFor); ok {
		return h.HeightFor(width)
	}
	if c, ok := o.(*fyne.Container); ok {
		if l, ok := c.Layout.(interface {
			heightFor([]fyne.CanvasObject, float32) float32
		}); ok {
			return l.heightFor(c.Objects, width)
		}
	}
	return o.MinSize().Height
}

// Column stacks objects at full width, each as high as it needs to be at that width, with gap between them and pad around.
// Stock boxes ask for a height before they know the width, which wrapped text does not have.
func Column(gap float32, pad Insets, objects ...fyne.CanvasObject) *fyne.Container {
	return &fyne.Container{Layout: &columnLayout{gap: gap, pad: pad}, Objects: objects}
}

// Insets are the distances to the four sides.
type Insets struct{ Top, Right, Bottom, Left float32 }

// Pad is the same distance on all sides.
func Pad(d float32) Insets { return Insets{d, d, d, d} }

type columnLayout struct {
	gap   float32
	pad   Insets
	width float32
}

func (l *columnLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	w := max(0, size.Width-l.pad.Left-l.pad.Right)
	y := l.pad.Top
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		h := Height(o, w)
		o.Move(fyne.NewPos(l.pad.Left, y))
		o.Resize(fyne.NewSize(w, h))
		y += h + l.gap
	}
}

func (l *columnLayout) heightFor(objects []fyne.CanvasObject, width float32) float32 {
	w := max(0, width-l.pad.Left-l.pad.Right)
	h, n := l.pad.Top+l.pad.Bottom, 0
	for _, o := range objects {
		if o.Visible() {
			h += Height(o, w)
			n++
		}
	}
	return h + l.gap*float32(max(0, n-1))
}

func (l *columnLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	width := l.width
	if width < 1 {
		width = 320
	}
	w := float32(0)
	for _, o := range objects {
		if o.Visible() {
			w = max(w, o.MinSize().Width)
		}
	}
	return fyne.NewSize(w+l.pad.Left+l.pad.Right, l.heightFor(objects, width))
}

// Line lays objects beside each other, vertically in the middle; the one at index grow gets the room that is left.
func Line(gap float32, grow int, pad Insets, objects ...fyne.CanvasObject) *fyne.Container {
	return &fyne.Container{Layout: &lineLayout{gap: gap, grow: grow, pad: pad}, Objects: objects}
}

type lineLayout struct {
	gap  float32
	grow int
	pad  Insets
}

func (l *lineLayout) widths(objects []fyne.CanvasObject, width float32) []float32 {
	ws := make([]float32, len(objects))
	left, n := width-l.pad.Left-l.pad.Right, 0
	for i, o := range objects {
		if !o.Visible() {
			continue
		}
		n++
		if i != l.grow {
			ws[i] = o.MinSize().Width
			left -= ws[i]
		}
	}
	if l.grow >= 0 && l.grow < len(ws) {
		ws[l.grow] = max(0, left-l.gap*float32(max(0, n-1)))
	}
	return ws
}

func (l *lineLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	x := l.pad.Left
	inner := size.Height - l.pad.Top - l.pad.Bottom
	for i, w := range l.widths(objects, size.Width) {
		o := objects[i]
		if !o.Visible() {
			continue
		}
		h := min(Height(o, w), max(inner, o.MinSize().Height))
		o.Move(fyne.NewPos(x, l.pad.Top+(inner-h)/2))
		o.Resize(fyne.NewSize(w, h))
		x += w + l.gap
	}
}

func (l *lineLayout) heightFor(objects []fyne.CanvasObject, width float32) float32 {
	h := float32(0)
	for i, w := range l.widths(objects, width) {
		if objects[i].Visible() {
			h = max(h, Height(objects[i], w))
		}
	}
	return h + l.pad.Top + l.pad.Bottom
}

func (l *lineLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	w, h, n := float32(0), float32(0), 0
	for _, o := range objects {
		if !o.Visible() {
			continue
		}
		m := o.MinSize()
		w, h, n = w+m.Width, max(h, m.Height), n+1
	}
	return fyne.NewSize(w+l.gap*float32(max(0, n-1))+l.pad.Left+l.pad.Right, h+l.pad.Top+l.pad.Bottom)
}

// Least gives o at least a height.
func Least(height float32, o fyne.CanvasObject) *fyne.Container {
	return &fyne.Container{Layout: leastLayout(height), Objects: []fyne.CanvasObject{o}}
}

type leastLayout float32

func (l leastLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Move(fyne.NewPos(0, 0))
	o[0].Resize(size)
}

func (l leastLayout) heightFor(o []fyne.CanvasObject, width float32) float32 {
	return max(float32(l), Height(o[0], width))
}

func (l leastLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	m := o[0].MinSize()
	return fyne.NewSize(m.Width, max(float32(l), m.Height))
}

// Fill is a rectangle of a token's colour that follows the theme.
func Fill(c fyne.ThemeColorName) *Rect { return newRect(c, "", 0) }

// Separator is a line one dp high.
func Separator() fyne.CanvasObject {
	r := newRect(theme.Line, "", 0)
	r.least = fyne.NewSize(1, theme.Border)
	return r
}

// Panel is a filled rectangle with a border and round corners.
func Panel(fill, border fyne.ThemeColorName, radius float32) *Rect {
	return newRect(fill, border, radius)
}

// On puts o on a ground of the same size.
func On(ground, o fyne.CanvasObject) *fyne.Container {
	return &fyne.Container{Layout: onLayout{}, Objects: []fyne.CanvasObject{ground, o}}
}

type onLayout struct{}

func (onLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	for _, c := range o {
		c.Move(fyne.NewPos(0, 0))
		c.Resize(size)
	}
}

func (onLayout) heightFor(o []fyne.CanvasObject, width float32) float32 { return Height(o[1], width) }

func (onLayout) MinSize(o []fyne.CanvasObject) fyne.Size { return o[1].MinSize() }

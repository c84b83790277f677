package draw

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"keva/ui/theme"
)

// TapOptions say what an area is for.
type TapOptions struct {
	Label   string // for screen readers
	Link    bool   // leads away
	Radius  float32
	Corners Corners
	Tapped  func()
	Held    func() // long press, or the second mouse button; nil for none
}

// area is an invisible rectangle that can be tapped, focused by Tab and pressed by Enter or Space.
type area struct {
	widget.BaseWidget
	o                TapOptions
	hovered, focused bool
}

func newArea() *area {
	a := &area{}
	a.ExtendBaseWidget(a)
	return a
}

func (a *area) set(o TapOptions) {
	repaint := a.o.Radius != o.Radius || a.o.Corners != o.Corners
	a.o = o
	if repaint {
		a.Refresh()
	}
}

func (a *area) Tapped(*fyne.PointEvent) {
	if a.o.Tapped != nil {
		a.o.Tapped()
	}
}

func (a *area) TappedSecondary(*fyne.PointEvent) {
	if a.o.Held != nil {
		a.o.Held()
	}
}

func (a *area) Cursor() desktop.Cursor { return desktop.PointerCursor }

func (a *area) MouseIn(*desktop.MouseEvent)    { a.hovered = true; a.Refresh() }
func (a *area) MouseMoved(*desktop.MouseEvent) {}
func (a *area) MouseOut()                      { a.hovered = false; a.Refresh() }

func (a *area) FocusGained()   { a.focused = true; a.Refresh() }
func (a *area) FocusLost()     { a.focused = false; a.Refresh() }
func (a *area) TypedRune(rune) {}

func (a *area) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeyReturn, fyne.KeyEnter, fyne.KeySpace:
		a.Tapped(nil)
	default:
		Unhandled(a, e)
	}
}

func (a *area) AccessibilityLabel() string { return a.o.Label }

func (a *area) AccessibilityRole() fyne.AccessibleRole {
	if a.o.Link {
		return fyne.AccessibleRoleLink
	}
	return fyne.AccessibleRoleButton
}

func (a *area) MinSize() fyne.Size { return fyne.NewSize(1, 1) }

func (a *area) CreateRenderer() fyne.WidgetRenderer {
	r := &areaRenderer{a: a, box: canvas.NewRectangle(color.Transparent)}
	r.paint()
	return r
}

type areaRenderer struct {
	a   *area
	box *canvas.Rectangle
}

func (r *areaRenderer) paint() {
	o := r.a.o
	r.box.CornerRadius = o.Radius
	r.box.TopLeftCornerRadius, r.box.TopRightCornerRadius = o.Corners.TopLeft, o.Corners.TopRight
	r.box.BottomLeftCornerRadius, r.box.BottomRightCornerRadius = o.Corners.BottomLeft, o.Corners.BottomRight
	r.box.FillColor, r.box.StrokeColor, r.box.StrokeWidth = color.Transparent, nil, 0
	if r.a.hovered {
		r.box.FillColor = theme.Color(theme.Hover)
	}
	if r.a.focused {
		r.box.StrokeColor, r.box.StrokeWidth = theme.Color(theme.FocusOutline), 2
	}
}

func (r *areaRenderer) Layout(s fyne.Size)           { r.box.Resize(s) }
func (r *areaRenderer) MinSize() fyne.Size           { return r.a.MinSize() }
func (r *areaRenderer) Refresh()                     { r.paint(); canvas.Refresh(r.a) }
func (r *areaRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.box} }
func (r *areaRenderer) Destroy()                     {}

// Hold makes an area that answers to a long press, or the second mouse button, and to nothing else: no focus, no pointer.
func (b *Board) Hold(id string, x, y, w, h float32, held func()) {
	if b.Measuring || held == nil {
		return
	}
	a := b.Keep("hold "+id, func() fyne.CanvasObject {
		a := &holdArea{}
		a.ExtendBaseWidget(a)
		return a
	}).(*holdArea)
	a.held = held
	b.put(a, x, y, w, h)
}

type holdArea struct {
	widget.BaseWidget
	held func()
}

func (a *holdArea) TappedSecondary(*fyne.PointEvent) { a.held() }
func (a *holdArea) MinSize() fyne.Size               { return fyne.NewSize(1, 1) }

func (a *holdArea) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(canvas.NewRectangle(color.Transparent))
}

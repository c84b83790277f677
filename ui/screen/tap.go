package screen

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"keva/ui/draw"
	"keva/ui/theme"
)

// Tap makes an area that can be tapped, focused by Tab and pressed by Enter or Space. It shows the pointer and the focus.
// Its size is its content's, and never smaller than Least.
type Tap struct {
	widget.BaseWidget
	Label    string // for screen readers
	Least    fyne.Size
	Radius   float32
	OnTapped func()
	Content  fyne.CanvasObject

	hovered, focused, disabled bool
}

// NewTap makes a tappable area around content.
func NewTap(label string, content fyne.CanvasObject, tapped func()) *Tap {
	t := &Tap{Label: label, Content: content, OnTapped: tapped, Least: fyne.NewSquareSize(theme.Touch)}
	t.ExtendBaseWidget(t)
	return t
}

// NewIconButton makes a touch target with a glyph in it.
func NewIconButton(g Glyph, label string, tapped func()) *Tap {
	t := NewTap(label, NewIcon(g, theme.Muted, 20), tapped)
	t.Radius = theme.Touch / 2
	return t
}

// SetDisabled stops taps.
func (t *Tap) SetDisabled(d bool) { t.disabled = d; t.Refresh() }

// Tapped is part of fyne.Tappable.
func (t *Tap) Tapped(*fyne.PointEvent) {
	if t.OnTapped != nil && !t.disabled {
		t.OnTapped()
	}
}

// FocusGained is part of fyne.Focusable.
func (t *Tap) FocusGained() { t.focused = true; t.Refresh() }

// FocusLost is part of fyne.Focusable.
func (t *Tap) FocusLost() { t.focused = false; t.Refresh() }

// TypedRune is part of fyne.Focusable.
func (t *Tap) TypedRune(rune) {}

// TypedKey presses by Enter and Space.
func (t *Tap) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeyReturn, fyne.KeyEnter, fyne.KeySpace:
		t.Tapped(nil)
	default:
		draw.Unhandled(t, e)
	}
}

// HeightFor is the height at a width.
func (t *Tap) HeightFor(width float32) float32 { return max(t.Least.Height, Height(t.Content, width)) }

// MouseIn is part of desktop.Hoverable.
func (t *Tap) MouseIn(*desktop.MouseEvent) { t.hovered = true; t.Refresh() }

// MouseMoved is part of desktop.Hoverable.
func (t *Tap) MouseMoved(*desktop.MouseEvent) {}

// MouseOut is part of desktop.Hoverable.
func (t *Tap) MouseOut() { t.hovered = false; t.Refresh() }

// AccessibilityLabel is what a screen reader says.
func (t *Tap) AccessibilityLabel() string { return t.Label }

// AccessibilityRole makes Tap accessible.
func (t *Tap) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleButton }

// CreateRenderer is part of fyne.Widget.
func (t *Tap) CreateRenderer() fyne.WidgetRenderer {
	r := &tapRenderer{t: t, under: canvas.NewRectangle(color.Transparent)}
	r.paint()
	return r
}

type tapRenderer struct {
	t     *Tap
	under *canvas.Rectangle
}

func (r *tapRenderer) paint() {
	r.under.FillColor, r.under.StrokeWidth = color.Transparent, 0
	r.under.CornerRadius = r.t.Radius
	if r.t.hovered && !r.t.disabled {
		r.under.FillColor = theme.Color(theme.Hover)
	}
	if r.t.focused {
		r.under.StrokeColor, r.under.StrokeWidth = theme.Color(theme.FocusOutline), 2
	}
}

func (r *tapRenderer) Layout(size fyne.Size) {
	r.under.Resize(size)
	r.t.Content.Move(fyne.NewPos(0, 0))
	r.t.Content.Resize(size)
}

func (r *tapRenderer) MinSize() fyne.Size { return r.t.Content.MinSize().Max(r.t.Least) }

func (r *tapRenderer) Refresh() {
	r.paint()
	r.under.Refresh()
}

func (r *tapRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.under, r.t.Content}
}
func (r *tapRenderer) Destroy() {}

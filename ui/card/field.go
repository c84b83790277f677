package card

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"keva/ui/draw"
	"keva/ui/theme"
)

// field is one line to write in, high enough for a finger, in a frame of the app's own.
type field struct {
	widget.BaseWidget
	entry *fieldEntry
}

func newField(hint string, escape func()) *field {
	f := &field{entry: &fieldEntry{escape: escape}}
	f.entry.ExtendBaseWidget(f.entry)
	f.entry.SetPlaceHolder(hint)
	f.entry.moved = f.Refresh
	f.ExtendBaseWidget(f)
	return f
}

// Tapped gives the keyboard to the entry, also where the frame was tapped.
func (f *field) Tapped(*fyne.PointEvent) {
	if c := fyne.CurrentApp().Driver().CanvasForObject(f); c != nil {
		c.Focus(f.entry)
	}
}

// MinSize is what a finger needs.
func (f *field) MinSize() fyne.Size {
	return fyne.NewSize(96, theme.HeightFor(theme.Body, theme.Touch))
}

// CreateRenderer is part of fyne.Widget.
func (f *field) CreateRenderer() fyne.WidgetRenderer {
	r := &fieldRenderer{f: f, frame: canvas.NewRectangle(color.Transparent), inner: container.NewThemeOverride(f.entry, theme.Bare{})}
	r.paint()
	return r
}

type fieldRenderer struct {
	f     *field
	frame *canvas.Rectangle
	inner fyne.CanvasObject
}

func (r *fieldRenderer) paint() {
	r.frame.FillColor, r.frame.StrokeColor, r.frame.StrokeWidth = theme.Color(theme.Surface), theme.Color(theme.Line), theme.Border
	if r.f.entry.focused {
		r.frame.StrokeColor, r.frame.StrokeWidth = theme.Color(theme.Accent), 2
	}
	r.frame.CornerRadius = theme.CardRadius
}

func (r *fieldRenderer) Layout(s fyne.Size) {
	r.frame.Resize(s)
	h := r.f.entry.MinSize().Height
	r.inner.Move(fyne.NewPos(theme.Space1, (s.Height-h)/2))
	r.inner.Resize(fyne.NewSize(s.Width-2*theme.Space1, h))
}

func (r *fieldRenderer) Refresh() {
	r.paint()
	r.Layout(r.f.Size())
	canvas.Refresh(r.f)
}

func (r *fieldRenderer) MinSize() fyne.Size           { return r.f.MinSize() }
func (r *fieldRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.frame, r.inner} }
func (r *fieldRenderer) Destroy()                     {}

// fieldEntry is an entry that Escape leaves.
type fieldEntry struct {
	widget.Entry
	escape, moved func()
	focused       bool
}

// FocusGained is part of fyne.Focusable.
func (e *fieldEntry) FocusGained() {
	e.focused = true
	e.Entry.FocusGained()
	e.moved()
}

// FocusLost is part of fyne.Focusable.
func (e *fieldEntry) FocusLost() {
	e.focused = false
	e.Entry.FocusLost()
	e.moved()
}

// TypedKey is part of fyne.Focusable.
func (e *fieldEntry) TypedKey(k *fyne.KeyEvent) {
	if draw.GoesBack(k) {
		if e.escape != nil {
			e.escape()
		}
		return
	}
	e.Entry.TypedKey(k)
}

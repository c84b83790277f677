package draw

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"keva/ui/theme"
)

// Widget draws itself for its width; its height follows. Embed it and call Init.
type Widget struct {
	widget.BaseWidget

	self fyne.Widget
	draw func(*Board) float32
	kept map[string]fyne.CanvasObject

	measured struct {
		theme  *theme.Theme
		width  float32
		height float32
	}
}

// Init sets the drawing function, which returns the height for Board.Width. It is called on the thread of the user
// interface, for measuring too, and must not change anything.
func (w *Widget) Init(self fyne.Widget, draw func(*Board) float32) {
	w.self, w.draw, w.kept = self, draw, map[string]fyne.CanvasObject{}
	w.ExtendBaseWidget(self)
}

// HeightFor is the height at a width. Asking again for the same width costs nothing until Changed.
func (w *Widget) HeightFor(width float32) float32 {
	m := &w.measured
	if t := theme.Current(); m.theme != t || m.width != width {
		m.theme, m.width = t, width
		m.height = w.draw(&Board{Width: width, Measuring: true, widget: w})
	}
	return m.height
}

// Changed draws again after the content has changed.
func (w *Widget) Changed() {
	w.measured.theme = nil // also where it has no width yet, and nothing is drawn
	w.Refresh()
}

// MinSize is the height at the present width; before the first Resize, at that of a narrow phone.
func (w *Widget) MinSize() fyne.Size {
	width := w.Size().Width
	if width < 1 {
		width = 296
	}
	return fyne.NewSize(1, w.HeightFor(width))
}

// CreateRenderer is part of fyne.Widget.
func (w *Widget) CreateRenderer() fyne.WidgetRenderer { return &renderer{w: w} }

type renderer struct {
	w       *Widget
	width   float32
	theme   *theme.Theme
	objects []fyne.CanvasObject
}

func (r *renderer) build() {
	width := r.w.Size().Width
	b := &Board{Width: width, widget: r.w, used: map[string]bool{}}
	if width > 0 {
		m := &r.w.measured
		m.theme, m.width, m.height = theme.Current(), width, r.w.draw(b) // drawing measures, too
	}
	for id := range r.w.kept {
		if !b.used[id] {
			delete(r.w.kept, id)
		}
	}
	r.width, r.theme, r.objects = width, theme.Current(), b.objects
}

func (r *renderer) Layout(s fyne.Size) {
	if s.Width != r.width || r.theme != theme.Current() {
		r.build()
	}
}

func (r *renderer) MinSize() fyne.Size { return r.w.MinSize() }

func (r *renderer) Refresh() {
	r.build()
	canvas.Refresh(r.w.self)
}

func (r *renderer) Objects() []fyne.CanvasObject { return r.objects }
func (r *renderer) Destroy()                     {}

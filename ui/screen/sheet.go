package screen

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"keva/ui/theme"
)

// SheetMax is how wide a sheet gets on wide windows, in dp.
const SheetMax float32 = 560

// Sheet is a panel that comes from the bottom over the whole window. It is an overlay of the canvas, so that Tab stays in
// it. On wide windows it stands in the middle.
type Sheet struct {
	widget.BaseWidget
	content *fyne.Container
	scroll  *Scroller
	canvas  fyne.Canvas
	closed  func()
	open    bool
}

// ShowSheet opens a sheet with a column of objects. closed is called once when it goes, however that happens; it may be nil.
func ShowSheet(c fyne.Canvas, closed func(), objects ...fyne.CanvasObject) *Sheet {
	s := &Sheet{content: Column(theme.Space2, Insets{theme.Space4, theme.Space4, theme.Space4, theme.Space4}, objects...)}
	s.scroll, s.canvas, s.closed, s.open = Scroll(s.content), c, closed, true
	s.ExtendBaseWidget(s)
	pos, size := c.InteractiveArea()
	c.Overlays().Add(s)
	s.Move(pos)
	s.Resize(size)
	return s
}

// Close takes the sheet away.
func (s *Sheet) Close() {
	if !s.open {
		return
	}
	s.open = false
	s.canvas.Overlays().Remove(s)
	if s.closed != nil {
		s.closed()
	}
}

// Changed lays the sheet out again after its contents changed.
func (s *Sheet) Changed() {
	s.Refresh()
	s.scroll.Changed()
}

// CloseTop closes the sheet that is on top, and reports whether there was one: it is what Back does first.
func CloseTop(c fyne.Canvas) bool {
	switch top := c.Overlays().Top().(type) {
	case *Sheet:
		top.Close()
		return true
	case nil:
		return false
	default: // a stock popup, e.g. the menu of a text field
		c.Overlays().Remove(top)
		return true
	}
}

// Tapped closes the sheet: only taps beside the panel arrive here.
func (s *Sheet) Tapped(*fyne.PointEvent) { s.Close() }

// CreateRenderer is part of fyne.Widget.
func (s *Sheet) CreateRenderer() fyne.WidgetRenderer {
	r := &sheetRenderer{s: s, scrim: canvas.NewRectangle(nil), panel: &panelArea{}}
	r.panel.ExtendBaseWidget(r.panel)
	r.scrim.FillColor = theme.Color(theme.Scrim)
	return r
}

// panelArea swallows taps on the panel beside its buttons.
type panelArea struct{ Rect }

func (p *panelArea) Tapped(*fyne.PointEvent) {}

type sheetRenderer struct {
	s     *Sheet
	scrim *canvas.Rectangle
	panel *panelArea
}

func (r *sheetRenderer) Layout(size fyne.Size) {
	r.scrim.Resize(size)
	w := min(size.Width, SheetMax)
	h := min(Height(r.s.content, w), size.Height*0.88)
	x, y := (size.Width-w)/2, size.Height-h
	r.panel.Fill, r.panel.Border, r.panel.Radius = theme.Surface, theme.Line, theme.SheetRadius
	below := theme.SheetRadius // the lower corners lie outside of the window
	if size.Width >= theme.WideFrom {
		y, below = (size.Height-h)/2, 0
	}
	r.panel.Move(fyne.NewPos(x, y))
	r.panel.Resize(fyne.NewSize(w, h+below))
	r.s.scroll.Move(fyne.NewPos(x, y))
	r.s.scroll.Resize(fyne.NewSize(w, h))
}

func (r *sheetRenderer) MinSize() fyne.Size { return fyne.NewSize(theme.Touch, theme.Touch) }

func (r *sheetRenderer) Refresh() {
	r.scrim.FillColor = theme.Color(theme.Scrim)
	r.Layout(r.s.Size())
	r.scrim.Refresh()
	r.panel.Refresh()
	canvas.Refresh(r.s)
}

func (r *sheetRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.scrim, r.panel, r.s.scroll.Object()}
}
func (r *sheetRenderer) Destroy() {}

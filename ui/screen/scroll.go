package screen

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
)

// Scroll makes a column scroll vertically. A stock scroller asks for the height before it gives a width; here it asks once
// more.
func Scroll(column *fyne.Container) *Scroller {
	s := container.NewVScroll(column)
	return &Scroller{Container: fyne.Container{Layout: &scrollLayout{column}, Objects: []fyne.CanvasObject{s}}, scroll: s}
}

// Scroller is a scrolling column.
type Scroller struct {
	fyne.Container
	scroll *container.Scroll
}

// Object is what goes into a container.
func (s *Scroller) Object() *fyne.Container { return &s.Container }

// Changed lays the column out again after its contents changed.
func (s *Scroller) Changed() {
	s.Layout.Layout(s.Objects, s.Container.Size())
	s.scroll.Refresh()
}

// ToTop scrolls to the start.
func (s *Scroller) ToTop() { s.scroll.ScrollToTop() }

type scrollLayout struct{ column *fyne.Container }

func (l *scrollLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Move(fyne.NewPos(0, 0))
	o[0].Resize(size)
	o[0].Refresh() // now the column knows its width, so this height is the right one
}

func (l *scrollLayout) heightFor(_ []fyne.CanvasObject, width float32) float32 {
	return Height(l.column, width)
}

func (l *scrollLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(l.column.MinSize().Width, o[0].MinSize().Height)
}

package shell

import (
	"slices"

	"fyne.io/fyne/v2"

	"keva/ui/screen"
	"keva/ui/theme"
)

// Widths of the panes of a wide window, in dp.
const (
	listPane  float32 = 300
	sidePane  float32 = 440
	threeFrom         = listPane + theme.ChatMax*0.7 + sidePane // from here a diff stands beside the chat
)

// root lays out the panes: on a phone the topmost screen alone, on a wide window the list, the screen, and what may stand
// beside it.
type root struct {
	s       *Shell
	box     *fyne.Container
	size    fyne.Size
	nothing fyne.CanvasObject // beside the list while no session is open
	welcome fyne.CanvasObject // the first start
	lines   [2]fyne.CanvasObject
}

func newRoot(s *Shell) *root {
	r := &root{s: s, lines: [2]fyne.CanvasObject{screen.Fill(theme.Line), screen.Fill(theme.Line)}}
	r.welcome = s.start.Object()
	hint := screen.NewPara("Choose a session, or begin a new one.", screen.LineStyle)
	hint.Align = fyne.TextAlignCenter
	r.nothing = screen.On(screen.Fill(theme.Background), screen.Column(0, screen.Insets{Top: 160, Left: theme.Space6, Right: theme.Space6}, hint))
	r.box = &fyne.Container{Layout: r}
	return r
}

func (r *root) object() fyne.CanvasObject { return r.box }

// wide reports whether there is room for panes.
func (r *root) wide() bool { return !r.s.deps.Mobile && r.size.Width >= theme.WideFrom }

// arrange puts the right screens into the tree.
func (r *root) arrange() { r.box.Refresh() }

// welcomes reports whether there is nothing to show but the first start: without a session there is no list, and without
// its tools the device can't do anything.
func (r *root) welcomes() bool {
	return len(r.s.stack) == 0 && r.s.loaded && (len(r.s.list) == 0 || r.s.start.Needed())
}

// panes are the screens that are shown, from left to right, with their widths; the one with 0 gets the rest.
func (r *root) panes() ([]fyne.CanvasObject, []float32) {
	s := r.s
	if r.welcomes() {
		return []fyne.CanvasObject{r.welcome}, []float32{0}
	}
	n := len(s.stack)
	if !r.wide() {
		if n > 0 {
			return []fyne.CanvasObject{s.stack[n-1].object}, []float32{0}
		}
		return []fyne.CanvasObject{s.first.Object()}, []float32{0}
	}
	o, w := []fyne.CanvasObject{s.first.Object()}, []float32{listPane}
	switch {
	case n == 0:
		return append(o, r.nothing), append(w, 0)
	case n > 1 && s.stack[n-1].side && r.size.Width >= threeFrom:
		return append(o, s.stack[n-2].object, s.stack[n-1].object), append(w, 0, sidePane)
	}
	return append(o, s.stack[n-1].object), append(w, 0)
}

// Layout is part of fyne.Layout. Screens that are not shown stay in the tree, hidden: a change of the look reaches only what
// is in the tree, and they would come back in the old one.
func (r *root) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	r.size = size
	o, w := r.panes()
	objects := []fyne.CanvasObject{r.welcome, r.nothing, r.s.first.Object()}
	for _, p := range r.s.stack {
		objects = append(objects, p.object)
	}
	for _, p := range objects {
		if slices.Contains(o, p) {
			p.Show()
		} else {
			p.Hide()
		}
	}
	rest, x := size.Width-float32(len(o)-1)*theme.Border, float32(0)
	for _, v := range w {
		rest -= v
	}
	for i, p := range o {
		if w[i] == 0 {
			w[i] = rest
		}
		if i > 0 {
			l := r.lines[i-1]
			l.Move(fyne.NewPos(x, 0))
			l.Resize(fyne.NewSize(theme.Border, size.Height))
			objects = append(objects, l)
			x += theme.Border
		}
		p.Move(fyne.NewPos(x, 0))
		p.Resize(fyne.NewSize(w[i], size.Height))
		x += w[i]
	}
	if r.s.chat != nil {
		r.s.chat.Beside(r.wide())
	}
	r.s.first.SetShown(slices.Contains(o, r.s.first.Object()))
	selected := ""
	if r.wide() && r.s.chat != nil {
		selected = r.s.chat.ID()
	}
	r.s.first.Select(selected)
	objects = append(objects, r.s.toast.place(size)...)
	r.box.Objects = objects
}

// MinSize is part of fyne.Layout: small enough for the narrowest phone.
func (r *root) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(280, 360) }

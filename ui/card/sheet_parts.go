package card

import (
	"reflect"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"keva/agent/turn"
	"keva/ui/draw"
	"keva/ui/mark"
	"keva/ui/theme"
)

const (
	// armAfter is how long a sheet lets nothing through after it has appeared or changed: a tap that was on its way to
	// something else allows nothing.
	armAfter = 400 * time.Millisecond

	sheetPad = theme.Space4
	sheetTop = theme.Space3 + theme.Space1
	apart    = theme.Space4 // between two buttons
)

// frame is what both sheets are: a body that scrolls, and a foot with the buttons that always stays.
type frame struct {
	widget.BaseWidget

	o        SheetOptions
	request  turn.Request
	n, total int

	body   *pane
	scroll *container.Scroll
	foot   *pane // what must be seen without scrolling
	hint   *pane // above the foot, while the body does not fit
	left   *mark.Button
	right  *mark.Button // the primary one
	quiet  *mark.Button // nil for none
	field  *field       // above the buttons, nil or hidden for none

	armed    bool
	answered bool // one answer, whatever is tapped twice (I-12)
	shown    int  // counts what was shown, so that an old timer arms nothing
	refresh  func()
}

// pane is a part of a sheet that draws itself.
type pane struct{ draw.Widget }

func newPane(f func(*draw.Board) float32) *pane {
	p := &pane{}
	p.Init(p, f)
	return p
}

func (f *frame) init(self fyne.Widget, o SheetOptions, body, foot func(*draw.Board) float32) {
	f.o = o
	f.body, f.foot, f.hint = newPane(body), newPane(foot), newPane(f.drawHint)
	f.hint.Hide()
	f.scroll = container.NewVScroll(f.body)
	f.ExtendBaseWidget(self)
}

// ask shows a request. The same one again, with another count, stays armed and answered.
func (f *frame) ask(r turn.Request, n, total int) (changed bool) {
	changed = f.shown == 0 || !reflect.DeepEqual(f.request, r)
	if r.ID != f.request.ID || f.shown == 0 {
		f.answered = false
		f.scroll.ScrollToTop()
	}
	f.request, f.n, f.total = r, n, total
	if changed {
		f.arm()
	}
	return changed
}

func (f *frame) arm() {
	f.shown++
	f.armed = f.o.After == nil
	if !f.armed {
		shown := f.shown
		f.o.After(armAfter, func() {
			if f.shown == shown {
				f.armed = true
				f.refresh()
			}
		})
	}
}

// once lets the first answer through.
func (f *frame) once(answer func()) {
	if f.answered {
		return
	}
	f.answered = true
	f.refresh()
	answer()
}

// resized draws again and tells the screen that the height may have changed.
func (f *frame) resized() {
	f.body.Changed()
	f.foot.Changed()
	f.refresh()
	f.Refresh()
	if f.o.Resized != nil {
		f.o.Resized()
	}
}

// who is the name of who asks.
func (f *frame) who() string {
	if f.o.Who != nil {
		if w := one(f.o.Who(f.request.Scope)); w != "" {
			return w
		}
	}
	if f.request.Scope == "" {
		return "the main agent"
	}
	return "a sub-agent"
}

// head draws the question and which of how many it is.
func (f *frame) head(b *draw.Board, y float32, question string) float32 {
	style := draw.Style{Role: theme.Sheet, Color: theme.Ink, Bold: true}
	w := b.Width - 2*sheetPad
	if f.total > 1 {
		tag := countTag(f.n, f.total)
		mark.DrawTag(b, b.Width-sheetPad, y, style.LineHeight(), tag, mark.Attention)
		w -= mark.TagWidth(tag) + gap
	}
	return y + b.Lines(sheetPad, y, w, question, style)
}

// warn draws a line with the mark of risk, in its colour.
func warn(b *draw.Board, id string, y float32, text string) float32 {
	style := draw.Style{Role: theme.Label, Color: theme.Warning}
	m := b.Keep("warn "+id, func() fyne.CanvasObject { return mark.New(mark.Risk) })
	side := mark.Side()
	b.Object(m, sheetPad, y+(style.LineHeight()-side)/2, side, side)
	x := sheetPad + side + gap
	return y + b.Lines(x, y, b.Width-sheetPad-x, visible(text), style) + theme.Space1
}

// Measures of the foot, from above: what the pane draws, the entry, the buttons, the quiet link.
func (f *frame) footHeight(width float32) float32 {
	h := f.foot.HeightFor(width) + f.buttonHeight() + sheetPad
	if f.field != nil && f.field.Visible() {
		h += f.field.MinSize().Height + theme.Space3
	}
	if f.quiet != nil && f.quiet.Visible() {
		h += f.quiet.MinSize().Height - theme.Space2
	}
	return h
}

func (f *frame) buttonHeight() float32 {
	return max(f.left.MinSize().Height, f.right.MinSize().Height)
}

// HeightFor is part of Sheet.
func (f *frame) HeightFor(width float32) float32 {
	h := f.body.HeightFor(width) + f.footHeight(width)
	if f.o.MaxHeight > 0 {
		h = min(h, f.o.MaxHeight)
	}
	return h
}

// MinSize is part of fyne.CanvasObject.
func (f *frame) MinSize() fyne.Size {
	return fyne.NewSize(240, f.footHeight(max(f.Size().Width, 240))+theme.Touch)
}

// CreateRenderer is part of fyne.Widget.
func (f *frame) CreateRenderer() fyne.WidgetRenderer {
	objects := []fyne.CanvasObject{f.scroll, f.hint, f.foot, f.left, f.right}
	if f.quiet != nil {
		objects = append(objects, f.quiet)
	}
	if f.field != nil {
		objects = append(objects, f.field)
	}
	return &frameRenderer{f: f, objects: objects}
}

type frameRenderer struct {
	f       *frame
	objects []fyne.CanvasObject
}

// Layout stacks from below: the buttons are never pushed off the screen, the body gets what is left.
func (r *frameRenderer) Layout(size fyne.Size) {
	f, w := r.f, size.Width
	y := size.Height - sheetPad
	place := func(o fyne.CanvasObject, x, w, h float32) {
		o.Move(fyne.NewPos(x, y))
		o.Resize(fyne.NewSize(w, h))
	}
	if f.quiet != nil && f.quiet.Visible() {
		m := f.quiet.MinSize()
		y -= m.Height - theme.Space2
		place(f.quiet, (w-m.Width)/2, m.Width, m.Height)
	}
	bh, bw := f.buttonHeight(), (w-2*sheetPad-apart)/2
	y -= bh
	place(f.left, sheetPad, bw, bh)
	place(f.right, sheetPad+bw+apart, bw, bh)
	if f.field != nil && f.field.Visible() {
		h := f.field.MinSize().Height
		y -= h + theme.Space3
		place(f.field, sheetPad, w-2*sheetPad, h)
	}
	h := f.foot.HeightFor(w)
	y -= h
	place(f.foot, 0, w, h)
	f.hint.Hidden = f.body.HeightFor(w) <= y+0.5
	if !f.hint.Hidden {
		h := f.hint.HeightFor(w)
		y -= h
		place(f.hint, 0, w, h)
	}
	f.body.Resize(fyne.NewSize(w, f.body.HeightFor(w))) // before the scroll asks for its least size
	f.scroll.Move(fyne.NewPos(0, 0))
	f.scroll.Resize(fyne.NewSize(w, max(y, 0)))
	f.scroll.Refresh()
}

func (r *frameRenderer) MinSize() fyne.Size           { return r.f.MinSize() }
func (r *frameRenderer) Refresh()                     { r.Layout(r.f.Size()) }
func (r *frameRenderer) Objects() []fyne.CanvasObject { return r.objects }
func (r *frameRenderer) Destroy()                     {}

// drawHint says that the body does not fit: nobody allows what he has not seen without being told.
func (f *frame) drawHint(b *draw.Board) float32 {
	b.Rule(0, 0, b.Width)
	return theme.Space2 + b.Lines(sheetPad, theme.Space2, b.Width-2*sheetPad, "There is more. Scroll to read all of it.", draw.Secondary)
}

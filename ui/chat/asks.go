package chat

import (
	"context"

	"fyne.io/fyne/v2"

	"keva/agent/approval"
	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/turn"
	"keva/ui/card"
	"keva/ui/mark"
	"keva/ui/screen"
	"keva/ui/theme"
)

// asks is what the engine waits for: the sheet of one open request, and the way to the others. Each request is answered
// once (I-12): one that was answered here is not offered again, whatever is tapped, until the answer has failed.
type asks struct {
	s        *Screen
	pending  []turn.Request
	answered map[string]bool
	id       string // the request that is shown, "" for none

	scrim  *screen.Rect
	holder *fyne.Container
	failed *screen.Para
	steps  *fyne.Container
	shown  [2]int // number and total, as the sheet says them
	sheet  card.Sheet
	ground *mark.Surface
}

func newAsks(s *Screen) *asks {
	a := &asks{s: s, answered: map[string]bool{}, scrim: screen.Fill(theme.Scrim), ground: mark.NewSheetSurface()}
	a.failed = screen.NewPara("", screen.ErrorStyle)
	a.steps = screen.Line(theme.Space2, 1, screen.Insets{Left: theme.Space1, Right: theme.Space1},
		mark.NewButton("Previous", mark.Quiet, func() { a.step(-1) }), screen.NewShrinking("", screen.SecondaryStyle),
		mark.NewButton("Next", mark.Quiet, func() { a.step(1) }))
	a.holder = &fyne.Container{Layout: asksLayout{a}}
	return a
}

// open reports whether a request is shown.
func (a *asks) open() bool { return a.id != "" }

// show brings the sheet in line with the open requests. The one that is shown stays as long as it is open: it must not
// change under a finger.
func (a *asks) show(pending []turn.Request) {
	a.pending = a.pending[:0]
	open := map[string]bool{}
	for _, r := range pending {
		open[r.ID] = true
		if !a.answered[r.ID] {
			a.pending = append(a.pending, r)
		}
	}
	for id := range a.answered { // the answer has arrived: nothing to remember
		if !open[id] {
			delete(a.answered, id)
		}
	}
	at := a.index(a.id)
	if at < 0 && len(a.pending) == 0 {
		if a.open() {
			a.id, a.sheet = "", nil
			a.failed.SetText("")
			a.s.relayout()
			a.s.FocusComposer()
		}
		return
	}
	if at < 0 {
		a.present(0)
		return
	}
	a.counts(at)
}

func (a *asks) index(id string) int {
	for i, r := range a.pending {
		if r.ID == id {
			return i
		}
	}
	return -1
}

func (a *asks) step(by int) {
	if n := len(a.pending); n > 0 {
		a.present((max(a.index(a.id), 0) + by + n) % n)
	}
}

// present shows open request i in a sheet of its own, whose buttons are not armed yet.
func (a *asks) present(i int) {
	r := a.pending[i]
	a.id = r.ID
	o := a.options(r)
	if r.Question != nil {
		a.sheet = card.NewQuestionSheet(o)
	} else {
		a.sheet = card.NewApprovalSheet(o)
	}
	a.shown = [2]int{}
	a.counts(i)
	a.holder.Objects = []fyne.CanvasObject{a.ground, a.sheet, a.steps, a.failed}
	a.s.relayout()
	if c := a.s.deps.Window(); c != nil {
		if a.s.deps.EnterSends {
			a.sheet.FocusFirst(c)
		} else {
			c.Unfocus() // takes the touch keyboard away
		}
	}
}

// counts says which of how many the request is.
func (a *asks) counts(i int) {
	if now := [2]int{i + 1, len(a.pending)}; now != a.shown {
		a.shown = now
		a.sheet.Ask(a.pending[i], now[0], now[1])
		a.s.relayout()
	}
}

func (a *asks) options(r turn.Request) card.SheetOptions {
	var risks []string
	if r.Approval != nil {
		risks = approval.Risks(*r.Approval, a.s.view.Meta.Dir)
	}
	return card.SheetOptions{
		Risks: risks,
		Home:  a.s.deps.Home, Dir: a.s.view.Meta.Dir, Who: a.who, After: a.s.deps.After, MaxHeight: a.room(), Resized: a.s.relayout,
		Allow: func(id string) { a.answer(id, runtime.Answer{Decision: event.Allow, By: event.ByUser}) },
		Deny: func(id, reason string) {
			a.answer(id, runtime.Answer{Decision: event.Deny, By: event.ByUser, Reason: reason})
		},
		ShowDiff: func(r turn.Request) {
			if r.Approval != nil {
				a.s.deps.ShowChanges(r.Approval.Title, r.Approval.Changes)
			}
		},
		Answer: func(id string, answers map[string][]string) {
			d := event.Allow
			if answers == nil {
				d = event.Deny
			}
			a.answer(id, runtime.Answer{Decision: d, By: event.ByUser, Answers: answers})
		},
	}
}

// who is the name of who asks.
func (a *asks) who(scope string) string {
	if scope == "" {
		return "the main agent"
	}
	for _, t := range a.s.view.Live {
		if t.ID == scope && t.Title != "" {
			return t.Title
		}
	}
	return "a sub-agent"
}

func (a *asks) answer(id string, answer runtime.Answer) {
	if a.answered[id] || a.index(id) < 0 {
		return
	}
	a.answered[id] = true
	a.failed.SetText("")
	a.show(a.s.view.Pending)
	a.s.deps.Go(func() {
		_, err := a.s.deps.Session.Answer(context.Background(), id, answer)
		a.s.deps.Post(func() {
			if err != nil { // not answered: it is asked again, with the reason
				delete(a.answered, id)
				a.failed.SetText("Not answered. " + Sentence(err))
				a.id = ""
				a.s.view = a.s.deps.Session.View()
				a.show(a.s.view.Pending)
				a.s.relayout()
			}
			a.s.pump.wake()
		})
	})
}

// room is how high a sheet may be: something of the transcript stays in view.
func (a *asks) room() float32 {
	h := a.s.root.Size().Height - a.s.bar.MinSize().Height - theme.Touch
	if len(a.pending) > 1 {
		h -= theme.Touch
	}
	return max(h, 240)
}

// heightFor is the height of the sheet with what is around it, at most most.
func (a *asks) heightFor(width, most float32) float32 {
	h := a.extra(width)
	if a.sheet != nil {
		h += a.sheet.HeightFor(width)
	}
	return min(h, most)
}

func (a *asks) extra(width float32) float32 {
	h := float32(0)
	if len(a.pending) > 1 {
		h += screen.Height(a.steps, width)
	}
	if a.failed.Text() != "" {
		h += a.failed.HeightFor(width-2*theme.Space4) + theme.Space3
	}
	return h
}

type asksLayout struct{ a *asks }

func (l asksLayout) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	a := l.a
	if a.sheet == nil {
		return
	}
	a.ground.Move(fyne.NewPos(0, 0))
	a.ground.Resize(size)
	h := size.Height - a.extra(size.Width)
	a.sheet.Move(fyne.NewPos(0, 0))
	a.sheet.Resize(fyne.NewSize(size.Width, h))
	y := h
	a.failed.Hidden = a.failed.Text() == ""
	if !a.failed.Hidden {
		fh := a.failed.HeightFor(size.Width - 2*theme.Space4)
		a.failed.Move(fyne.NewPos(theme.Space4, y))
		a.failed.Resize(fyne.NewSize(size.Width-2*theme.Space4, fh))
		y += fh + theme.Space3
	}
	a.steps.Hidden = len(a.pending) < 2
	a.steps.Move(fyne.NewPos(0, y))
	a.steps.Resize(fyne.NewSize(size.Width, screen.Height(a.steps, size.Width)))
}

func (l asksLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(240, theme.Touch) }

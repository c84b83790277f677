package onboarding

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"fyne.io/fyne/v2"

	"keva/agent/onboarding"
	"keva/ui/mark"
	"keva/ui/screen"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// tools is the page of the unpacking.
type tools struct {
	s       *Screen
	begun   bool
	paused  bool
	failed  error
	at      onboarding.Progress
	state   onboarding.Tools
	cancel  context.CancelFunc
	running bool
}

// begin starts by itself the first time: nothing else can be done on a fresh phone. After a pause or a failure it waits.
func (t *tools) begin(state onboarding.Tools) {
	t.state = state
	if !t.begun && state != onboarding.ToolsUnknown {
		t.begun = true
		t.run()
	}
}

func (t *tools) run() {
	if t.running {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.running, t.paused, t.failed, t.cancel = true, false, nil, cancel
	post := t.s.deps.Post
	t.s.deps.Go(func() {
		err := t.s.deps.Service.Unpack(ctx, func(p onboarding.Progress) {
			post(func() {
				t.at = p
				t.s.rebuild()
			})
		})
		post(func() {
			t.running = false
			t.paused = ctx.Err() != nil && err != nil
			if err != nil && !t.paused {
				t.failed = err
			}
			cancel()
			t.s.rebuild()
			t.s.Look()
		})
	})
	t.s.rebuild()
}

func (t *tools) page() fyne.CanvasObject {
	text := "Keva is unpacking its Linux tools. It happens once, works offline, and stays inside the app."
	if t.state == onboarding.ToolsDamaged {
		text = "Some of Keva's Linux tools are damaged. They are unpacked again; your projects and sessions stay as they are."
	}
	if t.state == onboarding.ToolsOutdated {
		text = "This version of Keva brings newer Linux tools. The old ones stay until the new ones are unpacked and checked; your projects and sessions stay as they are."
	}
	var between []fyne.CanvasObject
	if t.running || t.at.Total > 0 {
		at := t.at
		if !t.running {
			at.Rate = 0
		}
		between = append(between, screen.Column(theme.Space2, screen.Insets{Top: theme.Space4}, newBar(t.at),
			screen.Line(theme.Space3, 0, screen.Insets{}, screen.NewPara(amount(at), screen.SecondaryStyle), screen.NewText(t.left(), screen.SecondaryStyle))))
	}
	if t.failed != nil && !errors.Is(t.failed, context.Canceled) {
		between = append(between, screen.NewPara(sentence(t.failed), screen.ErrorStyle))
	}
	var low []fyne.CanvasObject
	if len(t.at.Parts) > 0 && t.failed == nil { // after a failure bytes were written that nobody vouches for
		rows := screen.Column(0, screen.Insets{})
		for i, p := range t.at.Parts {
			if i > 0 {
				rows.Objects = append(rows.Objects, screen.Separator())
			}
			state, says := transcript.MarkWaiting, "waiting"
			switch {
			case p.Done:
				state, says = transcript.MarkDone, "unpacked"
			case p.Current && t.running:
				state, says = transcript.MarkRunning, "unpacking"
			case p.Current:
				says = "paused"
			}
			rows.Objects = append(rows.Objects, screen.Line(theme.Space3, 1, screen.Pad(theme.Space3),
				mark.New(state), screen.NewShrinking(p.Label, screen.BodyStyle), screen.NewText(says, screen.SecondaryStyle)))
		}
		low = append(low, screen.On(screen.Panel(theme.Surface, theme.Line, theme.CardRadius), rows))
	}
	switch {
	case t.running:
		low = append(low, mark.NewBigButton("Pause", mark.Secondary, func() { t.cancel() }))
	case t.failed != nil:
		low = append(low, mark.NewBigButton("Try again", mark.Primary, t.run))
	default:
		low = append(low, mark.NewBigButton("Continue", mark.Primary, t.run))
	}
	return page("A computer\nin your pocket", text, between, low)
}

// amount is "608 of 980 MB · 55 MB/s".
func amount(p onboarding.Progress) string {
	const mb = 1e6
	s := fmt.Sprintf("%.0f of %.0f MB", float64(p.Done)/mb, float64(p.Total)/mb)
	if p.Total == 0 {
		return "Looking at what is there…"
	}
	if p.Rate > 0 {
		s += fmt.Sprintf(" · %.0f MB/s", p.Rate/mb)
	}
	return s
}

// left is what is known of the time that it still takes.
func (t *tools) left() string {
	switch {
	case t.failed != nil:
		return "stopped"
	case !t.running:
		return "paused"
	case t.at.Left <= 0:
		return ""
	case t.at.Left < time.Minute:
		return fmt.Sprintf("about %d s left", int(math.Ceil(t.at.Left.Seconds())))
	}
	return fmt.Sprintf("about %d min left", int(math.Ceil(t.at.Left.Minutes())))
}

// barHeight is that of the line that fills, in dp.
const barHeight = 6

// newBar is a thin line that is filled as far as p is.
func newBar(p onboarding.Progress) *fyne.Container {
	part := float32(0)
	if p.Total > 0 {
		part = float32(min(1, max(0, float64(p.Done)/float64(p.Total))))
	}
	return &fyne.Container{Layout: filled(part), Objects: []fyne.CanvasObject{
		screen.Panel(theme.Line, "", barHeight/2), screen.Panel(theme.Accent, "", barHeight/2),
	}}
}

// filled lays the second object over the first, from the left, as far as it says (0 to 1).
type filled float32

func (f filled) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Resize(size)
	o[1].Resize(fyne.NewSize(size.Width*float32(f), size.Height))
}

func (filled) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(theme.Touch, barHeight) }

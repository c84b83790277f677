package card

import (
	"fmt"
	"time"

	"fyne.io/fyne/v2"

	"keva/agent/trust"
	"keva/agent/turn"
	"keva/ui/draw"
	"keva/ui/mark"
	"keva/ui/theme"
)

// TrustOptions are what the trust sheet needs from its screen.
type TrustOptions struct {
	Home string // shortened to ~ in paths; "" for none
	// Engine names an engine for people; nil leaves its id.
	Engine func(id string) string
	// After, MaxHeight and Resized are those of SheetOptions.
	After     func(time.Duration, func())
	MaxHeight float32
	Resized   func()

	KeepOff func() // nothing is turned on; the calm way out
	Allow   func(c trust.Consent)
}

// Trust lists what a project would run or allow by itself, file by file and to the letter, and asks whether it may. Keeping
// it off is the way out that needs no thought; to allow takes a second, later tap.
type Trust struct {
	frame
	to       TrustOptions
	report   trust.Report
	changed  bool
	allowing bool // the second step
	showOff  bool // what stays off in any case is open
}

// NewTrust makes the sheet.
func NewTrust(o TrustOptions) *Trust {
	s := &Trust{to: o}
	s.left = mark.NewBigButton("Allow…", mark.Secondary, s.tapLeft)
	s.right = mark.NewBigButton("Keep off", mark.Primary, s.tapRight)
	s.refresh = s.update
	s.init(s, SheetOptions{Home: o.Home, After: o.After, MaxHeight: o.MaxHeight, Resized: o.Resized}, s.drawBody, s.drawFoot)
	return s
}

// Ask shows a report. changed says that the user has allowed an earlier content of the same project.
func (s *Trust) Ask(r trust.Report, changed bool) {
	if r.Hash != s.report.Hash || r.Dir != s.report.Dir {
		s.allowing, s.showOff = false, false
	}
	s.report, s.changed = r, changed
	s.ask(turn.Request{ID: r.Dir + "\n" + r.Hash}, 1, 1)
	s.body.Changed()
	s.foot.Changed()
	s.update()
	s.Refresh()
}

// FocusFirst gives the keyboard to the button that turns nothing on.
func (s *Trust) FocusFirst(c fyne.Canvas) { c.Focus(s.right) }

// update brings the buttons in line with what may be tapped.
func (s *Trust) update() {
	enable := func(b *mark.Button, on bool) {
		if on {
			b.Enable()
		} else {
			b.Disable()
		}
	}
	_, offered := trust.Agree(s.report)
	s.left.Hidden = !offered
	if s.allowing {
		s.left.SetText("Allow")
		s.left.SetKind(mark.Danger)
	} else {
		s.left.SetText("Allow…")
		s.left.SetKind(mark.Secondary)
	}
	enable(s.left, s.armed && !s.answered)
	enable(s.right, !s.answered)
}

func (s *Trust) tapLeft() {
	if !s.armed || s.answered {
		return
	}
	if !s.allowing {
		s.allowing = true
		s.arm() // a double tap must not allow
		s.resized()
		return
	}
	if c, ok := trust.Agree(s.report); ok && s.to.Allow != nil {
		s.once(func() { s.to.Allow(c) })
	}
}

func (s *Trust) tapRight() {
	if s.to.KeepOff != nil {
		s.once(s.to.KeepOff)
	}
}

func (s *Trust) drawBody(b *draw.Board) float32 {
	w := b.Width - 2*sheetPad
	y := s.head(b, sheetTop, "This project would act by itself")
	y += 2 + b.Lines(sheetPad, y+2, w, visible("in "+short(s.report.Dir, s.o.Home)), draw.Label.In(theme.Muted))
	if s.changed {
		y += theme.Space1 + b.Lines(sheetPad, y+theme.Space1, w, "It is not what you allowed before: a file has changed since.", draw.Label.In(theme.Warning))
	}
	y += 10
	for i, p := range s.report.Problems {
		y = warn(b, fmt.Sprint("problem ", i), y, p.File+": "+p.Text)
	}
	if len(s.report.Problems) > 0 {
		y += b.Lines(sheetPad, y, w, "What can't be read can't be allowed, so all of it stays off.", draw.Label) + theme.Space2
	}
	file := ""
	var off []trust.Entry
	for _, e := range s.report.Entries {
		if !e.Offered() || len(s.report.Problems) > 0 {
			off = append(off, e)
			continue
		}
		if e.File != file {
			file = e.File
			y += theme.Space1 + b.Lines(sheetPad, y+theme.Space1, w, visible(file), draw.Mono.In(theme.Muted))
		}
		y = s.entry(b, y, e)
	}
	return s.drawOff(b, y, off) + theme.Space1
}

// entry draws what would be turned on, whole.
func (s *Trust) entry(b *draw.Board, y float32, e trust.Entry) float32 {
	w := b.Width - 2*sheetPad
	what := join(trustWords(e), s.engine(e.Engine))
	if e.Line > 0 {
		what = join(what, fmt.Sprintf("line %d", e.Line))
	}
	y += theme.Space1 + b.Lines(sheetPad, y+theme.Space1, w, visible(what), draw.Label) + theme.Space1
	y = block(b, y, e.Text)
	for _, name := range e.Runs {
		y += 2 + b.Lines(sheetPad, y+2, w, visible("with the project's file "+name), draw.Secondary)
	}
	return y + theme.Space2
}

// drawOff draws what stays off in any case: one line each, folded.
func (s *Trust) drawOff(b *draw.Board, y float32, off []trust.Entry) float32 {
	if len(off) == 0 {
		return y
	}
	w := b.Width - 2*sheetPad
	h := theme.HeightFor(theme.Label, theme.TapRowHeight)
	label := fmt.Sprintf("%d others stay off in any case", len(off))
	switch {
	case len(off) == len(s.report.Entries):
		label = "All of it stays off in any case"
	case len(off) == 1:
		label = "One other stays off in any case"
	}
	b.Text(sheetPad, y, w-chevron, h, label, draw.Style{Role: theme.Label, Color: theme.Muted}, fyne.TextAlignLeading)
	mark.DrawChevron(b, b.Width-sheetPad-8, y+(h-5)/2, s.showOff)
	b.Tap("off", sheetPad, y, w, h, draw.TapOptions{Label: label, Radius: theme.BlockRadius, Tapped: func() {
		s.showOff = !s.showOff
		s.resized()
	}})
	y += h
	if !s.showOff {
		return y
	}
	for _, e := range off {
		y += b.Lines(sheetPad, y, w, visible(join(e.File, trustWords(e))), draw.Label)
		y += b.Lines(sheetPad, y, w, one(e.Text), draw.Mono.In(theme.Muted))
		if e.Refused != "" {
			y += b.Lines(sheetPad, y, w, e.Refused, draw.Secondary)
		}
		y += theme.Space2
	}
	return y
}

// drawFoot draws what must be seen without scrolling.
func (s *Trust) drawFoot(b *draw.Board) float32 {
	y := theme.Space1
	for _, e := range s.report.Offered() {
		if hides(e.Text) {
			y = warn(b, "hidden", y, "Holds characters that can't be seen. They stand between ‹ and ›.")
			break
		}
	}
	if s.allowing {
		y = warn(b, "asks", y, "It will run without asking you, until one of these files changes. What those files start in turn is not shown.")
	}
	return y + theme.Space2
}

func (s *Trust) engine(id string) string {
	if s.to.Engine != nil {
		return s.to.Engine(id)
	}
	return id
}

// trustWords says in what way an entry acts.
func trustWords(e trust.Entry) string {
	name := one(e.Name)
	switch e.Kind {
	case trust.KindHook:
		return "Runs at " + name
	case trust.KindServer:
		return "Starts the tool server " + name
	case trust.KindHelper:
		return "Runs as " + name
	case trust.KindAllow:
		return "Allows without asking"
	case trust.KindEnv:
		return "Sets " + name
	case trust.KindMode:
		return "Changes what is asked: " + name
	case trust.KindDirectory:
		return "Opens another folder"
	case trust.KindPlugin:
		return "Brings plugins"
	case trust.KindText:
		return "Speaks to the model"
	case trust.KindSchedule:
		return "Sends prompts at " + name
	case trust.KindSetting:
		return "Sets " + name
	}
	return string(e.Kind) + " " + name
}

// Package doctor is the screen that says what works, what does not and what to do, and that makes a report to share. It
// checks nothing itself.
package doctor

import (
	"context"

	"fyne.io/fyne/v2"

	"keva/agent/doctor"
	"keva/ui/draw"
	"keva/ui/mark"
	"keva/ui/screen"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// Service is what the screen needs. Its methods may block and are called off the thread of the user interface.
type Service interface {
	// Findings runs the checks.
	Findings(ctx context.Context) []doctor.Finding
	// Report is the text that may be shared, as it will be shared.
	Report(ctx context.Context, found []doctor.Finding) string
	// Save keeps the report as a file and returns its path. Errors are for people.
	Save(text string) (string, error)
}

// Deps is what the screen needs from around it.
type Deps struct {
	Service Service
	Back    func()
	// Review shows the text before it goes anywhere; save may be called from there.
	Review   func(text string, save func() (string, error))
	Post, Go func(func())
}

// Screen is the doctor. Its methods belong to the thread of the user interface.
type Screen struct {
	deps    Deps
	found   []doctor.Finding
	running bool
	cancel  context.CancelFunc

	root   *fyne.Container
	column *fyne.Container
	scroll *screen.Scroller
}

// New makes the screen and begins to check.
func New(d Deps) *Screen {
	s := &Screen{deps: d}
	bar := screen.NewBar(screen.NewIconButton(screen.GlyphBack, "Back", d.Back), "Doctor", "")
	s.column = screen.Column(0, screen.Insets{Bottom: theme.Space6})
	s.scroll = screen.Scroll(s.column)
	s.root = screen.Page(bar, screen.On(screen.Fill(theme.Background), s.scroll.Object()))
	s.check()
	return s
}

// Object is what goes into the window.
func (s *Screen) Object() fyne.CanvasObject { return s.root }

// Stop ends a check that runs.
func (s *Screen) Stop() {
	if s.cancel != nil {
		s.cancel()
	}
}

func (s *Screen) check() {
	if s.running {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.running, s.cancel = true, cancel
	s.rebuild()
	s.deps.Go(func() {
		found := s.deps.Service.Findings(ctx)
		s.deps.Post(func() {
			gone := ctx.Err() != nil
			cancel()
			s.running = false
			if !gone {
				s.found = found
				s.rebuild()
			}
		})
	})
}

func (s *Screen) report() {
	found := s.found
	s.deps.Go(func() {
		text := s.deps.Service.Report(context.Background(), found)
		s.deps.Post(func() { s.deps.Review(text, func() (string, error) { return s.deps.Service.Save(text) }) })
	})
}

func (s *Screen) rebuild() {
	o := []fyne.CanvasObject{s.summary()}
	group := ""
	for _, f := range s.found {
		if f.Group != group {
			group = f.Group
			o = append(o, screen.Section(group))
		}
		o = append(o, screen.SettingRow(f.Title, f.Says, tail(f.State)))
		if f.Remedy != "" && f.State != doctor.OK {
			o = append(o, screen.Column(0, screen.Insets{Right: theme.Space4, Bottom: theme.Space3, Left: theme.Space4},
				screen.NewPara(f.Remedy, draw.Style{Role: theme.Label, Color: colour(f.State)})))
		}
		o = append(o, screen.Separator())
	}
	if len(s.found) > 0 && !s.running {
		o = append(o, screen.Column(theme.Space2, screen.Pad(theme.Space4),
			mark.NewBigButton("Check again", mark.Secondary, s.check),
			mark.NewBigButton("Make a report…", mark.Quiet, s.report),
			screen.NewPara("You see the report before it goes anywhere. It holds no titles, messages, file contents or keys.", screen.SecondaryStyle)))
	}
	s.column.Objects = o
	s.scroll.Changed()
}

// summary is the first line: what all of it comes to.
func (s *Screen) summary() fyne.CanvasObject {
	if s.running {
		return screen.SettingRow("Checking…", "This takes a few seconds.", mark.New(transcript.MarkRunning))
	}
	worst := doctor.Worst(s.found)
	words := map[doctor.State][2]string{
		doctor.OK:      {"Everything works", "Nothing needs you."},
		doctor.Warning: {"It works, with a warning", "What to do is said below."},
		doctor.Failed:  {"Something does not work", "What to do is said below."},
		doctor.Unknown: {"Not everything could be checked", "What is unknown is marked below."},
		doctor.Absent:  {"Nothing was checked", "Try again."},
	}[worst]
	return screen.SettingRow(words[0], words[1], tail(worst))
}

// tail says the state by shape and by word.
func tail(state doctor.State) fyne.CanvasObject {
	switch state {
	case doctor.OK:
		return mark.New(transcript.MarkDone)
	case doctor.Failed:
		return mark.NewTag("Failed", mark.Failed)
	case doctor.Warning:
		return mark.NewTag("Look at this", mark.Attention)
	case doctor.Absent:
		return mark.NewTag("Not here", mark.Neutral)
	case doctor.Unknown:
	}
	return mark.NewTag("Unknown", mark.Unclear)
}

func colour(state doctor.State) fyne.ThemeColorName {
	switch state {
	case doctor.Failed:
		return theme.Error
	case doctor.Warning:
		return theme.Warning
	case doctor.Unknown:
		return theme.Unknown
	case doctor.OK, doctor.Absent:
	}
	return theme.Muted
}

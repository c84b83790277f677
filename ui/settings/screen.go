package settings

import (
	"context"
	"errors"

	"fyne.io/fyne/v2"

	"keva/agent/event"
	"keva/ui/draw"
	"keva/ui/mark"
	"keva/ui/screen"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// Deps is what the screen needs from around it.
type Deps struct {
	Service Service
	Window  func() fyne.Canvas
	Back    func()
	Show    func(page func(back func()) fyne.CanvasObject) // opens a page above this one
	Applied func(Values)                                   // a choice was saved; the look follows at once
	More    []Link                                         // pages that others bring
	Post    func(func())                                   // runs a function on the thread of the user interface
	Go      func(func())                                   // runs one off it
}

// Link is a row that opens a page of somebody else's. Links of one section stand together, in the order given.
type Link struct {
	Section, Label, Second string
	Open                   func()
}

// keyState is what is known of the key of the chosen provider.
type keyState struct {
	provider string
	known    bool
	has      bool
	err      error
}

// checkState is how the check of an engine went.
type checkState struct {
	engine  string
	running bool
	version string
	err     error
}

// Screen is the settings screen. Its methods belong to the thread of the user interface.
type Screen struct {
	deps   Deps
	values Values
	failed error
	key    keyState
	check  checkState

	places      []Place
	placesKnown bool

	root   *fyne.Container
	column *fyne.Container
	scroll *screen.Scroller
}

// New makes the screen with the choices as they are now.
func New(d Deps) *Screen {
	s := &Screen{deps: d, values: d.Service.Values()}
	bar := screen.NewBar(screen.NewIconButton(screen.GlyphBack, "Back", d.Back), "Settings", "")
	s.column = screen.Column(0, screen.Insets{Bottom: theme.Space6})
	s.scroll = screen.Scroll(s.column)
	s.root = screen.Page(bar, screen.On(screen.Fill(theme.Background), s.scroll.Object()))
	s.rebuild()
	s.askKey()
	s.askPlaces()
	return s
}

// Object is what goes into the window.
func (s *Screen) Object() fyne.CanvasObject { return s.root }

func (s *Screen) engine() Engine { return engineOf(s.deps.Service, s.values.Engine) }
func (s *Screen) provider() Provider {
	return providerOf(s.deps.Service, s.engine().ID, s.values.Provider)
}

// save keeps a changed choice. What could not be kept still holds until Keva closes, and the screen says so.
func (s *Screen) save(change func(*Values)) {
	change(&s.values)
	s.values = Resolve(s.deps.Service, s.values)
	s.failed = s.deps.Service.Save(s.values)
	s.deps.Applied(s.values)
	if s.key.provider != s.provider().ID {
		s.askKey()
	}
	s.rebuild()
}

func (s *Screen) rebuild() {
	e, p, v := s.engine(), s.provider(), s.values
	var o []fyne.CanvasObject
	row := func(label, second string, tail fyne.CanvasObject, do func()) {
		if do == nil {
			o = append(o, screen.SettingRow(label, second, tail))
		} else {
			o = append(o, screen.TapRow(label, second, tail, do))
		}
		o = append(o, screen.Separator())
	}
	next := func() fyne.CanvasObject { return screen.NewIcon(screen.GlyphNext, theme.Muted, 18) }

	if s.failed != nil {
		o = append(o, screen.On(screen.Fill(theme.ErrorSoft), screen.Column(0, screen.Pad(theme.Space4),
			screen.NewPara("The choice holds until Keva closes, but could not be kept. "+Sentence(s.failed), draw.Style{Role: theme.Label, Color: theme.Error}))))
	}
	o = append(o, screen.Section("New sessions use"))
	row("Engine", e.Label, next(), s.chooseEngine)
	row("Provider", join(p.Label, p.Note), next(), s.chooseProvider)
	if p.Custom {
		row("Address", or(p.Address, "Not set. Without it nothing can be sent."), next(), s.ownAddress(p.ID))
	}
	if p.NeedsKey {
		row("API key", s.keyLine(), s.keyTail(), s.enterKey)
	}
	row("Model", or(v.Model, "The engine's default"), next(), s.chooseModel)
	row("Effort", or(v.Effort, "The engine's default"), next(), s.chooseEffort)
	if label, second, do, shown := s.ownRow(); shown {
		row(label, second, next(), do)
	}

	o = append(o, screen.Section("Engine"))
	if label, second, tail, do, shown := s.placeRow(); shown {
		row(label, second, tail, do)
	}
	row(s.checkRow(e))

	o = append(o, screen.Section("Look"))
	row("Theme", modeWord(v.Mode), next(), s.chooseMode)
	row("Text size", scaleWord(v.Scale), next(), s.chooseScale)
	motion := "Off: rings turn, text flows"
	if v.ReducedMotion {
		motion = "On: nothing moves, text appears at once"
	}
	row("Reduced motion", motion, onOff(v.ReducedMotion), func() {
		s.save(func(v *Values) { v.ReducedMotion = !v.ReducedMotion })
	})

	o = append(o, screen.Section("Trust and limits"))
	row("Allowed projects", "What they may do by themselves", next(), func() {
		s.deps.Show(func(back func()) fyne.CanvasObject { return Consents(s.deps.Service, back) })
	})
	row("Timeouts and limits", "What can cut a run short, and when", next(), func() { s.deps.Show(Limits) })

	section := ""
	for _, l := range s.deps.More {
		if l.Section != section {
			section = l.Section
			o = append(o, screen.Section(section))
		}
		row(l.Label, l.Second, next(), l.Open)
	}
	s.column.Objects = o
	s.scroll.Changed()
}

func onOff(on bool) fyne.CanvasObject {
	if on {
		return mark.NewTag("On", mark.Active)
	}
	return mark.NewTag("Off", mark.Neutral)
}

// checkRow is the row of the engine's check: what it found, or what to do.
func (s *Screen) checkRow(e Engine) (label, second string, tail fyne.CanvasObject, do func()) {
	label, do = "Check "+e.Label, s.runCheck
	c := s.check
	switch {
	case c.engine != e.ID:
		return label, "Asks the installed engine for its version", screen.NewIcon(screen.GlyphNext, theme.Muted, 18), do
	case c.running:
		return label, "Asking…", mark.New(transcript.MarkRunning), nil
	case c.err != nil:
		return label, Sentence(c.err), mark.New(transcript.MarkFailed), do
	}
	return label, c.version, mark.New(transcript.MarkDone), do
}

func (s *Screen) runCheck() {
	e := s.engine()
	s.check = checkState{engine: e.ID, running: true}
	s.rebuild()
	s.deps.Go(func() {
		version, err := s.deps.Service.Check(context.Background(), e.ID)
		s.deps.Post(func() {
			if s.check.engine == e.ID {
				s.check = checkState{engine: e.ID, version: version, err: err}
				s.rebuild()
			}
		})
	})
}

// askKey finds out whether there is a key. The keyring may be slow or absent, so it is asked off the screen's thread.
func (s *Screen) askKey() {
	p := s.provider()
	s.key = keyState{provider: p.ID}
	if !p.NeedsKey {
		return
	}
	s.deps.Go(func() {
		has, err := s.deps.Service.HasKey(context.Background(), p.ID)
		s.deps.Post(func() {
			if s.key.provider == p.ID {
				s.key = keyState{p.ID, true, has, err}
				s.rebuild()
			}
		})
	})
}

func (s *Screen) keyLine() string {
	switch {
	case !s.key.known:
		return "Asking the keyring…"
	case s.key.err != nil:
		return Sentence(s.key.err)
	case s.key.has:
		return "A key is kept" // in the keyring, in the locked file, or until Keva closes
	}
	return "Not set"
}

func (s *Screen) keyTail() fyne.CanvasObject {
	switch {
	case s.key.known && s.key.err != nil:
		return mark.New(transcript.MarkFailed)
	case s.key.known && s.key.has:
		return mark.New(transcript.MarkDone)
	}
	return screen.NewIcon(screen.GlyphNext, theme.Muted, 18)
}

// Sentence is an error for people.
func Sentence(err error) string {
	var e *event.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

func join(a, b string) string {
	if b == "" {
		return a
	}
	return a + " · " + b
}

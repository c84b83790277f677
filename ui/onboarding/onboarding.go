// Package onboarding is the first start: the tools are unpacked, an agent is chosen and signed in, a folder is opened. What
// is asked next comes from facts (agent/onboarding), so a first start that was interrupted goes on where it was. Everything
// that is chosen here can be changed in the settings.
package onboarding

import (
	"context"
	"errors"

	"fyne.io/fyne/v2"

	"keva/agent/event"
	"keva/agent/onboarding"
	"keva/ui/draw"
	"keva/ui/mark"
	"keva/ui/screen"
	"keva/ui/theme"
)

// Service is what the screen needs. Methods that take a context may block and are called off the thread of the user
// interface.
type Service interface {
	Facts(ctx context.Context) onboarding.Facts
	// Unpack installs the tools and returns when they are there, or when ctx ends; what was done is kept, and the next call
	// goes on. Errors are for people.
	Unpack(ctx context.Context, progress func(onboarding.Progress)) error
	Agents() []onboarding.Agent
	// Choose makes an engine the one for new sessions. Errors are for people.
	Choose(engine string) error
}

// Deps is what the screen needs from around it. Demo may be nil.
type Deps struct {
	Service  Service
	SignIn   func(e onboarding.Agent, back, done func()) fyne.CanvasObject // the sign-in of an engine, as a page
	Demo     func()
	Open     func() // asks for a folder
	Settings func()
	Changed  func() // the step is another one
	Post, Go func(func())
}

// Screen is the first start. Its methods belong to the thread of the user interface.
type Screen struct {
	deps   Deps
	known  bool
	facts  onboarding.Facts
	signIn fyne.CanvasObject // shown instead, nil for none
	folder bool              // an account is there now: a folder is next
	failed error
	tools  tools

	root *fyne.Container
}

// New makes the screen. Look brings it up to date.
func New(d Deps) *Screen {
	s := &Screen{deps: d, root: &fyne.Container{Layout: whole{}}}
	s.tools.s = s
	s.rebuild()
	return s
}

// Object is what goes into the window.
func (s *Screen) Object() fyne.CanvasObject { return s.root }

// Needed reports whether the device needs this screen, as far as it is known.
func (s *Screen) Needed() bool {
	return s.known && (s.folder || onboarding.Next(s.facts) != onboarding.StepReady)
}

// Look reads the facts again, e.g. after a session was made or deleted.
func (s *Screen) Look() {
	s.deps.Go(func() {
		f := s.deps.Service.Facts(context.Background())
		s.deps.Post(func() { s.set(f) })
	})
}

func (s *Screen) set(f onboarding.Facts) {
	before := s.Needed()
	if !s.known && onboarding.Next(f) == onboarding.StepFolder { // closed after the sign-in: it goes on there
		s.folder = true
	}
	s.known, s.facts = true, f
	if f.Sessions > 0 {
		s.folder, s.signIn = false, nil
	}
	if onboarding.Next(f) == onboarding.StepTools {
		s.tools.begin(f.Tools)
	}
	s.rebuild()
	if s.Needed() != before && s.deps.Changed != nil {
		s.deps.Changed()
	}
}

// Back goes one step back, and reports whether there was one.
func (s *Screen) Back() bool {
	if s.signIn == nil && !s.folder {
		return false
	}
	s.signIn, s.folder = nil, false
	s.rebuild()
	return true
}

func (s *Screen) rebuild() {
	var o fyne.CanvasObject
	switch {
	case !s.Needed(): // nobody looks
		o = screen.Fill(theme.Background)
	case onboarding.Next(s.facts) == onboarding.StepTools:
		o = s.tools.page()
	case s.signIn != nil:
		o = s.signIn
	case s.folder:
		o = s.folderPage()
	default:
		o = s.agents()
	}
	s.root.Objects = []fyne.CanvasObject{o}
	s.root.Refresh()
}

// agents is the page on which an agent is chosen, or the demo.
func (s *Screen) agents() fyne.CanvasObject {
	var buttons []fyne.CanvasObject
	if s.failed != nil {
		buttons = append(buttons, screen.NewPara(sentence(s.failed), screen.ErrorStyle))
	}
	if s.deps.Demo != nil {
		buttons = append(buttons, screen.NewPara("The demo needs no account and no network: a scripted model and a small sample project.", screen.SecondaryStyle),
			mark.NewBigButton("Start the demo", mark.Primary, s.deps.Demo))
	}
	for _, e := range s.deps.Service.Agents() {
		buttons = append(buttons, mark.NewBigButton("Set up "+e.Label, mark.Secondary, func() { s.setUp(e) }))
	}
	buttons = append(buttons, mark.NewBigButton("Settings", mark.Quiet, s.deps.Settings))
	return page("A computer\nin your pocket",
		"Keva runs the real Claude Code and Codex on your projects. What they do is shown step by step, and what would change something asks you first.",
		nil, buttons)
}

func (s *Screen) setUp(e onboarding.Agent) {
	if s.failed = s.deps.Service.Choose(e.ID); s.failed != nil {
		s.rebuild()
		return
	}
	s.signIn = s.deps.SignIn(e, func() { s.Back() }, func() {
		s.signIn, s.folder = nil, true
		s.rebuild()
		s.Look()
	})
	s.rebuild()
}

// folderPage is the last step before the first prompt.
func (s *Screen) folderPage() fyne.CanvasObject {
	buttons := []fyne.CanvasObject{mark.NewBigButton("Open a folder", mark.Primary, s.deps.Open)}
	if s.deps.Demo != nil {
		buttons = append(buttons, mark.NewBigButton("Look at the demo first", mark.Quiet, s.deps.Demo))
	}
	return page("Where shall\nit work?", "An agent works in one folder: a project of yours, or an empty one. It reads there freely, and asks you before it changes anything.", nil, buttons)
}

// page is words above and buttons below, with something between them that may be nil.
func page(title, text string, between []fyne.CanvasObject, buttons []fyne.CanvasObject) fyne.CanvasObject {
	words := screen.Column(theme.Space3, screen.Insets{Top: 72, Right: theme.Space6, Left: theme.Space6},
		append([]fyne.CanvasObject{
			screen.NewPara(title, draw.Style{Role: theme.Display, Color: theme.Ink, Bold: true}),
			screen.NewPara(text, draw.Style{Role: theme.Body, Color: theme.Muted}),
		}, between...)...)
	low := screen.Column(theme.Space3, screen.Insets{Right: theme.Space6, Bottom: theme.Space6, Left: theme.Space6}, buttons...)
	return screen.On(screen.Fill(theme.Background), &fyne.Container{Layout: pageLayout{}, Objects: []fyne.CanvasObject{words, low}})
}

// pageLayout puts the words above and the buttons below, in a column that is not wider than a sheet.
type pageLayout struct{}

func (pageLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	w := min(size.Width, screen.SheetMax)
	x := (size.Width - w) / 2
	top, low := screen.Height(o[0], w), screen.Height(o[1], w)
	bottom := size.Height
	if size.Width > w { // on a large window the buttons stay with the words
		bottom = min(size.Height, top+low+2*theme.Space8)
	}
	o[0].Move(fyne.NewPos(x, min(0, bottom-top-low)))
	o[0].Resize(fyne.NewSize(w, top))
	o[1].Move(fyne.NewPos(x, bottom-low))
	o[1].Resize(fyne.NewSize(w, low))
}

func (pageLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(280, 320) }

// whole gives its one object all the room.
type whole struct{}

func (whole) Layout(o []fyne.CanvasObject, size fyne.Size) {
	for _, c := range o {
		c.Move(fyne.Position{})
		c.Resize(size)
	}
}

func (whole) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(280, 320) }

func sentence(err error) string {
	var e *event.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}

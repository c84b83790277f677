// Package signin is the screen on which a person lets an engine speak for them: which ways there are, what to do now, how it
// ended. It keeps no key and decides nothing: the state that it shows is the service's, whoever began it.
package signin

import (
	"context"

	"fyne.io/fyne/v2"

	"keva/agent/signin"
	"keva/ui/mark"
	"keva/ui/screen"
	"keva/ui/theme"
)

// Service is the sign-in as the screen needs it (signin.Service). Methods that take a context may block and are called off
// the thread of the user interface; the others are quick.
type Service interface {
	Methods(engine string) []signin.Method
	View() signin.View
	Changes(ctx context.Context) <-chan struct{}
	Begin(method string) error
	SubmitCode(code string) error
	SubmitKey(ctx context.Context, method, key, choice string) error
	Cancel(ctx context.Context) error
	Dismiss(ctx context.Context)
	Settle(ctx context.Context) error
}

// Extra is a way that is no sign-in: the demo, an address of one's own.
type Extra struct {
	Label, Note string
	Do          func()
}

// Deps is what the screen needs from around it.
type Deps struct {
	Service Service
	Engine  string // runtime.Factory ID
	Label   string // of the engine
	Title   string // of the screen
	Extras  []Extra
	Back    func()
	Done    func() // the provider is the active one; leave the screen
	// Unlock opens the file of keys with its passphrase, or makes one; nil: there is no such file. Errors are for people.
	Unlock   func(ctx context.Context, phrase string) error
	OpenURL  func(address string) error
	Copy     func(text string)
	Post, Go func(func())
}

// Screen is the sign-in. Its methods belong to the thread of the user interface.
type Screen struct {
	deps   Deps
	key    *signin.Method // the way with a key that is being filled in
	failed error          // of the last tap
	said   string         // what the field held when the page was drawn anew
	cancel context.CancelFunc

	root   *fyne.Container
	column *fyne.Container
	scroll *screen.Scroller
}

// New makes the screen in the state that the service is in.
func New(d Deps) *Screen {
	s := &Screen{deps: d}
	if d.Title == "" {
		s.deps.Title = "Sign in to " + d.Label
	}
	bar := screen.NewBar(screen.NewIconButton(screen.GlyphBack, "Back", s.back), s.deps.Title, "")
	s.column = screen.Column(theme.Space3, screen.Insets{Top: theme.Space4, Bottom: theme.Space6})
	s.scroll = screen.Scroll(s.column)
	s.root = screen.Page(bar, screen.On(screen.Fill(theme.Background), s.scroll.Object()))
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	changes := d.Service.Changes(ctx)
	d.Go(func() {
		for range changes {
			d.Post(func() {
				if ctx.Err() != nil {
					return
				}
				// News of a failure may come after its error, which knows more: whether another place may be chosen.
				if _, failed := s.deps.Service.View().State.(signin.Failed); !failed {
					s.failed = nil
				}
				s.rebuild()
			})
		}
	})
	s.rebuild()
	return s
}

// Object is what goes into the window.
func (s *Screen) Object() fyne.CanvasObject { return s.root }

// Stop ends the screen. A sign-in that is under way goes on: the browser it was begun for may be what covers the app.
func (s *Screen) Stop() { s.cancel() }

// back leaves the form of a key first.
func (s *Screen) back() {
	if !s.LeaveForm() {
		s.deps.Back()
	}
}

// LeaveForm leaves the form of a key, and reports whether it was shown.
func (s *Screen) LeaveForm() bool {
	if s.key == nil {
		return false
	}
	s.key, s.failed = nil, nil
	s.rebuild()
	return true
}

// off runs f off the thread of the user interface and shows its error.
func (s *Screen) off(f func(ctx context.Context) error) {
	s.deps.Go(func() {
		err := f(context.Background())
		s.deps.Post(func() {
			s.failed = err
			s.rebuild()
		})
	})
}

// try runs something quick and shows its error.
func (s *Screen) try(err error) {
	s.failed = err
	s.rebuild()
}

func (s *Screen) begin(m signin.Method) {
	if m.Kind == signin.KindKey {
		s.key, s.failed = &m, nil
		s.rebuild()
		return
	}
	s.try(s.deps.Service.Begin(m.ID))
}

func (s *Screen) stop() {
	s.off(func(ctx context.Context) error { return s.deps.Service.Cancel(ctx) })
}

func (s *Screen) dismiss() {
	s.off(func(ctx context.Context) error { s.deps.Service.Dismiss(ctx); return nil })
}

func (s *Screen) open(address string) { s.try(s.deps.OpenURL(address)) }

func (s *Screen) rebuild() {
	s.column.Objects = nil
	s.add(s.page()...)
	s.scroll.Changed()
}

func (s *Screen) add(o ...fyne.CanvasObject) { s.column.Objects = append(s.column.Objects, o...) }

// inset gives text and buttons the margin that rows have of themselves.
func inset(o ...fyne.CanvasObject) fyne.CanvasObject {
	return screen.Column(theme.Space3, screen.Insets{Right: theme.Space4, Left: theme.Space4}, o...)
}

func primary(label string, do func()) fyne.CanvasObject {
	return mark.NewBigButton(label, mark.Primary, do)
}

func secondary(label string, do func()) fyne.CanvasObject {
	return mark.NewBigButton(label, mark.Secondary, do)
}

func quiet(label string, do func()) fyne.CanvasObject {
	return mark.NewBigButton(label, mark.Quiet, do)
}

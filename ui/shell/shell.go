package shell

import (
	"context"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/mobile"

	"keva/agent/session"
	"keva/ui/chat"
	"keva/ui/draw"
	"keva/ui/mark"
	"keva/ui/onboarding"
	"keva/ui/screen"
	"keva/ui/sessions"
	"keva/ui/settings"
	"keva/ui/signin"
	"keva/ui/theme"
)

// Sizes of a new window, in dp.
const (
	phoneWidth, phoneHeight = 360, 780
	wideWidth, wideHeight   = 1100, 780
)

// Shell is the window. Its methods belong to the thread of the user interface.
type Shell struct {
	app  fyne.App
	deps Deps
	win  fyne.Window

	list   []session.Meta
	loaded bool
	first  *sessions.Screen
	start  *onboarding.Screen
	chat   *chat.Screen
	stack  []page
	asking *signin.Screen // the sign-in of the first start; nil for none
	root   *root
	toast  toast
	cancel context.CancelFunc
}

// page is a screen over the list of sessions.
type page struct {
	object fyne.CanvasObject
	side   bool        // may stand to the right of the one below
	closed func()      // runs when it goes; may be nil
	back   func() bool // a step back inside of it, and whether there was one; may be nil
}

// New makes the window. Run shows it.
func New(app fyne.App, d Deps) *Shell {
	d.fill()
	s := &Shell{app: app, deps: d}
	s.applyLook(d.Settings.Values())
	mark.TurnWith(d.After)
	s.win = app.NewWindow("Keva")
	s.first = sessions.New(sessions.Actions{
		Open: s.Open, Menu: s.sessionMenu, New: s.newSession, Settings: s.showSettings, Demo: s.demoAction(),
		Retry: s.reload,
	}, d.Home, d.Clock)
	s.start = s.newFirst()
	s.root = newRoot(s)
	s.win.SetPadded(false)
	s.win.SetContent(s.root.object())
	size := fyne.NewSize(wideWidth, wideHeight)
	if d.Mobile {
		size = fyne.NewSize(phoneWidth, phoneHeight)
	}
	s.win.Resize(size)
	s.win.Canvas().SetOnTypedKey(func(k *fyne.KeyEvent) {
		if draw.GoesBack(k) {
			s.Back()
		}
	})
	s.win.SetOnClosed(s.Stop)
	app.Lifecycle().SetOnExitedForeground(func() {
		if s.chat != nil {
			s.chat.Flush()
		}
	})
	return s
}

// Window is the window, e.g. to resize or capture it.
func (s *Shell) Window() fyne.Window { return s.win }

// Start begins to follow the list of sessions. It does not block.
func (s *Shell) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	changes := s.deps.Sessions.Changes(ctx)
	s.deps.Go(func() {
		s.read(ctx)
		for range changes {
			s.read(ctx)
		}
	})
}

// Stop keeps the draft and follows nothing more.
func (s *Shell) Stop() {
	if s.cancel != nil {
		s.cancel()
	}
	s.closeChat()
}

// Run shows the window until it is closed.
func (s *Shell) Run() {
	s.Start()
	s.win.Show()
	s.app.Run()
}

// reload reads the list again.
func (s *Shell) reload() { s.deps.Go(func() { s.read(context.Background()) }) }

func (s *Shell) read(ctx context.Context) {
	list, err := s.deps.Sessions.Sessions(ctx)
	if ctx.Err() != nil {
		return
	}
	s.deps.Post(func() {
		welcomed := s.root.welcomes()
		s.list, s.loaded = list, s.loaded || err == nil
		s.first.Set(list, err)
		s.showStorage()
		s.start.Look()
		if s.root.welcomes() != welcomed { // else the panes are as they were: nothing is drawn again
			s.root.arrange()
		}
	})
}

// showStorage puts a banner over the list while nothing is kept on the disk.
func (s *Shell) showStorage() {
	if s.deps.Storage == nil {
		return
	}
	err := s.deps.Storage()
	if err == nil {
		s.first.SetBanner(nil)
		return
	}
	s.first.SetBanner(chat.StorageBanner(err, func() {
		s.deps.Go(func() {
			if s.deps.RetryStore != nil {
				err := s.deps.RetryStore(context.Background())
				s.deps.Post(func() {
					if err != nil {
						s.Say(chat.Sentence(err))
					}
				})
			}
			s.read(context.Background())
		})
	}))
}

// Back goes one step back: a sheet, the search, a screen. At the first screen of a phone it leaves the app.
func (s *Shell) Back() {
	switch {
	case screen.CloseTop(s.win.Canvas()):
	case s.backInside():
	case s.pop():
	case s.root.welcomes() && s.start.Back():
		s.leaveSignIn()
	case s.first.Back():
	case s.deps.Mobile:
		if d, ok := s.app.Driver().(mobile.Driver); ok {
			d.GoBack()
		}
	}
}

// backInside goes one step back inside of the topmost screen.
func (s *Shell) backInside() bool {
	if n := len(s.stack); n > 0 {
		return s.stack[n-1].back != nil && s.stack[n-1].back()
	}
	return s.root.welcomes() && s.asking != nil && s.asking.LeaveForm()
}

func (s *Shell) push(p page) {
	s.stack = append(s.stack, p)
	s.win.Canvas().Unfocus()
	s.root.arrange()
}

// pop takes the topmost screen away. The chat stays where it stands beside the list.
func (s *Shell) pop() bool {
	n := len(s.stack)
	if n == 0 || n == 1 && s.root.wide() && s.chat != nil && s.stack[0].object == s.chat.Object() {
		return false
	}
	p := s.stack[n-1]
	s.stack = s.stack[:n-1]
	if p.closed != nil {
		p.closed()
	}
	s.win.Canvas().Unfocus()
	s.root.arrange()
	return true
}

func (s *Shell) applyLook(v settings.Values) {
	s.app.Settings().SetTheme(theme.New(theme.Options{Mode: v.Mode, Scale: v.Scale, ReducedMotion: v.ReducedMotion}))
}

func (s *Shell) showSettings() {
	done := func() { s.pop() }
	o := settings.New(settings.Deps{
		Service: s.deps.Settings, Window: s.win.Canvas, Back: done, Post: s.deps.Post, Go: s.deps.Go,
		Show: func(p func(func()) fyne.CanvasObject) { s.push(page{object: p(done)}) }, More: s.links(),
		Applied: func(v settings.Values) {
			s.applyLook(v)
			s.start.Look() // engines from elsewhere may need tools first
			if s.deps.Changed != nil {
				s.deps.Changed(v)
			}
		},
	})
	s.push(page{object: o.Object()})
}

// engineLabel is the name of an engine for people.
func (s *Shell) engineLabel(id string) string {
	for _, e := range s.deps.Settings.Engines() {
		if e.ID == id {
			return e.Label
		}
	}
	return id
}

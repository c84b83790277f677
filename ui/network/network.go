// Package network is the screen that says how Keva and its engines reach the net: by which policy, where it came from, what
// was tried last and how that went. It changes only the user's own part of the policy, and dials nothing itself.
package network

import (
	"context"
	"time"

	"fyne.io/fyne/v2"

	"keva/agent/connection"
	"keva/ui/draw"
	"keva/ui/mark"
	"keva/ui/screen"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// Service is what the screen needs. Methods that take a context may block and are called off the thread of the user
// interface. Errors are for people.
type Service interface {
	View() connection.View
	Set(ctx context.Context, s connection.Setting) error
	SetUpdateAddress(ctx context.Context, address string) error
	CheckUpdate(ctx context.Context) error
	Changes(ctx context.Context) <-chan struct{}
}

// Deps is what the screen needs from around it.
type Deps struct {
	Service  Service
	Window   func() fyne.Canvas
	Back     func()
	Now      func() time.Time
	Post, Go func(func())
}

// Screen is the network page. Its methods belong to the thread of the user interface.
type Screen struct {
	deps     Deps
	failed   error
	checking bool
	cancel   context.CancelFunc

	root   *fyne.Container
	column *fyne.Container
	scroll *screen.Scroller
}

// New makes the screen; it follows what happens until Stop.
func New(d Deps) *Screen {
	s := &Screen{deps: d}
	bar := screen.NewBar(screen.NewIconButton(screen.GlyphBack, "Back", func() { s.Stop(); d.Back() }), "Network", "")
	s.column = screen.Column(0, screen.Insets{Bottom: theme.Space6})
	s.scroll = screen.Scroll(s.column)
	s.root = screen.Page(bar, screen.On(screen.Fill(theme.Background), s.scroll.Object()))
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	changes := d.Service.Changes(ctx)
	d.Go(func() {
		for range changes {
			d.Post(func() {
				if ctx.Err() == nil {
					s.rebuild()
				}
			})
		}
	})
	s.rebuild()
	return s
}

// Object is what goes into the window.
func (s *Screen) Object() fyne.CanvasObject { return s.root }

// Stop follows nothing more.
func (s *Screen) Stop() { s.cancel() }

// off runs f off the thread of the user interface, then shows its error and what it changed.
func (s *Screen) off(f func(context.Context) error) {
	s.deps.Go(func() {
		err := f(context.Background())
		s.deps.Post(func() {
			s.failed, s.checking = err, false
			s.rebuild()
		})
	})
}

func (s *Screen) rebuild() {
	v := s.deps.Service.View()
	var o []fyne.CanvasObject
	add := func(row fyne.CanvasObject) { o = append(o, row, screen.Separator()) }
	next := func() fyne.CanvasObject { return screen.NewIcon(screen.GlyphNext, theme.Muted, 18) }
	bad := append([]string(nil), v.Problems...)
	if s.failed != nil {
		bad = append(bad, s.failed.Error())
	}
	for _, text := range bad {
		o = append(o, screen.On(screen.Fill(theme.ErrorSoft), screen.Column(0, screen.Pad(theme.Space4),
			screen.NewPara(text, draw.Style{Role: theme.Label, Color: theme.Error}))))
	}
	o = append(o, screen.Section("Policy in use"))
	for i, l := range v.Policy {
		var tail fyne.CanvasObject
		if i == 0 {
			tail = mark.NewTag(version(v.Version), mark.Neutral)
		}
		second := l.Value
		if l.From != "" {
			second += " · from " + l.From
		}
		add(screen.SettingRow(l.Label, second, tail))
	}
	add(screen.TapRow("Change", modeWords(v.Setting), next(), func() { s.change(v.Setting) }))

	o = append(o, screen.Section("Last attempts"))
	if len(v.Purposes) == 0 {
		add(screen.SettingRow("None", "Keva has asked nobody since it started.", nil))
	}
	for _, p := range v.Purposes {
		add(s.purpose(p))
	}
	o = append(o, screen.Section("Engines use this too"))
	if len(v.Hosts) == 0 {
		add(screen.SettingRow("No host yet", "What engines and their commands reach is listed here.", nil))
	}
	for _, h := range v.Hosts {
		add(screen.SettingRow(h.Name, bytes(h.Bytes)+" · "+s.ago(h.Last), nil))
	}
	o = append(o, screen.Section("Updates"))
	switch {
	case s.checking:
		add(screen.SettingRow("Check for an update", "Asking…", mark.New(transcript.MarkRunning)))
	case v.UpdateAddress == "":
		add(screen.TapRow("Check for updates", "Off. Keva asks nobody until an address is set.", next(), func() { s.updates(v) }))
	default:
		add(screen.TapRow("Check for an update", v.Update, next(), func() {
			s.checking = true
			s.rebuild()
			s.off(s.deps.Service.CheckUpdate)
		}))
		add(screen.TapRow("Address of updates", v.UpdateAddress, next(), func() { s.updates(v) }))
	}
	o = append(o, screen.Section("If the proxy is unreachable"))
	add(screen.SettingRow("Keva reports an error.", "It never switches to a direct connection by itself.", nil))
	s.column.Objects = o
	s.scroll.Changed()
}

// purpose is a row of the last attempts: when, and how it went.
func (s *Screen) purpose(p connection.Purpose) fyne.CanvasObject {
	second := "Last attempt " + s.ago(p.LastAttempt) + " · last success " + s.ago(p.LastSuccess)
	if p.Failing {
		return screen.SettingRow(p.Name, second+"\n"+p.Why, mark.NewTag(p.Class, mark.Failed))
	}
	if p.LastSuccess.IsZero() {
		return screen.SettingRow(p.Name, second, mark.NewTag("Unknown", mark.Unclear))
	}
	return screen.SettingRow(p.Name, second, mark.New(transcript.MarkDone))
}

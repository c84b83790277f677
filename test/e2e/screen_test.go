package e2e

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"

	"keva/agent/provider"
	"keva/agent/trust"
	"keva/ui/card"
	"keva/ui/settings"
	"keva/ui/shell"
	"keva/ui/uitest"
)

// phone is the real window over the real service, at phone size, without a display.
type phone struct {
	*thread
	*shell.Shell
	opened []string
}

func newPhone(w *world, engine, dir string) *phone {
	w.t.Helper()
	p := &phone{thread: newThread(w.t)}
	keyboard := true
	p.Shell = shell.New(test.NewTempApp(w.t), shell.Deps{
		Sessions: shell.FromService(w.svc), Settings: chosen{engine},
		Demo: &shell.Demo{Provider: provider.Demo, Prompt: "Start the tour", Project: func(context.Context) (string, error) {
			return dir, nil
		}},
		OpenURL: func(url string) error { p.opened = append(p.opened, url); return nil },
		Mobile:  true, HardwareKeyboard: &keyboard, // Enter sends
		Do: p.Do, Post: p.Post, Go: func(f func()) { go f() }, After: p.After,
	})
	p.Start()
	return p
}

// close is what closing the window does.
func (p *phone) close() {
	p.Stop()
	p.stop()
}

func (p *phone) wait(what string, limit time.Duration, done func() bool) {
	p.t.Helper()
	p.until(what, limit, done, func() string { return "on the screen: " + strings.Join(p.texts(p.Window().Canvas().Content()), " | ") })
}

// button finds what can be tapped by its accessible name; nil when it is not on the screen.
func (p *phone) button(label string) fyne.Tappable {
	var found fyne.Tappable
	uitest.Walk(p.Window().Canvas().Content(), func(o fyne.CanvasObject) {
		a, named := o.(fyne.Accessible)
		b, tappable := o.(fyne.Tappable)
		if found == nil && named && tappable && a.AccessibilityLabel() == label {
			found = b
		}
	})
	return found
}

// tap waits until a button is there and can be pressed, and presses it.
func (p *phone) tap(label string) {
	p.t.Helper()
	var b fyne.Tappable
	p.wait("the button “"+label+"”", 30*time.Second, func() bool {
		b = p.button(label)
		d, can := b.(interface{ Disabled() bool })
		return b != nil && !(can && d.Disabled())
	})
	b.Tapped(&fyne.PointEvent{})
}

// texts are the words that are drawn in o.
func (p *phone) texts(o fyne.CanvasObject) []string {
	var all []string
	uitest.Walk(o, func(o fyne.CanvasObject) {
		if t, ok := o.(*canvas.Text); ok && strings.TrimSpace(t.Text) != "" {
			all = append(all, t.Text)
		}
	})
	return all
}

// shows reports whether a line is drawn with exactly these words.
func (p *phone) shows(line string) bool {
	return slices.Contains(p.texts(p.Window().Canvas().Content()), line)
}

// cards scrolls through the whole chat as a reader does, and returns the words of each card, from the first to the last.
func (p *phone) cards() []string {
	p.t.Helper()
	root := p.Window().Canvas().Content()
	var list *container.Scroll
	uitest.Walk(root, func(o fyne.CanvasObject) {
		if s, ok := o.(*container.Scroll); ok && (list == nil || s.Content.MinSize().Height > list.Content.MinSize().Height) {
			list = s
		}
	})
	if list == nil {
		p.t.Fatal("there is no transcript")
	}
	wheel := func(dy float32) { list.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, dy)}) }
	wheel(1e6)
	var words []string
	seen := map[card.Card]bool{}
	for at := float32(-1); list.Offset.Y != at; wheel(-list.Size().Height / 2) {
		at = list.Offset.Y
		uitest.Walk(list.Content, func(o fyne.CanvasObject) {
			if c, ok := o.(card.Card); ok && !seen[c] {
				seen[c] = true
				words = append(words, strings.Join(p.texts(c), " "))
			}
		})
	}
	return words
}

// chosen are settings that name the engine and leave the rest as on a fresh device.
type chosen struct{ engine string }

func (c chosen) Values() settings.Values {
	return settings.Values{Engine: c.engine, Provider: provider.Demo}
}
func (chosen) Save(settings.Values) error { return nil }
func (chosen) Engines() []settings.Engine {
	return []settings.Engine{{ID: "claude", Label: "Claude"}, {ID: "codex", Label: "Codex"}}
}
func (chosen) Providers(string) []settings.Provider          { return nil }
func (chosen) HasKey(context.Context, string) (bool, error)  { return false, nil }
func (chosen) SaveKey(context.Context, string, string) error { return nil }
func (chosen) Consents() []trust.Consent                     { return nil }
func (chosen) Revoke(string) error                           { return nil }
func (chosen) ForgetKey(context.Context, string) error       { return nil }
func (chosen) Check(context.Context, string) (version string, _ error) {
	return "", errors.New("not here")
}

package onboarding

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"keva/agent/event"
	"keva/agent/onboarding"
	"keva/ui/screen"
	"keva/ui/theme"
	"keva/ui/uitest"
)

type fake struct {
	facts   onboarding.Facts
	steps   chan onboarding.Progress // what unpacking tells; closed = done
	fail    error
	unpacks int
	chosen  string
}

func (f *fake) Facts(context.Context) onboarding.Facts { return f.facts }
func (f *fake) Agents() []onboarding.Agent {
	return []onboarding.Agent{{ID: "claude", Label: "Claude Code"}, {ID: "codex", Label: "Codex"}}
}
func (f *fake) Choose(e string) error { f.chosen = e; return f.fail }
func (f *fake) Unpack(ctx context.Context, progress func(onboarding.Progress)) error {
	f.unpacks++
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case p, ok := <-f.steps:
			if !ok {
				if f.fail == nil {
					f.facts.Tools = onboarding.ToolsReady
				}
				return f.fail
			}
			progress(p)
		}
	}
}

type desk struct {
	*Screen
	t       *testing.T
	f       *fake
	loop    *uitest.Loop
	win     fyne.Window
	done    func()
	changed int
	opened  int
}

func open(t *testing.T, mode theme.Mode, f onboarding.Facts) *desk {
	app := test.NewTempApp(t)
	app.Settings().SetTheme(theme.New(theme.Options{Mode: mode}))
	d := &desk{t: t, f: &fake{facts: f, steps: make(chan onboarding.Progress)}, loop: uitest.NewLoop(t)}
	d.Screen = New(Deps{
		Service: d.f, Post: d.loop.Post, Go: d.loop.Go, Demo: func() {}, Open: func() { d.opened++ }, Settings: func() {},
		Changed: func() { d.changed++ },
		SignIn: func(e onboarding.Agent, _, done func()) fyne.CanvasObject {
			d.done = done
			return screen.NewPara("sign in to "+e.Label, screen.BodyStyle)
		},
	})
	d.win = test.NewTempWindow(t, d.Object())
	d.win.SetPadded(false)
	d.win.Resize(fyne.NewSize(360, 780))
	d.Look()
	d.loop.Until("facts", func() bool { return d.known })
	return d
}

func (d *desk) tap(label string) { d.t.Helper(); test.Tap(uitest.Button(d.t, d.Object(), label)) }

func (d *desk) says(want string) {
	d.t.Helper()
	var all []string
	uitest.Walk(d.Object(), func(o fyne.CanvasObject) {
		switch w := o.(type) {
		case *screen.Para:
			all = append(all, w.Text())
		case *screen.Text:
			all = append(all, w.Text())
		}
	})
	if got := strings.Join(all, "\n"); !strings.Contains(got, want) {
		d.t.Errorf("%q is not in %q", want, got)
	}
}

var half = onboarding.Progress{Done: 608e6, Total: 980e6, Rate: 41e6, Left: 9 * time.Second, Parts: []onboarding.Part{
	{Label: "Base system", Done: true}, {Label: "Claude Code 2.1.197", Done: true}, {Label: "Codex 0.171.0", Current: true},
}}

// A fresh phone: the tools unpack by themselves, can be paused and go on, and then an agent is chosen.
func TestFreshPhone(t *testing.T) {
	d := open(t, theme.Light, onboarding.Facts{Tools: onboarding.ToolsMissing})
	if !d.Needed() {
		t.Error("a fresh phone needs nothing?")
	}
	d.f.steps <- half
	d.loop.Until("progress", func() bool { return d.tools.at.Done > 0 })
	d.says("608 of 980 MB · 41 MB/s")
	d.says("about 9 s left")
	d.says("Codex 0.171.0")
	d.shoot("unpack-light")
	d.tap("Pause")
	d.loop.Until("the pause", func() bool { return !d.tools.running })
	d.says("paused")
	d.shoot("paused-light")
	d.loop.Drain()
	if d.f.unpacks != 1 {
		t.Fatalf("it went on by itself: %d", d.f.unpacks)
	}
	d.tap("Continue")
	d.f.steps <- half
	close(d.f.steps)
	d.loop.Until("the next step", func() bool { return d.facts.Tools == onboarding.ToolsReady })
	d.says("A computer\nin your pocket")
	d.shoot("agents-light")
	d.tap("Set up Codex")
	d.says("sign in to Codex")
	if d.f.chosen != "codex" {
		t.Error(d.f.chosen)
	}
	d.f.facts.Engine, d.f.facts.Provider, d.f.facts.Usable = "codex", "openai", true
	d.done()
	d.says("Where shall\nit work?")
	d.shoot("folder-light")
	d.tap("Open a folder")
	if d.opened != 1 {
		t.Error("no folder is asked for")
	}
	d.f.facts.Sessions = 1
	d.Look()
	d.loop.Until("the end", func() bool { return !d.Needed() })
	if d.changed < 2 {
		t.Error("the window does not hear of it")
	}
}

func TestUnpackingFails(t *testing.T) {
	d := open(t, theme.Dark, onboarding.Facts{Tools: onboarding.ToolsDamaged, Sessions: 2})
	d.says("damaged")
	d.f.fail = &event.Error{Message: "There is not enough space: 400 MB more are needed. Free some, then try again."}
	d.f.steps <- half
	close(d.f.steps)
	d.loop.Until("the failure", func() bool { return d.tools.failed != nil })
	d.says("400 MB more are needed")
	d.shoot("failed-dark")
	if d.f.unpacks != 1 {
		t.Errorf("%d tries", d.f.unpacks)
	}
	d.f.fail = nil
	d.tap("Try again")
	d.loop.Until("the end", func() bool { return !d.Needed() }) // a used device is not led through choices again
}

func TestComputer(t *testing.T) {
	d := open(t, theme.Dark, onboarding.Facts{Tools: onboarding.ToolsNotNeeded})
	d.shoot("agents-dark")
	d.f.fail = errors.New("the disk is full")
	d.tap("Set up Claude Code")
	d.says("the disk is full")
	d.f.fail = nil
	d.tap("Set up Claude Code")
	d.says("sign in to Claude Code")
	if !d.Back() || d.Back() {
		t.Error("back")
	}
	uitest.Button(t, d.Object(), "Start the demo")
	if d.f.unpacks != 0 {
		t.Error("it unpacked what is not needed")
	}
}

// A first start that was left after the sign-in goes on with the folder; the agents are one step back.
func TestGoesOnAfterTheSignIn(t *testing.T) {
	d := open(t, theme.Light, onboarding.Facts{Tools: onboarding.ToolsReady, Engine: "codex", Provider: "openai", Usable: true})
	d.says("Where shall\nit work?")
	if !d.Back() {
		t.Fatal("there is no way back")
	}
	uitest.Button(t, d.Object(), "Set up Codex")
	d = open(t, theme.Light, onboarding.Facts{Tools: onboarding.ToolsReady, Engine: "codex", Provider: "openai"})
	uitest.Button(t, d.Object(), "Set up Codex") // the key is gone
}

func TestLeft(t *testing.T) {
	for left, want := range map[time.Duration]string{0: "", 300 * time.Millisecond: "about 1 s left", 61 * time.Second: "about 2 min left"} {
		tl := tools{running: true, at: onboarding.Progress{Left: left}}
		if got := tl.left(); got != want {
			t.Errorf("%v: %q", left, got)
		}
	}
	if got := amount(onboarding.Progress{}); got != "Looking at what is there…" {
		t.Error(got)
	}
}

func (d *desk) shoot(name string) { uitest.Shoot(d.t, d.win, name) }

package settings

import (
	"context"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"keva/agent/event"
	"keva/agent/trust"
	"keva/ui/theme"
	"keva/ui/uitest"
)

type fake struct {
	values   Values
	saveErr  error
	keys     map[string]string
	keyErr   error
	check    error
	consents []trust.Consent
}

func (f *fake) Values() Values      { return f.values }
func (f *fake) Save(v Values) error { f.values = v; return f.saveErr }
func (f *fake) Engines() []Engine   { return []Engine{{"claude", "Claude"}, {"codex", "Codex"}} }
func (f *fake) Providers(engine string) []Provider {
	p := []Provider{{ID: "demo", Label: "Demo"}}
	if engine == "claude" {
		p = append(p, Provider{ID: "anthropic", Label: "Anthropic", NeedsKey: true})
	}
	return append(p, Provider{ID: "own", Label: "Own address", Custom: true, NeedsKey: true, Address: "https://own.example"})
}

func (f *fake) HasKey(_ context.Context, p string) (bool, error) {
	return f.keys[p] != "", f.keyErr
}

func (f *fake) SaveKey(_ context.Context, p, k string) error {
	if f.keyErr == nil {
		f.keys[p] = k
	}
	return f.keyErr
}
func (f *fake) ForgetKey(_ context.Context, p string) error { delete(f.keys, p); return nil }
func (f *fake) Consents() []trust.Consent                   { return f.consents }
func (f *fake) Revoke(dir string) error {
	f.consents = trust.Revoke(f.consents, dir)
	return nil
}

func (f *fake) Check(context.Context, string) (string, error) {
	return "Claude Code 2.1.197", f.check
}

type desk struct {
	*Screen
	t       *testing.T
	loop    *uitest.Loop
	fake    *fake
	win     fyne.Window
	applied []Values
	shown   fyne.CanvasObject // the page that was opened
}

func open(t *testing.T, v Values) *desk {
	app := test.NewTempApp(t)
	app.Settings().SetTheme(theme.New(theme.Options{}))
	d := &desk{t: t, loop: uitest.NewLoop(t), fake: &fake{values: v, keys: map[string]string{}}}
	d.win = test.NewTempWindow(t, nil)
	d.Screen = New(Deps{
		Service: d.fake, Window: d.win.Canvas, Back: func() {}, Post: d.loop.Post, Go: d.loop.Go,
		Applied: func(v Values) { d.applied = append(d.applied, v) },
		Show:    func(p func(func()) fyne.CanvasObject) { d.shown = p(func() {}) },
	})
	d.win.SetContent(d.Object())
	d.win.Resize(fyne.NewSize(360, 780))
	return d
}

func (d *desk) tap(label string) {
	d.t.Helper()
	root := d.Object()
	if top := d.win.Canvas().Overlays().Top(); top != nil {
		root = top
	}
	test.Tap(uitest.Button(d.t, root, label))
}

func (d *desk) enter(text string) {
	d.t.Helper()
	test.Type(d.win.Canvas().Focused(), text)
	d.tap("Save")
}

// A fresh device has chosen nothing: the first engine and provider are shown as chosen, and that is what is saved.
func TestFreshDevice(t *testing.T) {
	d := open(t, Values{})
	d.tap("Theme As the system")
	d.tap("Dark ")
	if want := (Values{Engine: "claude", Provider: "demo", Mode: theme.Dark}); d.fake.values != want {
		t.Fatalf("saved %+v", d.fake.values)
	}
	if len(d.applied) != 1 || d.applied[0].Mode != theme.Dark {
		t.Fatalf("applied %+v", d.applied)
	}
}

// A used device may hold choices that do not exist any more, or do not fit the newly chosen engine.
func TestUsedDevice(t *testing.T) {
	d := open(t, Values{Engine: "claude", Provider: "anthropic", Model: "opus", Effort: "high"})
	d.tap("Engine Claude")
	d.tap("Codex ")
	if want := (Values{Engine: "codex", Provider: "demo"}); d.fake.values != want {
		t.Fatalf("saved %+v", d.fake.values)
	}
	if got := Resolve(d.fake, Values{Engine: "gone", Provider: "gone"}); got.Engine != "claude" || got.Provider != "demo" {
		t.Fatalf("resolved %+v", got)
	}
}

// A key goes to the keyring, is shown nowhere, and can be forgotten.
func TestKey(t *testing.T) {
	d := open(t, Values{Engine: "claude", Provider: "anthropic"})
	d.loop.Until("the keyring", func() bool { return d.key.known })
	d.tap("API key Not set")
	d.enter("sk-secret")
	d.loop.Until("the key", func() bool { return d.key.known && d.key.has })
	if d.fake.keys["anthropic"] != "sk-secret" {
		t.Fatalf("keys %v", d.fake.keys)
	}
	uitest.Walk(d.Object(), func(o fyne.CanvasObject) {
		if a, ok := o.(fyne.Accessible); ok && a.AccessibilityLabel() == "sk-secret" {
			t.Fatal("the key is on the screen")
		}
	})
	d.tap("API key A key is kept")
	d.tap("Forget the key ")
	d.loop.Until("no key", func() bool { return d.key.known && !d.key.has })
	if len(d.fake.keys) != 0 {
		t.Fatalf("keys %v", d.fake.keys)
	}
}

// Where no keyring runs the screen says so and what to do, before and after a key was entered.
func TestNoKeyring(t *testing.T) {
	d := open(t, Values{Engine: "claude", Provider: "anthropic"})
	d.fake.keyErr = &event.Error{Message: "No keyring is running. Start one, or set the key in the environment."}
	d.askKey()
	d.loop.Until("the reason", func() bool { return d.key.err != nil })
	row := "API key No keyring is running. Start one, or set the key in the environment."
	d.tap(row)
	d.enter("sk-secret")
	d.loop.Until("the reason again", func() bool { return d.key.known && d.key.err != nil })
	d.tap(row)
}

// The check shows the version, or what to do.
func TestCheck(t *testing.T) {
	d := open(t, Values{})
	d.tap("Check Claude Asks the installed engine for its version")
	d.loop.Until("the version", func() bool { return d.check.version != "" })
	d.fake.check = &event.Error{Message: "Claude Code is not installed. Run make setup."}
	d.tap("Check Claude Claude Code 2.1.197")
	d.loop.Until("the remedy", func() bool { return d.check.err != nil })
	d.tap("Check Claude Claude Code is not installed. Run make setup.")
}

// A choice that can't be kept still holds, and the screen says that it will not last.
func TestSaveFails(t *testing.T) {
	d := open(t, Values{})
	d.fake.saveErr = &event.Error{Message: "The disk is full."}
	d.tap("Reduced motion Off: rings turn, text flows")
	if !d.applied[0].ReducedMotion {
		t.Fatal("the choice does not hold")
	}
	found := false
	uitest.Walk(d.Object(), func(o fyne.CanvasObject) {
		if a, ok := o.(fyne.Accessible); ok && a.AccessibilityLabel() == "The choice holds until Keva closes, but could not be kept. The disk is full." {
			found = true
		}
	})
	if !found {
		t.Fatal("nothing is said")
	}
}

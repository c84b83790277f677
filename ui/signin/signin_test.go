package signin

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"keva/agent/event"
	"keva/agent/signin"
	"keva/ui/screen"
	"keva/ui/theme"
	"keva/ui/uitest"
)

type fake struct {
	view    signin.View
	changes chan struct{}
	log     []string
	err     error
}

var ways = []signin.Method{
	{ID: "sub", Engine: "claude", Provider: "anthropic", Kind: signin.KindCode, Keeper: signin.KeeperEngine, Label: "Claude subscription", Note: "You sign in on a page and paste a code here."},
	{ID: "key", Engine: "claude", Provider: "anthropic", Kind: signin.KindKey, Keeper: signin.KeeperKeva, Label: "Anthropic API key", Note: "It is kept in the keyring; engines never see it."},
}

func (f *fake) Methods(string) []signin.Method          { return ways }
func (f *fake) View() signin.View                       { return f.view }
func (f *fake) Changes(context.Context) <-chan struct{} { return f.changes }
func (f *fake) did(what string) error                   { f.log = append(f.log, what); return f.err }
func (f *fake) Begin(m string) error                    { return f.did("begin " + m) }
func (f *fake) SubmitCode(c string) error               { return f.did("code " + c) }
func (f *fake) Cancel(context.Context) error            { return f.did("cancel") }
func (f *fake) Settle(context.Context) error            { return f.did("settle") }
func (f *fake) Dismiss(context.Context) {
	_ = f.did("dismiss")
	f.view = signin.View{State: signin.None{}}
}

func (f *fake) SubmitKey(_ context.Context, m, key, choice string) error {
	return f.did("key " + m + " " + key + " " + choice)
}

type desk struct {
	*Screen
	t      *testing.T
	f      *fake
	loop   *uitest.Loop
	win    fyne.Window
	copied string
	opened string
	left   int
	done   int
}

func open(t *testing.T, mode theme.Mode) *desk {
	app := test.NewTempApp(t)
	app.Settings().SetTheme(theme.New(theme.Options{Mode: mode}))
	d := &desk{t: t, f: &fake{view: signin.View{State: signin.None{}}, changes: make(chan struct{})}, loop: uitest.NewLoop(t)}
	d.Screen = New(Deps{
		Service: d.f, Engine: "claude", Label: "Claude Code", Post: d.loop.Post, Go: d.loop.Go,
		Back: func() { d.left++ }, Done: func() { d.done++ }, Copy: func(s string) { d.copied = s },
		OpenURL: func(s string) error { d.opened = s; return nil },
		Extras:  []Extra{{Label: "Demo", Note: "A scripted model. No account, no network.", Do: func() {}}},
	})
	d.win = test.NewTempWindow(t, d.Object())
	d.win.SetPadded(false)
	d.win.Resize(fyne.NewSize(360, 780))
	t.Cleanup(d.Stop)
	return d
}

func (d *desk) tap(label string) { d.t.Helper(); test.Tap(uitest.Button(d.t, d.Object(), label)) }

// to puts the service into a state, as it would by itself.
func (d *desk) to(m signin.Method, st signin.State) {
	d.t.Helper()
	d.f.view = signin.View{ID: "1", Method: m, State: st}
	before := d.column.Objects
	d.f.changes <- struct{}{}
	d.loop.Until("the page", func() bool {
		return len(before) == 0 || len(d.column.Objects) == 0 || &before[0] != &d.column.Objects[0]
	})
}

func (d *desk) words() string {
	var all []string
	uitest.Walk(d.Object(), func(o fyne.CanvasObject) {
		switch w := o.(type) {
		case *screen.Para:
			if w.Visible() {
				all = append(all, w.Text())
			}
		case *screen.Text:
			all = append(all, w.Text())
		}
	})
	return strings.Join(all, "\n")
}

func (d *desk) field() *screen.Entry {
	d.t.Helper()
	var found *screen.Entry
	uitest.Walk(d.Object(), func(o fyne.CanvasObject) {
		if e, ok := o.(*screen.Entry); ok {
			found = e
		}
	})
	if found == nil {
		d.t.Fatalf("no field in %s", d.words())
	}
	return found
}

func (d *desk) says(want string) {
	d.t.Helper()
	if got := d.words(); !strings.Contains(got, want) {
		d.t.Errorf("%q is not in %q", want, got)
	}
}

func (d *desk) did(want ...string) {
	d.t.Helper()
	d.loop.Until(strings.Join(want, ", "), func() bool { return len(d.f.log) >= len(want) })
	if got := strings.Join(d.f.log, "|"); got != strings.Join(want, "|") {
		d.t.Errorf("did %q", got)
	}
	d.f.log = nil
}

const page = "https://claude.ai/oauth/authorize?code=true&client_id=9d1c250a-e61b-44d9-88ed-5944d1962f5e&response_type=code"

func TestCodeWay(t *testing.T) {
	d := open(t, theme.Light)
	d.shoot("choose")
	d.tap("Claude subscription You sign in on a page and paste a code here.")
	d.did("begin sub")
	d.to(ways[0], signin.Opening{})
	d.says("Starting…")
	d.to(ways[0], signin.WaitingForCode{Address: page, Until: time.Date(2026, 1, 1, 12, 30, 0, 0, time.Local)})
	d.says(page) // the exact address, whole
	d.says("12:30")
	d.shoot("code")
	d.tap("Open the page")
	d.tap("Copy the address")
	if d.opened != page || d.copied != page {
		t.Errorf("opened %q, copied %q", d.opened, d.copied)
	}
	d.f.err = &event.Error{Message: "This is not a code."}
	d.field().SetText("abc")
	d.tap("Use the code")
	d.did("code abc")
	d.says("This is not a code.")
	if d.field().Text != "abc" {
		t.Errorf("what was typed is lost: %q", d.field().Text)
	}
	d.f.err = nil
	d.to(ways[0], signin.Done{Account: signin.Account{Presence: signin.SignedIn, Name: "ada@example.org", Plan: "max"}})
	d.says("Signed in as ada@example.org · max")
	d.says("could read it there")
	d.shoot("done")
	d.tap("Continue")
	d.did("dismiss")
	if d.done != 1 {
		t.Error("the screen is not left")
	}
}

func TestDeviceBrowserAndEnds(t *testing.T) {
	d := open(t, theme.Dark)
	d.to(ways[0], signin.WaitingForDevice{Address: "https://auth.example/device", UserCode: "ABCD-1234"})
	d.says("ABCD-1234")
	d.shoot("device-dark")
	d.tap("Copy the code")
	if d.copied != "ABCD-1234" {
		t.Error(d.copied)
	}
	d.tap("Stop signing in")
	d.did("cancel")
	d.to(ways[0], signin.Cancelled{})
	d.says("Nobody was signed in")
	d.to(ways[0], signin.WaitingForBrowser{Address: page})
	d.says("on this device only")
	d.to(ways[0], signin.Failed{Reason: &event.Error{Message: "The provider refused the code."}})
	d.says("The provider refused the code.")
	d.shoot("failed-dark")
	d.tap("Try again")
	d.did("begin sub")
	d.tap("Another way")
	d.did("dismiss")
	// Killed in between: what can't be known is unknown, and can be looked up.
	d.to(ways[0], signin.Unknown{Text: "Keva was closed while you signed in."})
	d.says("Keva was closed while you signed in.")
	d.tap("Look how it ended")
	d.did("settle")
	d.tap("Start over")
	d.did("dismiss")
}

// A refused key stays in the field; one that only can't be kept may be kept otherwise, if the user says so.
func TestKeyWay(t *testing.T) {
	d := open(t, theme.Light)
	d.tap("Anthropic API key It is kept in the keyring; engines never see it.")
	d.f.err = &event.Error{Message: "The provider refused this key."}
	d.field().SetText(" sk-1 ")
	d.tap("Use this key")
	d.did("key key sk-1 ")
	d.loop.Until("the reason", func() bool { return d.failed != nil })
	d.says("refused this key")
	d.shoot("key")
	if d.field().Text != " sk-1 " || !d.field().Password {
		t.Errorf("%q", d.field().Text)
	}
	d.f.err = &signin.KeepError{Reason: &event.Error{Message: "No keyring runs."}}
	d.tap("Use this key")
	d.did("key key sk-1 ")
	d.loop.Until("the choice", func() bool { return strings.Contains(d.words(), "No keyring runs.") })
	d.f.err = nil
	d.tap("Keep it until Keva closes")
	d.did("key key sk-1 memory")
	d.loop.Until("the end", func() bool { return d.key == nil })
	d.to(ways[1], signin.Done{Unchecked: &event.Error{Message: "The key could not be tried out."}})
	d.says("The key is kept")
	d.says("The key could not be tried out.")
}

// Where there is no keyring the user may have a locked file; a wrong passphrase loses nothing.
// What became of another engine's sign-in is no word about this one.
func TestAnotherEnginesFailure(t *testing.T) {
	d := open(t, theme.Light)
	other := signin.Method{ID: "plan", Engine: "codex", Provider: "chatgpt", Kind: signin.KindDevice, Label: "ChatGPT plan"}
	d.to(other, signin.Failed{Reason: &event.Error{Message: "OpenAI can't be reached."}})
	if w := d.words(); strings.Contains(w, "OpenAI") || !strings.Contains(w, "Claude subscription") {
		t.Error(w)
	}
	d.to(other, signin.WaitingForDevice{UserCode: "ABCD-1234"})
	d.says("ABCD-1234") // it is under way, and can be stopped here
}

// The service tells that it failed after the call has returned why: the reason and the ways out of it stay.
func TestLateNewsOfAFailure(t *testing.T) {
	d := open(t, theme.Light)
	d.tap("Anthropic API key It is kept in the keyring; engines never see it.")
	d.field().SetText("sk-1")
	reason := &event.Error{Message: "No keyring runs."}
	d.f.err = &signin.KeepError{Reason: reason}
	d.tap("Use this key")
	d.did("key key sk-1 ")
	d.loop.Until("the error", func() bool { return d.failed != nil })
	d.to(ways[1], signin.Failed{Reason: reason})
	if !strings.Contains(d.words(), "No keyring runs.") {
		t.Error(d.words())
	}
	uitest.Button(t, d.Object(), "Keep it until Keva closes")
	d.to(ways[1], signin.Checking{})
	if d.failed != nil {
		t.Error("the error of the last try stands beside the next one")
	}
}

func TestKeyInALockedFile(t *testing.T) {
	d := open(t, theme.Light)
	phrases, fail := []string{}, error(nil)
	d.deps.Unlock = func(_ context.Context, phrase string) error {
		phrases = append(phrases, phrase)
		return fail
	}
	d.tap("Anthropic API key It is kept in the keyring; engines never see it.")
	d.f.err = &signin.KeepError{Reason: &event.Error{Message: "No keyring runs."}}
	d.field().SetText("sk-1")
	d.tap("Use this key")
	d.did("key key sk-1 ")
	d.loop.Until("the choice", func() bool { return strings.Contains(d.words(), "a passphrase locks") })
	d.shoot("key-file")
	fail = &event.Error{Message: "The passphrase is wrong."}
	d.field().SetText("wrong") // the last field is the passphrase's
	d.tap("Keep it in a locked file")
	d.loop.Until("the reason", func() bool { return strings.Contains(d.words(), "The passphrase is wrong.") })
	if len(d.f.log) != 0 {
		t.Errorf("the key was given away: %q", d.f.log)
	}
	fail, d.f.err = nil, nil
	d.field().SetText("right")
	d.tap("Keep it in a locked file")
	d.did("key key sk-1 file")
	if strings.Join(phrases, " ") != "wrong right" {
		t.Errorf("%q", phrases)
	}
}

func TestBackLeavesTheForm(t *testing.T) {
	d := open(t, theme.Light)
	d.tap("Anthropic API key It is kept in the keyring; engines never see it.")
	d.tap("Back")
	if d.left != 0 {
		t.Error("it left the screen")
	}
	d.f.err = errors.New("busy")
	d.tap("Claude subscription You sign in on a page and paste a code here.")
	d.says("busy")
	d.tap("Back")
	if d.left != 1 {
		t.Error("it did not leave the screen")
	}
}

func (d *desk) shoot(name string) { uitest.Shoot(d.t, d.win, name) }

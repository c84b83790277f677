package shell

import (
	"context"
	"sync"
	"testing"

	"fyne.io/fyne/v2"

	"keva/agent/doctor"
	"keva/agent/event"
	fresh "keva/agent/onboarding"
	"keva/agent/signin"
	"keva/ui/screen"
	"keva/ui/settings"
	"keva/ui/uitest"
)

// device is a first start over facts.
type device struct {
	mu    sync.Mutex
	facts fresh.Facts
}

func (d *device) Facts(context.Context) fresh.Facts {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.facts
}

func (d *device) Unpack(ctx context.Context, _ func(fresh.Progress)) error {
	<-ctx.Done()
	return ctx.Err()
}

func (*device) Agents() []fresh.Agent { return nil }
func (*device) Choose(string) error   { return nil }

// accounts is a sign-in that was begun by nobody.
type accounts struct{}

func (accounts) Methods(engine string) []signin.Method {
	return []signin.Method{{ID: engine + "-key", Engine: engine, Kind: signin.KindKey, Label: "API key", Note: "Kept in the keyring."}}
}
func (accounts) View() signin.View { return signin.View{State: signin.None{}} }
func (accounts) Changes(ctx context.Context) <-chan struct{} {
	ch := make(chan struct{})
	context.AfterFunc(ctx, func() { close(ch) })
	return ch
}
func (accounts) Begin(string) error                                      { return nil }
func (accounts) SubmitCode(string) error                                 { return nil }
func (accounts) SubmitKey(context.Context, string, string, string) error { return nil }
func (accounts) Cancel(context.Context) error                            { return nil }
func (accounts) Dismiss(context.Context)                                 {}
func (accounts) Settle(context.Context) error                            { return nil }

type checks struct{}

func (checks) Findings(context.Context) []doctor.Finding {
	return []doctor.Finding{{Group: "G", Title: "Claude Code", State: doctor.OK, Says: "It runs."}}
}
func (checks) Report(context.Context, []doctor.Finding) string { return "the whole report" }
func (checks) Save(string) (string, error)                     { return "/home/ada/report.txt", nil }

// Without its tools a device shows the first start even when there are sessions; with them, the list.
func TestToolsComeFirst(t *testing.T) {
	d := &device{facts: fresh.Facts{Tools: fresh.ToolsDamaged, Sessions: 4}}
	h := newHouseWith(t, 360, 780, true, settings.Values{}, func(deps *Deps) { deps.Onboarding = d })
	for _, m := range metas(h.loop.Now()) {
		h.service.add(m)
	}
	h.start()
	h.loop.Until("the tools", func() bool { return h.says("damaged") })
	h.tap("Pause")
	d.mu.Lock()
	d.facts.Tools = fresh.ToolsReady
	d.mu.Unlock()
	h.reload()
	h.loop.Until("the list", func() bool { return !h.root.welcomes() && h.says("Sessions") })
}

// From the first start to the sign-in and back, by the back button too.
func TestSetUpFromTheFirstStart(t *testing.T) {
	h := newHouseWith(t, 360, 780, true, settings.Values{}, func(deps *Deps) { deps.SignIn = accounts{} })
	h.start()
	h.loop.Until("the welcome", func() bool { return h.says("A computer") })
	h.tap("Set up Codex")
	if !h.says("API key") || h.choices.values.Engine != "codex" {
		t.Fatalf("chosen %q", h.choices.values.Engine)
	}
	h.look("sign-in")
	h.escape()
	if !h.says("A computer") {
		t.Error("Escape did not go back to the first page")
	}
}

// The settings lead to accounts, pages of others and the doctor; a report is seen before it is saved.
func TestSettingsLeadOn(t *testing.T) {
	made := 0
	h := newHouseWith(t, 360, 780, true, settings.Values{}, func(deps *Deps) {
		deps.SignIn, deps.Doctor = accounts{}, checks{}
		deps.Pages = []Page{{"Network", "Network", "Direct", func(func()) fyne.CanvasObject {
			made++
			return screen.NewPara("the network", screen.BodyStyle)
		}}}
	})
	h.start()
	h.showSettings()
	h.tap("Sign in to Claude Subscription, key or another way")
	if !h.says("Kept in the keyring.") {
		t.Error("no sign-in")
	}
	h.escape()
	h.tap("Network Direct")
	h.escape()
	if made != 1 {
		t.Error("the page of others was not made")
	}
	h.tap("Doctor What works, what does not, and a report to share")
	h.loop.Until("findings", func() bool { return h.says("It runs.") })
	h.tap("Make a report…")
	h.loop.Until("the report", func() bool { return h.says("This is all that is shared") })
	h.look("report")
	h.tap("Save as a file")
	h.loop.Until("the place", func() bool { return h.says("Saved as") })
}

// On a phone nobody reads what a failed start printed.
func TestFailureIsShown(t *testing.T) {
	h := newHouse(t, 360, 780, true, settings.Values{})
	closed := false
	h.Window().SetContent(failurePage(&event.Error{Message: "The disk is full. Free some space."}, func() { closed = true }))
	h.tap("Close")
	if !h.says("The disk is full.") || !closed {
		t.Error("it is not said, or can't be closed")
	}
}

// keys is a key file with the passphrase "right".
type keys struct{ locked bool }

func (k *keys) Exists() bool { return true }
func (k *keys) Locked() bool { return k.locked }
func (k *keys) Unlock(_ context.Context, phrase string) error {
	if phrase != "right" {
		return &event.Error{Message: "The passphrase is wrong."}
	}
	k.locked = false
	return nil
}

func TestUnlockTheKeyFile(t *testing.T) {
	k := &keys{locked: true}
	h := newHouseWith(t, 360, 780, true, settings.Values{}, func(deps *Deps) { deps.KeyFile = k })
	h.start()
	h.showSettings()
	h.tap("Key file Locked. Keys in it can't be used before you give its passphrase")
	phrase := func(text string) {
		uitest.Walk(h.Window().Canvas().Overlays().Top(), func(o fyne.CanvasObject) {
			if e, ok := o.(*screen.Entry); ok {
				e.SetText(text)
			}
		})
		h.tap("Open")
	}
	phrase("wrong")
	h.loop.Until("the reason", func() bool { return h.says("The passphrase is wrong.") })
	phrase("right")
	h.loop.Until("the end", func() bool { return !k.locked && h.says("open until Keva closes") })
}

// On a phone nothing else could make a folder. A name that is refused stays in the field.
func TestNewProject(t *testing.T) {
	h := newHouseWith(t, 360, 780, true, settings.Values{}, func(deps *Deps) {
		deps.NewProject = func(_ context.Context, name string) (string, error) {
			if name != "ledger" {
				return "", &event.Error{Message: "Another name, please."}
			}
			return "/home/ada/projects/ledger", nil
		}
	})
	h.start()
	h.newSession()
	h.look("new-session-with-project")
	h.tap("New project An empty folder in your projects.")
	name := func(text string) {
		uitest.Walk(h.Window().Canvas().Overlays().Top(), func(o fyne.CanvasObject) {
			if e, ok := o.(*screen.Entry); ok {
				e.SetText(text)
			}
		})
		h.tap("Begin")
	}
	name("..")
	h.loop.Until("the reason", func() bool { return h.says("Another name, please.") })
	h.look("new-project")
	name("ledger")
	h.loop.Until("the session", func() bool { return h.chat != nil && h.chat.Loaded() })
	if got := h.service.created; len(got) != 1 || got[0].Dir != "/home/ada/projects/ledger" {
		t.Errorf("%+v", got)
	}
}

package shell

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/mobile"
	"fyne.io/fyne/v2/test"

	"keva/agent/event"
	fresh "keva/agent/onboarding"
	"keva/agent/signin"
	"keva/ui/screen"
	"keva/ui/settings"
	"keva/ui/uitest"
)

// hooks is what Android's driver calls when the app comes and goes.
type hooks interface {
	OnEnteredForeground() func()
	OnExitedForeground() func()
	OnStarted() func()
	OnStopped() func()
}

// lifecycle plays what the driver reports: Android covers the app, for a file picker too, and may destroy the activity
// while the process stays.
func (h *house) lifecycle(steps ...func(hooks) func()) {
	h.t.Helper()
	l, ok := h.app.Lifecycle().(hooks)
	if !ok {
		h.t.Fatal("the toolkit's lifecycle can't be played any more")
	}
	for _, step := range steps {
		if f := step(l); f != nil {
			f()
		}
	}
}

// phone is the app and the driver of a phone: it notices when it is ended or left.
type phone struct {
	fyne.App
	quits, left int
}

func (p *phone) Quit()               { p.quits++ }
func (p *phone) Driver() fyne.Driver { return leaving{p.App.Driver(), p} }

type leaving struct {
	fyne.Driver
	p *phone
}

func (l leaving) GoBack() { l.p.left++ }

var _ mobile.Driver = leaving{}

func (h *house) drafts(id string) (d []string) {
	h.service.open[id].Do(func(f *uitest.Session) { d = slices.Clone(f.Drafts) })
	return d
}

// onPhone makes the shell's app one that notices when it is ended or left.
func (h *house) onPhone() *phone {
	p := &phone{App: h.app}
	h.app = p
	return p
}

// back is Android's back button, which goes to what has the focus first.
func (h *house) back() {
	key := &fyne.KeyEvent{Name: mobile.KeyBack}
	if f := h.Window().Canvas().Focused(); f != nil {
		f.TypedKey(key)
		return
	}
	h.Window().Canvas().OnTypedKey()(key)
}

// The app may be ended at any moment once it is covered: the draft is kept then, not 600 ms later. Nothing quits when the
// activity stops, and all is as it was when it comes back, also when a file picker or a browser was what covered it.
func TestBackgroundKeepsAll(t *testing.T) {
	h := newHouse(t, 360, 780, true, settings.Values{})
	h.service.add(metas(h.loop.Now())[0])
	p := h.onPhone()
	h.start()
	o := h.show("s1")
	playRunning(h, o)
	h.loop.Until("the text", func() bool { return h.lastText() != "" })
	test.Type(h.Window().Canvas().Focused(), "half")
	h.lifecycle(hooks.OnExitedForeground)
	h.loop.Until("the draft", func() bool { return slices.Equal(h.drafts("s1"), []string{"half"}) })
	h.lifecycle(hooks.OnStopped)
	// The engine works on meanwhile.
	o.Play("t1", event.TextFinal{Block: "b9", Text: "While you were away."})
	h.lifecycle(hooks.OnStarted, hooks.OnEnteredForeground)
	h.loop.Until("what came meanwhile", func() bool { h.loop.Advance(time.Second); return h.lastText() == "While you were away." })
	if p.quits != 0 || h.chat == nil || len(h.stack) != 1 {
		t.Errorf("quit %d times, chat %v, %d screens", p.quits, h.chat != nil, len(h.stack))
	}
	o.Do(func(f *uitest.Session) {
		if f.Breaks+f.Released+len(f.Stopped) != 0 {
			t.Errorf("%d interrupts, %d engine stops, stopped %q", f.Breaks, f.Released, f.Stopped)
		}
	})
	test.Type(h.Window().Canvas().Focused(), " done")
	h.lifecycle(hooks.OnExitedForeground)
	h.loop.Until("the rest", func() bool { return slices.Contains(h.drafts("s1"), "half done") })
	// A sheet that asks stays open while a picker covers the app.
	h.tap("More")
	h.lifecycle(hooks.OnExitedForeground, hooks.OnStopped, hooks.OnStarted, hooks.OnEnteredForeground)
	if h.Window().Canvas().Overlays().Top() == nil || p.quits != 0 {
		t.Error("the sheet is gone, or the app ended")
	}
	if n := len(h.drafts("s1")); n > 3 {
		t.Errorf("an unchanged draft was written %d times", n)
	}
}

// The back button goes one step at a time, whatever has the focus; from the first screen it leaves the app without ending it.
func TestBackButton(t *testing.T) {
	h := newHouseWith(t, 360, 780, true, settings.Values{}, func(d *Deps) {
		d.SignIn, d.Doctor = &waiting{}, checks{}
	})
	for _, m := range metas(h.loop.Now()) {
		h.service.add(m)
	}
	p := h.onPhone()
	h.start()
	h.loop.Until("the list", func() bool { return h.says("Import bank statements") })
	steps := func(name string, want int) {
		t.Helper()
		if len(h.stack) != want || h.Window().Canvas().Overlays().Top() != nil || p.left != 0 {
			t.Fatalf("%s: %d screens over the list, want %d; a sheet: %v; left %d times", name, len(h.stack), want, h.Window().Canvas().Overlays().Top() != nil, p.left)
		}
	}
	for _, c := range []struct {
		name  string
		open  func()
		depth int
	}{
		{"settings", h.showSettings, 1},
		{"doctor", h.showDoctor, 1},
		{"sign-in", func() { h.showSignIn(settings.Engine{ID: "claude", Label: "Claude"}) }, 1},
		{"report", func() { h.showDoctor(); h.review("text", nil) }, 2},
		{"text", func() { h.ShowText("Output", "1") }, 1},
		{"new session", h.newSession, 0},
	} {
		c.open()
		if top := h.Window().Canvas().Overlays().Top(); len(h.stack) != c.depth || (top != nil) != (c.depth == 0) {
			t.Fatalf("%s: %d screens, a sheet: %v", c.name, len(h.stack), top != nil)
		}
		h.back()
		steps(c.name, max(0, c.depth-1))
		for range c.depth - 1 {
			h.back()
		}
		steps(c.name, 0)
	}
	// In the chat the keyboard is hidden by the first press, which Android keeps; the focus stays in the composer, and the
	// second press must not be lost in it.
	h.show("s1")
	if h.Window().Canvas().Focused() == nil {
		t.Fatal("the composer has no focus")
	}
	h.back()
	steps("composer", 0)
	// A field of a sheet.
	h.newSession()
	h.focusEntry()
	h.back()
	steps("field", 0)
	// A button that has the focus.
	h.show("s2")
	h.Window().Canvas().Unfocus()
	f, ok := uitest.Button(t, h.Window().Canvas().Content(), "More").(fyne.Focusable)
	if !ok {
		t.Fatal("“More” can't have the focus")
	}
	h.Window().Canvas().Focus(f)
	h.back()
	steps("button", 0)
	h.back()
	if p.left != 1 || p.quits != 0 {
		t.Errorf("left %d times, quit %d times", p.left, p.quits)
	}
}

// waiting is a sign-in whose page is open in the browser.
type waiting struct {
	accounts
	cancels, watching atomic.Int32
}

func (*waiting) View() signin.View {
	return signin.View{
		ID: "f", State: signin.WaitingForBrowser{Address: "https://example.test/page"},
		Method: signin.Method{ID: "claude-page", Engine: "claude", Kind: signin.KindBrowser, Label: "Subscription"},
	}
}

func (w *waiting) Cancel(context.Context) error { w.cancels.Add(1); return nil }

func (w *waiting) Changes(ctx context.Context) <-chan struct{} {
	w.watching.Add(1)
	context.AfterFunc(ctx, func() { w.watching.Add(-1) })
	return w.accounts.Changes(ctx)
}

// The browser covers the app while a sign-in waits, and back leads away from its page: the sign-in goes on, its page is
// found again as it was, and a page that was left follows nothing any more.
func TestBackWhileASignInWaits(t *testing.T) {
	w := &waiting{}
	h := newHouseWith(t, 360, 780, true, settings.Values{}, func(d *Deps) { d.SignIn = w })
	p := h.onPhone()
	h.start()
	h.loop.Until("the welcome", func() bool { return h.says("A computer") })
	for range 3 {
		h.tap("Set up Codex")
		if !h.says("https://example.test/page") {
			t.Fatal("the page of the sign-in that waits is not shown")
		}
		h.lifecycle(hooks.OnExitedForeground, hooks.OnStopped, hooks.OnStarted, hooks.OnEnteredForeground)
		h.back()
		if !h.says("A computer") {
			t.Fatal("back did not lead to the first page")
		}
	}
	for range 3 {
		h.showSignIn(settings.Engine{ID: "claude", Label: "Claude"})
		h.back()
	}
	h.loop.Until("pages that were left follow nothing", func() bool { return w.watching.Load() == 0 })
	if w.cancels.Load() != 0 || p.left != 0 {
		t.Errorf("cancelled %d times, left the app %d times", w.cancels.Load(), p.left)
	}
	h.back()
	if p.left != 1 || p.quits != 0 {
		t.Errorf("left the app %d times, ended it %d times", p.left, p.quits)
	}
}

// unpacking is a first start whose tools take long.
type unpacking struct {
	device
	ended atomic.Int32
}

func (u *unpacking) Unpack(ctx context.Context, progress func(fresh.Progress)) error {
	progress(fresh.Progress{Done: 400e6, Total: 1000e6, Parts: []fresh.Part{{Label: "Base system", Current: true}}})
	<-ctx.Done()
	u.ended.Add(1)
	return ctx.Err()
}

// Back while the tools are being unpacked leaves the app, and the unpacking goes on; it is not begun twice on the return.
func TestBackWhileUnpacking(t *testing.T) {
	u := &unpacking{device: device{facts: fresh.Facts{Tools: fresh.ToolsMissing}}}
	h := newHouseWith(t, 360, 780, true, settings.Values{}, func(d *Deps) { d.Onboarding = u })
	p := h.onPhone()
	h.start()
	h.loop.Until("the progress", func() bool { return h.says("400 of 1000 MB") })
	h.back()
	h.lifecycle(hooks.OnExitedForeground, hooks.OnStopped, hooks.OnStarted, hooks.OnEnteredForeground)
	h.reload()
	h.loop.Drain()
	if p.left != 1 || p.quits != 0 || u.ended.Load() != 0 || !h.says("400 of 1000 MB") {
		t.Errorf("left %d times, ended %d times, unpacking ended %d times", p.left, p.quits, u.ended.Load())
	}
	h.tap("Pause")
	h.loop.Until("the pause", func() bool { return u.ended.Load() == 1 && h.says("paused") })
}

func (h *house) focusEntry() {
	h.t.Helper()
	var field fyne.Focusable
	uitest.Walk(h.Window().Canvas().Overlays().Top(), func(o fyne.CanvasObject) {
		if e, ok := o.(*screen.Entry); ok {
			field = e
		}
	})
	if field == nil {
		h.t.Fatal("no field in the sheet")
	}
	h.Window().Canvas().Focus(field)
}

// The form of a key is a step of its own, in the first start and over the settings.
func TestBackLeavesTheFormOfAKey(t *testing.T) {
	h := newHouseWith(t, 360, 780, true, settings.Values{}, func(d *Deps) { d.SignIn = accounts{} })
	h.start()
	h.loop.Until("the welcome", func() bool { return h.says("A computer") })
	form := func() {
		t.Helper()
		h.tap("API key Kept in the keyring.")
		if !h.says("Use this key") {
			t.Fatal("the form is not shown")
		}
		h.back()
		if h.says("Use this key") || !h.says("API key") {
			t.Fatal("back left more than the form, or nothing")
		}
		h.back()
	}
	h.tap("Set up Codex")
	form()
	if !h.says("A computer") {
		t.Fatal("back did not lead to the first page")
	}
	h.showSignIn(settings.Engine{ID: "claude", Label: "Claude"})
	form()
	if len(h.stack) != 0 {
		t.Fatal("the sign-in is still there")
	}
}

// After the clock was set back, sessions are of days that have not come: they get their date, not a time that reads as today.
func TestSessionsOfAnotherClock(t *testing.T) {
	h := newHouse(t, 360, 780, true, settings.Values{})
	for i, jump := range []time.Duration{0, -400 * 24 * time.Hour, 3 * 24 * time.Hour, 400 * 24 * time.Hour} {
		m := metas(h.loop.Now().Add(jump))[3]
		m.ID, m.Line, m.Updated = fmt.Sprint("c", i), fmt.Sprint("line", i), h.loop.Now().Add(jump)
		h.service.add(m)
	}
	h.start()
	h.loop.Until("the list", func() bool { return h.named("line0") != nil })
	for i, format := range []string{"15:04", "2 January 2006", "2 January 2006", "2 January 2006"} {
		jump := []time.Duration{0, -400 * 24 * time.Hour, 3 * 24 * time.Hour, 400 * 24 * time.Hour}[i]
		want := fmt.Sprintf("line%d · %s", i, h.loop.Now().Add(jump).Local().Format(format))
		if h.named(want) == nil {
			t.Errorf("the list does not say %q", want)
		}
	}
}

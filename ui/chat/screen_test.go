package chat

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/session"
	"keva/agent/trust"
	"keva/ui/theme"
	"keva/ui/transcript"
	"keva/ui/uitest"
)

// room is a chat screen over a scripted session, in a window.
type room struct {
	*Screen
	t       testing.TB
	loop    *uitest.Loop
	fake    *uitest.Session
	win     fyne.Window
	copied  string
	opened  []string
	changes []event.Change
	retries atomic.Int32
	agreed  []trust.Consent
}

// wants is what the project of the next room asks for.
var wants trust.Report

func newRoom(t testing.TB, meta session.Meta, before ...event.Body) *room {
	t.Helper()
	app := test.NewTempApp(t)
	app.Settings().SetTheme(theme.New(theme.Options{Mode: theme.Light}))
	loop := uitest.NewLoop(t)
	if meta.ID == "" {
		meta.ID = "s1"
	}
	meta.Dir, meta.Engine = "/home/ada/ledger", "claude"
	r := &room{t: t, loop: loop, fake: uitest.NewSession(meta, loop.Now)}
	r.fake.Report = wants
	if len(before) > 0 {
		r.fake.Play("t0", before...)
	}
	r.Screen = New(Deps{
		Session: r.fake, Now: loop.Now, Do: loop.Do, Post: loop.Post, Go: loop.Go, After: loop.After,
		Window: func() fyne.Canvas { return r.win.Canvas() }, Engine: func(string) string { return "Claude" }, Home: "/home/ada",
		EnterSends: true, Back: func() {}, Copy: func(s string) { r.copied = s },
		OpenURL:     func(u string) error { r.opened = append(r.opened, u); return nil },
		ShowChanges: func(_ string, c []event.Change) { r.changes = c }, ShowText: func(string, string) {},
		Agree:  func(c trust.Consent) error { r.agreed = append(r.agreed, c); return nil },
		Delete: func() {}, RetryStore: func(context.Context) error { r.retries.Add(1); return nil },
	})
	r.win = test.NewTempWindow(t, r.Object())
	r.win.SetPadded(false)
	r.win.Resize(fyne.NewSize(360, 780))
	r.Start()
	t.Cleanup(r.Stop)
	loop.Until("the history", r.Loaded)
	return r
}

// write types into the composer.
func (r *room) write(text string) {
	r.win.Canvas().Focus(r.composer.entry)
	test.Type(r.composer.entry, text)
}

func (r *room) until(what string, done func() bool) { r.t.Helper(); r.loop.Until(what, done) }

// shown reports whether a row of the screen holds text.
func (r *room) shown(text string) bool {
	return slices.ContainsFunc(r.Rows(), func(row transcript.Row) bool { return strings.Contains(plainRow(row), text) })
}

func (r *room) answers() (n int) {
	r.fake.Do(func(f *uitest.Session) { n = len(f.Answers) })
	return n
}

func (r *room) drafts() (d []string) {
	r.fake.Do(func(f *uitest.Session) { d = slices.Clone(f.Drafts) })
	return d
}

func ask(id, command string) event.ApprovalAsked {
	return event.ApprovalAsked{ID: id, Tool: event.ToolCommand, Name: "Bash", Title: command, Command: command, Dir: "/home/ada/ledger"}
}

func button(t testing.TB, root fyne.CanvasObject, label string) fyne.Tappable {
	t.Helper()
	return uitest.Button(t, root, label)
}

// The main path: a prompt is typed and sent by a tap, its row and the answer appear, and the composer is empty again.
func TestSendShowsPromptAndAnswer(t *testing.T) {
	r := newRoom(t, session.Meta{})
	r.write("Fix the test")
	test.Tap(r.composer.send)
	r.until("the prompt", func() bool { return r.shown("> Fix the test") && !r.composer.sending })
	if r.composer.Text() != "" {
		t.Fatalf("the composer still holds %q", r.composer.Text())
	}
	if r.composer.stop.Hidden || !r.composer.send.Hidden {
		t.Fatal("a running turn with an empty composer offers no Stop")
	}
	r.fake.Play("t1", event.TextDelta{Block: "b", Text: "I'll run the test first. Then "})
	r.until("the answer", func() bool { return r.shown("I'll run the test first. Then") })
	r.fake.Play("t1", event.TextFinal{Block: "b", Text: "I'll run the test first. Then we see."}, event.TurnCompleted{Outcome: event.Success, Origin: event.OriginUser, Messages: []string{"mFix the test"}})
	r.until("the end", func() bool { return r.status.now.Text == "Done" && r.shown("we see.") })
	if !r.composer.stop.Hidden {
		t.Fatal("Stop is offered after the end")
	}
}

// An empty prompt is not sent, by key or by tap.
func TestEmptyPromptIsNotSent(t *testing.T) {
	r := newRoom(t, session.Meta{})
	r.write("  ")
	r.composer.entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	test.Tap(r.composer.send)
	r.loop.Drain()
	if len(r.fake.Sent) != 0 || !r.composer.send.Disabled() {
		t.Fatalf("sent %q", r.fake.Sent)
	}
}

// REPORTS O8: a message that could not be sent stays where it was written, with the reason, and is kept as a draft.
func TestSendErrorKeepsTheText(t *testing.T) {
	r := newRoom(t, session.Meta{})
	r.fake.SendError = &event.Error{Class: event.ClassConfig, Message: "The engine is not installed. Run make setup."}
	r.write("Fix the test")
	r.composer.entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	r.until("the reason", func() bool { return r.composer.failed.Text() != "" })
	if got := r.composer.failed.Text(); got != "Not sent. The engine is not installed. Run make setup." {
		t.Errorf("the reason is %q", got)
	}
	if r.composer.Text() != "Fix the test" || r.composer.entry.Disabled() {
		t.Errorf("the composer holds %q, disabled %v", r.composer.Text(), r.composer.entry.Disabled())
	}
	if !r.composer.failed.Visible() || r.composer.failed.Size().Height < theme.LineHeight(theme.Label) {
		t.Error("the reason is not in view")
	}
	r.until("the draft", func() bool { return slices.Equal(r.drafts(), []string{"Fix the test"}) })
	r.fake.Do(func(f *uitest.Session) { f.SendError = nil })
	test.Tap(r.composer.send)
	r.until("the prompt", func() bool { return r.shown("> Fix the test") })
}

// While a message is on its way it can't be sent twice.
func TestNoSecondSendWhileSending(t *testing.T) {
	r := newRoom(t, session.Meta{})
	r.fake.Sending = make(chan struct{})
	r.write("Fix the test")
	for range 3 {
		test.Tap(r.composer.send)
		r.composer.entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	}
	close(r.fake.Sending)
	r.until("the prompt", func() bool { return r.shown("> Fix the test") && !r.composer.sending })
	if len(r.fake.Sent) != 1 {
		t.Fatalf("sent %q", r.fake.Sent)
	}
}

// The draft is kept after a pause, not at each key, and is there when the session is opened again.
func TestDraft(t *testing.T) {
	r := newRoom(t, session.Meta{Draft: "half a "})
	if r.composer.Text() != "half a " {
		t.Fatalf("the composer holds %q", r.composer.Text())
	}
	r.composer.entry.CursorColumn = 7
	r.write("thought")
	if d := r.drafts(); len(d) != 0 {
		t.Fatalf("kept at once: %q", d)
	}
	r.loop.Advance(draftDelay)
	r.until("the draft", func() bool { return slices.Equal(r.drafts(), []string{"half a thought"}) })
}

// An approval is answered once, whatever is tapped; the sheet goes, and the composer is back.
func TestDoubleTapAnswersOnce(t *testing.T) {
	r := newRoom(t, session.Meta{}, event.TurnStarted{Origin: event.OriginUser}, ask("q1", "go test ./..."))
	if r.Asking() != "q1" || !r.asks.holder.Visible() || r.composer.Visible() {
		t.Fatal("the sheet is not shown in the place of the composer")
	}
	allow := button(t, r.asks.sheet, "Allow once")
	test.Tap(allow)
	r.loop.Drain()
	if r.answers() != 0 {
		t.Fatal("a tap that was meant for what was there before has allowed a command")
	}
	r.loop.Advance(time.Second)
	test.Tap(allow)
	test.Tap(allow)
	r.asks.answer("q1", runtime.Answer{Decision: event.Deny, By: event.ByUser}) // whoever else may call
	r.until("the end of the sheet", func() bool { return r.answers() == 1 && r.Asking() == "" && len(r.view.Pending) == 0 })
	r.loop.Drain()
	if got := r.fake.Answers; len(got) != 1 || got[0].ID != "q1" || got[0].Decision != event.Allow || got[0].By != event.ByUser {
		t.Fatalf("answers %+v", got)
	}
	if !r.composer.Visible() {
		t.Fatal("the composer did not come back")
	}
}

// A second request does not slide under the finger that has answered the first.
func TestNextRequestIsArmedAnew(t *testing.T) {
	r := newRoom(t, session.Meta{}, event.TurnStarted{Origin: event.OriginUser}, ask("q1", "go test ./..."), ask("q2", "git push"))
	r.loop.Advance(time.Second)
	test.Tap(button(t, r.asks.sheet, "Allow once"))
	if r.Asking() != "q2" {
		t.Fatalf("asking %q", r.Asking())
	}
	test.Tap(button(t, r.asks.sheet, "Allow once"))
	r.asks.answer("q1", runtime.Answer{Decision: event.Deny, By: event.ByUser})
	r.until("the first answer", func() bool { return r.answers() >= 1 })
	r.loop.Drain()
	if r.answers() != 1 {
		t.Fatal("the second tap of a double tap has allowed another command")
	}
}

// By keyboard: Tab reaches the buttons, Enter presses; what has the focus at first changes nothing.
func TestApproveByKeyboard(t *testing.T) {
	r := newRoom(t, session.Meta{}, event.TurnStarted{Origin: event.OriginUser}, ask("q1", "go test ./..."))
	r.loop.Advance(time.Second)
	c := r.win.Canvas()
	first, ok := c.Focused().(interface{ Text() string })
	if !ok || first.Text() != "Deny…" {
		t.Fatalf("the focus is on %T", c.Focused())
	}
	for range 12 {
		if b, ok := c.Focused().(interface{ Text() string }); ok && b.Text() == "Allow once" {
			break
		}
		c.(interface{ FocusNext() }).FocusNext()
	}
	c.Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	r.until("the answer", func() bool { return r.answers() == 1 })
	if r.fake.Answers[0].Decision != event.Allow {
		t.Fatalf("%+v", r.fake.Answers)
	}
}

// An answer that did not arrive is asked for again, with the reason.
func TestFailedAnswerIsAskedAgain(t *testing.T) {
	r := newRoom(t, session.Meta{}, event.TurnStarted{Origin: event.OriginUser}, ask("q1", "go test ./..."))
	r.fake.Do(func(f *uitest.Session) { f.AnswerError = &event.Error{Message: "The engine is gone."} })
	r.loop.Advance(time.Second)
	test.Tap(button(t, r.asks.sheet, "Allow once"))
	r.until("the reason", func() bool { return r.asks.failed.Text() == "Not answered. The engine is gone." })
	if r.Asking() != "q1" {
		t.Fatal("the request is not shown any more")
	}
	r.fake.Do(func(f *uitest.Session) { f.AnswerError = nil })
	r.loop.Advance(time.Second)
	test.Tap(button(t, r.asks.sheet, "Allow once"))
	r.until("the answer", func() bool { return r.answers() == 1 && r.Asking() == "" })
}

// A request that the engine takes back goes away by itself; the other one is shown.
func TestWithdrawnRequestGoes(t *testing.T) {
	r := newRoom(t, session.Meta{}, event.TurnStarted{Origin: event.OriginUser}, ask("q1", "go test ./..."), ask("q2", "git push"))
	r.fake.Play("t0", event.ApprovalResolved{ID: "q1", Decision: event.Withdrawn, By: event.ByEngine})
	r.until("the other request", func() bool { return r.Asking() == "q2" })
}

// Several requests can be looked at before one is answered.
func TestRequestsAreStepped(t *testing.T) {
	r := newRoom(t, session.Meta{}, event.TurnStarted{Origin: event.OriginUser}, ask("q1", "go test ./..."), ask("q2", "git push"))
	r.asks.step(1)
	if r.Asking() != "q2" {
		t.Fatalf("asking %q", r.Asking())
	}
	r.asks.step(1)
	if r.Asking() != "q1" {
		t.Fatalf("asking %q", r.Asking())
	}
}

// Stop interrupts once, and what is written while something runs can be sent.
func TestStopAndSteer(t *testing.T) {
	r := newRoom(t, session.Meta{}, event.UserMessage{ID: "m", Text: "go"}, event.TurnStarted{Origin: event.OriginUser})
	if r.composer.entry.PlaceHolder != "Steer or queue…" {
		t.Errorf("placeholder %q", r.composer.entry.PlaceHolder)
	}
	test.Tap(r.composer.stop)
	r.interrupt()
	r.until("the interrupt", func() bool {
		n := 0
		r.fake.Do(func(f *uitest.Session) { n = f.Breaks })
		return n == 1
	})
	r.write("also this")
	if !r.composer.stop.Hidden || r.composer.send.Hidden {
		t.Error("what is written can't be sent")
	}
}

// Nothing ticks while nothing changes: after the end of a turn the screen asks for no further tick.
func TestIdleScreenDoesNotTick(t *testing.T) {
	r := newRoom(t, session.Meta{}, event.UserMessage{ID: "m", Text: "go"}, event.TurnStarted{Origin: event.OriginUser},
		event.TextFinal{Block: "b", Text: "done"}, event.TurnCompleted{Outcome: event.Success, Origin: event.OriginUser, Messages: []string{"m"}})
	if next := r.apply(batch{}); next != 0 {
		t.Fatalf("ticks again after %v", next)
	}
	r.fake.Play("t1", event.TurnStarted{Origin: event.OriginUser})
	if next := r.apply(batch{}); next != second {
		t.Fatalf("a running turn ticks after %v", next)
	}
}

// What is wrong around the session is said above it, with a way out.
func TestBanners(t *testing.T) {
	r := newRoom(t, session.Meta{})
	r.fake.Do(func(f *uitest.Session) { f.Storage = fmt.Errorf("the folder is read-only") })
	r.apply(batch{})
	if len(r.banners.Objects) != 1 || !r.banners.Visible() || r.banners.Size().Height < theme.Touch {
		t.Fatalf("%d banners, %v high", len(r.banners.Objects), r.banners.Size().Height)
	}
	test.Tap(button(t, r.banners, "Retry"))
	r.until("a retry", func() bool { return r.retries.Load() == 1 })
	r.fake.Do(func(f *uitest.Session) { f.Storage = nil })
	r.fake.Play("t1", event.TurnStarted{Origin: event.OriginUser}, event.EngineExited{Class: event.ExitKilled, Advice: "The system ended the engine. Send a message to go on."})
	r.until("the other banner", func() bool { return len(r.layout.banners) == 1 && strings.HasPrefix(r.layout.banners[0], "engine") })
	test.Tap(button(t, r.banners, "Dismiss"))
	if len(r.banners.Objects) != 0 {
		t.Fatal("the banner can't be dismissed")
	}
}

// A question of the engine is answered with what was chosen.
func TestQuestion(t *testing.T) {
	r := newRoom(t, session.Meta{}, event.TurnStarted{Origin: event.OriginUser}, event.QuestionAsked{ID: "q1", Questions: []event.Question{
		{ID: "zone", Text: "Which zone?", Options: []event.Option{{Label: "UTC"}, {Label: "Local"}}},
	}})
	if r.Asking() != "q1" {
		t.Fatal("the question is not shown")
	}
	r.asks.answer("q1", runtime.Answer{Decision: event.Allow, By: event.ByUser, Answers: map[string][]string{"zone": {"UTC"}}})
	r.until("the answer", func() bool { return r.answers() == 1 && r.Asking() == "" })
}

// The whole transcript can be copied, and an address is shown before it is opened.
func TestCopyAndOpen(t *testing.T) {
	r := newRoom(t, session.Meta{}, event.UserMessage{ID: "m", Text: "look"}, event.TurnStarted{Origin: event.OriginUser}, event.TextFinal{Block: "b", Text: "See **there**."})
	r.menu()
	test.Tap(button(t, r.win.Canvas().Overlays().Top(), "Copy transcript "))
	if r.copied != "> look\n\nSee **there**.\n" {
		t.Errorf("copied %q", r.copied)
	}
	r.openURL("https://example.org/a")
	if len(r.opened) != 0 {
		t.Fatal("opened without showing the address")
	}
	test.Tap(button(t, r.win.Canvas().Overlays().Top(), "Open"))
	if !slices.Equal(r.opened, []string{"https://example.org/a"}) {
		t.Fatalf("opened %q", r.opened)
	}
}

// A huge text that is pasted is kept beside the entry, which would freeze on it; it is sent whole and kept as a draft.
func TestHugePaste(t *testing.T) {
	r := newRoom(t, session.Meta{})
	huge := strings.Repeat("a line of a log\n", 20_000)
	r.write("Explain this:")
	clipboard := test.NewClipboard()
	clipboard.SetContent(huge)
	start := time.Now()
	r.composer.entry.TypedShortcut(&fyne.ShortcutPaste{Clipboard: clipboard})
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("pasting took %v", d)
	}
	if r.composer.entry.Text != "Explain this:" || r.composer.pasted.Hidden || r.composer.pasted.Text() != "Pasted text · 313 kB" {
		t.Fatalf("entry %q, chip %q", r.composer.entry.Text, r.composer.pasted.Text())
	}
	r.loop.Advance(draftDelay)
	r.until("the draft", func() bool { d := r.drafts(); return len(d) > 0 && d[len(d)-1] == "Explain this:\n\n"+huge })
	test.Tap(r.composer.send)
	r.until("the prompt", func() bool { return !r.composer.sending && r.composer.Text() == "" })
	if r.fake.Sent[0] != "Explain this:\n\n"+huge || !r.composer.pasted.Hidden {
		t.Fatalf("sent %d bytes", len(r.fake.Sent[0]))
	}
	// A draft of that size does not freeze the screen that opens it, and a short paste goes into the entry.
	r.composer.SetText(huge)
	if r.composer.entry.Text != "" || r.composer.Text() != huge {
		t.Fatal("the draft went into the entry")
	}
	r.composer.Detach()
	clipboard.SetContent("short")
	r.composer.entry.TypedShortcut(&fyne.ShortcutPaste{Clipboard: clipboard})
	if r.composer.Text() != "short" {
		t.Fatalf("the composer holds %q", r.composer.Text())
	}
}

package shell

import (
	"errors"
	"image/color"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"keva/agent/event"
	"keva/agent/session"
	"keva/ui/settings"
	"keva/ui/theme"
	"keva/ui/uitest"
)

func (h *house) tap(label string) {
	h.t.Helper()
	root := h.Window().Canvas().Content()
	if top := h.Window().Canvas().Overlays().Top(); top != nil {
		root = top
	}
	test.Tap(uitest.Button(h.t, root, label))
}

func (h *house) escape() {
	key := &fyne.KeyEvent{Name: fyne.KeyEscape}
	if f := h.Window().Canvas().Focused(); f != nil {
		f.TypedKey(key)
		return
	}
	h.Window().Canvas().OnTypedKey()(key)
}

// says reports whether any text on the screen holds s.
func (h *house) says(s string) bool {
	found := false
	look := func(o fyne.CanvasObject) {
		if a, ok := o.(fyne.Accessible); ok && strings.Contains(a.AccessibilityLabel(), s) {
			found = true
		}
	}
	uitest.Walk(h.Window().Canvas().Content(), look)
	for _, o := range h.Window().Canvas().Overlays().List() {
		uitest.Walk(o, look)
	}
	return found
}

// A device without sessions is welcomed; one tap makes the sample project and opens a session with the tour's prompt.
func TestFirstStart(t *testing.T) {
	h := newHouse(t, 360, 780, true, settings.Values{})
	h.start()
	h.loop.Until("the welcome", func() bool { return h.says("A computer") })
	h.tap("Start the demo")
	h.loop.Until("the chat", func() bool { return h.chat != nil && h.chat.Loaded() })
	if got := h.service.created; len(got) != 1 || got[0] != (session.New{Dir: "/home/ada/keva-demo", Engine: "claude", Provider: "demo"}) {
		t.Fatalf("created %+v", got)
	}
	h.Window().Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	h.loop.Until("the prompt", func() bool {
		var sent []string
		h.service.open["new1"].Do(func(f *uitest.Session) { sent = f.Sent })
		return slices.Equal(sent, []string{"Show me around."})
	})
}

// Back goes one step: a sheet, then a screen on top, then the chat; the draft is kept on the way.
func TestBack(t *testing.T) {
	h := newHouse(t, 360, 780, true, settings.Values{})
	for _, m := range metas(h.loop.Now()) {
		h.service.add(m)
	}
	h.start()
	o := h.show("s1")
	test.Type(h.Window().Canvas().Focused(), "half")
	h.showText("Output", "1\n2\n")
	h.tap("Copy all")
	if h.app.Clipboard().Content() != "1\n2\n" {
		t.Error("the output was not copied")
	}
	h.escape()
	if len(h.stack) != 1 {
		t.Fatalf("%d screens after the first Escape", len(h.stack))
	}
	h.tap("More")
	h.escape()
	if h.Window().Canvas().Overlays().Top() != nil || len(h.stack) != 1 {
		t.Fatal("Escape did not close the sheet alone")
	}
	h.escape()
	if len(h.stack) != 0 || h.chat != nil {
		t.Fatal("Escape did not leave the chat")
	}
	h.loop.Until("the draft", func() bool {
		var d []string
		o.Do(func(f *uitest.Session) { d = f.Drafts })
		return slices.Equal(d, []string{"half"})
	})
}

// A field in a sheet does not swallow Escape.
func TestEscapeLeavesAField(t *testing.T) {
	h := newHouse(t, 360, 780, true, settings.Values{})
	h.service.add(metas(h.loop.Now())[0])
	h.start()
	h.show("s1")
	h.tap("More")
	h.tap("Rename… ")
	if h.Window().Canvas().Focused() == nil {
		t.Fatal("the field has no focus")
	}
	h.escape()
	if h.Window().Canvas().Overlays().Top() != nil {
		t.Fatal("the sheet is still open")
	}
}

// From 840 dp the list stands beside the chat, and nothing leads "back" from it.
func TestWide(t *testing.T) {
	h := newHouse(t, 1000, 700, false, settings.Values{})
	for _, m := range metas(h.loop.Now()) {
		h.service.add(m)
	}
	h.start()
	h.show("s2")
	first, chat := h.first.Object(), h.chat.Object()
	if !first.Visible() || !chat.Visible() || chat.Position().X < listPane {
		t.Fatalf("list %v, chat %v at %v", first.Visible(), chat.Visible(), chat.Position())
	}
	h.Back()
	if h.chat == nil {
		t.Fatal("Back closed the chat beside the list")
	}
	h.Window().Resize(fyne.NewSize(500, 700))
	if first.Visible() || chat.Position().X != 0 {
		t.Fatal("a narrow window still has two panes")
	}
}

// The look follows at once, also on screens that lie below.
func TestLookChangesEverywhere(t *testing.T) {
	h := newHouse(t, 360, 780, true, settings.Values{Mode: theme.Light})
	h.service.add(metas(h.loop.Now())[0])
	h.start()
	h.show("s1")
	title := func() (size float32, ink color.Color) {
		uitest.Walk(h.chat.Object(), func(o fyne.CanvasObject) {
			if text, ok := o.(*canvas.Text); ok && strings.HasPrefix(text.Text, "Fix the") {
				size, ink = text.TextSize, text.Color
			}
		})
		return size, ink
	}
	for _, taps := range [][]string{{"Theme Light", "Dark "}, {"Text size Normal", "Huge "}} {
		h.showSettings()
		h.tap(taps[0])
		h.tap(taps[1])
		h.Back()
		size, ink := title()
		if size != theme.Size(theme.Title) || ink != theme.Color(theme.Ink) {
			t.Fatalf("%s: the title of the chat has %v in %v, want %v in %v", taps[1], size, ink, theme.Size(theme.Title), theme.Color(theme.Ink))
		}
	}
	if v := h.choices.values; v.Scale != theme.Huge || v.Mode != theme.Dark {
		t.Fatalf("saved %+v", v)
	}
}

// A folder that can't be used is said in the sheet, and the sheet stays.
func TestNewSessionFolderIsChecked(t *testing.T) {
	h := newHouse(t, 360, 780, true, settings.Values{})
	h.start()
	h.service.failure = &event.Error{Class: event.ClassConfig, Message: "This folder does not exist."}
	h.newSession()
	top := h.Window().Canvas().Overlays().Top()
	uitest.Walk(top, func(o fyne.CanvasObject) {
		if e, ok := o.(interface{ SetText(string) }); ok {
			if f, ok := o.(fyne.Focusable); ok && f != nil {
				if _, entry := o.(interface{ SelectedText() string }); entry {
					e.SetText("~/nowhere")
				}
			}
		}
	})
	h.tap("Open folder")
	h.loop.Until("the reason", func() bool { return h.says("This folder does not exist.") })
	h.service.failure = nil
	h.tap("Open folder")
	h.loop.Until("the chat", func() bool { return h.chat != nil })
	if got := h.service.created[0].Dir; got != "/home/ada/nowhere" {
		t.Fatalf("created in %q", got)
	}
	if h.Window().Canvas().Overlays().Top() != nil {
		t.Fatal("the sheet is still open")
	}
}

// A session is deleted after a question, and its screen goes with it.
func TestDelete(t *testing.T) {
	h := newHouse(t, 360, 780, true, settings.Values{})
	for _, m := range metas(h.loop.Now()) {
		h.service.add(m)
	}
	h.start()
	h.show("s2")
	h.tap("More")
	h.tap("Delete session… ")
	if len(h.service.deleted) != 0 {
		t.Fatal("deleted without a question")
	}
	h.tap("Delete")
	h.loop.Until("the list", func() bool { return h.chat == nil && len(h.list) == 5 })
	if !slices.Equal(h.service.deleted, []string{"s2"}) {
		t.Fatalf("deleted %q", h.service.deleted)
	}
}

// The list says when it can't be read, and can be read again.
func TestListError(t *testing.T) {
	h := newHouse(t, 360, 780, true, settings.Values{})
	h.service.failure = errors.New("the database is damaged")
	h.Start()
	h.loop.Until("the error", func() bool { return h.says("the database is damaged") })
	h.service.mu.Lock()
	h.service.failure = nil
	h.service.list = metas(h.loop.Now())
	h.service.mu.Unlock()
	h.tap("Try again")
	h.loop.Until("the list", func() bool { return h.says("Import bank statements") })
}

// Messages wait for one another and go by themselves.
func TestToasts(t *testing.T) {
	h := newHouse(t, 360, 780, true, settings.Values{})
	h.start()
	h.Say("One")
	h.Say("Two")
	h.Say("Two")
	if !h.says("One") || h.says("Two") {
		t.Fatal("the first message is not shown alone")
	}
	h.loop.Advance(10 * time.Second)
	if h.says("One") || !h.says("Two") {
		t.Fatal("the second message did not follow")
	}
	h.loop.Advance(10 * time.Second)
	if h.says("Two") || h.loop.Timers() != 0 {
		t.Fatal("the message does not go")
	}
}

// checkTargets: REPORTS G9, nothing that is tapped is smaller than a finger needs. Buttons have 48 dp, chips and cards 40.
func (h *house) checkTargets(screen string) {
	h.t.Helper()
	root := h.Window().Canvas().Content()
	if top := h.Window().Canvas().Overlays().Top(); top != nil {
		root = top
	}
	size := h.Window().Canvas().Size()
	uitest.Walk(root, func(o fyne.CanvasObject) {
		a, named := o.(fyne.Accessible)
		_, tappable := o.(fyne.Tappable)
		if !named || !tappable || a.AccessibilityRole() != fyne.AccessibleRoleButton {
			return
		}
		if s := o.Size(); s.Height < 39 || s.Width < 40 { // the header of a card is 40 with its border
			h.t.Errorf("%s: “%s” is %v", screen, a.AccessibilityLabel(), s)
		}
		if s := o.Size(); s.Width > size.Width {
			h.t.Errorf("%s: “%s” is wider than the screen: %v", screen, a.AccessibilityLabel(), s)
		}
	})
}

// The tour can be taken again: the sample project is put back, or the reason is said why not.
func TestResetDemo(t *testing.T) {
	h := newHouse(t, 360, 780, true, settings.Values{})
	h.start()
	h.newSession()
	h.tap("Reset the demo project Puts its files back as they were.")
	h.loop.Until("the word", func() bool { return h.says("The demo project is as it was.") })
	h.resetErr = &event.Error{Message: "The folder can't be written."}
	h.newSession()
	h.tap("Reset the demo project Puts its files back as they were.")
	h.loop.Until("the reason", func() bool { return h.says("The folder can't be written.") })
}

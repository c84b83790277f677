package shell

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"keva/ui/settings"
	"keva/ui/theme"
	"keva/ui/uitest"
)

// What a window becomes while a chat runs: turned, split, with a keyboard over it, between the insets of a notch.
var sizes = []struct {
	name string
	w, h float32
}{
	{"portrait", 360, 780},
	{"landscape", 780, 360},
	{"a notch in landscape", 732, 336},
	{"portrait again", 360, 780},
	{"the lower half of a split screen", 360, 372},
	{"a third, under the keyboard", 360, 260},
	{"landscape with a keyboard", 780, 180},
	{"beside another app", 320, 780},
	{"unfolded", 840, 900},
	{"as it began", 360, 780},
}

// place is where an object lies in the window, also of an overlay.
func place(o fyne.CanvasObject) (at fyne.Position, size fyne.Size) {
	return fyne.CurrentApp().Driver().AbsolutePositionForObject(o), o.Size()
}

// inside fails when a button of this name is not wholly in the window.
func (h *house) inside(where, label string) {
	h.t.Helper()
	root := h.Window().Canvas().Content()
	if top := h.Window().Canvas().Overlays().Top(); top != nil {
		root = top
	}
	o, ok := uitest.Button(h.t, root, label).(fyne.CanvasObject)
	if !ok {
		h.t.Fatalf("“%s” can't be seen", label)
	}
	h.within(where, label, o)
}

func (h *house) within(where, what string, o fyne.CanvasObject) {
	h.t.Helper()
	at, size := place(o)
	all := h.Window().Canvas().Size()
	const slack = 0.5
	if at.X < -slack || at.Y < -slack || at.X+size.Width > all.Width+slack || at.Y+size.Height > all.Height+slack {
		h.t.Errorf("%s: “%s” lies at %v with %v, outside of %v", where, what, at, size, all)
	}
}

// named is the visible object whose accessible name or text holds label, nil for none.
func (h *house) named(label string) (found fyne.CanvasObject) {
	uitest.Walk(h.Window().Canvas().Content(), func(o fyne.CanvasObject) {
		a, named := o.(fyne.Accessible)
		text, drawn := o.(*canvas.Text)
		if found == nil && (named && strings.Contains(a.AccessibilityLabel(), label) || drawn && strings.Contains(text.Text, label)) {
			found = o
		}
	})
	return found
}

// Turned, split and pressed together, a running chat loses nothing: not its text, its draft, its place for the cursor, nor
// a button. Where the keyboard leaves a third of the screen, the composer is in it.
func TestSizesWhileAChatRuns(t *testing.T) {
	for _, scale := range []theme.Scale{"", theme.Huge} {
		t.Run("text "+string(scale), func(t *testing.T) {
			h := newHouse(t, 360, 780, true, settings.Values{Scale: scale})
			h.service.add(metas(h.loop.Now())[1])
			h.start()
			o := h.show("s2")
			playRunning(h, o)
			h.loop.Until("the text", func() bool {
				h.loop.Advance(50 * time.Millisecond)
				return h.lastText() == cut || h.lastText() == cut+"o"
			})
			entry := h.Window().Canvas().Focused()
			test.Type(entry, "half a thought that is longer than a line of a narrow phone")
			rows := len(h.chat.Rows())
			for _, c := range sizes {
				h.Window().Resize(fyne.NewSize(c.w, c.h))
				h.loop.Drain()
				if h.chat == nil || len(h.chat.Rows()) != rows || !strings.HasPrefix(h.lastText(), cut) {
					t.Fatalf("%s: the chat has lost rows", c.name)
				}
				if f := h.Window().Canvas().Focused(); f != entry {
					t.Errorf("%s: the keyboard goes to %T", c.name, f)
				}
				h.within(c.name, "composer", entry.(fyne.CanvasObject))
				h.inside(c.name, "Send")
				h.inside(c.name, "Sessions")
				bar, _ := place(h.named("Sessions"))
				if status := h.named("agent running"); status != nil {
					if at, _ := place(status); at.Y < bar.Y+theme.Touch {
						t.Errorf("%s: the state lies over the bar, at %v", c.name, at.Y)
					}
				} else if c.h > 300 {
					t.Errorf("%s: the state is not shown", c.name)
				}
				h.look(fmt.Sprintf("size-%.0fx%.0f%s", c.w, c.h, scale))
			}
			h.lifecycle(hooks.OnExitedForeground)
			h.loop.Until("the draft", func() bool {
				return len(h.drafts("s2")) == 1 && h.drafts("s2")[0] == "half a thought that is longer than a line of a narrow phone"
			})
		})
	}
}

// What the engine asks can be answered at every size.
func TestSizesWhileItAsks(t *testing.T) {
	h := newHouse(t, 360, 780, true, settings.Values{})
	h.service.add(metas(h.loop.Now())[0])
	h.start()
	o := h.show("s1")
	playRunning(h, o)
	playApprovals(o)
	h.loop.Until("the question", func() bool { return h.chat.Asking() == "q1" })
	for _, c := range sizes {
		h.Window().Resize(fyne.NewSize(c.w, c.h))
		h.loop.Drain()
		if h.chat.Asking() != "q1" {
			t.Fatalf("%s: the question is gone", c.name)
		}
		h.inside(c.name, "Allow once")
		h.inside(c.name, "Deny…")
		if title := h.named("Run this command?"); title == nil {
			t.Errorf("%s: what is asked can't be seen", c.name)
		} else {
			h.within(c.name, "Run this command?", title)
			at, size := place(title)
			if deny := h.named("Deny…"); at.Y+size.Height > fyne.CurrentApp().Driver().AbsolutePositionForObject(deny).Y {
				t.Errorf("%s: the buttons lie over what is asked", c.name)
			}
		}
		h.look(fmt.Sprintf("asks-%.0fx%.0f", c.w, c.h))
	}
}

// The other screens and the sheets lay out at every size too.
func TestSizesOfOtherScreens(t *testing.T) {
	h := newHouseWith(t, 360, 780, true, settings.Values{}, func(d *Deps) { d.SignIn, d.Doctor = accounts{}, checks{} })
	h.start()
	h.loop.Until("the welcome", func() bool { return h.says("A computer") })
	each := func(name string) {
		t.Helper()
		for _, c := range sizes {
			h.Window().Resize(fyne.NewSize(c.w, c.h))
			h.loop.Drain()
			h.look(fmt.Sprintf("%s-%.0fx%.0f", name, c.w, c.h))
		}
	}
	each("welcome")
	for _, m := range metas(h.loop.Now()) {
		h.service.add(m)
	}
	h.reload()
	h.loop.Until("the list", func() bool { return h.says("Import bank statements") })
	each("list")
	for name, open := range map[string]func(){
		"settings": h.showSettings, "doctor": h.showDoctor,
		"signin": func() { h.showSignIn(settings.Engine{ID: "claude", Label: "Claude"}) },
	} {
		open()
		each(name)
		h.back()
	}
	h.newSession()
	each("new")
	h.inside("new session", "Open folder")
}

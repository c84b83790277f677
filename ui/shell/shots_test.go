package shell

import (
	"testing"

	"keva/ui/uitest"

	"fyne.io/fyne/v2/test"

	"keva/agent/event"
	"keva/ui/settings"
	"keva/ui/theme"
)

func (h *house) shoot(name string) { uitest.Shoot(h.t, h.Window(), name) }

// look checks the screen that is shown, and takes a picture of it.
func (h *house) look(name string) {
	h.t.Helper()
	h.checkTargets(name)
	h.shoot(name)
}

// TestScreensDraw draws every screen in both themes, on the usual and on the smallest phone, and on a wide window.
func TestScreensDraw(t *testing.T) {
	for _, c := range []struct {
		name   string
		w, h   float32
		mobile bool
		v      settings.Values
	}{
		{"light-360", 360, 780, true, settings.Values{Mode: theme.Light}},
		{"dark-360", 360, 780, true, settings.Values{Mode: theme.Dark}},
		{"light-320", 320, 640, true, settings.Values{Mode: theme.Light}},
		{"huge-360", 360, 780, true, settings.Values{Mode: theme.Light, Scale: theme.Huge}},
		{"dark-wide", 1280, 800, false, settings.Values{Mode: theme.Dark}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t, c.w, c.h, c.mobile, c.v)
			h.start()
			h.loop.Until("the welcome", func() bool { return h.says("A computer") })
			h.look(c.name + "-welcome")
			for _, m := range metas(h.loop.Now()) {
				h.service.add(m)
			}
			for i, j := 0, len(h.service.list)-1; i < j; i, j = i+1, j-1 {
				h.service.list[i], h.service.list[j] = h.service.list[j], h.service.list[i]
			}
			h.reload()
			h.loop.Until("the list", func() bool { return len(h.list) > 0 })
			h.look(c.name + "-sessions")
			h.newSession()
			h.look(c.name + "-new")
			h.Back()
			h.showSettings()
			h.loop.Drain()
			h.look(c.name + "-settings")
			h.Back()
			o := h.show("s1")
			playRunning(h, o)
			h.loop.Until("the text", func() bool { return h.lastText() == cut })
			h.look(c.name + "-chat")
			test.Type(h.Window().Canvas().Focused(), "Please also look at the import of the bank statements, and say what you find there before you change it")
			h.look(c.name + "-steer")
			playApprovals(o)
			h.loop.Until("the sheet", func() bool { return h.chat.Asking() == "q1" })
			h.look(c.name + "-approval")
			h.showChanges("parse.go", []event.Change{change()})
			h.look(c.name + "-diff")
			h.Back()
		})
	}
}

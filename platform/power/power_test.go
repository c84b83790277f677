package power

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/agent/session"
)

type device struct {
	log  []string
	fail map[string]error
}

func (d *device) do(what string) error {
	d.log = append(d.log, what)
	return d.fail[what]
}
func (d *device) Show(w Work) error             { return d.do("show " + w.Title) }
func (d *device) Hide() error                   { return d.do("hide") }
func (d *device) Awake(on bool) error           { return d.do(fmt.Sprint("awake ", on)) }
func (d *device) Tell(title, text string) error { return d.do("tell " + title + ": " + text) }

func (d *device) took(t *testing.T, want ...string) {
	t.Helper()
	if got := strings.Join(d.log, ", "); got != strings.Join(want, ", ") {
		t.Errorf("did %q, want %q", got, strings.Join(want, ", "))
	}
	d.log = nil
}

func meta(id string, b session.Badge) session.Meta {
	return session.Meta{ID: id, Title: "T" + id, Badge: b, Line: "line " + id, Dir: "/p"}
}

// The service and the wake lock are held while work is live, and no longer: waiting for the user costs no processor.
func TestHeldOnlyWhileWorkIsLive(t *testing.T) {
	d := &device{}
	k := &Keeper{Device: d}
	set := func(badges ...session.Badge) {
		var list []session.Meta
		for i, b := range badges {
			list = append(list, meta(fmt.Sprint(i), b))
		}
		k.Set(Of(list, nil))
	}
	set(session.BadgeDone, session.BadgeUnknown)
	d.took(t)
	set(session.BadgeRunning)
	d.took(t, "awake true", "show T0")
	set(session.BadgeRunning)
	d.took(t)
	set(session.BadgeNeedsYou)
	d.took(t, "show Needs you: T0", "awake false")
	set(session.BadgeRunning, session.BadgeNeedsYou)
	d.took(t, "awake true", "show Needs you: T1")
	set(session.BadgeDone, session.BadgeUnknown)
	d.took(t, "hide", "awake false")
	set(session.BadgeRunning, session.BadgeRunning)
	d.took(t, "awake true", "show 2 sessions are running")
	k.Close()
	d.took(t, "hide", "awake false")
	k.Close()
	d.took(t)
}

// After Android took the service back (its six hours are over, it was refused) the next change asks for it again.
func TestLostIsAskedForAgain(t *testing.T) {
	d := &device{}
	k := &Keeper{Device: d}
	w := Of([]session.Meta{meta("0", session.BadgeRunning)}, nil)
	k.Set(w)
	k.Lost()
	k.Set(w)
	d.took(t, "awake true", "show T0", "show T0")
}

// What the system refuses is told once, tried again, and never taken for done.
func TestRefusalsAreToldAndTriedAgain(t *testing.T) {
	d := &device{fail: map[string]error{"show T0": errors.New("no"), "hide": errors.New("no")}}
	var told []string
	k := &Keeper{Device: d, Failed: func(what string, err error) { told = append(told, what) }}
	w := Of([]session.Meta{meta("0", session.BadgeRunning)}, nil)
	k.Set(w)
	k.Set(w)
	d.took(t, "awake true", "show T0", "show T0")
	if live, awake, failed := k.State(); live || !awake || failed["foreground service"] == nil || len(told) != 1 {
		t.Error(live, awake, failed, told)
	}
	delete(d.fail, "show T0")
	k.Set(w)
	k.Close()
	k.Close()
	d.took(t, "show T0", "hide", "awake false", "hide")
	delete(d.fail, "hide")
	k.Close()
	if live, _, failed := k.State(); live || len(failed) != 0 || len(told) != 2 {
		t.Error(live, failed, told)
	}
}

// From a notification only what can be read there whole can be allowed.
func TestAskOnlyWhatIsShownWhole(t *testing.T) {
	for name, c := range map[string]struct {
		a    event.ApprovalAsked
		want bool
	}{
		"short":  {event.ApprovalAsked{ID: "a", Command: "go test ./..."}, true},
		"long":   {event.ApprovalAsked{ID: "a", Command: "echo " + strings.Repeat("x", maxAsk)}, false},
		"hidden": {event.ApprovalAsked{ID: "a", Command: "echo \u202e"}, false},
		"risky":  {event.ApprovalAsked{ID: "a", Command: "rm -rf ~"}, false},
		"diff":   {event.ApprovalAsked{ID: "a", Title: "Edit f", Changes: []event.Change{{Path: "/p/f"}}}, false},
		"empty":  {event.ApprovalAsked{ID: "a"}, false},
	} {
		w := Of([]session.Meta{meta("0", session.BadgeNeedsYou)}, func(string) (event.ApprovalAsked, bool) { return c.a, true })
		if (w.Ask != nil) != c.want {
			t.Errorf("%s: %+v", name, w.Ask)
		}
	}
}

// I-9: what ended unknown is never told as done.
func TestEnded(t *testing.T) {
	run := []session.Meta{meta("0", session.BadgeRunning), meta("1", session.BadgeDone)}
	for badge, want := range map[session.Badge]string{
		session.BadgeDone: "Done", session.BadgeFailed: "Failed", session.BadgeInterrupted: "Stopped",
		session.BadgeUnknown: "Ended, and it is unknown how", session.BadgeNeedsYou: "", session.BadgeRunning: "",
	} {
		title, text := Ended(run, []session.Meta{meta("0", badge), meta("1", session.BadgeDone)})
		if title != want || want != "" && text != "T0" {
			t.Errorf("%s: %q %q", badge, title, text)
		}
	}
	if title, _ := Ended([]session.Meta{meta("0", session.BadgeRunning), meta("1", session.BadgeRunning)},
		[]session.Meta{meta("0", session.BadgeUnknown), meta("1", session.BadgeDone)}); title != "2 sessions ended" {
		t.Error(title)
	}
}

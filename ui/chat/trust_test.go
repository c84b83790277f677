package chat

import (
	"testing"
	"time"

	"fyne.io/fyne/v2/test"

	"keva/agent/session"
	"keva/agent/trust"
	"keva/ui/uitest"
)

var hook = trust.Report{Dir: "/home/ada/ledger", Hash: "h1", Entries: []trust.Entry{
	{Engine: "claude", Kind: trust.KindHook, Name: "SessionStart", Text: "make hooks", File: ".claude/settings.json", Line: 3},
}}

func trusting1(t *testing.T, r trust.Report) *room {
	wants = r
	t.Cleanup(func() { wants = trust.Report{} })
	room := newRoom(t, session.Meta{})
	room.until("the look at the project", func() bool { return room.trust.report.Hash == r.Hash })
	return room
}

// I-16: what a project would run is said before it runs, and is turned on only by a second, later tap.
func TestTrustIsAskedInTwoSteps(t *testing.T) {
	r := trusting1(t, hook)
	if r.trustBanner() == "" {
		t.Fatal("nothing is said of what the project asks for")
	}
	r.tap("Look")
	r.loop.Advance(time.Second) // the buttons arm late
	r.tap("Allow…")
	if len(r.agreed) != 0 {
		t.Fatal("one tap allowed it")
	}
	r.loop.Advance(time.Second)
	r.tap("Allow")
	if len(r.agreed) != 1 || !trust.Allowed(hook, r.agreed[0]) {
		t.Fatalf("agreed: %+v", r.agreed)
	}
}

// Keeping it off is one tap, changes nothing, and is not asked again here.
func TestTrustKeptOff(t *testing.T) {
	r := trusting1(t, hook)
	r.tap("Look")
	r.tap("Keep off")
	if len(r.agreed) != 0 || r.trustBanner() != "" {
		t.Fatalf("agreed %v, banner %q", r.agreed, r.trustBanner())
	}
}

// A project that asks for nothing is not spoken of.
func TestNothingToTrust(t *testing.T) {
	if b := newRoom(t, session.Meta{}).trustBanner(); b != "" {
		t.Fatal(b)
	}
}

// tap taps the button with this label, on the sheet that is on top when there is one.
func (r *room) tap(label string) {
	r.t.Helper()
	r.loop.Drain()
	root := r.Object()
	if top := r.win.Canvas().Overlays().Top(); top != nil {
		root = top
	}
	test.Tap(uitest.Button(r.t, root, label))
	r.loop.Drain()
}

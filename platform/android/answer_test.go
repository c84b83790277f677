package android

import "testing"

// An answer counts once, for what is shown, from this launch. Everything else is refused with a reason and uses nothing up.
func TestOnlyShownAnswersCount(t *testing.T) {
	a := newAnswers()
	a.show("r1", true)
	for _, c := range []struct {
		name, nonce, request, choice string
		counts                       bool
	}{
		{"a foreign nonce", newAnswers().nonce, "r1", "allow_once", false},
		{"no nonce", "", "r1", "allow_once", false},
		{"another request", a.nonce, "r0", "allow_once", false},
		{"no request", a.nonce, "", "allow_once", false},
		{"an unknown answer", a.nonce, "r1", "allow_always", false},
		{"no answer", a.nonce, "r1", "", false},
		{"stop for a request", a.nonce, "r1", "stop", false},
		{"the shown one", a.nonce, "r1", "allow_once", true},
		{"replayed", a.nonce, "r1", "allow_once", false},
		{"the other button afterwards", a.nonce, "r1", "deny", false},
		{"stop", a.nonce, "", "stop", true},
		{"stop replayed", a.nonce, "", "stop", false},
	} {
		got := a.take(c.nonce, c.request, c.choice)
		if (got.Refused == "") != c.counts {
			t.Errorf("%s: %+v, counts must be %v", c.name, got, c.counts)
		}
	}
	a.show("r2", false)
	if got := a.take(a.nonce, "", "stop"); got.Refused == "" {
		t.Error("stop counts though it is not offered")
	}
	if got := a.take(a.nonce, "r2", "deny"); got.Refused != "" || got.Choice != ChoiceDeny || got.Request != "r2" {
		t.Errorf("a new request can't be answered: %+v", got)
	}
}

// The queue never makes Java's main thread wait; what was lost is told.
func TestInboxTellsWhatWasLost(t *testing.T) {
	in := &inbox{answers: newAnswers(), queue: make(chan message, 1)}
	in.put(message{kind: "service", a: "started"})
	in.put(message{kind: "service", a: "destroyed"})
	var taps []Tap
	var states []ServiceState
	in.listener = Listener{Tap: func(t Tap) { taps = append(taps, t) }, Service: func(s ServiceState, _ string) { states = append(states, s) }}
	in.handle(<-in.queue)
	if len(taps) != 1 || taps[0].Refused == "" {
		t.Errorf("the loss is not told: %+v", taps)
	}
	in.handle(message{kind: "service", a: "exploded"})
	if len(states) != 2 || states[0] != ServiceStarted || states[1] != ServiceUnknown {
		t.Errorf("states: %v", states)
	}
	in.handle(message{kind: "strange"})
	if len(taps) != 2 || taps[1].Refused == "" {
		t.Errorf("a strange kind is not refused: %+v", taps)
	}
}

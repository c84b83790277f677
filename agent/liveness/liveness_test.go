package liveness

import (
	"testing"
	"time"

	"keva/agent/budget"
)

var t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func at(s float64) time.Time { return t0.Add(time.Duration(s * float64(time.Second))) }

// "Generating" and "stalled" are told apart by the gateway's bytes, "working" by the process tree (DESIGN §4).
func TestReadings(t *testing.T) {
	base := Evidence{At: at(0), PID: 7, CPUKnown: true, NetKnown: true}
	for _, c := range []struct {
		name string
		then func(*Evidence)
		want Kind
	}{
		{"bytes from the provider", func(e *Evidence) { e.Inbound = at(9.5) }, Receiving},
		{"a command computes", func(e *Evidence) { e.CPU = 4 * time.Second }, Computing},
		{"idle CPU is not work", func(e *Evidence) { e.CPU = 60 * time.Millisecond }, None},
		{"events only", func(e *Evidence) { e.Event = at(9) }, Speaking},
		{"the provider is silent", func(e *Evidence) { e.Requests = 1; e.Event = at(1) }, Silent},
		{"nothing at all", func(e *Evidence) {}, None},
		{"CPU can't be read", func(e *Evidence) { e.CPUKnown = false; e.CPU = time.Hour }, None},
		{"no process", func(e *Evidence) { e.PID = 0; e.Inbound = at(9.5) }, None},
	} {
		var tr Tracker
		tr.Observe(base)
		e := base
		e.At = at(10)
		c.then(&e)
		if got := tr.Observe(e); got.Kind != c.want {
			t.Errorf("%s: %+v, want %s", c.name, got, c.want)
		}
	}
}

// Another process's CPU time is not the growth of this one's.
func TestCPUOfAnotherProcess(t *testing.T) {
	var tr Tracker
	tr.Observe(Evidence{At: at(0), PID: 7, CPUKnown: true, CPU: time.Second})
	if r := tr.Observe(Evidence{At: at(1), PID: 8, CPUKnown: true, CPU: time.Minute}); r.Kind != None {
		t.Fatalf("%+v", r)
	}
}

// Paper §4.6, rule 1: armed by the declared capability only, and asked again on each reset.
func TestArmedByCapabilityOnly(t *testing.T) {
	var w Watchdog
	late := at(3600 * 10)
	w.Reset(false, at(0))
	if a := w.Check(Reading{}, late); a != Wait {
		t.Fatalf("an engine without heartbeats was watched: %s", a)
	}
	w.Reset(true, at(0))
	w.Reset(false, at(1)) // switched to another engine
	if a := w.Check(Reading{}, late); a != Wait {
		t.Fatalf("the capability was not asked again: %s", a)
	}
}

// At most three deferrals while the process lives, none when it is gone, and never an end while evidence is fresh.
func TestDeferrals(t *testing.T) {
	step := budget.Heartbeat.Time
	var w Watchdog
	w.Reset(true, t0)
	now := t0
	for i := range MaxDeferrals {
		now = now.Add(step)
		if a := w.Check(Reading{Kind: None, PID: 7}, now); a != Defer {
			t.Fatalf("deferral %d: %s", i+1, a)
		}
	}
	now = now.Add(step)
	if a := w.Check(Reading{Kind: Receiving, PID: 7}, now); a != Defer {
		t.Fatalf("ended while bytes came in: %s", a)
	}
	now = now.Add(step)
	if a := w.Check(Reading{Kind: None, PID: 7}, now); a != Expire {
		t.Fatalf("after all deferrals: %s", a)
	}
	w.Reset(true, now)
	if a := w.Check(Reading{Kind: None, PID: 0}, now.Add(step)); a != Expire {
		t.Fatalf("a dead process was given more time: %s", a)
	}
}

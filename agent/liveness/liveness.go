// Package liveness says what is known about an engine that is silent. "Generating" and "stalled" look alike from outside a
// process (paper §7.3), but not from here: the engine's traffic passes Keva's gateway, and its commands are in its process
// tree. The package is pure: evidence and time come in as values. It must never declare success, and never call for an end
// while evidence is fresh.
package liveness

import (
	"time"

	"keva/agent/budget"
)

// Evidence is what was observed about an engine at one moment. A field that could not be observed has its Known false:
// not observed is not zero.
type Evidence struct {
	At        time.Time // when it was taken
	PID       int       // of the engine, 0 when none runs
	Event     time.Time // the engine's last event
	CPU       time.Duration
	CPUKnown  bool
	Children  int // living descendants
	Inbound   time.Time
	NetKnown  bool
	Requests  int // to the provider, under way
	LastError string
}

// Kind says which evidence is the freshest.
type Kind string

// The kinds, strongest first when equally fresh.
const (
	Receiving Kind = "receiving" // bytes from the provider
	Computing Kind = "computing" // CPU time in the process tree
	Speaking  Kind = "speaking"  // events
	Silent    Kind = "silent"    // nothing fresh, a request is under way
	None      Kind = "none"      // nothing fresh at all
)

// Reading is the verdict on a pair of observations.
type Reading struct {
	Kind  Kind
	Since time.Time     // the moment of the evidence; for Silent and None of the last evidence, zero when there was never any
	CPU   time.Duration // total of the process tree
	PID   int
}

// fresh is how young evidence must be to count.
const fresh = 3 * time.Second

// minCPU is the CPU time between two observations that counts as work: an idle engine uses about 0.6 % (measured).
const minCPU = 0.05

// Tracker keeps what is needed to compare observations. The zero value has seen nothing. It is not safe for concurrent use.
type Tracker struct {
	last  Evidence
	busy  time.Time // when CPU time last grew enough
	ready bool
}

// Observe takes an observation and returns what it shows.
func (t *Tracker) Observe(e Evidence) Reading {
	if t.ready && e.CPUKnown && t.last.CPUKnown && e.PID == t.last.PID {
		if d := e.At.Sub(t.last.At); d > 0 && float64(e.CPU-t.last.CPU) > minCPU*float64(d) {
			t.busy = e.At
		}
	}
	if t.busy.After(e.At) {
		t.busy = time.Time{}
	}
	t.last, t.ready = e, true
	r := Reading{CPU: e.CPU, PID: e.PID}
	recent := func(at time.Time) bool { // of a clock that was set back since, nothing is known
		return !at.IsZero() && e.At.Sub(at).Abs() <= fresh
	}
	switch {
	case e.PID == 0:
		r.Kind, r.Since = None, latest(e.Inbound, t.busy, e.Event)
	case e.NetKnown && recent(e.Inbound):
		r.Kind, r.Since = Receiving, e.Inbound
	case recent(t.busy):
		r.Kind, r.Since = Computing, t.busy
	case recent(e.Event):
		r.Kind, r.Since = Speaking, e.Event
	case e.NetKnown && e.Requests > 0:
		r.Kind, r.Since = Silent, latest(e.Inbound, e.Event)
	default:
		r.Kind, r.Since = None, latest(e.Inbound, t.busy, e.Event)
	}
	return r
}

// Fresh reports whether the reading shows that something is going on.
func (r Reading) Fresh() bool {
	switch r.Kind {
	case Receiving, Computing, Speaking:
		return true
	case Silent, None:
	}
	return false
}

func latest(ts ...time.Time) time.Time {
	var m time.Time
	for _, t := range ts {
		if t.After(m) {
			m = t
		}
	}
	return m
}

// Watchdog counts how long an engine that promised heartbeats has kept silent. An engine that did not promise any is never
// watched: silence is normal (a command of 70 s says nothing), and a watchdog would kill healthy turns (paper §4.6).
type Watchdog struct {
	armed     bool
	deadline  time.Time
	deferrals int
}

// Action is what a watchdog asks for.
type Action string

// The actions.
const (
	Wait   Action = "wait"   // nothing to do
	Defer  Action = "defer"  // the time was up, but the process lives and shows evidence: it got one more
	Expire Action = "expire" // no evidence, or no deferral left. It says nothing about success
)

// MaxDeferrals is how often a silent engine gets more time while it lives (paper §4.6).
const MaxDeferrals = 3

// Reset starts the time anew after a sign of life. The capability is asked each time: it may be another engine now.
func (w *Watchdog) Reset(heartbeats bool, now time.Time) {
	w.armed, w.deferrals = heartbeats, 0
	w.deadline = now.Add(budget.Heartbeat.Time)
}

// Stop disarms it: nothing runs.
func (w *Watchdog) Stop() { w.armed = false }

// Check says what is due at now.
func (w *Watchdog) Check(r Reading, now time.Time) Action {
	if !w.armed || now.Before(w.deadline) {
		return Wait
	}
	if r.PID != 0 && w.deferrals < MaxDeferrals || r.Fresh() {
		w.deferrals++
		w.deadline = now.Add(budget.Heartbeat.Time)
		return Defer
	}
	w.armed = false
	return Expire
}

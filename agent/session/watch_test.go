package session

import (
	"testing"
	"time"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/agent/liveness"
	"keva/agent/runtime"
	"keva/agent/turn"
)

// begin sends a prompt and gives the engine's process vitals.
func begin(t *testing.T, w *world, beats bool) (*Session, *fakeEngine, <-chan Update) {
	t.Helper()
	s := w.create()
	live := s.Subscribe(t.Context())
	if err := s.Send(bg, "go"); err != nil {
		t.Fatal(err)
	}
	until(t, live, phase(turn.PhaseRunning))
	e := w.factory.last()
	e.mu.Lock()
	e.beats, e.vitals = beats, runtime.Vitals{PID: 7, CPUKnown: true}
	e.mu.Unlock()
	return s, e, live
}

// Paper §4.6, instance 1: an engine that promised no heartbeats may be silent for hours.
func TestSilenceOfAnEngineWithoutHeartbeats(t *testing.T) {
	w := newWorld(t)
	s, e, _ := begin(t, w, false)
	w.pass(10 * time.Hour)
	if e.stops != 0 || s.View().Phase != turn.PhaseRunning {
		t.Fatalf("interrupted %d times, phase %s", e.stops, s.View().Phase)
	}
	if k := s.View().Reading.Kind; k != liveness.None {
		t.Fatalf("the evidence is %s", k)
	}
}

// An engine that promised heartbeats and shows no evidence is stopped after its deferrals, and the turn is no success.
func TestBrokenPromiseOfHeartbeats(t *testing.T) {
	w := newWorld(t)
	s, e, live := begin(t, w, true)
	w.pass(budget.Heartbeat.Time*liveness.MaxDeferrals + time.Minute)
	if e.stops != 0 {
		t.Fatal("stopped before its deferrals were spent")
	}
	w.pass(budget.Heartbeat.Time)
	until(t, live, phase(turn.PhaseSettled))
	if e.stops != 1 || s.View().Verdict == event.Success {
		t.Fatalf("interrupted %d times, verdict %s", e.stops, s.View().Verdict)
	}
}

// I-9: tasks that outlive the settle budget without evidence become unknown, never done; with evidence they stay live.
func TestSettleBudget(t *testing.T) {
	w := newWorld(t)
	s, e, live := begin(t, w, false)
	e.emit("t1", event.TaskStarted{ID: "a", Task: event.TaskAgent})
	e.emit("t1", event.TaskStarted{ID: "b", Task: event.TaskCommand, Background: true})
	e.emit("t1", event.TurnCompleted{Outcome: event.Success, Origin: event.OriginUser})
	until(t, live, phase(turn.PhaseAnswered))
	for range 3 * int(budget.Settle.Time/lookEvery) { // computing all the time
		e.mu.Lock()
		e.vitals.CPU += time.Second
		e.vitals.Children = 1
		e.mu.Unlock()
		w.pass(lookEvery)
	}
	if n := len(s.View().Live); n != 2 {
		t.Fatalf("%d live while the tree computes", n)
	}
	w.pass(budget.Settle.Time + time.Minute)
	if l := s.View().Live; len(l) != 1 || l[0].ID != "b" {
		t.Fatalf("with a living command: %+v", l)
	}
	e.mu.Lock()
	e.vitals.Children = 0
	e.mu.Unlock()
	w.pass(budget.Settle.Time + time.Minute)
	if v := s.View(); v.Phase != turn.PhaseSettled || v.Verdict != event.Unknown || v.Meta.Badge != BadgeUnknown {
		t.Fatalf("phase %s, verdict %s, badge %s", v.Phase, v.Verdict, v.Meta.Badge)
	}
}

// Whoever looks sees evidence without an event: a silent command must not look stalled.
func TestEvidenceReachesTheView(t *testing.T) {
	w := newWorld(t)
	s, e, live := begin(t, w, false)
	w.pass(lookEvery)
	e.mu.Lock()
	e.vitals.CPU = 2 * time.Second
	e.mu.Unlock()
	w.pass(lookEvery)
	until(t, live, func(u Update) bool { return u.View.Reading.Kind == liveness.Computing })
	e.emit("t1", event.TurnCompleted{Outcome: event.Success, Origin: event.OriginUser})
	until(t, live, phase(turn.PhaseSettled))
	w.pass(lookEvery)
	if r := s.View().Reading; r != (liveness.Reading{}) {
		t.Fatalf("after the end: %+v", r)
	}
}

package session

import (
	"testing"
	"time"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/agent/turn"
)

// set sets the device's clock.
func (w *world) set(by time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(by)
}

// The settle budget counts time that has passed, not what a clock that is set, or a phone that slept, adds or takes.
func TestSettleBudgetWhenTheClockIsSet(t *testing.T) {
	for _, jump := range []time.Duration{25 * time.Hour, -25 * time.Hour} {
		w := newWorld(t)
		s, e, live := begin(t, w, false)
		e.emit("t1", event.TaskStarted{ID: "a", Task: event.TaskAgent})
		e.emit("t1", event.TurnCompleted{Outcome: event.Success, Origin: event.OriginUser})
		until(t, live, phase(turn.PhaseAnswered))
		w.pass(time.Minute)
		w.set(jump)
		w.pass(budget.Settle.Time / 2)
		if n := len(s.View().Live); n != 1 {
			t.Errorf("%v: given up too early", jump)
		}
		w.pass(budget.Settle.Time/2 + time.Minute)
		if v := s.View(); len(v.Live) != 0 || v.Verdict != event.Unknown {
			t.Errorf("%v: %d live, verdict %s, though nothing was heard for the whole budget", jump, len(v.Live), v.Verdict)
		}
	}
}

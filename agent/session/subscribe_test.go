package session

import (
	"slices"
	"testing"
	"time"

	"keva/agent/event"
	"keva/agent/turn"
)

// phaseOf is the phase that events alone give.
func phaseOf(evs []event.Event) turn.Phase {
	var st turn.State
	for _, e := range evs {
		st.Apply(e)
	}
	return st.Phase()
}

// An update's view is that after its events, also in the first one: whoever looks at both must not see a turn that is done
// and whose end is not there.
func TestHistoryAndItsViewAreOne(t *testing.T) {
	w := newWorld(t)
	s := w.create()
	if err := s.Send(bg, "go"); err != nil {
		t.Fatal(err)
	}
	w.store.mu.Lock()
	w.store.afterRead = func() { // while the subscriber reads, the turn ends
		s.pipe.put(event.Event{Turn: runPrefix(1) + "t1", Body: event.TurnCompleted{Outcome: event.Success, Origin: event.OriginUser}}, true)
	}
	w.store.mu.Unlock()
	live := s.Subscribe(t.Context())
	u := <-live
	if !u.History || u.View.Phase != phaseOf(u.Events) {
		t.Fatalf("after %d events the view says %s, and they %s", len(u.Events), u.View.Phase, phaseOf(u.Events))
	}
	all := slices.Clone(u.Events)
	for u.View.Phase != turn.PhaseSettled {
		u = <-live
		all = append(all, u.Events...)
	}
	if phaseOf(all) != turn.PhaseSettled || len(all) != 3 {
		t.Fatalf("settled after %d events: %+v", len(all), all)
	}
}

// A batch that is stored and not yet accounted for when somebody subscribes brings its view all the same: it may be the last
// word for hours.
func TestNoViewIsSkipped(t *testing.T) {
	w := newWorld(t)
	s := w.create()
	if err := s.Send(bg, "go"); err != nil {
		t.Fatal(err)
	}
	stored, read := make(chan struct{}), make(chan struct{})
	w.store.setAfterAppend(func() {
		w.store.setAfterAppend(nil)
		close(stored)
		<-read
	})
	go s.pipe.put(event.Event{Turn: runPrefix(1) + "t1", Body: event.TurnCompleted{Outcome: event.Success, Origin: event.OriginUser}}, true)
	<-stored
	live := s.Subscribe(t.Context())
	first := <-live
	if first.View.Phase != phaseOf(first.Events) {
		t.Fatalf("after %d events the view says %s, and they %s", len(first.Events), first.View.Phase, phaseOf(first.Events))
	}
	all := slices.Clone(first.Events)
	close(read)
	deadline := time.After(10 * time.Second)
	for {
		select {
		case u := <-live:
			if all = append(all, u.Events...); u.View.Phase == turn.PhaseSettled {
				if len(all) != 3 || all[2].Seq != 3 {
					t.Fatalf("%+v", all)
				}
				return
			}
		case <-deadline:
			t.Fatal("the view after the last batch never came")
		}
	}
}

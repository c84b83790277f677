package session

import (
	"context"
	"slices"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/agent/turn"
)

// once makes a session that has one finished turn and an engine session of its own, and begins a new process over it.
func (w *world) once() (*Session, <-chan Update) {
	w.t.Helper()
	s := w.create()
	live := s.Subscribe(w.t.Context())
	if err := s.Send(bg, "first"); err != nil {
		w.t.Fatal(err)
	}
	e := w.factory.last()
	e.emit("t1", event.SessionReady{EngineSession: "eng"})
	e.emit("t1", event.TextFinal{Block: "b", Text: "the first answer"})
	e.emit("t1", event.TurnCompleted{Outcome: event.Success, Origin: event.OriginUser})
	until(w.t, live, phase(turn.PhaseSettled))
	w.restart()
	s, err := w.svc.Open(bg, s.ID())
	if err != nil {
		w.t.Fatal(err)
	}
	return s, s.Subscribe(w.t.Context())
}

// started are the engines so far.
func (w *world) started() []*fakeEngine {
	w.factory.mu.Lock()
	defer w.factory.mu.Unlock()
	return slices.Clone(w.factory.engines)
}

func (f *fakeEngine) got() (sent, contexts []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.sent), slices.Clone(f.contexts)
}

func notices(evs []event.Event, c event.Class) (n int) {
	for _, e := range evs {
		if b, ok := e.Body.(event.Notice); ok && b.Class == c {
			n++
		}
	}
	return n
}

// I-15: events and the line in the list are written one after the other. Whatever lies between them when Keva is killed, the
// list says on reopen what the events say.
func TestKilledBetweenEventsAndList(t *testing.T) {
	w := newWorld(t)
	s, live := w.once()
	if err := s.Send(bg, "second"); err != nil {
		t.Fatal(err)
	}
	e := w.factory.last()
	e.emit("t1", event.SessionReady{EngineSession: "eng"})
	e.emit("t1", event.TurnCompleted{Outcome: event.Failure, Origin: event.OriginUser})
	until(t, live, func(u Update) bool { return u.View.Verdict == event.Failure })
	m, _ := w.store.Session(bg, s.ID())
	m.Badge, m.Title, m.Draft, m.Line = BadgeRunning, "", "second", ""
	_ = w.store.PutSession(bg, m)
	w.restart()
	s, err := w.svc.Open(bg, m.ID)
	if err != nil {
		t.Fatal(err)
	}
	kept, _ := w.store.Session(bg, m.ID)
	for _, m := range []Meta{s.View().Meta, kept} {
		if m.Badge != BadgeFailed || m.Title != "first" || m.Draft != "" || m.Line == "" {
			t.Fatalf("after the kill: badge %q, title %q, draft %q, line %q", m.Badge, m.Title, m.Draft, m.Line)
		}
	}
}

// The list never says done above something that runs: it is told before the events are, so no kill can come in between.
func TestListRunsBeforeEventsDo(t *testing.T) {
	w := newWorld(t)
	s, _ := w.once()
	for _, b := range []event.Body{
		event.UserMessage{ID: "m", Text: "go"},
		event.TurnStarted{Origin: event.OriginTask},
		event.TaskStarted{ID: "a"},
		event.TaskProgress{ID: "b"},
		event.ApprovalAsked{ID: "r"},
		event.QuestionAsked{ID: "q"},
	} {
		if s.View().Meta.Badge != BadgeDone {
			t.Fatalf("before: %s", s.View().Meta.Badge)
		}
		w.store.beforeAppend = func() { // the moment of the kill
			if m := w.store.metas[s.ID()]; m.Badge != BadgeRunning {
				t.Errorf("%s is stored while the list says %q", b.Kind(), m.Badge)
			}
		}
		s.pipe.put(event.Event{Turn: "x", Body: b}, true)
		w.store.beforeAppend = nil
		w = newWorld(t)
		s, _ = w.once()
	}
}

// A message whose delivery is not known stays in the composer: only the user can say whether to send it again.
func TestKilledBeforeDelivery(t *testing.T) {
	w := newWorld(t)
	s := w.create()
	s.SetDraft("go")
	s.pipe.put(event.Event{Body: event.UserMessage{ID: "m", Text: "go", Delivery: event.DeliveryPrompt}}, true)
	w.restart()
	s, err := w.svc.Open(bg, s.ID())
	if err != nil {
		t.Fatal(err)
	}
	if v := s.View(); v.Meta.Draft != "go" || v.Meta.Title != "go" || v.Meta.Badge != BadgeUnknown || v.Queued != 0 {
		t.Fatalf("%+v, %d queued", v.Meta, v.Queued)
	}
}

// An engine that has said its last word takes nothing any more, even while it is not waited for: the next message goes to
// the next engine, not to the dead one.
func TestNothingIsSentToADeadEngine(t *testing.T) {
	w := newWorld(t)
	s, live := w.once()
	_ = s.Send(bg, "second")
	dead := w.factory.last()
	dead.emit("t1", event.SessionReady{EngineSession: "eng"})
	dead.emit("", event.EngineExited{Class: event.ExitKilled}) // and its end is not noticed yet
	until(t, live, func(u Update) bool { return u.View.Exit != nil })
	ctx, cancel := context.WithCancel(bg)
	cancel()
	if err := s.Send(ctx, "third"); err == nil {
		t.Fatal("sent to the dead engine")
	}
	dead.once.Do(func() { close(dead.done) })
	if err := s.Send(bg, "third"); err != nil {
		t.Fatal(err)
	}
	sent, _ := dead.got()
	next, contexts := w.factory.last().got()
	if len(sent) != 1 || len(next) != 1 || next[0] != "third" || w.factory.last().start.Resume != "eng" || contexts[0] != "" {
		t.Fatalf("the dead engine got %q, the next one %q with %q, resuming %q", sent, next, contexts, w.factory.last().start.Resume)
	}
}

// An engine that was killed before it was ready says nothing about its session: it is kept, and tried again with the next
// message. Nothing is sent again unasked.
func TestKilledBeforeReadyIsNoDeadSession(t *testing.T) {
	w := newWorld(t)
	s, live := w.once()
	_ = s.Send(bg, "second")
	w.factory.last().die(event.ExitKilled)
	evs := until(t, live, func(u Update) bool { return u.View.Exit != nil })
	if err := s.Send(bg, "third"); err != nil {
		t.Fatal(err)
	}
	all := w.started()
	if len(all) != 3 || all[2].start.Resume != "eng" || notices(evs, event.ClassResume) != 0 {
		t.Fatalf("%d engines, the last resumes %q, %d notices of a dead session", len(all), all[2].start.Resume, notices(evs, event.ClassResume))
	}
	if sent, _ := all[2].got(); len(sent) != 1 || sent[0] != "third" {
		t.Fatalf("sent %q", sent)
	}
}

// A dead session: everything that the engine was sent goes to a fresh one, once, in order, after the last messages, which
// don't hold what is sent again. When that one dies as well, there is no third.
func TestDeadResumeIsTriedOnce(t *testing.T) {
	w := newWorld(t)
	s, live := w.once()
	_ = s.Send(bg, "second")
	_ = s.Send(bg, "third")
	w.factory.last().die(event.ExitCode)
	until(t, live, func(Update) bool {
		all := w.started()
		sent, _ := all[len(all)-1].got()
		return len(all) == 3 && len(sent) == 2
	})
	fresh := w.factory.last()
	sent, contexts := fresh.got()
	if !slices.Equal(sent, []string{"second", "third"}) || fresh.start.Resume != "" {
		t.Fatalf("sent again %q, resuming %q", sent, fresh.start.Resume)
	}
	if c := contexts[0]; !strings.Contains(c, "the first answer") || strings.Contains(c, "second") || contexts[1] != "" {
		t.Fatalf("contexts %q", contexts)
	}
	s.mu.Lock()
	gone := s.gone
	s.mu.Unlock()
	fresh.die(event.ExitCode)
	<-gone
	evs, err := w.store.Events(bg, s.ID(), 0, 0)
	if n := len(w.started()); err != nil || n != 3 || notices(evs, event.ClassResume) != 1 {
		t.Fatalf("%d engines, %d notices, %v", n, notices(evs, event.ClassResume), err)
	}
	if v := s.View(); v.Verdict == event.Success || v.Queued != 0 {
		t.Fatalf("verdict %q, %d queued", v.Verdict, v.Queued)
	}
}

// An engine with a dead session may end while it is being sent a message. Then the message goes to a fresh one, and the user,
// who would send it again, is not told that it failed.
func TestSentOnceWhenTheEngineDiesMeanwhile(t *testing.T) {
	w := newWorld(t)
	s, _ := w.once()
	w.factory.onSend = func(e *fakeEngine) {
		if e.start.Resume == "" {
			return
		}
		s.mu.Lock()
		gone := s.gone
		s.mu.Unlock()
		e.die(event.ExitCode)
		<-gone
	}
	if err := s.Send(bg, "second"); err != nil {
		t.Fatalf("said to have failed: %v", err)
	}
	if err := s.Send(bg, "third"); err != nil {
		t.Fatal(err)
	}
	all := w.started()
	fresh, _ := all[len(all)-1].got()
	if len(all) != 3 || !slices.Equal(fresh, []string{"second", "third"}) {
		t.Fatalf("%d engines, the fresh one got %q", len(all), fresh)
	}
}

// §9: an engine that came back with another session does not remember: it is told the last messages with the next one.
func TestResumeOfAnotherSession(t *testing.T) {
	for name, early := range map[string]bool{"told at the start": true, "told in the turn": false} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			s, live := w.once()
			before := s.View().Turn.ID
			if early {
				w.factory.ready = "other"
			}
			_ = s.Send(bg, "second")
			e := w.factory.last()
			if !early {
				e.emit("t1", event.SessionReady{EngineSession: "other"})
			}
			e.emit("t1", event.TurnCompleted{Outcome: event.Success, Origin: event.OriginUser})
			until(t, live, func(u Update) bool {
				return len(u.View.Turn.ID) > 0 && u.View.Turn.ID != before && u.View.Phase == turn.PhaseSettled
			})
			_ = s.Send(bg, "third")
			_, contexts := e.got()
			told, not := contexts[1], contexts[0]
			if early {
				told, not = not, told
			}
			if !strings.Contains(told, "the first answer") || strings.Contains(told, "second") || not != "" {
				t.Fatalf("contexts %q", contexts)
			}
		})
	}
}

// An engine that was handed a session and died before it said a word is handed it once more: its own memory holds nothing
// of the engine before it.
func TestHandoffToAnEngineThatDied(t *testing.T) {
	w := newWorld(t)
	s, live := w.once()
	other := &fakeFactory{id: "other", ready: "other-1"}
	w.svc.deps.Factories = append(w.svc.deps.Factories, other)
	if err := s.Switch(bg, New{Engine: "other"}); err != nil {
		t.Fatal(err)
	}
	_ = s.Send(bg, "second")
	other.last().die(event.ExitKilled)
	until(t, live, func(u Update) bool { return u.View.Exit != nil })
	other.refuseResume, other.ready = true, "other-2"
	if err := s.Send(bg, "third"); err != nil {
		t.Fatal(err)
	}
	_, contexts := other.last().got()
	if !strings.Contains(contexts[0], "Handed over") || !strings.Contains(contexts[0], "the first answer") {
		t.Fatalf("told %q", contexts[0])
	}
}

// An engine that was killed after it had its session and before it answered may not have kept what it was told. Its session
// is not continued as if it remembered: the next engine is told again. One that answered is continued.
func TestSessionThatNeverAnsweredIsNotContinued(t *testing.T) {
	for _, answered := range []bool{false, true} {
		w := newWorld(t)
		s, live := w.once()
		other := &fakeFactory{id: "other", ready: "other-1"}
		w.svc.deps.Factories = append(w.svc.deps.Factories, other)
		if err := s.Switch(bg, New{Engine: "other"}); err != nil {
			t.Fatal(err)
		}
		_ = s.Send(bg, "second")
		if answered {
			other.last().emit("t1", event.TextDelta{Block: "b", Text: "I see"})
		}
		other.last().die(event.ExitKilled)
		until(t, live, func(u Update) bool { return u.View.Exit != nil && u.View.Meta.Engine == "other" })
		w.restart() // it holds across a restart of the app
		w.svc.deps.Factories = append(w.svc.deps.Factories, other)
		s, err := w.svc.Open(bg, s.ID())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Send(bg, "third"); err != nil {
			t.Fatal(err)
		}
		_, contexts := other.last().got()
		if resumed := other.last().start.Resume; answered != (resumed == "other-1") || answered != (contexts[0] == "") {
			t.Fatalf("answered %v: resumed %q, told %q", answered, resumed, contexts[0])
		}
	}
}

// What Keva found of an engine that outlived it is said in its session, after the honest end of what was open.
func TestTellOfAnEngineThatOutlivedKeva(t *testing.T) {
	w := newWorld(t)
	s := w.create()
	if err := s.Send(bg, "go"); err != nil {
		t.Fatal(err)
	}
	w.restart()
	if err := w.svc.Tell(bg, s.ID(), event.Notice{Level: event.LevelWarning, Text: "It still ran."}); err != nil {
		t.Fatal(err)
	}
	evs, _ := w.store.Events(bg, s.ID(), 0, 0)
	n := len(evs)
	_, exit := evs[n-2].Body.(event.EngineExited)
	if b, ok := evs[n-1].Body.(event.Notice); !ok || b.Text != "It still ran." || !exit {
		t.Fatalf("the session says %+v", evs[n-2:])
	}
	if err := w.svc.Tell(bg, "nobody", event.Notice{}); err == nil {
		t.Fatal("told a session that is not there")
	}
}

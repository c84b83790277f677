package session

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/turn"
)

var bg = context.Background()

func phase(p turn.Phase) func(Update) bool {
	return func(u Update) bool { return u.View.Phase == p }
}

// I-4: what a subscriber saw, what a later one sees, and what is stored are the same events in the same order.
func TestShownIsStored(t *testing.T) {
	w := newWorld(t)
	s := w.create()
	live := s.Subscribe(t.Context())
	if err := s.Send(bg, "hello"); err != nil {
		t.Fatal(err)
	}
	e := w.factory.last()
	for _, word := range strings.Fields("one two three four five six") {
		e.emit("t1", event.TextDelta{Block: "b", Text: word})
	}
	e.emit("t1", event.TextFinal{Block: "b", Text: "onetwothreefourfivesix"})
	e.emit("t1", event.TurnCompleted{Outcome: event.Success, Origin: event.OriginUser})
	shown := until(t, live, phase(turn.PhaseSettled))
	stored, _ := w.store.Events(bg, s.ID(), 0, 0)
	if !reflect.DeepEqual(shown, stored) {
		t.Fatalf("shown %d events, stored %d\n%v\n%v", len(shown), len(stored), shown, stored)
	}
	w.restart()
	again, err := w.svc.Open(bg, s.ID())
	if err != nil {
		t.Fatal(err)
	}
	u := <-again.Subscribe(t.Context())
	if !u.History || !reflect.DeepEqual(u.Events, stored) || u.View.Meta.Title != "hello" || u.View.Meta.Badge != BadgeDone {
		t.Fatalf("history %v, %d events, meta %+v", u.History, len(u.Events), u.View.Meta)
	}
}

// I-15: after the app was killed in the middle, what was open is unknown, requests are lost, and the next prompt works.
func TestReopenAfterKillIsHonest(t *testing.T) {
	w := newWorld(t)
	s := w.create()
	live := s.Subscribe(t.Context())
	if err := s.Send(bg, "go"); err != nil {
		t.Fatal(err)
	}
	e := w.factory.last()
	e.emit("t1", event.TaskStarted{ID: "a", Task: event.TaskAgent})
	e.emit("t1", event.ApprovalAsked{ID: "0", Title: "rm"})
	until(t, live, phase(turn.PhaseNeedsYou))
	w.restart() // nothing of the old process runs any more

	list, _ := w.svc.Sessions(bg)
	if len(list) != 1 || list[0].Badge != BadgeUnknown {
		t.Fatalf("in the list: %+v", list)
	}
	s, err := w.svc.Open(bg, s.ID())
	if err != nil {
		t.Fatal(err)
	}
	v := s.View()
	if v.Phase != turn.PhaseSettled || v.Turn.Outcome != event.Unknown || len(v.Live) != 0 || len(v.Pending) != 0 || v.Meta.Badge != BadgeUnknown {
		t.Fatalf("%+v", v)
	}
	if err := s.Send(bg, "again"); err != nil {
		t.Fatal(err)
	}
	// The second process counts its ids from the start again: they must not meet those of the first.
	w.factory.last().emit("t1", event.ApprovalAsked{ID: "0", Title: "second"})
	live = s.Subscribe(t.Context())
	until(t, live, phase(turn.PhaseNeedsYou))
	if p := s.View().Pending; len(p) != 1 || p[0].Approval.Title != "second" {
		t.Fatalf("pending %+v", p)
	}
}

// I-12: two taps give one answer.
func TestAnswerOnce(t *testing.T) {
	w := newWorld(t)
	s := w.create()
	live := s.Subscribe(t.Context())
	if err := s.Send(bg, "go"); err != nil {
		t.Fatal(err)
	}
	w.factory.last().emit("t1", event.ApprovalAsked{ID: "7", Title: "touch"})
	until(t, live, phase(turn.PhaseNeedsYou))
	id := s.View().Pending[0].ID
	first, err := s.Answer(bg, id, runtime.Answer{Decision: event.Allow, By: event.ByUser})
	if err != nil || !first {
		t.Fatal(first, err)
	}
	second, err := s.Answer(bg, id, runtime.Answer{Decision: event.Deny, By: event.ByUser})
	if err != nil || second {
		t.Fatal(second, err)
	}
	if n := len(w.factory.last().answers); n != 1 {
		t.Fatalf("the engine got %d answers", n)
	}
}

// An answer that comes after the engine went says so; it does not vanish, and it does not reach the next engine.
func TestAnswerAfterEngineIsGone(t *testing.T) {
	w := newWorld(t)
	s := w.create()
	live := s.Subscribe(t.Context())
	_ = s.Send(bg, "go")
	w.factory.last().emit("t1", event.ApprovalAsked{ID: "7", Title: "touch"})
	until(t, live, phase(turn.PhaseNeedsYou))
	id := s.View().Pending[0].ID
	w.factory.last().die(event.ExitKilled)
	evs := until(t, live, func(u Update) bool { return u.View.Exit != nil })
	lost := false
	for _, e := range evs {
		if b, ok := e.Body.(event.ApprovalResolved); ok && b.ID == id && b.Decision == event.Lost {
			lost = true
		}
	}
	if !lost {
		t.Fatal("the stream does not say that the request was lost")
	}
	if err := s.Send(bg, "next"); err != nil {
		t.Fatal(err)
	}
	if ok, err := s.Answer(bg, id, runtime.Answer{Decision: event.Allow}); ok || err == nil {
		t.Fatal(ok, err)
	}
}

// I-13: a second session gets the slot only when the first has nothing under way; else it is told who holds it.
func TestSlotIsHeldAndYielded(t *testing.T) {
	w := newWorld(t)
	a, b := w.create(), w.create()
	live := a.Subscribe(t.Context())
	if err := a.Send(bg, "first"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(bg)
	cancel() // do not wait for the budget
	err := b.Send(ctx, "second")
	if err == nil || !strings.Contains(err.Error(), "first") {
		t.Fatalf("%v does not name the holder", err)
	}
	a.yield() // asked while a turn runs: work is not cut off
	if a.View().Exit != nil {
		t.Fatal("a running turn was cut off for another session")
	}
	w.factory.last().emit("t1", event.TurnCompleted{Outcome: event.Success, Origin: event.OriginUser})
	until(t, live, phase(turn.PhaseSettled))
	if err := b.Send(bg, "second"); err != nil {
		t.Fatal(err)
	}
	if h, _ := w.slot.Current(); a.View().Engine == EngineRunning || h.Who != "chat" {
		t.Fatalf("a: %s, holder %+v", a.View().Engine, h)
	}
}

// A store that fails loses nothing: the events are shown with a reason, and kept once it works again.
func TestStoreFailureLosesNothing(t *testing.T) {
	w := newWorld(t)
	s := w.create()
	live := s.Subscribe(t.Context())
	if err := s.Send(bg, "go"); err != nil {
		t.Fatal(err)
	}
	full := errors.New("disk full")
	w.store.setFail(full)
	w.factory.last().emit("t1", event.TextFinal{Block: "b", Text: "while full"})
	until(t, live, func(u Update) bool { return u.View.Storage != nil })
	late := <-s.Subscribe(t.Context()) // somebody who comes now sees it too
	if b, ok := late.Events[len(late.Events)-1].Body.(event.TextFinal); !ok || b.Text != "while full" {
		t.Fatalf("%+v", late.Events)
	}
	w.store.setFail(nil)
	w.factory.last().emit("t1", event.TurnCompleted{Outcome: event.Success, Origin: event.OriginUser})
	until(t, live, phase(turn.PhaseSettled))
	if v := s.View(); v.Storage != nil {
		t.Fatal(v.Storage)
	}
	stored, _ := w.store.Events(bg, s.ID(), 0, 0)
	if len(stored) != 4 {
		t.Fatalf("%d stored", len(stored))
	}
}

// Prompts that no engine can read are refused before anything starts.
func TestBadPrompts(t *testing.T) {
	w := newWorld(t)
	s := w.create()
	for name, text := range map[string]string{
		"empty": "", "blank": " \n\t ", "huge": strings.Repeat("x", 1<<20+1), "binary": "a\xff\xfeb", "zero": "a\x00b",
	} {
		var e *event.Error
		if err := s.Send(bg, text); !errors.As(err, &e) || e.Class != event.ClassRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(w.factory.engines) != 0 {
		t.Fatal("an engine was started")
	}
}

// An engine that can't be started frees the slot and says why.
func TestStartFailureFreesTheSlot(t *testing.T) {
	w := newWorld(t)
	s := w.create()
	w.factory.err = &event.Error{Class: event.ClassEngine, Message: "not installed"}
	if err := s.Send(bg, "go"); err == nil || err.Error() != "not installed" {
		t.Fatal(err)
	}
	if h, held := w.slot.Current(); held {
		t.Fatalf("held by %+v", h)
	}
	w.factory.err = nil
	if err := s.Send(bg, "go"); err != nil {
		t.Fatal(err)
	}
}

func TestGoneFolder(t *testing.T) {
	w := newWorld(t)
	if _, err := w.svc.Create(bg, New{Dir: "gone", Engine: "fake"}); err == nil {
		t.Fatal("created in a folder that is gone")
	}
}

// The engine's own session is continued by the next process.
func TestResume(t *testing.T) {
	w := newWorld(t)
	s := w.create()
	live := s.Subscribe(t.Context())
	_ = s.Send(bg, "go")
	w.factory.last().emit("t1", event.SessionReady{EngineSession: "eng-1"})
	w.factory.last().emit("t1", event.TurnCompleted{Outcome: event.Success, Origin: event.OriginUser})
	until(t, live, phase(turn.PhaseSettled))
	w.restart()
	s, err := w.svc.Open(bg, s.ID())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Send(bg, "more"); err != nil {
		t.Fatal(err)
	}
	if r := w.factory.last().start.Resume; r != "eng-1" {
		t.Fatalf("resumed %q", r)
	}
}

// DESIGN §9: another engine is told what happened by a brief that is made from the store at send time; the same engine,
// whose own session is dead, by the last messages. Each is sent once, and is not the user's text.
func TestHandoff(t *testing.T) {
	w := newWorld(t)
	s := w.create()
	live := s.Subscribe(t.Context())
	turnDone := func(text string) {
		e := w.factory.last()
		e.emit("t1", event.SessionReady{EngineSession: "eng"})
		e.emit("t1", event.TextFinal{Block: "b", Text: text})
		e.emit("t1", event.TurnCompleted{Outcome: event.Success, Origin: event.OriginUser})
		until(t, live, phase(turn.PhaseSettled))
	}
	_ = s.Send(bg, "fix the date test")
	if c := w.factory.last().contexts[0]; c != "" {
		t.Fatalf("the first message has a context: %q", c)
	}
	turnDone("I looked at it.")

	other := &fakeFactory{id: "other"}
	w.svc.deps.Factories = append(w.svc.deps.Factories, other)
	if err := s.Switch(bg, New{Engine: "other"}); err != nil {
		t.Fatal(err)
	}
	_ = s.Send(bg, "go on")
	e := other.last()
	if c := e.contexts[0]; e.start.Resume != "" || !strings.Contains(c, "Handed over") || !strings.Contains(c, "I looked at it.") || e.sent[0] != "go on" {
		t.Fatalf("resume %q, context %q, sent %q", e.start.Resume, c, e.sent)
	}
	e.emit("t1", event.SessionReady{EngineSession: "eng2"})
	e.emit("t1", event.TurnCompleted{Outcome: event.Success, Origin: event.OriginUser})
	until(t, live, phase(turn.PhaseSettled))
	_ = s.Send(bg, "more")
	if c := e.contexts[1]; c != "" {
		t.Fatalf("the brief was sent twice: %q", c)
	}
}

// A dead session of the engine: one more try with a fresh one, the same message, and a notice; nothing twice, nothing lost.
func TestDeadResume(t *testing.T) {
	for _, how := range []string{"refuses to start", "dies before it is ready"} {
		t.Run(how, func(t *testing.T) {
			w := newWorld(t)
			s := w.create()
			live := s.Subscribe(t.Context())
			_ = s.Send(bg, "first")
			w.factory.last().emit("t1", event.SessionReady{EngineSession: "eng"})
			w.factory.last().emit("t1", event.TurnCompleted{Outcome: event.Success, Origin: event.OriginUser})
			until(t, live, phase(turn.PhaseSettled))
			w.restart()
			s, _ = w.svc.Open(bg, s.ID())
			live = s.Subscribe(t.Context())
			w.factory.refuseResume = how == "refuses to start"
			if err := s.Send(bg, "second"); err != nil {
				t.Fatal(err)
			}
			if how == "dies before it is ready" {
				w.factory.last().die(event.ExitCode)
			}
			until(t, live, func(u Update) bool {
				e := w.factory.last()
				e.mu.Lock()
				defer e.mu.Unlock()
				return e.start.Resume == "" && len(e.sent) == 1
			})
			e := w.factory.last()
			if e.sent[0] != "second" || !strings.Contains(e.contexts[0], "first") {
				t.Fatalf("sent %q, context %q", e.sent, e.contexts)
			}
		})
	}
}

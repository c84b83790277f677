package session

import (
	"context"
	"slices"

	"keva/agent/event"
	"keva/agent/handoff"
	"keva/agent/runtime"
)

// The send path knows one thing: prepend what was stashed. What is stashed, and when it is made, differs (paper §4.6,
// instance 3): for another engine a brief, assembled at send time; for the same engine a replay, made at switch time.

// stashHandoff prepares what an engine that begins a session of its own must be told. It does nothing when nothing was
// said yet.
func (s *Session) stashHandoff(ctx context.Context, engine string) error {
	s.mu.Lock()
	said, again := s.state.Messages > 0, s.again
	s.mu.Unlock()
	if !said {
		return nil
	}
	evs, err := s.svc.deps.Store.Events(ctx, s.id, 0, 0)
	if err != nil {
		return err
	}
	stash := func() string {
		evs, err := s.svc.deps.Store.Events(ctxBackground, s.id, 0, 0)
		if err != nil {
			s.svc.deps.Log("read events for the brief", err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		return handoff.Brief(without(evs, again), &s.state)
	}
	if last := spoke(evs); last == engine || last == "" {
		replay := handoff.Replay(without(evs, again))
		stash = func() string { return replay }
	}
	s.mu.Lock()
	s.stash = stash
	s.mu.Unlock()
	return nil
}

// spoke is the engine that spoke last, "" when none did. One that only started does not know what the one before it did.
func spoke(evs []event.Event) (last string) {
	ready := ""
	for _, e := range evs {
		switch b := e.Body.(type) {
		case event.SessionReady:
			ready = b.Factory
		case event.TextFinal, event.TurnCompleted:
			last = ready
		}
	}
	return last
}

// met compares the session that the engine has with the one that it was asked to continue. Another one is not adopted
// silently: the engine's mapper says so, and what the old one knew is told with the next message.
func (s *Session) met(b event.SessionReady) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := !s.ready && b.EngineSession != ""
	if first {
		s.ready, s.sent = true, nil
	}
	if !first || s.resume == "" || b.EngineSession == s.resume || s.stash != nil {
		return
	}
	since := s.since
	s.stash = func() string {
		evs, err := s.svc.deps.Store.Events(ctxBackground, s.id, 0, 0)
		if err != nil {
			s.svc.deps.Log("read events for the replay", err)
		}
		for len(evs) > 0 && evs[len(evs)-1].Seq > since { // what it was told itself it knows
			evs = evs[:len(evs)-1]
		}
		return handoff.Replay(evs)
	}
}

// deliver sends m, preceded by what was stashed.
func (s *Session) deliver(ctx context.Context, rt runtime.Runtime, m runtime.Message) error {
	s.mu.Lock()
	stash := s.stash
	s.stash = nil
	s.mu.Unlock()
	if stash != nil {
		m.Context = stash()
	}
	s.mu.Lock()
	if !s.ready {
		s.sent = append(s.sent, m)
	}
	s.mu.Unlock()
	err := rt.Send(ctx, m)
	if err == nil {
		return nil
	}
	s.mu.Lock()
	if slices.ContainsFunc(s.again, is(m.ID)) { // on its way to a fresh engine already: the user must not send it again
		s.mu.Unlock()
		return nil
	}
	s.sent = slices.DeleteFunc(s.sent, is(m.ID))
	if s.stash == nil {
		s.stash = stash
	}
	s.mu.Unlock()
	s.lost(m.ID)
	return err
}

// lost accounts for a message that may have been told to the stream, and was not taken by the engine.
func (s *Session) lost(id string) {
	s.mu.Lock()
	waits := slices.Contains(s.state.Queue, id)
	s.mu.Unlock()
	if waits {
		s.pipe.put(event.Event{Body: event.UserMessage{ID: id, Delivery: event.DeliveryUnknown}}, true)
	}
}

// Switch changes engine, provider, model or effort from the next message on. The running engine is stopped; what it had
// open is accounted for first. Another engine is told what happened by a brief.
func (s *Session) Switch(ctx context.Context, n New) error {
	if _, err := s.svc.factory(n.Engine); err != nil {
		return err
	}
	s.sending.Lock()
	defer s.sending.Unlock()
	if err := s.stopEngine(ctx); err != nil {
		return err
	}
	s.setMeta(func(m *Meta) {
		if m.Engine != n.Engine || m.Provider != n.Provider {
			m.EngineSession = "" // another engine can't continue it, and another provider must not be shown it unasked
		}
		m.Engine, m.Provider, m.Model, m.Effort = n.Engine, n.Provider, n.Model, n.Effort
	})
	s.svc.changed()
	return nil
}

// buryResume gives up the engine's own session, which could not be continued, and says so.
func (s *Session) buryResume(detail string) {
	s.setMeta(func(m *Meta) { m.EngineSession = "" })
	s.pipe.put(event.Event{Body: event.Notice{
		Level: event.LevelWarning, Class: event.ClassResume,
		Text:   "The engine could not continue its own session. It begins a new one and is told the last messages.",
		Detail: detail,
	}}, true)
}

// retry starts a fresh engine for what waits for one; Send may have been faster.
func (s *Session) retry() {
	s.sending.Lock()
	defer s.sending.Unlock()
	s.mu.Lock()
	waits := len(s.again) > 0
	s.mu.Unlock()
	if !waits {
		return
	}
	if _, err := s.ensureEngine(ctxBackground); err != nil {
		s.notSent(s.takeAgain(), err)
	}
}

// sendAgain gives a fresh engine what its predecessor took to its grave. There is one try.
func (s *Session) sendAgain(ctx context.Context, rt runtime.Runtime) {
	list := s.takeAgain()
	for i, m := range list {
		if err := s.deliver(ctx, rt, runtime.Message{ID: m.ID, Text: m.Text}); err != nil {
			s.notSent(list[i:], err)
			return
		}
	}
}

func (s *Session) takeAgain() []runtime.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.again
	s.again = nil
	return list
}

func (s *Session) notSent(list []runtime.Message, err error) {
	if len(list) == 0 {
		return
	}
	s.pipe.put(event.Event{Body: event.Notice{
		Level: event.LevelError, Class: event.ClassEngine,
		Text: "Your last message could not be sent again: " + err.Error(),
	}}, true)
}

// without leaves out what is about to be sent again: it is no part of what happened before it.
func without(evs []event.Event, again []runtime.Message) []event.Event {
	return slices.DeleteFunc(evs, func(e event.Event) bool {
		b, ok := e.Body.(event.UserMessage)
		return ok && slices.ContainsFunc(again, is(b.ID))
	})
}

func is(id string) func(runtime.Message) bool {
	return func(m runtime.Message) bool { return m.ID == id }
}

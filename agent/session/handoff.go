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
	last, said := s.state.Ready.Factory, s.state.Messages > 0
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
		return handoff.Brief(evs, &s.state)
	}
	if last == engine || last == "" {
		replay := handoff.Replay(evs)
		stash = func() string { return replay }
	}
	s.mu.Lock()
	s.stash = stash
	s.mu.Unlock()
	return nil
}

// deliver sends m, preceded by what was stashed.
func (s *Session) deliver(ctx context.Context, rt runtime.Runtime, m runtime.Message) error {
	s.mu.Lock()
	stash := s.stash
	s.mu.Unlock()
	if stash != nil {
		m.Context = stash()
	}
	s.mu.Lock()
	s.sent = &m
	s.mu.Unlock()
	if err := rt.Send(ctx, m); err != nil {
		s.lost(m.ID)
		return err
	}
	s.mu.Lock()
	s.stash = nil
	s.mu.Unlock()
	return nil
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

// startAfresh begins a new session of the engine after its own could not be continued, and says so.
func (s *Session) startAfresh(ctx context.Context, detail string) (runtime.Runtime, error) {
	s.setMeta(func(m *Meta) { m.EngineSession = "" })
	s.pipe.put(event.Event{Body: event.Notice{
		Level: event.LevelWarning, Class: event.ClassResume,
		Text:   "The engine could not continue its own session. It begins a new one and is told the last messages.",
		Detail: detail,
	}}, true)
	return s.ensureEngine(ctx)
}

// retry sends m once more to a fresh session of the engine.
func (s *Session) retry(m runtime.Message) {
	s.sending.Lock()
	defer s.sending.Unlock()
	rt, err := s.startAfresh(ctxBackground, "it ended before it was ready")
	if err == nil {
		err = s.deliver(ctxBackground, rt, m)
	}
	if err != nil {
		s.pipe.put(event.Event{Body: event.Notice{
			Level: event.LevelError, Class: event.ClassEngine,
			Text: "Your last message could not be sent again: " + err.Error(),
		}}, true)
	}
}

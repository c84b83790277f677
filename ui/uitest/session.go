package uitest

import (
	"context"
	"sync"
	"time"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/session"
	"keva/agent/trust"
	"keva/agent/turn"
)

// Session is a scripted session: a test plays its events. It accounts for them as the real one does.
type Session struct {
	// SendError is what Send fails with, nil to succeed.
	SendError error
	// AnswerError is what Answer fails with.
	AnswerError error
	// Sending, when not nil, holds Send back until it is closed.
	Sending chan struct{}

	mu       sync.Mutex
	now      func() time.Time
	meta     session.Meta
	state    turn.State
	history  []event.Event
	subs     []chan session.Update
	engine   session.EngineState
	Caps     runtime.Capabilities
	Granted  []trust.Entry // what Trust tells
	Report   trust.Report
	Storage  error
	Sent     []string
	Answers  []Answered
	Drafts   []string
	Stopped  []string // ids of tasks
	Breaks   int      // interrupts
	Released int      // engine stops
}

// Answered is a call of Answer.
type Answered struct {
	ID string
	runtime.Answer
}

// NewSession makes a session without events.
func NewSession(m session.Meta, now func() time.Time) *Session {
	return &Session{meta: m, now: now, engine: session.EngineNone}
}

// SetEngine says whether an engine serves the session.
func (s *Session) SetEngine(e session.EngineState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.engine = e
}

// Play publishes events, in one update, at the clock's time.
func (s *Session) Play(turnID string, bodies ...event.Body) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.play(turnID, "", bodies)
}

// PlayIn publishes events of a task.
func (s *Session) PlayIn(turnID, scope string, bodies ...event.Body) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.play(turnID, scope, bodies)
}

func (s *Session) play(turnID, scope string, bodies []event.Body) {
	var evs []event.Event
	for _, b := range bodies {
		e := event.Event{Seq: int64(len(s.history) + 1), Time: s.now(), Session: s.meta.ID, Turn: turnID, Scope: scope, Body: b}
		s.state.Apply(e)
		s.history = append(s.history, e)
		evs = append(evs, e)
	}
	for _, sub := range s.subs {
		sub <- session.Update{Events: evs, View: s.view()}
	}
}

// ID is part of chat.Session.
func (s *Session) ID() string { return s.meta.ID }

// View is part of chat.Session.
func (s *Session) View() session.View {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.view()
}

func (s *Session) view() session.View {
	v := session.ViewOf(s.meta, &s.state)
	v.Engine, v.Capabilities, v.Storage = s.engine, s.Caps, s.Storage
	return v
}

// Subscribe is part of chat.Session.
func (s *Session) Subscribe(ctx context.Context) <-chan session.Update {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := make(chan session.Update, 4096)
	ch <- session.Update{Events: append([]event.Event(nil), s.history...), View: s.view(), History: true}
	s.subs = append(s.subs, ch)
	context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for i, c := range s.subs {
			if c == ch {
				s.subs = append(s.subs[:i], s.subs[i+1:]...)
				close(ch)
				return
			}
		}
	})
	return ch
}

// Send is part of chat.Session.
func (s *Session) Send(_ context.Context, text string) error {
	if s.Sending != nil {
		<-s.Sending
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.SendError != nil {
		return s.SendError
	}
	s.Sent = append(s.Sent, text)
	s.engine = session.EngineRunning
	if s.meta.Title == "" {
		s.meta.Title = text
	}
	s.play("t1", "", []event.Body{
		event.UserMessage{ID: "m" + text, Text: text, Delivery: event.DeliveryPrompt},
		event.TurnStarted{Origin: event.OriginUser},
	})
	return nil
}

// Answer is part of chat.Session: the first answer wins.
func (s *Session) Answer(_ context.Context, id string, a runtime.Answer) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.AnswerError != nil {
		return false, s.AnswerError
	}
	s.Answers = append(s.Answers, Answered{id, a})
	for _, r := range s.state.PendingRequests() {
		if r.ID != id {
			continue
		}
		if r.Question != nil {
			s.play(r.Turn, r.Scope, []event.Body{event.QuestionAnswered{ID: id, Answers: a.Answers, By: a.By}})
		} else {
			s.play(r.Turn, r.Scope, []event.Body{event.ApprovalResolved{ID: id, Decision: a.Decision, By: a.By, Reason: a.Reason}})
		}
		return true, nil
	}
	return false, nil
}

// Interrupt is part of chat.Session.
func (s *Session) Interrupt(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Breaks++
	return nil
}

// StopTask is part of chat.Session.
func (s *Session) StopTask(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Stopped = append(s.Stopped, id)
	return nil
}

// StopEngine is part of chat.Session.
func (s *Session) StopEngine(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Released++
	s.engine = session.EngineNone
	return nil
}

// SetDraft is part of chat.Session.
func (s *Session) SetDraft(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Drafts = append(s.Drafts, text)
	s.meta.Draft = text
}

// Trust is part of chat.Session.
func (s *Session) Trust() ([]trust.Entry, trust.Report) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Granted, s.Report
}

// Rename is part of chat.Session.
func (s *Session) Rename(title string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.meta.Title = title
}

// Do runs f while nothing else touches the session's fields.
func (s *Session) Do(f func(*Session)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s)
}

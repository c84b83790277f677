package session

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"keva/agent/event"
	"keva/agent/liveness"
	"keva/agent/runtime"
	"keva/agent/slot"
	"keva/agent/turn"
)

// Session is one open session. Its methods may be called from any goroutine.
type Session struct {
	id   string
	svc  *Service
	pipe *pipe // from the engine to the store, the state and the subscribers

	sending sync.Mutex // one Send at a time: an engine is started once

	mu     sync.Mutex
	meta   Meta
	state  turn.State
	caps   runtime.Capabilities
	engine runtime.Runtime
	phase  EngineState
	lease  *slot.Lease
	seq    int64  // of the last event that was accounted
	run    string // prefix of ids that the present engine process has made
	// accounted is closed, and replaced, whenever a batch was accounted.
	accounted chan struct{}
	storage   error
	closed    bool
	gone      chan struct{} // closed when the present engine was waited for and its lease is released

	stash  func() string     // what the next message is preceded by, nil when the engine remembers by itself
	heard  string            // the engine's session that has answered something: only that one has taken in what it was told
	resume string            // the session that the present engine was asked to continue, "" for a new one
	since  int64             // seq of the last event before the present engine
	ready  bool              // the present engine has said which session it has
	exited bool              // the present engine has said its last word; it may not have been waited for yet
	sent   []runtime.Message // what the present engine was sent before it was ready
	again  []runtime.Message // what an engine took to its grave, to be sent to the next one first

	reading liveness.Reading
}

func newSession(svc *Service, m Meta, history []event.Event) *Session {
	s := &Session{id: m.ID, svc: svc, meta: m, phase: EngineNone, accounted: make(chan struct{})}
	var last int64
	for _, e := range history {
		s.apply(e)
		last = e.Seq
	}
	s.seq = last
	s.meta = reconciled(m, &s.state, history)
	s.pipe = newPipe(s, last)
	return s
}

// apply accounts for one event. mu is held, or nobody else has the session yet.
func (s *Session) apply(e event.Event) {
	s.state.Apply(e)
	switch e.Body.(type) {
	case event.TextDelta, event.TextFinal, event.ReasoningDelta, event.ReasoningFinal, event.ToolStarted, event.TurnCompleted:
		s.heard = s.state.Ready.EngineSession
	}
}

// recover gives an honest end to what was open when the app went (I-15): no engine of this session runs now.
func (s *Session) recover(kept Meta) {
	s.mu.Lock()
	open, m := !s.state.Settled(), s.meta
	s.mu.Unlock()
	if m != kept {
		s.setMeta(func(*Meta) {})
	}
	if open {
		s.pipe.put(event.Event{Body: event.EngineExited{
			Class:  event.ExitUnknown,
			Advice: "Keva was closed while this was running. What was already shown is kept; how the rest went is not known. Send a message to go on.",
		}}, true)
	}
}

// ID is the session's id.
func (s *Session) ID() string { return s.id }

// View is the present snapshot.
func (s *Session) View() View {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.view()
}

func (s *Session) view() View {
	v := ViewOf(s.meta, &s.state)
	v.Engine, v.Storage, v.Reading, v.Capabilities = s.phase, s.storage, s.reading, s.caps
	return v
}

// SetDraft keeps what the user wrote and has not sent.
func (s *Session) SetDraft(text string) { s.setMeta(func(m *Meta) { m.Draft = text }) }

// Rename sets the title.
func (s *Session) Rename(title string) {
	s.setMeta(func(m *Meta) { m.Title = oneLine(title, 80) })
	s.svc.changed()
}

func (s *Session) setMeta(change func(*Meta)) {
	s.mu.Lock()
	change(&s.meta)
	m := s.meta
	s.mu.Unlock()
	if err := s.svc.deps.Store.PutSession(context.Background(), m); err != nil {
		s.svc.deps.Log("keep session", err)
		s.mu.Lock()
		s.storage = err
		s.mu.Unlock()
	}
}

// stamp makes ids of one engine process unique in the session: engines and mappers count from the start in each process.
// Task ids stay as they are, since a task may be ended by a later process.
func (s *Session) stamp(run, factory string, e event.Event) event.Event {
	if e.Turn != "" {
		e.Turn = run + e.Turn
	}
	switch b := e.Body.(type) {
	case event.SessionReady:
		b.Factory = factory
		e.Body = b
	case event.ApprovalAsked:
		b.ID = run + b.ID
		e.Body = b
	case event.ApprovalResolved:
		b.ID = run + b.ID
		e.Body = b
	case event.QuestionAsked:
		b.ID = run + b.ID
		e.Body = b
	case event.QuestionAnswered:
		b.ID = run + b.ID
		e.Body = b
	}
	return e
}

func runPrefix(seq int64) string { return strconv.FormatInt(seq, 36) + "." }

// oneLine folds white space and cuts at max runes.
func oneLine(s string, max int) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > max {
		return strings.TrimSpace(string(r[:max-1])) + "…"
	}
	return string(r)
}

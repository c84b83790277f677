package session

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/slot"
)

// titleLength is how much of the first message names a session.
const titleLength = 60

// updatedEvery is how often a busy session moves up in the list.
const updatedEvery = 10 * time.Second

var ctxBackground = context.Background()

// Send gives the engine a message, starting the engine when none runs. Errors are for people, and the text is not lost:
// the caller still has it.
func (s *Session) Send(ctx context.Context, text string) error {
	if err := checkPrompt(text); err != nil {
		return err
	}
	s.sending.Lock()
	defer s.sending.Unlock()
	rt, err := s.ensureEngine(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	first := s.meta.Title == ""
	s.mu.Unlock()
	if err := s.deliver(ctx, rt, runtime.Message{ID: s.svc.deps.NewID(), Text: text}); err != nil {
		return err
	}
	s.setMeta(func(m *Meta) {
		m.Draft = ""
		if first {
			m.Title = oneLine(text, titleLength)
		}
	})
	if first {
		s.svc.changed()
	}
	return nil
}

// checkPrompt refuses what no engine can read.
func checkPrompt(text string) error {
	bad := func(msg string) error { return &event.Error{Class: event.ClassRequest, Message: msg} }
	switch {
	case oneLine(text, 10) == "":
		return bad("The message is empty. Write what you want done.")
	case int64(len(text)) > budget.Prompt.Size:
		return bad("The message is longer than 1 MB. Put it in a file in the project and write the file's name instead.")
	case !utf8.ValidString(text):
		return bad("The message is not text (it holds bytes that are no UTF-8). Put it in a file in the project and write the file's name instead.")
	}
	for _, r := range text {
		if r == 0 {
			return bad("The message holds a zero byte, so it is not text. Put it in a file in the project and write the file's name instead.")
		}
	}
	return nil
}

// present is the engine that runs, or nil. One that has said its last word is waited for: it takes nothing any more, and
// still holds the slot.
func (s *Session) present(ctx context.Context) (runtime.Runtime, error) {
	for {
		s.mu.Lock()
		rt, gone, exited, closed := s.engine, s.gone, s.exited, s.closed
		s.mu.Unlock()
		switch {
		case closed:
			return nil, &event.Error{Class: event.ClassEngine, Message: "This session is being closed. Open it again to go on."}
		case rt == nil || !exited:
			return rt, nil
		}
		select {
		case <-gone:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// ensureEngine returns the running engine, or starts one under a lease of the slot.
func (s *Session) ensureEngine(ctx context.Context) (runtime.Runtime, error) {
	rt, err := s.present(ctx)
	if rt != nil || err != nil {
		return rt, err
	}
	if rt, err = s.startEngine(ctx); err != nil {
		return nil, err
	}
	s.sendAgain(ctx, rt)
	return rt, nil
}

// startEngine starts an engine: the session's own is continued, or, when that can't be done, a new one is begun, once.
func (s *Session) startEngine(ctx context.Context) (runtime.Runtime, error) {
	s.mu.Lock()
	m := s.meta
	if m.EngineSession != s.heard {
		// It was killed before it answered anything. What it was told, a brief perhaps, it may not have kept: continuing
		// it would look as if it remembered.
		m.EngineSession = ""
	}
	s.mu.Unlock()
	if err := s.svc.deps.CheckDir(m.Dir); err != nil {
		return nil, err
	}
	f, err := s.svc.factory(m.Engine)
	if err != nil {
		return nil, err
	}
	prov, err := s.svc.deps.Provider(ctx, m.Provider, m.Engine)
	if err != nil {
		return nil, err
	}
	lease, err := s.acquire(ctx, m)
	if err != nil {
		return nil, err
	}
	if m.Model == "" {
		m.Model = prov.Model
	}
	st := runtime.Start{
		Session: s.id, Dir: m.Dir, Model: m.Model, Effort: m.Effort, Resume: m.EngineSession, Provider: prov,
		Instructions: s.svc.deps.Instructions(m.Dir),
	}
	st.Trusted, _ = s.svc.deps.Trust(m.Dir)
	if st.Resume == "" {
		if err := s.stashHandoff(ctx, m.Engine); err != nil {
			lease.Release()
			return nil, err
		}
		return s.start(ctx, f, lease, st)
	}
	rt, err := s.start(ctx, f, lease, st)
	if e := (*event.Error)(nil); errors.As(err, &e) && e.Class == event.ClassResume {
		s.buryResume(e.Detail)
		return s.startEngine(ctx)
	}
	return rt, err
}

func (s *Session) acquire(ctx context.Context, m Meta) (*slot.Lease, error) {
	ctx, cancel := context.WithTimeout(ctx, budget.SlotYield.Time)
	defer cancel()
	title := m.Title
	if title == "" {
		title = "a new session"
	}
	lease, err := s.svc.deps.Slot.Acquire(ctx, slot.Holder{Who: "chat", What: title, Since: s.svc.deps.Clock()}, s.yield)
	var busy *slot.BusyError
	if errors.As(err, &busy) {
		return nil, &event.Error{Class: event.ClassEngine, Message: busy.Error()}
	}
	return lease, err
}

// yield gives up the slot when somebody else asks for it and nothing is under way here. Work is never cut off for it.
func (s *Session) yield() {
	s.mu.Lock()
	rt, busy := s.engine, !s.state.Settled() || s.phase == EngineStarting
	s.mu.Unlock()
	if rt == nil || busy {
		return
	}
	ctx, cancel := context.WithTimeout(ctxBackground, budget.EngineStop.Time)
	defer cancel()
	if err := s.stopEngine(ctx); err != nil {
		s.svc.deps.Log("yield the engine slot", err)
	}
}

func (s *Session) start(ctx context.Context, f runtime.Factory, lease *slot.Lease, st runtime.Start) (runtime.Runtime, error) {
	s.mu.Lock()
	run := runPrefix(s.seq + 1)
	s.run, s.phase, s.lease = run, EngineStarting, lease
	s.resume, s.since, s.ready, s.exited, s.sent = st.Resume, s.seq, false, false, nil
	s.mu.Unlock()
	rt, err := f.Start(ctx, lease, st, func(e event.Event) { s.take(run, f.ID(), e) })
	if err != nil {
		s.mu.Lock()
		s.phase, s.lease = EngineNone, nil
		s.mu.Unlock()
		lease.Release()
		return nil, err
	}
	s.mu.Lock()
	s.engine, s.phase, s.caps = rt, EngineRunning, rt.Capabilities()
	gone := make(chan struct{})
	s.gone = gone
	s.mu.Unlock()
	go s.watch(rt, lease, gone, s.look(rt, st.Provider.Traffic))
	return rt, nil
}

// watch waits for the end of an engine and frees what it held. An engine that was to continue its own session and gave up
// before it was ready has a dead session: what it was sent gets one more try with a fresh one.
func (s *Session) watch(rt runtime.Runtime, lease *slot.Lease, gone chan struct{}, blind func()) {
	<-rt.Done()
	blind()
	s.mu.Lock()
	dead := false
	if s.engine == rt {
		dead = s.resume != "" && !s.ready && !s.closed && s.phase != EngineStopping && gaveUp(s.state.Exit)
		if dead {
			s.again, s.sent = s.sent, nil
		}
		s.engine, s.phase, s.lease, s.caps = nil, EngineNone, nil, runtime.Capabilities{}
	}
	again := len(s.again) > 0
	s.mu.Unlock()
	if dead {
		s.buryResume("it ended before it was ready")
	}
	lease.Release()
	close(gone)
	s.svc.changed()
	if again {
		s.retry()
	}
}

// gaveUp reports whether an engine ended by itself. One that was killed from outside says nothing about its session: that
// is tried again when the user sends again, not at once, because memory may be short.
func gaveUp(exit *event.EngineExited) bool {
	if exit == nil {
		return false
	}
	switch exit.Class {
	case event.ExitClean, event.ExitCode, event.ExitCrashed:
		return true
	case event.ExitStopped, event.ExitKilled, event.ExitBlocked, event.ExitUnknown, event.ExitNotFound,
		event.ExitNoLoader, event.ExitNotAllowed:
	}
	return false
}

// take is the sink: from the engine into the pipe. What Keva itself says is durable before it is written to the engine.
func (s *Session) take(run, factory string, e event.Event) {
	e = s.stamp(run, factory, e)
	wait := false
	switch b := e.Body.(type) {
	case event.UserMessage, event.ApprovalResolved, event.QuestionAnswered:
		wait = true
	case event.SessionReady:
		s.met(b)
	case event.EngineExited:
		s.mu.Lock()
		s.exited = true
		s.mu.Unlock()
		s.lose()
		wait = true
	}
	s.pipe.put(e, wait)
}

// lose tells the stream of requests that nobody can answer any more, so that the store knows it too.
func (s *Session) lose() {
	s.mu.Lock()
	pending := s.state.PendingRequests()
	s.mu.Unlock()
	for _, r := range pending {
		s.pipe.put(event.Event{Turn: r.Turn, Scope: r.Scope, Body: event.ApprovalResolved{
			ID: r.ID, Decision: event.Lost, By: event.ByEngine, Reason: "The engine ended before it was answered.",
		}}, false)
	}
}

func (s *Session) running() (runtime.Runtime, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.engine, s.run
}

var errNoEngine = &event.Error{
	Class:   event.ClassEngineGone,
	Message: "The engine that asked is gone, so the answer can't reach it. Send a message to go on.",
}

// Answer replies to a pending request. It reports whether this call was the one that resolved it.
func (s *Session) Answer(ctx context.Context, id string, a runtime.Answer) (bool, error) {
	rt, run := s.running()
	if rt == nil || len(id) <= len(run) || id[:len(run)] != run {
		return false, errNoEngine
	}
	return rt.Answer(ctx, id[len(run):], a)
}

// Interrupt stops the running turn. If the engine does not end it within the budget, the engine is stopped.
func (s *Session) Interrupt(ctx context.Context) error {
	rt, _ := s.running()
	if rt == nil {
		return nil
	}
	if err := rt.Interrupt(ctx); err != nil {
		return err
	}
	go func() {
		t := time.NewTimer(budget.Interrupt.Time)
		defer t.Stop()
		for {
			s.mu.Lock()
			open, accounted := s.state.OpenTurn() != nil && s.engine == rt, s.accounted
			s.mu.Unlock()
			if !open {
				return
			}
			select {
			case <-accounted:
			case <-rt.Done():
				return
			case <-t.C:
				s.svc.deps.Log("interrupt", errors.New("the engine did not end its turn in time; stopping it"))
				if err := s.stopEngine(ctxBackground); err != nil {
					s.svc.deps.Log("stop engine", err)
				}
				return
			}
		}
	}()
	return nil
}

// StopTask stops one task, where the engine can.
func (s *Session) StopTask(ctx context.Context, id string) error {
	rt, _ := s.running()
	if rt == nil {
		return errNoEngine
	}
	return rt.StopTask(ctx, id)
}

// StopEngine ends the engine's process; the session stays open and the next Send starts another.
func (s *Session) StopEngine(ctx context.Context) error { return s.stopEngine(ctx) }

func (s *Session) stopEngine(ctx context.Context) error {
	s.mu.Lock()
	rt, gone := s.engine, s.gone
	if rt != nil {
		s.phase = EngineStopping
	}
	s.mu.Unlock()
	if rt == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, budget.EngineStop.Time)
	defer cancel()
	if err := rt.Stop(ctx); err != nil {
		return err
	}
	select {
	case <-gone:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close stops the engine and forgets the session in memory. What was shown is stored.
func (s *Session) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	err := s.stopEngine(ctx)
	s.svc.forget(s)
	return err
}

package session

import (
	"slices"
	"time"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/agent/liveness"
	"keva/agent/runtime"
	"keva/agent/turn"
)

// lookEvery is how often the evidence of a working engine is taken.
const lookEvery = 2 * time.Second

func every(d time.Duration, f func()) (stop func()) {
	t := time.NewTicker(d)
	quit, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-t.C:
				f()
			case <-quit:
				return
			}
		}
	}()
	return func() {
		t.Stop()
		close(quit)
		<-ended
	}
}

// look takes evidence of rt while anything is open, until the returned function is called. It shows what it saw, lets the
// watchdog act, and spends the settle budget. It never declares success.
func (s *Session) look(rt runtime.Runtime, traffic func() runtime.Traffic) (blind func()) {
	var tracker liveness.Tracker
	var dog liveness.Watchdog
	var heard time.Time
	var pace pace
	return s.svc.deps.Every(lookEvery, func() {
		s.mu.Lock()
		settled, phase, last := s.state.Settled(), s.state.Phase(), s.state.LastEvent
		open := s.state.OpenTurn() != nil || phase == turn.PhaseNeedsYou
		had := s.reading != liveness.Reading{}
		s.mu.Unlock()
		if settled {
			dog.Stop()
			pace.stop()
			if had { // nothing runs: nothing is said about it
				s.mu.Lock()
				s.reading = liveness.Reading{}
				s.mu.Unlock()
			}
			return
		}
		now := s.svc.deps.Clock()
		pace.look(now)
		r := tracker.Observe(evidence(rt, traffic, last, now))
		if last.After(heard) || phase == turn.PhaseNeedsYou { // waiting for the user is not silence of the engine
			heard = last
			dog.Reset(rt.Capabilities().Heartbeats, now)
		}
		s.mu.Lock()
		s.reading = r
		s.mu.Unlock()
		s.pipe.publish(nil)
		if dog.Check(r, now) == liveness.Expire {
			s.expire(now.Sub(last))
		}
		if !open && !r.Fresh() && pace.silent(later(last, r.Since), now) > budget.Settle.Time {
			s.abandon(rt)
		}
	})
}

// jump is a step between two looks that no pause of a busy machine explains: the clock was set, or the device slept.
const jump = time.Minute

// pace notices that the clock was set. The zero value has not looked.
type pace struct{ looked, jumped time.Time }

func (p *pace) stop() { *p = pace{} }

func (p *pace) look(now time.Time) {
	if !p.looked.IsZero() && now.Sub(p.looked).Abs() > jump {
		p.jumped = now
	}
	p.looked = now
}

// silent is how long nothing was heard since a time, counted from the last jump at most: before it the clock was another.
func (p *pace) silent(since, now time.Time) time.Duration {
	if !p.jumped.IsZero() && (p.jumped.After(since) || since.Sub(now) > jump) {
		since = p.jumped
	}
	return now.Sub(since)
}

func evidence(rt runtime.Runtime, traffic func() runtime.Traffic, last, now time.Time) liveness.Evidence {
	e := liveness.Evidence{At: now, Event: last}
	if w, ok := rt.(runtime.Witness); ok {
		v := w.Vitals()
		e.PID, e.CPU, e.CPUKnown, e.Children = v.PID, v.CPU, v.CPUKnown, v.Children
	}
	if traffic != nil {
		t := traffic()
		e.NetKnown, e.Inbound, e.Requests, e.LastError = true, t.LastIn, t.Open, t.LastError
	}
	return e
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// expire ends a turn whose engine broke its promise of heartbeats.
func (s *Session) expire(silent time.Duration) {
	s.pipe.put(event.Event{Body: event.Notice{
		Level: event.LevelWarning, Class: event.ClassEngine,
		Text: "The engine has been silent for " + silent.Round(time.Second).String() + " and shows no sign of life. Keva stops this turn; how far it came is not known.",
	}}, true)
	if err := s.Interrupt(ctxBackground); err != nil {
		s.svc.deps.Log("interrupt a silent engine", err)
	}
}

// abandon gives live tasks up as unknown after the settle budget: nobody will tell how they ended, as far as anybody can
// see. A command whose process still lives is not given up.
func (s *Session) abandon(rt runtime.Runtime) {
	children := 0
	if w, ok := rt.(runtime.Witness); ok {
		children = w.Vitals().Children
	}
	s.mu.Lock()
	live, queue := s.state.LiveTasks(), slices.Clone(s.state.Queue)
	s.mu.Unlock()
	for _, id := range queue {
		s.lost(id)
	}
	for _, t := range live {
		if t.Kind == event.TaskCommand && children > 0 {
			continue
		}
		s.pipe.put(event.Event{Turn: t.Turn, Body: event.TaskEnded{
			ID: t.ID, Outcome: event.Unknown, Via: "settle budget",
			Summary: "Nothing was heard of it for " + budget.Settle.Time.String() + ".",
		}}, true)
	}
}

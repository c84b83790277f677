package session

import (
	"slices"

	"keva/agent/event"
	"keva/agent/turn"
)

// announce lets the list say that the session runs before anything is stored that makes it so. Were it written afterwards,
// a kill in between would leave a list that says "done" above a turn that nobody saw end.
func (s *Session) announce(evs []event.Event) {
	s.mu.Lock()
	if s.meta.Badge == BadgeRunning || s.meta.Badge == BadgeNeedsYou || !slices.ContainsFunc(evs, opens) {
		s.mu.Unlock()
		return
	}
	s.meta.Badge, s.meta.Updated = BadgeRunning, evs[len(evs)-1].Time
	m := s.meta
	s.mu.Unlock()
	if err := s.svc.deps.Store.PutSession(ctxBackground, m); err != nil {
		s.svc.deps.Log("keep session", err)
	}
	s.svc.changed()
}

// opens reports whether an event can begin something whose end is to be waited for.
func opens(e event.Event) bool {
	switch e.Body.(type) {
	case event.UserMessage, event.TurnStarted, event.TaskStarted, event.TaskProgress, event.ApprovalAsked, event.QuestionAsked:
		return true
	}
	return false
}

// account applies a batch to the state and keeps the session's line in the list up to date. err is the store's refusal of
// the batch, or nil.
func (s *Session) account(evs []event.Event, err error) {
	s.mu.Lock()
	for _, e := range evs {
		s.apply(e)
		s.seq = e.Seq
		if b, ok := e.Body.(event.SessionReady); ok && b.EngineSession != "" {
			s.meta.EngineSession = b.EngineSession
		}
	}
	s.storage = err
	if err == nil {
		s.storage = s.svc.deps.Store.Ephemeral()
	}
	before := s.meta
	s.meta.Badge = badge(&s.state)
	if l := line(&s.state, evs); l != "" {
		s.meta.Line = l
	}
	close(s.accounted)
	s.accounted = make(chan struct{})
	m := s.meta
	listed := before.Badge != m.Badge || before.Line != m.Line || before.EngineSession != m.EngineSession
	if len(evs) > 0 && (listed || evs[len(evs)-1].Time.Sub(before.Updated) > updatedEvery) {
		m.Updated = evs[len(evs)-1].Time
		s.meta.Updated = m.Updated
	} else {
		listed = false
	}
	s.mu.Unlock()
	if m.Updated.Equal(before.Updated) && !listed {
		return
	}
	if err := s.svc.deps.Store.PutSession(ctxBackground, m); err != nil {
		s.svc.deps.Log("keep session", err)
	}
	if listed {
		s.svc.changed()
	}
}

// reconciled brings the line in the list in step with the events, which are the truth: both are written one after the
// other, and Keva may have been killed in between.
func reconciled(m Meta, s *turn.State, history []event.Event) Meta {
	if len(history) == 0 {
		return m
	}
	m.Badge = badge(s)
	if l := line(s, history); l != "" {
		m.Line = l
	}
	for _, e := range history {
		b, ok := e.Body.(event.UserMessage)
		if !ok || b.Text == "" {
			continue
		}
		if m.Title == "" {
			m.Title = oneLine(b.Text, titleLength)
		}
		// A draft that was sent is none; one whose delivery is not known stays where the user left it.
		if m.Draft == b.Text && !slices.Contains(s.Queue, b.ID) && !slices.Contains(s.Unread, b.ID) {
			m.Draft = ""
		}
	}
	return m
}

// badge says how the session stands, in the list. Unknown is never shown as done.
func badge(s *turn.State) Badge {
	switch s.Phase() {
	case turn.PhaseEmpty:
		return BadgeEmpty
	case turn.PhaseNeedsYou:
		return BadgeNeedsYou
	case turn.PhaseRunning, turn.PhaseAnswered:
		return BadgeRunning
	case turn.PhaseSettled:
	}
	switch s.Verdict() {
	case event.Success:
		return BadgeDone
	case event.Failure, event.Timeout:
		return BadgeFailed
	case event.Interrupted:
		return BadgeInterrupted
	case event.Unknown:
		return BadgeUnknown
	}
	return BadgeUnknown // messages, but no turn was ever seen
}

// line is what the list shows under the title; "" leaves the one before.
func line(s *turn.State, evs []event.Event) string {
	if p := s.PendingRequests(); len(p) > 0 {
		if a := p[0].Approval; a != nil {
			if a.Command != "" {
				return oneLine("Run "+a.Command+"?", 100)
			}
			return oneLine(a.Title+"?", 100)
		}
		if q := p[0].Question; q != nil && len(q.Questions) > 0 {
			return oneLine(q.Questions[0].Text, 100)
		}
	}
	for i := len(evs) - 1; i >= 0; i-- {
		switch b := evs[i].Body.(type) {
		case event.EngineExited:
			if b.Class != event.ExitStopped && b.Class != event.ExitClean && b.Advice != "" {
				return oneLine(b.Advice, 100)
			}
		case event.TurnCompleted:
			if b.Error != nil {
				return oneLine(b.Error.Message, 100)
			}
		case event.TextFinal:
			if evs[i].Scope == "" {
				return oneLine(b.Text, 100)
			}
		case event.ToolStarted:
			if evs[i].Scope == "" {
				return oneLine(b.Title, 100)
			}
		}
	}
	return ""
}

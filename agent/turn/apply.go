package turn

import (
	"time"

	"keva/agent/event"
)

// Apply accounts for one event. It changes only s, never fails, and gives the same state for the same events whoever asks
// and whenever.
func (s *State) Apply(e event.Event) {
	s.ensure()
	if fromEngine(e.Body) {
		s.LastEvent = e.Time
	}
	switch b := e.Body.(type) {
	case event.SessionReady:
		s.Ready, s.Exit = b, nil
	case event.TurnStarted:
		s.turnStarted(e, b)
	case event.UserMessage:
		s.userMessage(e, b)
	case event.TextDelta, event.TextFinal, event.ReasoningDelta, event.ReasoningFinal:
		s.LastText, s.Retry = e.Time, nil
	case event.ToolStarted:
		if e.Scope == "" {
			s.Retry = nil // the request that was tried again has brought something
		}
		s.toolStarted(e, b)
	case event.ToolEnded:
		s.toolEnded(e, b)
	case event.ApprovalAsked:
		s.asked(Request{ID: b.ID, Turn: e.Turn, Scope: e.Scope, Asked: e.Time, Approval: &b})
	case event.QuestionAsked:
		s.asked(Request{ID: b.ID, Turn: e.Turn, Scope: e.Scope, Asked: e.Time, Question: &b})
	case event.ApprovalResolved:
		s.resolved(e, b.ID, b.Decision, b.By, b.Reason)
	case event.QuestionAnswered:
		d := event.Allow
		if b.Answers == nil {
			d = event.Deny
		}
		s.resolved(e, b.ID, d, b.By, "")
	case event.TaskStarted:
		s.taskStarted(e, b)
	case event.TaskProgress:
		s.taskProgress(e, b)
	case event.TaskEnded:
		s.taskEnded(e, b)
	case event.Usage:
		s.usage(e, b)
	case event.Limits:
		s.Limits = b.Limits
	case event.Retrying:
		if e.Scope == "" {
			s.Retry = &b
		}
	case event.TurnCompleted:
		s.turnCompleted(e, b)
	case event.EngineExited:
		s.exited(e, b)
	case event.Unrecognised:
		s.Unrecognised[b.Type]++
	case event.ToolOutput, event.FileChange, event.WebActivity, event.Plan, event.Compaction, event.Notice,
		event.Heartbeat, event.EngineState:
		// Signs of life at most. EngineState carries no id, so it ends nothing (I-6); Phase is computed anew when asked.
	}
}

// fromEngine tells signs of life of the engine from what Keva itself put into the stream.
func fromEngine(b event.Body) bool {
	switch b.(type) {
	case event.UserMessage, event.ApprovalResolved, event.QuestionAnswered, event.EngineExited, event.Notice:
		return false
	}
	return true
}

func (s *State) turnStarted(e event.Event, b event.TurnStarted) {
	s.Exit, s.Retry = nil, nil
	if t := s.Turn(e.Turn); t != nil {
		if t.Origin == event.OriginUnknown {
			t.Origin = b.Origin
		}
		return // a start that comes twice, or after the end, never reopens
	}
	add(s.idx.turns, &s.Turns, e.Turn, Turn{ID: e.Turn, Origin: b.Origin, Started: e.Time})
	s.Unsure = s.Unsure && b.Origin != event.OriginUser
}

func (s *State) userMessage(e event.Event, b event.UserMessage) {
	if b.Delivery == event.DeliveryUnknown { // it was on its way, and nobody can tell whether it was read
		s.unqueue([]string{b.ID})
		s.Unread, s.Unsure = append(s.Unread, b.ID), true
		return
	}
	s.Messages++
	t := s.Turn(e.Turn)
	if t == nil || b.Delivery == event.DeliveryQueued {
		// It waits for a turn that will name it: until then the session is not settled.
		if !s.idx.queued[b.ID] {
			s.idx.queued[b.ID] = true
			s.Queue = append(s.Queue, b.ID)
		}
		return
	}
	t.read(b.ID)
}

func (t *Turn) read(id string) {
	for _, m := range t.Messages {
		if m == id {
			return
		}
	}
	t.Messages = append(t.Messages, id)
}

// unqueue removes messages by their ids: a turn that has read one does not count another as read (I-6).
func (s *State) unqueue(ids []string) {
	for _, id := range ids {
		if !s.idx.queued[id] {
			continue
		}
		delete(s.idx.queued, id)
		for i, q := range s.Queue {
			if q == id {
				s.Queue = append(s.Queue[:i:i], s.Queue[i+1:]...)
				break
			}
		}
	}
}

func (s *State) toolStarted(e event.Event, b event.ToolStarted) {
	if it := s.Item(b.ID); it != nil && (it.Outcome == "" || it.Turn == e.Turn) {
		if it.Title == "" {
			it.Title = b.Title
		}
		return // twice, or after its end
	}
	add(s.idx.items, &s.Items, b.ID, Item{
		ID: b.ID, Turn: e.Turn, Scope: e.Scope, Tool: b.Tool, Name: b.Name, Title: b.Title, Started: e.Time,
	})
}

func (s *State) toolEnded(e event.Event, b event.ToolEnded) {
	it := s.Item(b.ID)
	if it == nil { // its start was lost: the end is evidence all the same
		it = add(s.idx.items, &s.Items, b.ID, Item{ID: b.ID, Turn: e.Turn, Scope: e.Scope, Tool: event.ToolOther, Started: e.Time})
	}
	it.Outcome, it.Ended = merge(it.Outcome, b.Outcome), firstTime(it.Ended, e.Time)
	if b.Background != "" {
		if t := s.Task(b.Background); t != nil {
			t.Background = true
		}
	}
}

func (s *State) asked(r Request) {
	if old := s.Request(r.ID); old != nil {
		return // asked twice, or after it was answered: the first answer holds
	}
	add(s.idx.requests, &s.Requests, r.ID, r)
}

func (s *State) resolved(e event.Event, id string, d event.Decision, by event.By, reason string) {
	r := s.Request(id)
	if r == nil {
		r = add(s.idx.requests, &s.Requests, id, Request{ID: id, Turn: e.Turn, Scope: e.Scope, Asked: e.Time})
	}
	if r.Decision != "" {
		return // I-12: the first answer wins
	}
	r.Decision, r.By, r.Reason = d, by, reason
}

func (s *State) usage(e event.Event, b event.Usage) {
	if e.Scope != "" {
		return // a sub-agent's context is not the main agent's (I-10)
	}
	if b.ContextWindow == 0 {
		b.ContextWindow = s.Usage.ContextWindow
	}
	if b.ContextUsed == 0 {
		b.ContextUsed = s.Usage.ContextUsed
	}
	if b.CostUSD == 0 {
		b.CostUSD = s.Usage.CostUSD
	}
	s.Usage = b
}

func (s *State) turnCompleted(e event.Event, b event.TurnCompleted) {
	t := s.Turn(e.Turn)
	if t == nil {
		t = add(s.idx.turns, &s.Turns, e.Turn, Turn{ID: e.Turn, Origin: b.Origin, Started: e.Time})
		s.Unsure = s.Unsure && b.Origin != event.OriginUser
	}
	if t.Outcome != "" && t.Outcome != event.Unknown {
		return // twice: the first end holds
	}
	s.unqueue(b.Messages)
	for _, id := range b.Messages {
		t.read(id)
	}
	if t.Origin == event.OriginUnknown || t.Origin == event.OriginEngine {
		t.Origin = b.Origin
	}
	t.Outcome, t.Ended, t.Error = b.Outcome, e.Time, b.Error
	if !t.Outcome.Valid() {
		t.Outcome = event.Failure // fail-closed (I-2)
	}
	s.Retry = nil
	s.closeItems(e.Time, func(it *Item) bool { return it.Turn == e.Turn && it.Scope == "" })
}

// exited closes what was open: nobody will ever tell how it went (I-9, I-11). What Keva stopped itself was interrupted.
func (s *State) exited(e event.Event, b event.EngineExited) {
	s.Exit, s.Retry = &b, nil
	s.Unread, s.Unsure = append(s.Unread, s.Queue...), s.Unsure || len(s.Queue) > 0
	s.Queue = nil
	clear(s.idx.queued)
	how := event.Unknown
	if b.Class == event.ExitStopped {
		how = event.Interrupted
	}
	for i := range s.Turns {
		if t := &s.Turns[i]; t.Outcome == "" {
			t.Outcome, t.Ended = how, e.Time
			t.Error = &event.Error{Class: event.ClassEngineGone, Message: b.Advice, Detail: b.Stderr}
		}
	}
	for i := range s.Tasks {
		if t := &s.Tasks[i]; t.Live() {
			t.Outcome, t.Ended, t.Class = event.Unknown, e.Time, event.ClassEngineGone
		}
	}
	s.closeItems(e.Time, func(*Item) bool { return true })
	for i := range s.Requests {
		if r := &s.Requests[i]; r.Pending() {
			r.Decision, r.By = event.Lost, event.ByEngine
		}
	}
}

// closeItems gives open items an honest end: theirs was not seen.
func (s *State) closeItems(now time.Time, which func(*Item) bool) {
	for i := range s.Items {
		if it := &s.Items[i]; it.Outcome == "" && which(it) {
			it.Outcome, it.Ended = event.Unknown, now
		}
	}
}

// merge joins what is known of an end with a later signal: evidence beats unknown, and bad news is never undone by a later
// "completed" (an agent whose calls all failed is called completed by its engine).
func merge(old, now event.Outcome) event.Outcome {
	if !now.Valid() {
		now = event.Failure // fail-closed (I-2)
	}
	switch {
	case old == "" || old == event.Unknown:
		return now
	case old == event.Success && now != event.Unknown:
		return now
	}
	return old
}

func firstTime(a, b time.Time) time.Time {
	if a.IsZero() {
		return b
	}
	return a
}

package turn

import "keva/agent/event"

// Phase says what the session is doing. It is computed from the entries each time: nothing can get out of step with them.
func (s *State) Phase() Phase {
	switch {
	case len(s.PendingRequests()) > 0:
		return PhaseNeedsYou
	case s.OpenTurn() != nil || len(s.Queue) > 0:
		return PhaseRunning
	case len(s.LiveTasks()) > 0:
		return PhaseAnswered
	case s.Messages == 0 && len(s.Turns) == 0:
		return PhaseEmpty
	}
	return PhaseSettled
}

// Settled reports whether nothing is open: no turn, no message that waits for one, no live task, no request (I-7).
func (s *State) Settled() bool {
	return s.OpenTurn() == nil && len(s.Queue) == 0 && len(s.LiveTasks()) == 0 && len(s.PendingRequests()) == 0
}

// OpenTurn is the latest turn without an end, or nil.
func (s *State) OpenTurn() *Turn {
	for i := len(s.Turns) - 1; i >= 0; i-- {
		if s.Turns[i].Outcome == "" {
			return &s.Turns[i]
		}
	}
	return nil
}

// LastUserTurn is the last turn that the user asked for, or nil. An engine's extra turn is never mistaken for it (I-7).
func (s *State) LastUserTurn() *Turn {
	for i := len(s.Turns) - 1; i >= 0; i-- {
		if s.Turns[i].Origin == event.OriginUser {
			return &s.Turns[i]
		}
	}
	return nil
}

// LiveTasks are the tasks whose end was not seen, in order of start.
func (s *State) LiveTasks() []Task {
	var live []Task
	for i := range s.Tasks {
		if s.Tasks[i].Live() {
			live = append(live, s.Tasks[i])
		}
	}
	return live
}

// OpenItems are the tool calls whose end was not seen, in order of start.
func (s *State) OpenItems() []Item {
	var open []Item
	for i := len(s.Items) - 1; i >= 0 && i >= len(s.Items)-200; i-- {
		if s.Items[i].Outcome == "" {
			open = append([]Item{s.Items[i]}, open...)
		}
	}
	return open
}

// PendingRequests are the requests that nobody has answered, oldest first.
func (s *State) PendingRequests() []Request {
	var open []Request
	for i := range s.Requests {
		if s.Requests[i].Pending() {
			open = append(open, s.Requests[i])
		}
	}
	return open
}

// Verdict is how the session's last user turn went, tasks included: a turn whose tasks are unknown is unknown, not done.
// A message after it whose fate is not known makes it unknown too. It is "" while something is open or when nothing was
// asked.
func (s *State) Verdict() event.Outcome {
	t := s.LastUserTurn()
	switch {
	case t == nil || !s.Settled():
		return ""
	case s.Unsure:
		return event.Unknown
	}
	if t.Outcome != event.Success {
		return t.Outcome
	}
	for i := range s.Tasks {
		if s.Tasks[i].Turn == t.ID && s.Tasks[i].Outcome == event.Unknown {
			return event.Unknown
		}
	}
	return event.Success
}

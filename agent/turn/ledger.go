package turn

import "keva/agent/event"

// The task ledger. An entry is opened, updated and ended by its id alone: a signal that can't name an entry does not touch
// one (paper §5.1). There is no counter; what is live is asked of the entries.

func (s *State) taskStarted(e event.Event, b event.TaskStarted) {
	t := s.Task(b.ID)
	switch {
	case b.ID == "":
		return // names no entry
	case t == nil:
		t = add(s.idx.tasks, &s.Tasks, b.ID, Task{ID: b.ID, Turn: e.Turn, Generation: 1, Started: e.Time})
	case !t.Live() && (b.ToolID == "" || b.ToolID != t.ToolID):
		// Restarted under the same id by another dispatch: a new generation. The same dispatch heard twice is none.
		*t = Task{ID: b.ID, Turn: e.Turn, Generation: t.Generation + 1, Started: e.Time, Title: t.Title, Kind: t.Kind}
	case !t.Live():
		return
	}
	t.Kind = b.Task
	if b.Title != "" {
		t.Title = b.Title
	}
	if b.ToolID != "" {
		t.ToolID = b.ToolID
	}
	t.Background = t.Background || b.Background
}

func (s *State) taskProgress(e event.Event, b event.TaskProgress) {
	t := s.Task(b.ID)
	if t == nil {
		if b.ID == "" {
			return
		}
		t = add(s.idx.tasks, &s.Tasks, b.ID, Task{ID: b.ID, Kind: event.TaskOther, Turn: e.Turn, Generation: 1, Started: e.Time})
	}
	if b.Title != "" {
		t.Title = b.Title
	}
	if !t.Live() {
		return // late: says nothing about now
	}
	if b.Doing != "" {
		t.Doing = b.Doing
	}
	t.Background = t.Background || b.Background
}

func (s *State) taskEnded(e event.Event, b event.TaskEnded) {
	if b.ID == "" {
		return // I-6: it may make somebody look again, it ends nothing
	}
	t := s.Task(b.ID)
	if t == nil { // ended before its start was heard, e.g. after a resume
		t = add(s.idx.tasks, &s.Tasks, b.ID, Task{ID: b.ID, Kind: event.TaskOther, Turn: e.Turn, Generation: 1, Started: e.Time})
	}
	before := t.Outcome
	t.Outcome, t.Ended = merge(t.Outcome, b.Outcome), firstTime(t.Ended, e.Time)
	if t.Outcome != before {
		t.Class = b.Class
	}
	if b.Summary != "" {
		t.Summary = b.Summary
	}
	s.closeItems(e.Time, func(it *Item) bool { return it.Scope == b.ID })
}

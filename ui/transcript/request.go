package transcript

import (
	"slices"

	"keva/agent/event"
)

// request is an approval or a question.
type request struct {
	id, scope string
	toolID    string
	e         *entry // nil once the step tells that it was allowed
	open      bool
	allowed   event.By // allowed, and no step tells it yet
}

func (b *Builder) approvalAsked(e event.Event, a event.ApprovalAsked) {
	if b.requests[a.ID] != nil {
		return // asked twice
	}
	r := b.newRequest(e, a.ID, a.ToolID)
	if a.ToolID != "" {
		s := b.step(e, a.ToolID, a.Tool)
		if s.Title == "" {
			s.Title = b.rel(a.Title)
		}
		if len(a.Changes) > 0 {
			d := b.edit(s)
			d.guess = false
			b.setChanges(d, a.Changes)
		}
		if s.outcome == "" {
			s.waiting, s.fate = true, ""
		}
		s.refresh()
	}
	row := &Approval{ID: b.free("approval", a.ID), Asked: b.relAsked(a), Scope: e.Scope, Who: b.who(e.Scope), Time: e.Time}
	r.e = b.add(row)
	r.e.passing = true
}

// relAsked is what was asked, with the paths as rows have them.
func (b *Builder) relAsked(a event.ApprovalAsked) event.ApprovalAsked {
	a.Title = b.rel(a.Title)
	a.Changes = slices.Clone(a.Changes)
	for i := range a.Changes {
		a.Changes[i].Path, a.Changes[i].MovedTo = b.rel(a.Changes[i].Path), b.rel(a.Changes[i].MovedTo)
	}
	return a
}

func (b *Builder) newRequest(e event.Event, id, toolID string) *request {
	r := &request{id: id, scope: e.Scope, toolID: toolID, open: true}
	b.requests[id] = r
	b.pending = append(b.pending, r)
	if toolID != "" {
		b.asked[toolID] = r
	}
	b.nodeWaits(e.Scope)
	return r
}

func (b *Builder) approvalResolved(e event.Event, a event.ApprovalResolved) {
	if r := b.requests[a.ID]; r != nil {
		b.closeRequest(e, r)
	}
}

// closeRequest takes the answer from the accounting: the first one counts. What was allowed is told by its step; what was
// not keeps a row of its own.
func (b *Builder) closeRequest(e event.Event, r *request) {
	st := b.state.Request(r.id)
	if st == nil || st.Pending() || !r.open {
		return
	}
	r.open = false
	b.dropPending(r)
	b.nodeWaits(r.scope)
	s := b.steps[r.toolID]
	if row, ok := r.e.row.(*Approval); ok {
		closed := *row
		closed.Decision, closed.By, closed.Reason = st.Decision, st.By, st.Reason
		b.set(r.e, &closed)
		r.e.passing = false
	} else if row, ok := r.e.row.(*Question); ok && !row.Answered {
		closed := *row
		closed.Answered, closed.By = true, st.By
		b.set(r.e, &closed)
	}
	if s == nil {
		return
	}
	s.waiting, s.fate = false, st.Decision
	if st.Approval != nil && st.Decision == event.Allow {
		r.allowed = st.By
		if s.outcome == "" {
			s.Started = e.Time // the clock of a step does not count the user's time
		}
		b.adoptRequest(s)
	}
	if st.Approval != nil && st.Decision == event.Deny {
		s.Denied = true
	}
	s.refresh()
}

// adoptRequest lets a step tell that it was allowed, once it is on the screen.
func (b *Builder) adoptRequest(s *step) {
	r := b.asked[s.ID]
	if r == nil || r.allowed == "" || !s.shown {
		return
	}
	s.Allowed, r.allowed = r.allowed, ""
	b.remove(r.e)
}

func (b *Builder) questionAsked(e event.Event, q event.QuestionAsked) {
	if b.requests[q.ID] != nil {
		return
	}
	r := b.newRequest(e, q.ID, q.ToolID)
	r.e = b.add(&Question{ID: b.free("question", q.ID), Asked: q, Scope: e.Scope})
}

func (b *Builder) questionAnswered(e event.Event, a event.QuestionAnswered) {
	r := b.requests[a.ID]
	if r == nil || !r.open {
		return // never asked, or answered before: the first answer counts
	}
	if row, ok := r.e.row.(*Question); ok {
		closed := *row
		closed.Answers, closed.Answered, closed.By = a.Answers, true, a.By
		b.set(r.e, &closed)
	}
	b.closeRequest(e, r)
}

func (b *Builder) dropPending(r *request) {
	for i, p := range b.pending {
		if p == r {
			b.pending = append(b.pending[:i:i], b.pending[i+1:]...)
			return
		}
	}
}

// closeRequests closes the requests that the accounting has closed with their turn or their engine.
func (b *Builder) closeRequests(e event.Event) {
	for _, r := range append([]*request(nil), b.pending...) {
		b.closeRequest(e, r)
	}
}

// waits reports whether a task waits for the user.
func (b *Builder) waits(scope string) bool {
	for _, r := range b.pending {
		if r.scope == scope {
			return true
		}
	}
	return false
}

func (b *Builder) nodeWaits(scope string) {
	if n := b.nodes[scope]; n != nil {
		b.touchNode(n)
	}
}

package store

import (
	"reflect"
	"testing"
	"time"

	"keva/agent/event"
)

// I-12: the first answer wins, also in what is kept.
func TestApprovalsAreDerivedAndTheFirstAnswerWins(t *testing.T) {
	dir := t.TempDir()
	s := mustDisk(t, dir)
	begin(t, s, "s1")
	begin(t, s, "s2")
	at := func(seq int64) time.Time { return ev("", seq, nil).Time }
	add(t, s,
		ev("s1", 1, event.ApprovalAsked{ID: "a1", Tool: event.ToolCommand, Title: "rm x", Command: "rm x\x00y"}),
		ev("s1", 2, event.ApprovalAsked{ID: "a2", Tool: event.ToolEdit, Title: "Edit a.go"}),
		ev("s1", 3, event.QuestionAsked{ID: "q1", Questions: []event.Question{{ID: "1", Text: "Which?"}}}),
		ev("s1", 4, event.QuestionAsked{ID: "q2", Questions: []event.Question{{ID: "1", Text: "Really?"}}}),
		ev("s1", 5, event.ApprovalResolved{ID: "a1", Decision: event.Deny, By: event.ByUser, Reason: "no"}),
		ev("s1", 6, event.ApprovalResolved{ID: "a1", Decision: event.Allow, By: event.ByRule}),
	)
	add(t, s,
		ev("s1", 7, event.QuestionAnswered{ID: "q1", Answers: map[string][]string{"1": {"Blue"}}, By: event.ByUser}),
		ev("s1", 8, event.QuestionAnswered{ID: "q2", By: event.ByUser}),
		ev("s1", 9, event.ApprovalResolved{ID: "stranger", Decision: event.Allow, By: event.ByUser}),
		ev("s1", 10, event.ApprovalAsked{ID: "a1", Tool: event.ToolCommand, Title: "again"}),
	)
	add(t, s, ev("s2", 1, event.ApprovalResolved{ID: "a2", Decision: event.Allow, By: event.ByUser})) // another session's a2

	got, err := s.Approvals(t.Context(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	want := []Approval{
		{
			Session: "s1", ID: "a1", AskedSeq: 1, Turn: "t1", Tool: event.ToolCommand, Title: "rm x", Command: "rm x\x00y",
			Asked: at(1), Decision: event.Deny, By: event.ByUser, Reason: "no", Resolved: at(5),
		},
		{Session: "s1", ID: "a2", AskedSeq: 2, Turn: "t1", Tool: event.ToolEdit, Title: "Edit a.go", Asked: at(2)},
		{
			Session: "s1", ID: "q1", AskedSeq: 3, Question: true, Turn: "t1", Tool: event.ToolQuestion, Title: "Which?",
			Asked: at(3), Decision: event.Allow, By: event.ByUser, Resolved: at(7),
		},
		{
			Session: "s1", ID: "q2", AskedSeq: 4, Question: true, Turn: "t1", Tool: event.ToolQuestion, Title: "Really?",
			Asked: at(4), Decision: event.Deny, By: event.ByUser, Resolved: at(8),
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got  %+v\nwant %+v", got, want)
	}
}

package handoff

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"keva/agent/event"
	"keva/agent/turn"
)

func talk(n, size int) []event.Event {
	var evs []event.Event
	for i := range n {
		text := fmt.Sprintf("message %d.", i) + strings.Repeat("ä", size)
		if i%2 == 0 {
			evs = append(evs, event.Event{Turn: "t", Body: event.UserMessage{ID: fmt.Sprint(i), Text: text}})
		} else {
			evs = append(evs, event.Event{Turn: "t", Body: event.TextFinal{Block: fmt.Sprint(i), Text: text}})
		}
	}
	return evs
}

// The last 12 messages, whole.
func TestReplayKeepsTwelve(t *testing.T) {
	got := Replay(talk(20, 0))
	if strings.Contains(got, "message 7.") || !strings.Contains(got, "message 8.") || !strings.Contains(got, "message 19.") {
		t.Fatal(got)
	}
	if Replay(nil) != "" {
		t.Fatal("a replay of nothing")
	}
}

// At most 12,000 characters, cut at message borders: no message is torn.
func TestReplayCutsAtBorders(t *testing.T) {
	got := Replay(talk(10, 2500))
	n := strings.Count(got, "ä")
	if n == 0 || n%2500 != 0 || n > MaxCharacters {
		t.Fatalf("%d characters are kept", n)
	}
	one := Replay(talk(1, 30000))
	if !utf8.ValidString(one) || !strings.Contains(one, "left out") || strings.Count(one, "ä") > MaxCharacters {
		t.Fatal("a single long message")
	}
}

// The brief says what is known, and calls unknown what is unknown; a task's own talk is not the conversation.
func TestBriefIsHonest(t *testing.T) {
	evs := []event.Event{
		{Turn: "t", Body: event.TurnStarted{Origin: event.OriginUser}},
		{Turn: "t", Body: event.UserMessage{ID: "m", Text: "fix the date test"}},
		{Turn: "t", Body: event.TaskStarted{ID: "a", Task: event.TaskAgent, Title: "look for callers"}},
		{Turn: "t", Scope: "a", Body: event.TextFinal{Block: "x", Text: "private talk of the agent"}},
		{Turn: "t", Body: event.FileChange{ID: "e", Changes: []event.Change{{Path: "parse.go", Kind: event.ChangeUpdate}}, Outcome: event.Success}},
		{Turn: "t", Body: event.ApprovalAsked{ID: "r", Command: "git push"}},
		{Turn: "t", Body: event.ApprovalResolved{ID: "r", Decision: event.Deny, By: event.ByUser, Reason: "not yet"}},
		{Turn: "t", Body: event.TextFinal{Block: "y", Text: "The zone was dropped."}},
		{Body: event.EngineExited{Class: event.ExitKilled, Advice: "The system ended it."}},
	}
	s := &turn.State{}
	for _, e := range evs {
		s.Apply(e)
	}
	got := Brief(evs, s)
	for _, want := range []string{"fix the date test", "parse.go (update, success)", "refused: git push — not yet", "“look for callers”: unknown", "a turn: unknown", "The zone was dropped."} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, "private talk") {
		t.Error("the talk of a task is in the brief")
	}
	if Brief(nil, &turn.State{}) != "" {
		t.Error("a brief of nothing")
	}
}

// A message that was sent again, or whose fate is not known, is one message.
func TestReplayHoldsEachMessageOnce(t *testing.T) {
	m := event.UserMessage{ID: "m", Text: "fix it", Delivery: event.DeliveryPrompt}
	got := Replay([]event.Event{
		{Body: m},
		{Body: event.UserMessage{ID: "m", Delivery: event.DeliveryUnknown}},
		{Body: m},
		{Body: event.TextFinal{Block: "b", Text: "done"}},
	})
	if strings.Count(got, "## User") != 1 || strings.Count(got, "fix it") != 1 || strings.Count(got, "## Assistant") != 1 {
		t.Fatal(got)
	}
}

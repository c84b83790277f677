package turn

import (
	"encoding/json"
	"testing"
	"time"

	"keva/agent/event"
)

var t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// play applies bodies, one second apart. A body may be wrapped in an event to give it a turn or a scope.
func play(evs ...any) *State {
	s := &State{}
	for i, x := range evs {
		e, ok := x.(event.Event)
		if !ok {
			e = event.Event{Turn: "t1", Body: x.(event.Body)}
		}
		e.Seq, e.Time = int64(i+1), t0.Add(time.Duration(i)*time.Second)
		s.Apply(e)
	}
	return s
}

func in(turn, scope string, b event.Body) event.Event {
	return event.Event{Turn: turn, Scope: scope, Body: b}
}

var (
	begin = event.TurnStarted{Origin: event.OriginUser}
	done  = event.TurnCompleted{Outcome: event.Success, Origin: event.OriginUser}
)

func agentStart(id string) event.TaskStarted {
	return event.TaskStarted{ID: id, Task: event.TaskAgent, Title: id, ToolID: "tool-" + id}
}

// §5.1: the second report of a finished agent came without an id and took the slot of one that was alive.
func TestSignalWithoutIDEndsNothing(t *testing.T) {
	s := play(begin, agentStart("a"), agentStart("b"),
		event.TaskEnded{ID: "a", Outcome: event.Failure, Class: event.ClassAuth},
		event.TaskEnded{ID: "", Outcome: event.Success}, // the same agent again, without its id
		event.EngineState{Activity: event.Idle})
	if live := s.LiveTasks(); len(live) != 1 || live[0].ID != "b" {
		t.Fatalf("live: %+v", live)
	}
	if a := s.Task("a"); a.Outcome != event.Failure || a.Class != event.ClassAuth {
		t.Fatalf("a: %+v", a)
	}
}

// I-7: an answered turn with live tasks is not settled, and says how many.
func TestAnsweredIsNotSettled(t *testing.T) {
	s := play(begin, agentStart("a"), done)
	if s.Phase() != PhaseAnswered || s.Settled() || s.Verdict() != "" {
		t.Fatalf("phase %s, settled %v, verdict %q", s.Phase(), s.Settled(), s.Verdict())
	}
	s = play(begin, agentStart("a"), done, event.TaskEnded{ID: "a", Outcome: event.Success})
	if s.Phase() != PhaseSettled || s.Verdict() != event.Success {
		t.Fatalf("phase %s, verdict %q", s.Phase(), s.Verdict())
	}
}

// I-7: a turn that a finished background task started neither closes the user's turn nor counts as its answer.
func TestExtraTurnIsItsOwn(t *testing.T) {
	s := play(begin, in("t1", "", event.TurnCompleted{Outcome: event.Failure, Origin: event.OriginUser}),
		in("t2", "", event.TurnStarted{Origin: event.OriginTask}),
		in("t2", "", event.TurnCompleted{Outcome: event.Success, Origin: event.OriginTask}))
	if v := s.Verdict(); v != event.Failure {
		t.Fatalf("the verdict is %q: the extra turn was taken for the answer", v)
	}
}

// I-9: when the process is gone, live entries are unknown, never done; a turn whose task is unknown is not done either.
func TestExitLeavesUnknown(t *testing.T) {
	s := play(begin, event.ToolStarted{ID: "x", Tool: event.ToolCommand}, agentStart("a"),
		event.ApprovalAsked{ID: "r", Title: "touch"}, event.EngineExited{Class: event.ExitKilled})
	if s.Turn("t1").Outcome != event.Unknown || s.Task("a").Outcome != event.Unknown || s.Item("x").Outcome != event.Unknown {
		t.Fatalf("turn %q task %q item %q", s.Turn("t1").Outcome, s.Task("a").Outcome, s.Item("x").Outcome)
	}
	if r := s.Request("r"); r.Decision != event.Lost {
		t.Fatalf("request %q", r.Decision)
	}
	s = play(begin, agentStart("a"), done, event.EngineExited{Class: event.ExitClean})
	if s.Turn("t1").Outcome != event.Success || s.Verdict() != event.Unknown {
		t.Fatalf("turn %q, verdict %q", s.Turn("t1").Outcome, s.Verdict())
	}
}

// I-11: at the end of a turn, items whose end was seen keep it, the others are unknown; a late end is still evidence.
func TestOpenItemsAtTurnEnd(t *testing.T) {
	evs := []any{
		begin,
		event.ToolStarted{ID: "ok"},
		event.ToolEnded{ID: "ok", Outcome: event.Success},
		event.ToolStarted{ID: "open"},
		done,
	}
	s := play(evs...)
	if s.Item("ok").Outcome != event.Success || s.Item("open").Outcome != event.Unknown {
		t.Fatalf("%+v", s.Items)
	}
	s = play(append(evs, event.ToolEnded{ID: "open", Outcome: event.Failure})...)
	if s.Item("open").Outcome != event.Failure || len(s.Items) != 2 {
		t.Fatalf("%+v", s.Items)
	}
}

// I-10: what a task does never touches the main agent's turn, context or items.
func TestScopeIsolation(t *testing.T) {
	s := play(begin, agentStart("a"),
		in("t1", "", event.Usage{ContextUsed: 10, ContextWindow: 100}),
		in("t1", "a", event.Usage{ContextUsed: 99, ContextWindow: 100}),
		in("t1", "a", event.Retrying{Attempt: 3}),
		in("t1", "a", event.ToolStarted{ID: "x"}), done)
	if s.Usage.ContextUsed != 10 || s.Retry != nil {
		t.Fatalf("usage %+v retry %+v", s.Usage, s.Retry)
	}
	if s.Item("x").Outcome != "" {
		t.Fatal("the end of the main turn closed an item of a live task")
	}
}

// I-6: ends are idempotent, and bad news is not undone by a later "completed".
func TestEndsAreIdempotent(t *testing.T) {
	s := play(begin, agentStart("a"),
		event.TaskEnded{ID: "a", Outcome: event.Failure, Class: event.ClassLimit, Summary: "limit"},
		event.TaskEnded{ID: "a", Outcome: event.Success},
		event.TaskEnded{ID: "a", Outcome: event.Unknown},
		event.TaskStarted{ID: "a", Task: event.TaskAgent, ToolID: "tool-a"}) // the same dispatch, heard twice
	if a := s.Task("a"); a.Outcome != event.Failure || a.Class != event.ClassLimit || a.Generation != 1 || len(s.Tasks) != 1 {
		t.Fatalf("%+v", s.Tasks)
	}
}

// I-6: a restart under the same id by another dispatch is a new generation.
func TestRestartIsANewGeneration(t *testing.T) {
	s := play(begin, agentStart("a"), event.TaskEnded{ID: "a", Outcome: event.Success},
		event.TaskStarted{ID: "a", Task: event.TaskAgent, ToolID: "other"})
	if a := s.Task("a"); !a.Live() || a.Generation != 2 {
		t.Fatalf("%+v", a)
	}
}

// I-12: the first answer wins, whoever comes later.
func TestFirstAnswerWins(t *testing.T) {
	s := play(begin, event.ApprovalAsked{ID: "r"},
		event.ApprovalResolved{ID: "r", Decision: event.Deny, By: event.ByUser},
		event.ApprovalResolved{ID: "r", Decision: event.Allow, By: event.ByRule},
		event.ApprovalAsked{ID: "r"})
	if r := s.Request("r"); r.Decision != event.Deny || r.By != event.ByUser || len(s.PendingRequests()) != 0 {
		t.Fatalf("%+v", s.Requests)
	}
}

// Messages that a running turn has read leave the queue by id; the others stay.
func TestQueueByID(t *testing.T) {
	s := play(begin, event.UserMessage{ID: "m1", Delivery: event.DeliveryPrompt},
		event.UserMessage{ID: "m2", Delivery: event.DeliveryQueued}, event.UserMessage{ID: "m3", Delivery: event.DeliveryQueued},
		event.TurnCompleted{Outcome: event.Success, Origin: event.OriginUser, Messages: []string{"m1", "m3"}})
	if len(s.Queue) != 1 || s.Queue[0] != "m2" {
		t.Fatalf("%v", s.Queue)
	}
	s.Apply(event.Event{Body: event.EngineExited{Class: event.ExitCrashed}})
	if len(s.Queue) != 0 || len(s.Unread) != 1 {
		t.Fatalf("queue %v, unread %v", s.Queue, s.Unread)
	}
}

// I-2: an outcome that is no outcome is a failure.
func TestInvalidOutcomeIsFailure(t *testing.T) {
	s := play(begin, agentStart("a"), event.TaskEnded{ID: "a"}, event.TurnCompleted{})
	if s.Task("a").Outcome != event.Failure || s.Turn("t1").Outcome != event.Failure {
		t.Fatalf("task %q, turn %q", s.Task("a").Outcome, s.Turn("t1").Outcome)
	}
}

// A state that was written and read again must go on as before.
func TestStateSurvivesJSON(t *testing.T) {
	a := play(begin, agentStart("a"), event.ToolStarted{ID: "x"})
	data, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	b := &State{}
	if err := json.Unmarshal(data, b); err != nil {
		t.Fatal(err)
	}
	end := event.Event{Turn: "t1", Time: t0, Body: event.TaskEnded{ID: "a", Outcome: event.Success}}
	a.Apply(end)
	b.Apply(end)
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	if string(x) != string(y) {
		t.Fatalf("\n%s\n%s", x, y)
	}
}

// A prompt that was sent, and whose turn has not begun yet, is not a settled session: with some engines the turn begins
// only when the engine says so.
func TestSentIsNotSettled(t *testing.T) {
	m := in("", "", event.UserMessage{ID: "m1", Delivery: event.DeliveryPrompt})
	s := play(m)
	if s.Settled() || s.Phase() != PhaseRunning {
		t.Fatalf("settled %v, phase %s", s.Settled(), s.Phase())
	}
	s = play(m, begin, event.TurnCompleted{Outcome: event.Success, Origin: event.OriginUser, Messages: []string{"m1"}})
	if !s.Settled() {
		t.Fatalf("queue %v", s.Queue)
	}
	s = play(m, in("", "", event.UserMessage{ID: "m1", Delivery: event.DeliveryUnknown}))
	if !s.Settled() || len(s.Unread) != 1 {
		t.Fatalf("queue %v, unread %v", s.Queue, s.Unread)
	}
}

// A message that nobody may have read is no success, however the turn before it went; the next turn answers for itself.
func TestUnreadMessageIsNotDone(t *testing.T) {
	said := in("", "", event.UserMessage{ID: "m", Text: "and now?", Delivery: event.DeliveryPrompt})
	gone := in("", "", event.EngineExited{Class: event.ExitUnknown})
	if s := play(begin, done, said, gone); s.Phase() != PhaseSettled || s.Verdict() != event.Unknown {
		t.Fatalf("phase %s, verdict %q", s.Phase(), s.Verdict())
	}
	s := play(begin, done, said, in("", "", event.UserMessage{ID: "m", Delivery: event.DeliveryUnknown}))
	if s.Verdict() != event.Unknown {
		t.Fatalf("verdict %q", s.Verdict())
	}
	s = play(begin, done, said, gone, in("t2", "", begin), in("t2", "", done))
	if s.Verdict() != event.Success {
		t.Fatalf("verdict %q", s.Verdict())
	}
}

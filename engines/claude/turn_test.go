package claude

import (
	"slices"
	"testing"

	"keva/agent/event"
	"keva/engines"
)

// script maps lines; ">" marks one that Keva sends.
func script(m *Mapper, lines ...string) []event.Event {
	var evs []event.Event
	for _, l := range lines {
		f := engines.Frame{Dir: engines.Out, Line: []byte(l)}
		if l[0] == '>' {
			f = engines.Frame{Dir: engines.In, Line: []byte(l[1:])}
		}
		evs = append(evs, m.Map(f)...)
	}
	return evs
}

const (
	wireInit    = `{"type":"system","subtype":"init","session_id":"s"}`
	wireRunning = `{"type":"system","subtype":"session_state_changed","state":"running"}`
	wireIdle    = `{"type":"system","subtype":"session_state_changed","state":"idle"}`
	wireTold    = `{"type":"system","subtype":"task_notification","task_id":"b1","status":"completed","summary":"done"}`
	wireUser    = `>{"type":"user","message":{"role":"user","content":"hello"},"uuid":"u1"}`
	wireReplay  = `{"type":"user","message":{"role":"user","content":"hello"},"uuid":"u1","isReplay":true}`
	wireNotif   = `{"type":"assistant","message":{"id":"n","content":[{"type":"text","text":"NOTIF"}]}}`
	wireAnswer  = `{"type":"assistant","message":{"id":"a","content":[{"type":"text","text":"ANSWER"}]}}`
	wireTaskEnd = `{"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed","origin":{"kind":"task-notification"}}`
	wireEnd     = `{"type":"result","subtype":"success","is_error":false,"terminal_reason":"completed"}`
	wirePrompt0 = `>{"type":"user","message":{"role":"user","content":"first"},"uuid":"u0"}`
)

// I-7: whenever a message meets the end of a background task, the turn about the task is not taken for its answer. The
// orders are those that the real engine produced.
func TestATaskTurnIsNotTheAnswer(t *testing.T) {
	for name, lines := range map[string][]string{
		"sent before the engine runs":     {wireUser, wireRunning, wireTold, wireInit, wireNotif, wireTaskEnd, wireInit, wireReplay, wireAnswer, wireEnd, wireIdle},
		"sent before the notification":    {wireRunning, wireUser, wireTold, wireInit, wireNotif, wireTaskEnd, wireInit, wireReplay, wireAnswer, wireEnd, wireIdle},
		"sent between it and its turn":    {wireRunning, wireTold, wireUser, wireInit, wireNotif, wireTaskEnd, wireInit, wireReplay, wireAnswer, wireEnd, wireIdle},
		"sent while its turn runs":        {wireRunning, wireTold, wireInit, wireUser, wireNotif, wireTaskEnd, wireInit, wireReplay, wireAnswer, wireEnd, wireIdle},
		"sent after its turn":             {wireRunning, wireTold, wireInit, wireNotif, wireTaskEnd, wireUser, wireIdle, wireRunning, wireInit, wireReplay, wireAnswer, wireEnd},
		"a task that was stopped at idle": {wireTold, wireUser, wireRunning, wireInit, wireReplay, wireAnswer, wireEnd, wireIdle},
	} {
		t.Run(name, func(t *testing.T) {
			m := NewMapper("")
			evs := script(m, wirePrompt0, wireRunning, wireInit, wireEnd, wireIdle)
			evs = append(evs, script(m, lines...)...)
			ends, says := map[string]event.TurnCompleted{}, map[string]string{}
			for _, e := range evs {
				switch b := e.Body.(type) {
				case event.TurnCompleted:
					if _, twice := ends[e.Turn]; twice {
						t.Errorf("%s ended twice", e.Turn)
					}
					ends[e.Turn] = b
				case event.TextFinal:
					says[b.Text] = e.Turn
				}
			}
			answer := ends[says["ANSWER"]]
			if answer.Origin != event.OriginUser || !slices.Equal(answer.Messages, []string{"u1"}) || answer.Outcome != event.Success {
				t.Errorf("the answer's turn ended as %+v", answer)
			}
			if turn := says["NOTIF"]; turn != "" && (ends[turn].Origin != event.OriginTask || len(ends[turn].Messages) > 0) {
				t.Errorf("the notification's turn ended as %+v", ends[turn])
			}
			if m.process.turn != nil || m.process.waiting != nil {
				t.Error("a turn is left open")
			}
		})
	}
}

// The engine does not say that a message starts a task's turn: the result does, and the message waits on.
func TestResultTellsWhoseTurnItWas(t *testing.T) {
	evs := script(NewMapper(""), wireUser, wireInit, wireNotif, wireTaskEnd, wireInit, wireReplay, wireAnswer, wireEnd)
	var last event.TurnCompleted
	n := 0
	for _, e := range evs {
		if b, ok := e.Body.(event.TurnCompleted); ok {
			last = b
			n++
		}
	}
	if n != 2 || last.Origin != event.OriginUser || !slices.Equal(last.Messages, []string{"u1"}) {
		t.Errorf("%d ends, the last %+v", n, last)
	}
}

func TestLeftoversOfAResume(t *testing.T) {
	evs := script(NewMapper("s"), wireRunning, wireTold, wireInit, `{"type":"result","subtype":"success","is_error":false,"num_turns":0,"result":"","origin":{"kind":"task-notification"}}`, wireIdle)
	for _, e := range evs {
		switch b := e.Body.(type) {
		case event.TurnStarted:
			if b.Origin != event.OriginResume {
				t.Errorf("started by %s", b.Origin)
			}
		case event.TurnCompleted:
			if b.Origin != event.OriginResume {
				t.Errorf("ended by %s", b.Origin)
			}
		}
	}
}

// H4: an interrupt explains the end of its own turn only.
func TestInterruptIsPerTurn(t *testing.T) {
	bad := `{"type":"result","subtype":"error_during_execution","is_error":true}`
	evs := script(NewMapper(""), wirePrompt0, wireInit, `>{"type":"control_request","request_id":"1","request":{"subtype":"interrupt"}}`, bad, wireUser, wireInit, bad)
	var got []event.Outcome
	for _, e := range evs {
		if b, ok := e.Body.(event.TurnCompleted); ok {
			got = append(got, b.Outcome)
		}
	}
	if !slices.Equal(got, []event.Outcome{event.Interrupted, event.Failure}) {
		t.Errorf("%v", got)
	}
}

// F9, and the restart of a finished agent: lines keep the first parent, the failure does not outlive its generation, and
// a notification without an id ends nothing.
func TestTaskRestart(t *testing.T) {
	m := NewMapper("")
	evs := script(
		m, wirePrompt0, wireInit,
		`{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"T1","name":"Agent","input":{"description":"d","run_in_background":true}}]}}`,
		`{"type":"system","subtype":"task_started","task_id":"a1","tool_use_id":"T1","task_type":"local_agent"}`,
		`{"type":"assistant","parent_tool_use_id":"T1","error":"authentication_failed","message":{"id":"e","model":"<synthetic>","content":[{"type":"text","text":"Invalid API key"}]}}`,
		`{"type":"system","subtype":"task_updated","task_id":"a1","patch":{"status":"completed"}}`,
		`{"type":"assistant","message":{"id":"m2","content":[{"type":"tool_use","id":"T2","name":"SendMessage","input":{"to":"a1"}}]}}`,
		`{"type":"system","subtype":"task_started","task_id":"a1","tool_use_id":"T2","task_type":"local_agent"}`,
		`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"T2","content":"resumed"}]}}`,
		`{"type":"assistant","parent_tool_use_id":"T1","message":{"id":"m3","content":[{"type":"text","text":"again"}]}}`,
		`{"type":"system","subtype":"task_notification","status":"failed","summary":"who?"}`,
		`{"type":"system","subtype":"task_updated","task_id":"a1","patch":{"status":"completed"}}`,
	)
	var ends []event.TaskEnded
	starts := 0
	for _, e := range evs {
		switch b := e.Body.(type) {
		case event.TaskEnded:
			ends = append(ends, b)
		case event.TaskStarted:
			starts++
		case event.TextFinal:
			if e.Scope != "a1" {
				t.Errorf("%q in scope %q", b.Text, e.Scope)
			}
		}
	}
	if starts != 2 || len(ends) != 3 {
		t.Fatalf("%d starts, ends %+v", starts, ends)
	}
	if ends[0].Outcome != event.Failure || ends[0].Class != event.ClassAuth {
		t.Errorf("the failed generation: %+v", ends[0])
	}
	if ends[1].ID != "" {
		t.Errorf("a signal without an id ended %q", ends[1].ID)
	}
	if ends[2].Outcome != event.Success || ends[2].ID != "a1" {
		t.Errorf("the second generation: %+v", ends[2])
	}
}

// I-10: a line of an agent that was never told of is not the main agent's.
func TestUnknownParentIsNotTheMainAgent(t *testing.T) {
	evs := script(NewMapper(""), wirePrompt0, wireInit,
		`{"type":"assistant","parent_tool_use_id":"T9","message":{"id":"m1","content":[{"type":"text","text":"from nowhere"}]}}`)
	last := evs[len(evs)-1]
	if _, ok := last.Body.(event.TextFinal); !ok || last.Scope != "tool:T9" {
		t.Errorf("%+v", last)
	}
}

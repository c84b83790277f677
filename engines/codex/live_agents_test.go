package codex

import (
	"strings"
	"testing"

	"keva/agent/event"
	"keva/agent/runtime"
)

// agentModel is a model that is offered the newer sub-agent tools.
const agentModel = "gpt-6.2-sol"

func taskEnded(id string) func(event.Event) bool {
	return func(e event.Event) bool {
		end, ok := e.Body.(event.TaskEnded)
		return ok && end.ID == id
	}
}

// Two sub-agents of the real engine: one does its work and is asked again later, the other hangs and is stopped. The main
// turn ends on its own, and nothing of theirs is taken for its.
func TestLiveSubAgents(t *testing.T) {
	p := perThread(t,
		func(n int) []output {
			switch n {
			case 0:
				return []output{agent("spawn_agent", map[string]any{"task_name": "good", "message": "Do A", "fork_turns": "none"})}
			case 1:
				return []output{agent("spawn_agent", map[string]any{"task_name": "stuck", "message": "Do B", "fork_turns": "none"})}
			case 3:
				return []output{agent("followup_task", map[string]any{"target": "good", "message": "Do C"})}
			}
			return []output{say("I do not wait.")}
		},
		func(int) []output { return []output{say("A is done.")} },
		func(int) []output { return nil },
	)
	rt, w, _ := startLive(t, p, runtime.Start{Model: agentModel})
	send(t, rt, "m-1", "Delegate")
	e, _ := w.wait(0, "first sub-agent", func(e event.Event) bool {
		s, ok := e.Body.(event.TaskStarted)
		return ok && s.Title == "good"
	})
	good := e.Body.(event.TaskStarted)
	e, _ = w.wait(0, "second sub-agent", func(e event.Event) bool {
		s, ok := e.Body.(event.TaskStarted)
		return ok && s.Title == "stuck"
	})
	stuck := e.Body.(event.TaskStarted)
	e, _ = w.wait(0, "end of the turn", is[event.TurnCompleted])
	if end := e.Body.(event.TurnCompleted); end.Outcome != event.Success {
		t.Errorf("%+v", end)
	}
	e, at := w.wait(0, "end of the first", taskEnded(good.ID))
	if end := e.Body.(event.TaskEnded); end.Outcome != event.Success || end.Summary != "A is done." {
		t.Errorf("%+v", end)
	}
	if err := rt.StopTask(t.Context(), stuck.ID); err != nil {
		t.Fatal(err)
	}
	e, _ = w.wait(0, "end of the second", taskEnded(stuck.ID))
	if end := e.Body.(event.TaskEnded); end.Outcome != event.Interrupted {
		t.Errorf("%+v", end)
	}
	if err := rt.StopTask(t.Context(), stuck.ID); err == nil {
		t.Error("stopped twice")
	}

	send(t, rt, "m-2", "Ask A again")
	e, at = w.wait(at, "restart of the first", func(e event.Event) bool {
		s, ok := e.Body.(event.TaskStarted)
		return ok && s.ID == good.ID
	})
	if again := e.Body.(event.TaskStarted); again.ToolID == good.ToolID {
		t.Errorf("the restart names the old dispatch: %+v", again)
	}
	w.wait(at, "second end of the first", taskEnded(good.ID))
	if err := rt.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	turns := map[string]int{}
	for _, e := range w.all() {
		switch b := e.Body.(type) {
		case event.TurnStarted, event.TurnCompleted:
			turns[e.Turn]++
			if e.Scope != "" {
				t.Errorf("a turn with a scope: %+v", e)
			}
		case event.TextFinal:
			if strings.HasPrefix(b.Text, "A is") != (e.Scope == good.ID) {
				t.Errorf("text in the wrong scope: %+v", e)
			}
		case event.Unrecognised:
			t.Errorf("%+v", b)
		}
	}
	for id, n := range turns {
		if n != 2 {
			t.Errorf("turn %s: %d starts and ends", id, n)
		}
	}
	if len(turns) != 2 {
		t.Errorf("%d turns", len(turns))
	}
}

// An interrupt stops the main turn and its sub-agents, though the engine itself would let them go on.
func TestLiveInterruptWithSubAgent(t *testing.T) {
	p := perThread(t,
		func(n int) []output {
			if n == 0 {
				return []output{agent("spawn_agent", map[string]any{"task_name": "child", "message": "Do A", "fork_turns": "none"})}
			}
			return []output{agent("wait_agent", map[string]any{"timeout_ms": 300000})}
		},
		func(n int) []output {
			return []output{{"type": "custom_tool_call", "name": "exec", "call_id": "", "input": "await tools.exec_command({cmd: 'touch made.txt'})"}}
		},
	)
	rt, w, _ := startLive(t, p, runtime.Start{Model: agentModel})
	send(t, rt, "m-1", "Delegate")
	e, at := w.wait(0, "approval of the sub-agent's command", is[event.ApprovalAsked])
	if e.Scope == "" {
		t.Errorf("no scope: %+v", e)
	}
	child := e.Scope
	w.wait(0, "wait of the main agent", func(e event.Event) bool {
		s, ok := e.Body.(event.ToolStarted)
		return ok && s.Name == "wait"
	})
	if err := rt.Interrupt(t.Context()); err != nil {
		t.Fatal(err)
	}
	e, _ = w.wait(at, "end of the sub-agent", taskEnded(child))
	if end := e.Body.(event.TaskEnded); end.Outcome != event.Interrupted {
		t.Errorf("%+v", end)
	}
	e, _ = w.wait(at, "end of the turn", is[event.TurnCompleted])
	if end := e.Body.(event.TurnCompleted); end.Outcome != event.Interrupted {
		t.Errorf("%+v", end)
	}
	e, _ = w.wait(at, "resolution", is[event.ApprovalResolved])
	if r := e.Body.(event.ApprovalResolved); r.Decision == event.Allow {
		t.Errorf("%+v", r)
	}
}

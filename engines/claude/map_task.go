package claude

import (
	"strings"

	"keva/agent/event"
)

// task is what is remembered of a sub-agent or a background command, so that its lines find their scope and a failure
// that the engine calls "completed" is not lost.
type task struct {
	kind   event.TaskKind
	turn   string // that dispatched it
	scope  string // of the agent that dispatched it
	toolID string // the block that started its present generation
	failed event.Class
}

// scopeOf turns the parent of a line, the block that dispatched the agent, into the agent's task. A restarted agent's lines
// keep the first parent. A parent whose task was not told gets a scope of its own: better than the main agent's (I-10).
func (s *step) scopeOf(parent string) string {
	if parent == "" {
		return ""
	}
	if id := s.byTool[parent]; id != "" {
		return id
	}
	return "tool:" + parent
}

// task returns the entry of a task, and makes one for a task that is heard of for the first time.
func (s *step) task(l line) *task {
	t := s.tasks[l.TaskID]
	if t == nil {
		t = &task{kind: event.TaskOther, turn: s.turnOf("")}
		if call := s.process.tools[l.ToolUseID]; call != nil {
			t.turn, t.scope = call.turn, call.scope
		}
		s.tasks[l.TaskID] = t
	}
	if l.ToolUseID != "" {
		if _, ok := s.byTool[l.ToolUseID]; !ok {
			s.byTool[l.ToolUseID] = l.TaskID
		}
	}
	return t
}

func (s *step) emitTask(t *task, b event.Body) { s.emitIn(t.turn, t.scope, b) }

func (s *step) taskStarted(l line, raw []byte) {
	if l.TaskID == "" {
		s.unrecognised("task_started without an id", raw)
		return
	}
	t := s.task(l)
	e := event.TaskStarted{ID: l.TaskID, Title: l.Description, Agent: l.AgentType, ToolID: l.ToolUseID, Prompt: l.Prompt}
	switch l.TaskType {
	case "local_agent":
		t.kind = event.TaskAgent
	case "local_bash":
		t.kind = event.TaskCommand
	default:
		t.kind = event.TaskOther
	}
	e.Task = t.kind
	if l.ToolUseID != t.toolID {
		t.toolID, t.failed = l.ToolUseID, "" // a new generation: the old one's failure is not its own
	}
	if call := s.process.tools[l.ToolUseID]; call != nil {
		t.turn, t.scope = call.turn, call.scope
		e.Background = call.input.Background || call.name == "SendMessage" // which never waits
		if e.Title == "" {
			e.Title = toolTitle(call.name, call.input)
		}
	}
	s.emitTask(t, e)
}

func (s *step) taskProgress(l line, raw []byte) {
	if l.TaskID == "" {
		s.unrecognised("task_progress without an id", raw)
		return
	}
	s.emitTask(s.task(l), event.TaskProgress{
		ID: l.TaskID, Doing: l.Description, ToolUses: l.Usage.ToolUses, Tokens: l.Usage.Total,
	})
}

// toolProgress is a sign of life of a running command; its own tool id is made up by the engine (protocol/claude.md §1).
func (s *step) toolProgress(l line) {
	if l.TaskID == "" {
		s.quiet("tool_progress")
		return
	}
	l.ToolUseID = l.Parent
	s.emitTask(s.task(l), event.TaskProgress{ID: l.TaskID})
}

func (s *step) taskUpdated(l line, raw []byte) {
	if l.TaskID == "" {
		s.unrecognised("task_updated without an id", raw)
		return
	}
	t := s.task(l)
	before := len(s.events)
	if l.Patch.Backgrounded {
		s.emitTask(t, event.TaskProgress{ID: l.TaskID, Background: true})
	}
	if o, final := taskOutcome(l.Patch.Status); final {
		s.taskEnded(l.TaskID, t, o, "", "task_updated")
	}
	if len(s.events) == before {
		s.quiet("task_updated")
	}
}

// taskNotification ends the task that it names. One without an id ends nothing.
func (s *step) taskNotification(l line) {
	p := &s.process
	p.notified = true
	p.announced = p.state == "running" && (p.turn == nil || !p.turn.seen)
	o, final := taskOutcome(l.Status)
	if !final {
		o = event.Unknown
	}
	if l.TaskID == "" {
		s.emit("", event.TaskEnded{Outcome: o, Summary: l.Summary, Via: "task_notification"})
		return
	}
	if o == event.Failure && strings.Contains(l.Summary, "timed out") {
		o = event.Timeout
	}
	s.taskEnded(l.TaskID, s.task(l), o, l.Summary, "task_notification")
}

// taskEnded tells an end of task id. An agent whose last request failed is called completed by the engine; the evidence
// says otherwise (F9).
func (s *step) taskEnded(id string, t *task, o event.Outcome, summary, via string) {
	e := event.TaskEnded{ID: id, Outcome: o, Summary: summary, Via: via}
	switch {
	case o == event.Success && t.failed != "":
		e.Outcome, e.Class = event.Failure, t.failed
	case o == event.Failure:
		if e.Class = t.failed; e.Class == "" {
			e.Class = event.ClassTool
		}
	case o == event.Interrupted:
		e.Class = event.ClassInterrupted
	}
	s.emitTask(t, e)
}

// taskReturned reads the result of the block that dispatched a task: the end of foreground work, and the only place where
// the failure of a foreground agent shows.
func (s *step) taskReturned(toolID string, call *tool, r toolResult, e event.ToolEnded) {
	id := s.byTool[toolID]
	if id == "" {
		id = r.AgentID
	}
	t := s.tasks[id]
	if t == nil || e.Background != "" || call.name == "SendMessage" || t.toolID != toolID && t.toolID != "" {
		return
	}
	if e.Outcome == event.Failure && t.kind == event.TaskAgent {
		t.failed = e.Class
	}
	end := event.TaskEnded{ID: id, Outcome: e.Outcome, Class: e.Class, Via: "tool_result"}
	if t.kind == event.TaskAgent && e.Outcome == event.Failure {
		end.Summary = firstLine(e.Output)
	}
	s.emitTask(t, end)
}

// taskOutcome maps a status word; final is false for words of running work. An unknown word is a failed end (I-2).
func taskOutcome(word string) (o event.Outcome, final bool) {
	switch word {
	case "", "pending", "queued", "running", "in_progress":
		return event.Unknown, false
	case "completed":
		return event.Success, true
	case "killed", "stopped", "cancelled":
		return event.Interrupted, true
	}
	return event.Failure, true
}

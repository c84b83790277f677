package claude

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"keva/agent/event"
)

// tool is a tool call whose result has not come.
type tool struct {
	name    string
	turn    string
	scope   string
	input   toolInput
	refused bool // denied by us, a rule or the mode
}

func decodeString(raw json.RawMessage, s *string) error { return json.Unmarshal(raw, s) }

func (s *step) toolStarted(scope string, b block, raw []byte) {
	if b.ID == "" {
		s.unrecognised("tool_use without an id", raw)
		return
	}
	t := &tool{name: b.Name, turn: s.turnOf(scope), scope: scope}
	_ = decode(b.Input, &t.input)
	if old := s.process.tools[b.ID]; old != nil {
		t.refused = old.refused // its request came first
	}
	s.process.tools[b.ID] = t
	e := event.ToolStarted{
		ID: b.ID, Tool: toolKind(b.Name), Name: b.Name, Title: toolTitle(b.Name, t.input), Input: input(b.Input),
	}
	if e.Tool == event.ToolCommand {
		e.Dir = s.ready.Dir
	}
	s.emitIn(t.turn, scope, e)
}

// input returns a copy of valid JSON: the frame's bytes belong to the caller.
func input(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || !json.Valid(raw) {
		return nil
	}
	return bytes.Clone(raw)
}

var exitCode = regexp.MustCompile(`^(?:Error: )?Exit code (\d+)\n?`)

// toolEnded closes a tool call, tells what it changed or found, and what it says about a task.
func (s *step) toolEnded(scope string, b block, structured json.RawMessage) {
	t := s.process.tools[b.ToolUseID]
	if t == nil {
		t = &tool{turn: s.turnOf(scope), scope: scope} // its start was not seen: the end is evidence all the same
	}
	delete(s.process.tools, b.ToolUseID)
	s.closeRequestsOf(b.ToolUseID)
	var r toolResult
	isObject := len(structured) > 0 && structured[0] == '{' && decode(structured, &r) == nil
	var whole string
	_ = decodeString(structured, &whole)
	bs, _ := blocks(b.Content)
	text := strings.TrimSuffix(strings.TrimPrefix(plainText(bs), "<tool_use_error>"), "</tool_use_error>")
	e := event.ToolEnded{ID: b.ToolUseID, Outcome: event.Success, Output: text, Millis: r.TotalMillis + r.Millis + int64(r.Seconds*1000)}
	if isObject && t.name == "Bash" {
		e.Output = commandOutput(r, text)
	}
	switch {
	case t.refused, b.IsError && neverRan(text):
		e.Outcome, e.Class = event.Failure, event.ClassDenied
	case whole == "User rejected tool use", r.Interrupted:
		e.Outcome, e.Class = event.Interrupted, event.ClassInterrupted
	case b.IsError:
		e.Outcome, e.Class = event.Failure, event.ClassTool
		if m := exitCode.FindStringSubmatch(text); m != nil && t.name == "Bash" {
			if n, err := strconv.Atoi(m[1]); err == nil {
				e.ExitCode, e.Output = &n, text[len(m[0]):]
			}
			if strings.HasPrefix(e.Output, "Command timed out") {
				e.Outcome = event.Timeout
			}
		}
	}
	agent := toolKind(t.name) == event.ToolAgent && t.name != "SendMessage"
	if class := agentFailure(r, bs, e.Outcome, agent); class != "" {
		e.Outcome, e.Class = event.Failure, class
	}
	if e.Background = r.BackTask; e.Background == "" && r.Async {
		e.Background = r.AgentID
	}
	if e.Outcome == event.Success {
		s.effects(b.ToolUseID, t, r, isObject, text)
	} else if web := webActivity(b.ToolUseID, t, toolResult{}, false, ""); web != nil {
		s.emitIn(t.turn, t.scope, *web)
	}
	s.emitIn(t.turn, t.scope, e)
	s.taskReturned(b.ToolUseID, t, r, e)
}

// neverRan knows the sentences with which the engine itself refuses a call before it runs.
func neverRan(text string) bool {
	return strings.HasPrefix(text, "Tool permission request failed") ||
		strings.HasPrefix(text, "Permission to use ") && strings.Contains(text, "denied") ||
		strings.HasPrefix(text, "PreToolUse:") && strings.Contains(text, " hook error")
}

// effects tells what a successful tool did.
func (s *step) effects(id string, t *tool, r toolResult, structured bool, text string) {
	switch toolKind(t.name) {
	case event.ToolEdit:
		if c, ok := changeDone(t.name, t.input, r, structured); ok {
			s.emitIn(t.turn, t.scope, event.FileChange{ID: id, Changes: []event.Change{c}, Outcome: event.Success})
		}
	case event.ToolWeb:
		if web := webActivity(id, t, r, structured, text); web != nil {
			s.emitIn(t.turn, t.scope, *web)
		}
	case event.ToolPlan:
		p := s.plans[t.scope]
		if p == nil {
			p = &plan{}
			s.plans[t.scope] = p
		}
		if p.apply(t.name, t.input, r, text) {
			s.emitIn(t.turn, t.scope, p.event())
		}
	case event.ToolCommand, event.ToolRead, event.ToolSearch, event.ToolAgent, event.ToolQuestion, event.ToolMCP,
		event.ToolImage, event.ToolOther:
		// Their output says it all.
	}
}

// commandOutput joins what a command printed. Where the engine kept the whole output in a file, that is said.
func commandOutput(r toolResult, text string) string {
	out := r.Stdout
	if r.Stderr != "" {
		if out != "" && !strings.HasSuffix(out, "\n") {
			out += "\n"
		}
		out += r.Stderr
	}
	switch {
	case r.BackTask != "":
		return text
	case r.Persisted != "":
		out += "\n[The whole output is in " + r.Persisted + "]"
	}
	return out
}

// closeTools forgets the main agent's calls of a turn that is over: no result of theirs will come. Calls of tasks stay,
// they outlive the turn.
func (s *step) closeTools(turn string) {
	for id, t := range s.process.tools {
		if t.turn == turn && t.scope == "" {
			delete(s.process.tools, id)
		}
	}
}

package claude

import (
	"encoding/json"
	"reflect"
	"strings"

	"keva/agent/event"
)

// request is a can_use_tool that waits for an answer.
type request struct {
	turn, scope string
	toolID      string
	input       json.RawMessage
	questions   []event.Question // nil for an approval
}

// asked maps a request of the engine. Only can_use_tool is for people; hooks and in-process MCP servers are never
// registered by Keva, so requests of theirs are answered by the adapter alone.
func (s *step) asked(l line, raw []byte) {
	var r controlRequest
	if decode(l.Request, &r) != nil || l.RequestID == "" {
		s.unrecognised("control_request that can't be read", raw)
		return
	}
	switch r.Subtype {
	case "can_use_tool":
		s.canUseTool(l.RequestID, r, raw)
	case "hook_callback", "mcp_message":
		s.quiet("control_request/" + r.Subtype)
	default:
		s.unrecognised("control_request/"+r.Subtype, raw)
	}
}

func (s *step) canUseTool(id string, r controlRequest, raw []byte) {
	var in toolInput
	if r.ToolName == "" || decode(r.Input, &in) != nil {
		s.unrecognised("can_use_tool that can't be read", raw)
		return
	}
	scope := r.AgentID
	if call := s.process.tools[r.ToolUseID]; call != nil && scope == "" {
		scope = call.scope
	}
	q := &request{turn: s.turnOf(scope), scope: scope, toolID: r.ToolUseID, input: input(r.Input)}
	s.process.requests[id] = q
	if r.ToolName == "AskUserQuestion" {
		if q.questions = questions(in); len(q.questions) > 0 {
			s.emitIn(q.turn, scope, event.QuestionAsked{ID: id, ToolID: r.ToolUseID, Questions: q.questions})
			return
		}
	}
	e := event.ApprovalAsked{
		ID: id, Tool: toolKind(r.ToolName), Name: r.ToolName, ToolID: r.ToolUseID,
		Title: toolTitle(r.ToolName, in), Input: q.input, Reason: r.Description,
	}
	switch {
	case e.Tool == event.ToolCommand:
		e.Command, e.Dir = in.Command, s.ready.Dir
	case e.Tool == event.ToolEdit:
		e.Changes = changesAsked(r.ToolName, in)
		e.Reason = "" // only the path again
	case r.ToolName == "ExitPlanMode":
		e.Reason = in.Plan
	}
	if e.Reason == e.Title {
		e.Reason = ""
	}
	if e.Reason == "" {
		e.Reason = r.DecisionReason
	}
	s.emitIn(q.turn, scope, e)
}

func questions(in toolInput) []event.Question {
	var qs []event.Question
	for _, q := range in.Questions {
		e := event.Question{ID: q.Question, Header: q.Header, Text: q.Question, Multi: q.Multi, Free: true}
		for _, o := range q.Options {
			e.Options = append(e.Options, event.Option{Label: o.Label, Detail: o.Description})
		}
		qs = append(qs, e)
	}
	return qs
}

// decided maps our answer to a request of the engine. The first one counts; an answer that the engine can't use is a
// refusal, because that is what the engine makes of it.
func (s *step) decided(l line, raw []byte) {
	var r controlResponse
	if decode(l.Response, &r) != nil {
		s.unrecognised("sent: control_response that can't be read", raw)
		return
	}
	q := s.process.requests[r.RequestID]
	if q == nil {
		s.quiet("sent: control_response")
		return
	}
	delete(s.process.requests, r.RequestID)
	var p permission
	err := decode(r.Response, &p)
	allowed := r.Subtype == "success" && err == nil && p.Behavior == "allow" && len(p.Updated) > 0
	denied := r.Subtype == "success" && err == nil && p.Behavior == "deny"
	if !allowed {
		s.refuse(q)
	}
	if q.questions != nil {
		e := event.QuestionAnswered{ID: r.RequestID, By: event.ByUser}
		if allowed {
			e.Answers = answers(p.Updated, q.questions)
		} else if !denied {
			e.By = event.ByError
		}
		s.emitIn(q.turn, q.scope, e)
		return
	}
	e := event.ApprovalResolved{ID: r.RequestID, Decision: event.Deny, By: event.ByUser, Reason: p.Message}
	switch {
	case allowed:
		e.Decision = event.Allow
		if !sameJSON(q.input, p.Updated) {
			e.Reason = "Allowed with a changed input."
		}
	case !denied:
		e.By, e.Reason = event.ByError, r.Error
	}
	s.emitIn(q.turn, q.scope, e)
}

// sameJSON compares two values without regard to the order of fields and to spaces.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// refuse remembers that the call was refused, also when its tool_use line is still to come.
func (s *step) refuse(q *request) {
	if q.toolID == "" {
		return
	}
	if s.process.tools[q.toolID] == nil {
		s.process.tools[q.toolID] = &tool{turn: q.turn, scope: q.scope}
	}
	s.process.tools[q.toolID].refused = true
}

// answers reads the answers back from the input that carries them. Several choices are one string on the wire.
func answers(updated json.RawMessage, qs []event.Question) map[string][]string {
	var in struct {
		Answers map[string]string `json:"answers"`
	}
	if decode(updated, &in) != nil || len(in.Answers) == 0 {
		return nil
	}
	out := map[string][]string{}
	for _, q := range qs {
		a, ok := in.Answers[q.ID]
		if !ok {
			continue
		}
		out[q.ID] = []string{a}
		if parts := strings.Split(a, ", "); q.Multi && allOptions(parts, q.Options) {
			out[q.ID] = parts
		}
	}
	return out
}

func allOptions(parts []string, options []event.Option) bool {
	for _, p := range parts {
		found := false
		for _, o := range options {
			found = found || o.Label == p
		}
		if !found {
			return false
		}
	}
	return true
}

// withdrawn closes a request that the engine took back.
func (s *step) withdrawn(id string) {
	q := s.process.requests[id]
	if q == nil {
		s.quiet("control_cancel_request")
		return
	}
	s.close(id, q, event.Withdrawn)
}

func (s *step) close(id string, q *request, d event.Decision) {
	delete(s.process.requests, id)
	if q.questions != nil {
		s.emitIn(q.turn, q.scope, event.QuestionAnswered{ID: id, By: event.ByEngine})
		return
	}
	s.emitIn(q.turn, q.scope, event.ApprovalResolved{ID: id, Decision: d, By: event.ByEngine})
}

// closeRequests withdraws what the main agent asked in a turn that is over.
func (s *step) closeRequests(turn string) {
	for _, id := range sortedKeys(s.process.requests) {
		if q := s.process.requests[id]; q.turn == turn && q.scope == "" {
			s.close(id, q, event.Withdrawn)
		}
	}
}

// closeRequestsOf withdraws what was asked about a tool call that is over: nobody waits for the answer any more.
func (s *step) closeRequestsOf(toolID string) {
	if toolID == "" {
		return
	}
	for _, id := range sortedKeys(s.process.requests) {
		if q := s.process.requests[id]; q.toolID == toolID {
			s.close(id, q, event.Withdrawn)
		}
	}
}

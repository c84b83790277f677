package codex

import (
	"encoding/json"
	"fmt"

	"keva/agent/event"
	"keva/agent/runtime"
)

// answer maps our reply to a request of the server. Who decided is not on the wire: the adapter, which knows, fills it in.
func (m *Mapper) answer(msg message) {
	id := string(msg.ID)
	r := m.pending[id]
	if r == nil {
		return // answered before, or withdrawn: the engine ignores it too
	}
	delete(m.pending, id)
	t := m.threads[r.thread]
	if t == nil {
		t = newThread(r.thread, true)
	}
	turn := field(r.params, "turnId")
	if r.refuse {
		return
	}
	if r.question {
		m.in(t, turn, event.QuestionAnswered{ID: r.id, Answers: answersOf(r, msg.Result), By: event.ByUser})
		return
	}
	d := event.ApprovalResolved{ID: r.id, Decision: decision(r, msg.Result), By: event.ByUser}
	if msg.Error != nil {
		d.Decision, d.By = event.Deny, event.ByError
	}
	if it := t.items[r.item]; it != nil && d.Decision != event.Allow {
		it.refused = true
	}
	m.in(t, turn, d)
}

// decision reads a reply. What the engine does not take for a yes is a no: it fails closed, and so does this.
func decision(r *request, result json.RawMessage) event.Decision {
	var p struct {
		Decision    json.RawMessage            `json:"decision"`
		Action      string                     `json:"action"`
		Permissions map[string]json.RawMessage `json:"permissions"`
	}
	if !params(result, &p) {
		return event.Deny
	}
	if len(p.Permissions) > 0 && r.method == "item/permissions/requestApproval" {
		return event.Allow
	}
	if p.Action == "accept" {
		return event.Allow
	}
	var amended map[string]json.RawMessage
	if json.Unmarshal(p.Decision, &amended) == nil {
		for key := range amended {
			switch key {
			case "acceptWithExecpolicyAmendment", "approved_execpolicy_amendment":
				return event.Allow
			}
		}
	}
	switch word(p.Decision) {
	case "accept", "acceptForSession", "approved", "approved_for_session":
		return event.Allow
	}
	return event.Deny
}

// answersOf reads the answers out of a reply, nil when the question was dismissed.
func answersOf(r *request, result json.RawMessage) map[string][]string {
	if r.method == "mcpServer/elicitation/request" {
		var p struct {
			Action  string         `json:"action"`
			Content map[string]any `json:"content"`
		}
		if !params(result, &p) || p.Action != "accept" {
			return nil
		}
		out := map[string][]string{}
		for key, v := range p.Content {
			if list, ok := v.([]any); ok {
				for _, e := range list {
					out[key] = append(out[key], fmt.Sprint(e))
				}
				continue
			}
			out[key] = []string{fmt.Sprint(v)}
		}
		return out
	}
	var p struct {
		Answers map[string]struct {
			Answers []string `json:"answers"`
		} `json:"answers"`
	}
	if !params(result, &p) || len(p.Answers) == 0 {
		return nil
	}
	out := map[string][]string{}
	for key, a := range p.Answers {
		out[key] = a.Answers
	}
	return out
}

// requestResolved closes a request that nobody has answered: the engine took it back, or its turn ended. When the turn ends
// because it was stopped, the stop has decided: the engine may well close the request before our "no" is written.
func (m *Mapper) requestResolved(raw json.RawMessage) bool {
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	if !params(raw, &p) || p.RequestID == nil {
		return false
	}
	id := string(compact(p.RequestID))
	r := m.pending[id]
	if r == nil {
		return true // the usual case: we have answered
	}
	delete(m.pending, id)
	t := m.threads[r.thread]
	if t == nil || r.refuse {
		return true
	}
	turn := field(r.params, "turnId")
	if r.question {
		m.in(t, turn, event.QuestionAnswered{ID: r.id, By: event.ByEngine})
		return true
	}
	if it := t.items[r.item]; it != nil {
		it.refused = true
	}
	d := event.ApprovalResolved{ID: r.id, Decision: event.Withdrawn, By: event.ByEngine}
	if t.stopped != "" && (turn == t.stopped || t.turnID(turn) == t.stopped) {
		d.Decision, d.By = event.Deny, event.ByStop
	}
	m.in(t, turn, d)
	return true
}

// pendingByID finds an open request by its id in the stream.
func (m *Mapper) pendingByID(id string) *request {
	for _, r := range m.pending {
		if r.id == id {
			return r
		}
	}
	return nil
}

// result makes the reply's result for an answer. Every kind of request has a valid form of yes and of no (G2).
// acceptForSession and rule amendments are never sent: the engine would then run things that nobody is asked about.
func (r *request) result(a runtime.Answer) any {
	yes := a.Decision == event.Allow
	pick := func(y, n string) string {
		if yes {
			return y
		}
		return n
	}
	switch r.method {
	case "item/tool/requestUserInput":
		answers := map[string]any{}
		if yes {
			for key, values := range a.Answers {
				answers[key] = map[string]any{"answers": values}
			}
		}
		return map[string]any{"answers": answers}
	case "mcpServer/elicitation/request":
		if !yes {
			return map[string]any{"action": "decline", "content": nil, "_meta": nil}
		}
		var p elicitation
		content := map[string]any{}
		if r.question && params(r.params, &p) {
			content = formContent(p.Schema, a.Answers)
		}
		return map[string]any{"action": "accept", "content": content, "_meta": nil}
	case "item/permissions/requestApproval":
		granted := json.RawMessage("{}")
		var p struct {
			Permissions json.RawMessage `json:"permissions"`
		}
		if yes && params(r.params, &p) && p.Permissions != nil {
			granted = p.Permissions
		}
		return map[string]any{"permissions": granted, "scope": "turn"}
	case "applyPatchApproval", "execCommandApproval":
		if !yes {
			return map[string]any{"decision": map[string]any{"denied": map[string]any{"rejection": a.Reason}}}
		}
		return map[string]any{"decision": "approved"}
	}
	return map[string]any{"decision": pick("accept", "decline")}
}

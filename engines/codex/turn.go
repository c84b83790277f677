package codex

import (
	"bytes"
	"encoding/json"

	"keva/agent/event"
)

func (m *Mapper) turnStarted(raw json.RawMessage) bool {
	var p turnParams
	if !params(raw, &p) || p.ThreadID == "" || p.Turn.ID == "" {
		return false
	}
	t, known := m.lookup(p.ThreadID)
	if !known && p.Turn.RootTurnID != "" && p.Turn.RootTurnID != p.Turn.ID {
		t.own = false // a turn that belongs to another is a sub-agent's, whatever else is under way
	}
	if !t.own {
		m.childTurnStarted(t, p.Turn)
		return true
	}
	if m.main == "" {
		m.main = t.id
	}
	id := t.turnID(p.Turn.ID)
	if t.turns[id] != nil {
		return true // a repetition
	}
	if to := t.reviewed(id); to != "" {
		t.alias[id] = to
		id = to
	}
	info := t.begin(id)
	m.emit(id, "", event.TurnStarted{Origin: info.origin})
	return true
}

// reviewed gives the turn id that the reply to review/start named, when turn/started comes with another one: the items
// and the end of a review use the reply's.
func (t *thread) reviewed(id string) string {
	for _, a := range t.asks {
		if a.review && a.turn != "" && a.turn != id {
			return a.turn
		}
	}
	return ""
}

func (m *Mapper) turnCompleted(raw json.RawMessage) bool {
	var p turnParams
	if !params(raw, &p) || p.ThreadID == "" || p.Turn.ID == "" {
		return false
	}
	t, _ := m.lookup(p.ThreadID)
	m.completed(t, p.Turn, "turn/completed")
	return true
}

// completed ends a turn, of whichever thread.
func (m *Mapper) completed(t *thread, turn wireTurn, via string) {
	if !t.own {
		m.childTurnCompleted(t, turn, via)
		return
	}
	id := t.turnID(turn.ID)
	info := t.turns[id]
	switch {
	case info == nil && t.open != "" && t.reviewOpen:
		// A review whose reply came after turn/started: the end is the first to tell the turn's real id.
		t.alias[id] = t.open
		id, info = t.open, t.turns[t.open]
	case info == nil: // its start was lost
		info = &turnInfo{origin: event.OriginUnknown}
		t.turns[id] = info
	case info.ended:
		return // a repetition
	}
	m.outlived(t, turn.ID, outcome(turn.Status))
	info.ended = true
	body := event.TurnCompleted{
		Outcome: outcome(turn.Status), Origin: info.origin, Error: failure(turn.Error),
		Millis: turn.DurationMs, Messages: info.messages,
	}
	if body.Outcome == event.Failure && body.Error == nil {
		if body.Error = t.err; body.Error == nil {
			body.Error = &event.Error{
				Class: event.ClassOther, Message: "Codex ended the turn as failed and did not say why.",
				Detail: "status " + turn.Status,
			}
		}
	}
	if body.Outcome == event.Success && body.Error != nil {
		body.Outcome = event.Failure // "completed" with an error contradicts itself: fail closed
	}
	if t.open == id {
		t.open, t.err, t.reviewOpen = "", nil, false
	}
	m.emit(id, "", body)
}

// reconciled takes the engine's own record of turns, for which the adapter asks when a thread is idle and its turn never
// ended (E5). Only a turn that is open here, and that the record names with a final status, ends.
func (m *Mapper) reconciled(t *thread, result json.RawMessage) {
	var r struct {
		Data []wireTurn `json:"data"`
	}
	if t == nil || t.open == "" || !params(result, &r) {
		return
	}
	for _, turn := range r.Data {
		if t.turnID(turn.ID) == t.open && outcome(turn.Status) != event.Unknown {
			m.completed(t, turn, "thread/turns/list")
			return
		}
	}
}

// statusChanged is a hint about the main loop, and one of the ways by which a sub-agent becomes known.
func (m *Mapper) statusChanged(raw json.RawMessage) bool {
	var p statusParams
	if !params(raw, &p) || p.ThreadID == "" || p.Status.Type == "" {
		return false
	}
	t, known := m.lookup(p.ThreadID)
	if !t.own {
		switch p.Status.Type {
		case "notLoaded":
			if !known {
				delete(m.threads, t.id)
			}
			m.ended(t, event.Unknown, "", t.child.last, "thread/status/changed notLoaded")
		case "active":
			if !t.child.found {
				m.discover(t, "", "")
			}
		default: // it does nothing yet, or no more; what it is for is told in a moment
		}
		return true
	}
	a := event.Idle
	switch p.Status.Type {
	case "active":
		a = event.Running
		if len(p.Status.ActiveFlags) > 0 { // waitingOnApproval, waitingOnUserInput
			a = event.Waiting
		}
	case "idle", "systemError", "notLoaded":
	default:
		return false
	}
	m.in(t, "", event.EngineState{Activity: a})
	return true
}

func (m *Mapper) threadClosed(raw json.RawMessage) bool {
	id := field(raw, "threadId")
	if id == "" {
		return false
	}
	if t := m.threads[id]; t != nil {
		m.ended(t, event.Unknown, "", t.child.last, "thread/closed")
	}
	return true
}

// threadStarted comes for our threads only, after the reply that opened them. Should one come for a sub-agent, it tells
// its parent.
func (m *Mapper) threadStarted(raw json.RawMessage) bool {
	var p struct {
		Thread wireThread `json:"thread"`
	}
	if !params(raw, &p) || p.Thread.ID == "" {
		return false
	}
	t, known := m.lookup(p.Thread.ID)
	if !known && (p.Thread.ParentThreadID != "" || bytes.Contains(p.Thread.Source, []byte(`"subAgent"`))) {
		t.own = false
	}
	if t.own {
		return true
	}
	m.describe(t, p.Thread)
	if !t.child.found {
		parent := ""
		if pt := m.threads[p.Thread.ParentThreadID]; pt != nil {
			parent = pt.scope()
		}
		m.discover(t, parent, "")
	}
	return true
}

// describe takes what a thread object says of a sub-agent.
func (m *Mapper) describe(t *thread, w wireThread) {
	if t.child.agent == "" {
		t.child.agent = w.AgentRole
	}
	m.named(t, w.AgentNickname, rankNickname)
}

// settingsUpdated tells when the model or the approval policy changes under way.
func (m *Mapper) settingsUpdated(raw json.RawMessage) bool {
	var p struct {
		ThreadID string `json:"threadId"`
		Settings struct {
			Cwd            string          `json:"cwd"`
			Model          string          `json:"model"`
			ApprovalPolicy json.RawMessage `json:"approvalPolicy"`
		} `json:"threadSettings"`
	}
	if !params(raw, &p) || p.ThreadID == "" {
		return false
	}
	t := m.threads[p.ThreadID]
	if t == nil || !t.own {
		return true
	}
	r := t.ready
	r.EngineSession, r.Engine = t.id, m.label
	r.Model, r.Dir, r.Mode = p.Settings.Model, p.Settings.Cwd, word(p.Settings.ApprovalPolicy)
	if r != t.ready {
		t.ready = r
		m.emit(t.open, "", r)
	}
	return true
}

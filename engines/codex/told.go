package codex

import (
	"encoding/json"
	"strings"

	"keva/agent/event"
)

// told maps a line of ours. Only messages of the user and answers to requests are events; the rest is remembered for
// its reply.
func (m *Mapper) told(line []byte) {
	msg, shape := decode(line)
	switch shape {
	case shapeRequest:
		m.request(msg)
	case shapeReply:
		m.answer(msg)
	case shapeNotification, shapeNone:
	}
}

func (m *Mapper) request(msg message) {
	var p userInput
	if !params(msg.Params, &p) {
		p = userInput{}
	}
	c := call{method: msg.Method, thread: p.ThreadID}
	id := string(msg.ID)
	if opens[msg.Method] {
		m.opening++
	}
	switch msg.Method {
	case "thread/resume":
		c.expected = p.ThreadID
	case "turn/start", "turn/steer", "thread/queue/add":
		if p.ThreadID == "" {
			break
		}
		c.msg = p.ClientID
		if strings.HasPrefix(c.msg, reasonID) {
			break // the reason of a denial: it is told with the answer
		}
		if c.msg == "" {
			c.msg = "request-" + strings.Trim(id, `"`)
		}
		m.sent(msg.Method, id, c.msg, p)
	case "review/start":
		if t := m.threads[p.ThreadID]; t != nil && p.Delivery != "detached" {
			t.asks = append(t.asks, ask{call: id, review: true})
		}
	case "turn/interrupt":
		if t := m.threads[p.ThreadID]; t != nil {
			t.stopped = field(msg.Params, "turnId")
		}
	case "thread/backgroundTerminals/clean", "thread/backgroundTerminals/terminate":
		if t := m.threads[p.ThreadID]; t != nil {
			for _, it := range t.items {
				if it.Type == "commandExecution" && (p.ProcessID == "" || it.ProcessID == p.ProcessID) {
					it.stopped = true
				}
			}
		}
	}
	m.calls[id] = c
}

// sent tells of a message of the user as it goes out.
func (m *Mapper) sent(method, id, msg string, p userInput) {
	t := m.threads[p.ThreadID]
	if t == nil {
		t = m.own(p.ThreadID)
		if m.main == "" {
			m.main = t.id
		}
	}
	body := event.UserMessage{ID: msg, Delivery: event.DeliveryPrompt}
	body.Context, body.Text = inputText(p)
	switch {
	case method == "thread/queue/add":
		body.Delivery = event.DeliveryQueued
		t.queue = append(t.queue, msg)
	case method == "turn/steer":
		body.Delivery = event.DeliverySteer
	default:
		// turn/start while a turn runs starts no second one: it steers.
		if t.open != "" || len(t.asks) > 0 {
			body.Delivery = event.DeliverySteer
		}
		t.asks = append(t.asks, ask{call: id, msg: msg})
	}
	if m.messages[msg] {
		return // sent again after a refused steer
	}
	m.messages[msg] = true
	m.in(t, t.open, body)
}

// reasonID begins the id of a message that is no message of the user's: it explains a denial.
const reasonID = "keva-reason-"

// contextMark marks what Keva puts before a message: a handoff brief or a replay.
const contextMark = "keva-context"

// inputText tells what the user wrote from what Keva put before it.
func inputText(p userInput) (context, text string) {
	var parts []string
	for _, in := range p.Input {
		switch {
		case len(in.Elements) == 1 && in.Elements[0].Placeholder == contextMark:
			context = in.Text
		case in.Type == "text":
			parts = append(parts, in.Text)
		case in.Path != "":
			parts = append(parts, "["+in.Type+" "+in.Path+"]")
		default:
			parts = append(parts, "["+in.Type+"]")
		}
	}
	return context, strings.Join(parts, "\n")
}

// reply maps the reply to a request of ours.
func (m *Mapper) reply(msg message, line []byte) {
	id := string(msg.ID)
	c, ok := m.calls[id]
	if !ok {
		m.unrecognised("reply to an unknown request", line)
		return
	}
	delete(m.calls, id)
	if opens[c.method] && m.opening > 0 {
		m.opening--
	}
	if msg.Error != nil {
		m.refused(id, c, msg.Error)
		return
	}
	switch c.method {
	case "initialize":
		if v := agentVersion(field(msg.Result, "userAgent")); v != "" {
			m.label = "Codex " + v
		}
	case "thread/start", "thread/resume", "thread/fork":
		var r openReply
		if !params(msg.Result, &r) || r.Thread.ID == "" {
			m.unrecognised("reply to "+c.method+": unreadable", line)
			return
		}
		m.opened(c, r)
	case "turn/start", "review/start":
		var r struct {
			Turn   wireTurn `json:"turn"`
			Review string   `json:"reviewThreadId"`
		}
		if !params(msg.Result, &r) || r.Turn.ID == "" {
			m.unrecognised("reply to "+c.method+": unreadable", line)
			return
		}
		t := m.threads[c.thread]
		if r.Review != "" && r.Review != c.thread {
			t = m.own(r.Review)
			t.asks = append(t.asks, ask{call: id, review: true})
		}
		if t == nil {
			return
		}
		if t.reviewOpen && t.open != r.Turn.ID && t.turns[r.Turn.ID] == nil {
			t.alias[r.Turn.ID], t.reviewOpen = t.open, false
		}
		t.answered(id, r.Turn.ID)
	case "turn/steer":
		if t := m.threads[c.thread]; t != nil {
			if !strings.HasPrefix(c.msg, reasonID) {
				t.read(t.turnID(field(msg.Result, "turnId")), c.msg)
			}
		}
	case "thread/turns/list":
		if t := m.threads[c.thread]; t != nil {
			m.reconciled(t, msg.Result)
		}
	case "thread/backgroundTerminals/list":
		m.listed(m.threads[c.thread], msg.Result)
	case "thread/read", "thread/list":
		m.described(msg.Result)
	}
}

// opened makes the thread of a reply ours.
func (m *Mapper) opened(c call, r openReply) {
	t := m.own(r.Thread.ID)
	t.own = true
	m.main = t.id
	if r.Thread.CLIVersion != "" {
		m.label = "Codex " + r.Thread.CLIVersion
	}
	t.ready = event.SessionReady{
		EngineSession: t.id, Engine: m.label, Model: r.Model, Dir: r.Cwd, Mode: word(r.ApprovalPolicy),
	}
	m.emit("", "", t.ready)
	if c.expected != "" && c.expected != t.id {
		m.emit("", "", event.Notice{
			Level:  event.LevelWarning,
			Class:  event.ClassResume,
			Text:   "Codex did not continue the old session: it opened another one, which does not know what was said before.",
			Detail: "asked to resume " + c.expected + ", got " + t.id,
		})
	}
}

// refused tells that the engine did not accept a request of ours.
func (m *Mapper) refused(id string, c call, e *rpcError) {
	n := event.Notice{
		Level: event.LevelWarning, Class: event.ClassRequest,
		Text:   "Codex refused a request of Keva (" + c.method + ").",
		Detail: e.Message,
	}
	switch c.method {
	case "turn/steer": // the adapter sends a message again, as the start of a turn
		n.Level = event.LevelInfo
		n.Text = "The turn was over before the message reached it."
		if strings.HasPrefix(c.msg, reasonID) {
			n.Text = "Codex could not be told why it was declined."
		}
	case "turn/start", "thread/queue/add":
		n.Level = event.LevelError
		n.Text = "Codex did not take the message. Send it again."
		if t := m.threads[c.thread]; t != nil {
			t.refused(id)
			for i, q := range t.queue {
				if q == c.msg {
					t.queue = append(t.queue[:i], t.queue[i+1:]...)
					break
				}
			}
		}
	case "review/start":
		if t := m.threads[c.thread]; t != nil {
			t.refused(id)
		}
	case "thread/start", "thread/resume", "thread/fork":
		n.Level = event.LevelError
		n.Text = "Codex could not open the session."
	case "turn/interrupt":
		n.Level = event.LevelInfo
		n.Text = "There was nothing to interrupt any more."
	}
	if t := m.threads[c.thread]; t != nil {
		m.in(t, "", n)
		return
	}
	m.emit("", "", n)
}

// described takes the names of sub-agents out of a reply that holds threads.
func (m *Mapper) described(result json.RawMessage) {
	var r struct {
		Thread wireThread   `json:"thread"`
		Data   []wireThread `json:"data"`
	}
	if !params(result, &r) {
		return
	}
	for _, w := range append(r.Data, r.Thread) {
		if t := m.threads[w.ID]; t != nil && !t.own {
			m.describe(t, w)
		}
	}
}

// agentVersion takes the version out of a user agent such as "keva/0.171.0 (Debian …)".
func agentVersion(agent string) string {
	_, rest, ok := strings.Cut(agent, "/")
	if !ok {
		return ""
	}
	v, _, _ := strings.Cut(rest, " ")
	return v
}

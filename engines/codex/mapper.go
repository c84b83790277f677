package codex

import (
	"bytes"
	"encoding/json"
	"time"

	"keva/agent/event"
	"keva/engines"
)

// Mapper turns app-server frames into events (engines.Mapper). It is a pure function of its state and the frame, and is
// not safe for concurrent use.
//
// Threads: those that a request of ours opened are the main agent's, scope "". Any other thread on the pipe is a
// sub-agent: a task whose id, and the scope of all that comes from it, is the thread's id.
type Mapper struct {
	threads map[string]*thread
	main    string // the thread that was opened last: the one that is told what to do
	label   string // of the engine, for people
	calls   map[string]call
	// messages are those that were told: the same one goes out again when a steer came too late.
	messages map[string]bool
	opening  int // requests of ours under way that open a thread
	pending  map[string]*request

	// The frame that is being mapped, and what it was decoded as.
	now   time.Time
	msg   message
	shape shape
	out   []event.Event
}

// call is a request of ours whose reply is awaited.
type call struct {
	method   string
	thread   string
	msg      string // the message that it carried
	expected string // the thread to resume
}

var _ engines.Mapper = (*Mapper)(nil)

// NewMapper returns a mapper that has seen nothing.
func NewMapper() *Mapper {
	return &Mapper{
		threads: map[string]*thread{}, calls: map[string]call{}, pending: map[string]*request{}, messages: map[string]bool{}, label: "Codex",
	}
}

// Map implements engines.Mapper.
func (m *Mapper) Map(f engines.Frame) []event.Event {
	m.now, m.out, m.msg, m.shape = f.Time, nil, message{}, shapeNone
	switch f.Dir {
	case engines.In:
		m.told(f.Line)
	case engines.Out:
		m.said(f.Line)
	case engines.Exit:
		m.exited(f)
	case engines.Err:
		// Log lines, no protocol: the tail comes with the exit.
	}
	out := m.out
	m.out = nil
	return out
}

func (m *Mapper) said(line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	m.msg, m.shape = decode(line)
	switch m.shape {
	case shapeNone:
		m.unrecognised("no JSON-RPC message", line)
	case shapeReply:
		m.reply(m.msg, line)
	case shapeRequest:
		m.asked(m.msg, line)
	case shapeNotification:
		m.notified(m.msg, line)
	}
}

func (m *Mapper) notified(msg message, line []byte) {
	if h, ok := notifications[msg.Method]; ok {
		if !h(m, msg.Params) {
			m.unrecognised(msg.Method+": unreadable", line)
		}
		return
	}
	if _, ok := silent[msg.Method]; !ok {
		m.unrecognised(msg.Method, line)
	}
}

// exited ends what the process held. Open turns and tasks are the accounting's to close; a new process that follows in
// the same recording counts its requests from 0 again.
func (m *Mapper) exited(f engines.Frame) {
	for _, id := range sortedKeys(m.pending) {
		r := m.pending[id]
		t := m.threads[r.thread]
		switch turn := field(r.params, "turnId"); {
		case r.refuse || t == nil:
		case r.question:
			m.in(t, turn, event.QuestionAnswered{ID: r.id, By: event.ByEngine})
		default:
			m.in(t, turn, event.ApprovalResolved{ID: r.id, Decision: event.Lost, By: event.ByEngine})
		}
	}
	m.calls, m.pending, m.opening = map[string]call{}, map[string]*request{}, 0
	for _, t := range m.threads {
		t.open, t.asks, t.queue, t.items = "", nil, nil, map[string]*wireItem{}
		t.child.live = false
	}
	body := event.EngineExited{Class: event.ExitUnknown}
	if f.Exit != nil {
		body = *f.Exit
	}
	m.emit("", "", body)
}

// emit adds an event.
func (m *Mapper) emit(turn, scope string, body event.Body) {
	m.out = append(m.out, event.Event{Time: m.now, Turn: turn, Scope: scope, Body: body})
}

// in adds an event that belongs to a turn of thread t; an empty turn is the running one.
func (m *Mapper) in(t *thread, turn string, body event.Body) {
	if !t.own {
		m.emit(t.child.turn, t.id, body)
		return
	}
	if turn = t.turnID(turn); turn == "" {
		turn = t.open
	}
	m.emit(turn, "", body)
}

func (m *Mapper) unrecognised(typ string, raw []byte) {
	m.emit("", "", event.NewUnrecognised(typ, raw))
}

// opens are the requests of ours that give a thread.
var opens = map[string]bool{
	"thread/start": true, "thread/resume": true, "thread/fork": true, "thread/revert": true, "thread/unarchive": true,
	"review/start": true,
}

// own returns the thread id as one of ours.
func (m *Mapper) own(id string) *thread {
	t := m.threads[id]
	if t == nil {
		t = newThread(id, true)
		m.threads[id] = t
	}
	return t
}

// mainThread is the thread that was opened last, nil before the first.
func (m *Mapper) mainThread() *thread { return m.threads[m.main] }

// lookup finds the thread of a frame, and says whether it is known. An unknown one is ours while a request of ours that
// opens one is under way, or while none is known at all (a recording that was torn at its start); else a sub-agent's.
func (m *Mapper) lookup(id string) (t *thread, known bool) {
	if t := m.threads[id]; t != nil {
		return t, true
	}
	if m.opening > 0 || m.main == "" {
		if m.main == "" {
			m.main = id
		}
		return m.own(id), false
	}
	t = newThread(id, false)
	m.threads[id] = t
	return t, false
}

// of finds the thread of a frame that shows that the thread lives.
func (m *Mapper) of(id string) *thread {
	t, _ := m.lookup(id)
	if !t.own && !t.child.found {
		m.discover(t, "", "")
	}
	return t
}

// params decodes parameters. A member of a wrong type does not spoil the others.
func params(raw json.RawMessage, into any) bool {
	err := json.Unmarshal(raw, into)
	if err == nil {
		return true
	}
	_, wrongType := err.(*json.UnmarshalTypeError)
	return wrongType
}

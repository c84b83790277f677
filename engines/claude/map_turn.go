package claude

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"keva/agent/event"
)

// turn is an open turn.
type turn struct {
	id       string
	origin   event.Origin
	messages []string
	seen     bool // the engine has begun it (init)
	// interrupted: we asked the engine to stop while this turn was open. It is kept per turn, so that an old interrupt
	// can't hide the next real error (H4).
	interrupted  bool
	compactError string
	fault        *event.Error // an API error that was shown as an assistant line, until it is known what it means
	used         event.Usage  // so far
}

// queued is a user message that was sent while a turn was open and that no turn has read yet.
type queued struct{ id, text string }

// open starts a turn.
func (s *step) open(origin event.Origin) *turn {
	s.turns++
	t := &turn{id: "t" + strconv.Itoa(s.turns), origin: origin}
	s.process.turn = t
	s.emit("", event.TurnStarted{Origin: origin})
	return t
}

// begin is called when the main agent starts or says something: it belongs to the open turn, or opens one that nobody
// asked for.
//
// A user's turn that has not begun yet is overtaken when a task notification came before its init: the engine first speaks
// about the finished task, in a turn of its own that must not be taken for the answer (I-7).
func (s *step) begin() {
	p := &s.process
	if t := p.turn; t != nil {
		if !t.seen && p.notified && t.origin == event.OriginUser && p.waiting == nil {
			p.waiting = t
			s.open(event.OriginTask)
		}
		p.turn.seen = true
		return
	}
	s.open(s.unaskedOrigin()).seen = true
}

// unaskedOrigin tells why the engine starts a turn without a prompt of its own. Where two reasons are possible the
// result's origin will tell.
func (s *step) unaskedOrigin() event.Origin {
	p := &s.process
	switch {
	case !p.prompted:
		return event.OriginResume
	case p.notified && len(p.queue) > 0:
		return event.OriginUnknown
	case p.notified:
		return event.OriginTask
	case len(p.queue) > 0:
		return event.OriginUser
	}
	return event.OriginEngine
}

// sent maps a line that Keva writes to the engine.
func (s *step) sent(raw []byte) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		s.quiet("sent: blank line")
		return
	}
	var l line
	if err := decode(raw, &l); err != nil {
		s.unrecognised("sent: not a JSON object", raw)
		return
	}
	switch l.Type {
	case "user":
		s.prompt(l, raw)
	case "control_response":
		s.decided(l, raw)
	case "control_request":
		s.control(l)
	case "control_cancel_request", "keep_alive":
		s.quiet("sent: " + l.Type)
	default:
		s.unrecognised("sent: "+l.Type, raw)
	}
}

// prompt is a message of the user.
func (s *step) prompt(l line, raw []byte) {
	var m message
	bs, ok := []block(nil), false
	if decode(l.Message, &m) == nil && m.Role == "user" {
		bs, ok = blocks(m.Content)
	}
	if !ok {
		s.unrecognised("sent: user without a message", raw)
		return
	}
	p := &s.process
	id := l.UUID
	for id == "" || s.messages[id] && l.UUID == "" {
		s.unnamed++
		id = "m" + strconv.Itoa(s.unnamed)
	}
	s.messages[id] = true
	p.prompted = true
	before, text := split(bs)
	if p.turn != nil {
		p.queue = append(p.queue, queued{id, plainText(bs)})
		s.emit("", event.UserMessage{ID: id, Text: text, Context: before, Delivery: event.DeliveryQueued})
		return
	}
	p.notified = p.announced // what was told while the engine was idle begins no turn
	t := s.open(event.OriginUser)
	t.messages = []string{id}
	s.emit("", event.UserMessage{ID: id, Text: text, Context: before, Delivery: event.DeliveryPrompt})
}

// split tells a message of the user from what Keva put before it: the adapter sends that as a text block of its own.
func split(bs []block) (before, text string) {
	if len(bs) >= 2 && bs[0].Type == "text" && bs[1].Type == "text" {
		return bs[0].Text, plainText(bs[1:])
	}
	return "", plainText(bs)
}

// replayed notes which turn has read which message. Messages of a client with ids come back one by one under their ids;
// without ids those that were merged come back as one text.
func (s *step) replayed(id, text string) {
	p := &s.process
	p.replays = true
	s.begin()
	t := p.turn
	for i, q := range p.queue {
		if q.id == id {
			p.queue = slices.Delete(p.queue, i, i+1)
			t.read(id)
			return
		}
	}
	joined := ""
	for i, q := range p.queue {
		if i > 0 {
			joined += "\n"
		}
		joined += q.text
		if joined == text {
			for _, q := range p.queue[:i+1] {
				t.read(q.id)
			}
			p.queue = slices.Delete(p.queue, 0, i+1)
			return
		}
		if !strings.HasPrefix(text, joined) {
			return
		}
	}
}

func (t *turn) read(id string) {
	if !slices.Contains(t.messages, id) {
		t.messages = append(t.messages, id)
	}
}

// control is a control request of ours. Only those that change what is expected next matter.
func (s *step) control(l line) {
	var r controlRequest
	if decode(l.Request, &r) == nil {
		switch r.Subtype {
		case "interrupt":
			if s.process.turn != nil {
				s.process.turn.interrupted = true
			}
		case "cancel_async_message":
			s.process.cancels[l.RequestID] = r.MessageUUID
		}
	}
	s.quiet("sent: control_request")
}

// answered is the engine's reply to a control request of ours.
func (s *step) answered(l line) {
	var r controlResponse
	if decode(l.Response, &r) == nil {
		if id, ok := s.process.cancels[r.RequestID]; ok {
			delete(s.process.cancels, r.RequestID)
			var body struct {
				Cancelled bool `json:"cancelled"`
			}
			if json.Unmarshal(r.Response, &body) == nil && body.Cancelled {
				s.process.queue = slices.DeleteFunc(s.process.queue, func(q queued) bool { return q.id == id })
			}
		}
	}
	s.quiet("control_response")
}

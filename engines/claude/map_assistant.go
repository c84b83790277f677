package claude

import (
	"strconv"

	"keva/agent/event"
)

// stream is the message of one scope whose blocks are arriving.
type stream struct {
	message string
	next    int // index of the next block that comes as a whole line
	open    int // index of the block that streams, -1 when none does
	kind    string
	usage   usage // of the request, as told at its start
}

// blockID names a block so that its deltas and its final text meet.
func blockID(message string, index int) string { return message + "/" + strconv.Itoa(index) }

func (s *step) stream(scope, message string) *stream {
	st := s.process.streams[scope]
	if st == nil || st.message != message {
		st = &stream{message: message, open: -1}
		s.process.streams[scope] = st
	}
	return st
}

// streamed maps a raw event of the Messages API. Tool inputs are not shown before they are whole.
func (s *step) streamed(l line, raw []byte) {
	var e streamEvent
	if decode(l.Event, &e) != nil {
		s.unrecognised("stream_event without an event", raw)
		return
	}
	scope := s.scopeOf(l.Parent)
	if scope == "" {
		s.begin()
	}
	st := s.process.streams[scope]
	if st == nil {
		st = s.stream(scope, e.Message.ID)
	}
	before := len(s.events)
	switch e.Type {
	case "message_start":
		s.stream(scope, e.Message.ID).usage = e.Message.Usage
	case "content_block_start":
		st.open, st.kind = e.Index, e.Block.Type
		s.delta(scope, st, e.Index, e.Block.Text, e.Block.Thinking)
	case "content_block_delta":
		s.delta(scope, st, e.Index, e.Delta.Text, e.Delta.Thinking)
	case "content_block_stop":
		st.open = -1
		st.next = max(st.next, e.Index+1)
	case "message_delta":
		if scope == "" {
			s.spent(sum(st.usage, e.Usage))
		}
	case "message_stop", "ping":
	case "error":
		// The request failed; what becomes of it is told by api_retry or by an assistant line.
	default:
		s.unrecognised("stream_event/"+e.Type, raw)
	}
	if len(s.events) == before {
		s.quiet("stream_event/" + e.Type)
	}
}

// sum joins what a request's start and its end tell: the end may leave out what the start has told.
func sum(start, end usage) usage {
	if end.prompt() == 0 {
		end.Input, end.CacheCreate, end.CacheRead = start.Input, start.CacheCreate, start.CacheRead
	}
	return end
}

func (s *step) delta(scope string, st *stream, index int, text, thinking string) {
	if text != "" {
		s.emit(scope, event.TextDelta{Block: blockID(st.message, index), Text: text})
	}
	if thinking != "" {
		s.emit(scope, event.ReasoningDelta{Block: blockID(st.message, index), Text: thinking})
	}
}

// assistant maps a whole content block: there is one line for each.
func (s *step) assistant(l line, raw []byte) {
	var m message
	if decode(l.Message, &m) != nil {
		s.unrecognised("assistant without a message", raw)
		return
	}
	bs, ok := blocks(m.Content)
	if !ok || len(bs) == 0 {
		s.unrecognised("assistant without content", raw)
		return
	}
	scope := s.scopeOf(l.Parent)
	if scope == "" {
		s.begin()
	}
	if l.Error != "" {
		s.apiError(scope, l.Error, plainText(bs))
		return
	}
	if scope == "" {
		if t := s.process.turn; t != nil && t.fault != nil {
			s.fault(t)
		}
	} else if t := s.tasks[scope]; t != nil {
		t.failed = "" // it has gone on after its error
	}
	id := m.ID
	if id == "" {
		id = l.UUID
	}
	if id == "" {
		s.unnamed++
		id = "b" + strconv.Itoa(s.unnamed)
	}
	st := s.stream(scope, id)
	if scope == "" && m.Model != synthetic && s.process.turn != nil {
		s.process.turn.used.ContextUsed = m.Usage.prompt()
	}
	for _, b := range bs {
		index := st.next
		if st.open >= 0 && st.kind == b.Type {
			index = st.open
		}
		st.next = index + 1
		s.block(scope, blockID(id, index), m, b, raw)
	}
}

func (s *step) block(scope, id string, m message, b block, raw []byte) {
	switch b.Type {
	case "text":
		if m.Model == synthetic && b.Text == "(no content)" {
			s.quiet("assistant without content")
			return
		}
		s.emit(scope, event.TextFinal{Block: id, Text: b.Text})
	case "thinking":
		s.emit(scope, event.ReasoningFinal{Block: id, Text: b.Thinking})
	case "redacted_thinking":
		s.quiet("redacted_thinking")
	case "tool_use":
		s.toolStarted(scope, b, raw)
	default:
		s.unrecognised("assistant block "+b.Type, raw)
	}
}

// apiError keeps the main agent's error until it is known whether its turn survives it; a task's is told at once, since the
// task will be called completed all the same (F9).
func (s *step) apiError(scope, word, text string) {
	e := apiError(word, text, 0)
	if scope == "" {
		if t := s.process.turn; t != nil {
			if t.fault != nil {
				s.fault(t)
			}
			t.fault = e
			s.quiet("error line, told at the turn's end")
			return
		}
	} else if t := s.tasks[scope]; t != nil {
		t.failed = e.Class
	}
	s.notice(scope, event.LevelWarning, e.Class, e.Message, e.Detail)
}

// fault tells an API error that did not end its turn.
func (s *step) fault(t *turn) {
	e := t.fault
	t.fault = nil
	s.emitIn(t.id, "", event.Notice{Level: event.LevelWarning, Class: e.Class, Text: e.Message, Detail: e.Detail})
}

package claude

import (
	"strings"

	"keva/agent/event"
)

// user maps a user line of the engine: results of tools, repeated prompts, and texts that only the model should read.
func (s *step) user(l line, raw []byte) {
	var m message
	if decode(l.Message, &m) != nil {
		s.unrecognised("user without a message", raw)
		return
	}
	bs, ok := blocks(m.Content)
	if !ok {
		s.unrecognised("user without content", raw)
		return
	}
	scope := s.scopeOf(l.Parent)
	before := len(s.events)
	switch {
	case hasResults(bs):
		for _, b := range bs {
			switch b.Type {
			case "tool_result":
				s.toolEnded(scope, b, l.Structured)
			case "text", "image":
				s.quiet("text beside a tool result")
			default:
				s.unrecognised("user block "+b.Type, raw)
			}
		}
	case l.Replay && strings.HasPrefix(plainText(bs), "<local-command-stdout>"):
		s.quiet("output of a local command") // set_model, /compact: nobody wrote it
	case l.Replay:
		s.replayed(l.UUID, plainText(bs))
		if len(s.events) == before {
			s.quiet("repeated user message")
		}
	case l.Synthetic:
		s.quiet("text for the model") // a compaction's summary, a request to say something
	case l.Parent != "":
		s.quiet("text for a sub-agent") // its prompt is in TaskStarted
	case strings.HasPrefix(plainText(bs), "[Request interrupted by user"):
		s.quiet("interruption marker")
	default:
		s.unrecognised("user text", raw)
	}
}

func hasResults(bs []block) bool {
	for _, b := range bs {
		if b.Type == "tool_result" {
			return true
		}
	}
	return false
}

// permissionDenied is a refusal without a question: a rule or the permission mode said no. The tool's result follows.
func (s *step) permissionDenied(l line) {
	var text string
	_ = decodeString(l.Message, &text)
	t := s.process.tools[l.ToolUseID]
	scope := ""
	if t != nil {
		t.refused = true
		scope = t.scope
	}
	s.notice(scope, event.LevelInfo, event.ClassDenied,
		l.ToolName+" was refused without asking, by a rule or by the permission mode.", text)
}

package claude

import (
	"slices"
	"strings"

	"keva/agent/event"
)

// maxStderr is how much of stderr is kept for the exit, in bytes.
const maxStderr = 4096

// complained maps a line of stderr. It is kept for the exit; only what the user can act on is told at once.
func (s *step) complained(raw []byte) {
	text := strings.ToValidUTF8(strings.TrimSpace(string(raw)), "\uFFFD")
	if text == "" {
		s.quiet("stderr")
		return
	}
	s.stderr += text + "\n"
	if n := len(s.stderr); n > maxStderr {
		s.stderr = strings.ToValidUTF8(s.stderr[n-maxStderr:], "")
	}
	switch {
	case strings.HasPrefix(text, "Error parsing streaming input line"), strings.HasPrefix(text, "Error: Expected message role"):
		s.notice("", event.LevelError, event.ClassEngine,
			"Claude Code could not read what it was sent, and ends. Start the session again; what was said is kept.", text)
	case strings.HasPrefix(text, "Error: Session ID"):
		s.notice("", event.LevelError, event.ClassConfig,
			"Another Claude Code process uses this session. End it first, or begin a new session.", text)
	default:
		// Warnings such as the one about ignored allow rules of the project, which Keva wants ignored.
		s.quiet("stderr")
	}
}

// exited closes what can't be answered any more and tells how the process went. An open turn stays open: no result will
// come, and what that means is the accounting's to say, not the mapper's.
func (s *step) exited(exit *event.EngineExited) {
	for _, id := range sortedKeys(s.process.requests) {
		s.close(id, s.process.requests[id], event.Lost)
	}
	if t := s.process.turn; t != nil && t.fault != nil {
		s.fault(t)
	}
	e := event.EngineExited{Class: event.ExitUnknown}
	if exit != nil {
		e = *exit
	}
	if e.Stderr == "" {
		e.Stderr = s.stderr
	}
	s.emit("", e)
	s.stderr = ""
	s.process = newProcess()
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func sortedLimits(m map[string]event.Limit) []event.Limit {
	out := make([]event.Limit, 0, len(m))
	for _, k := range sortedKeys(m) {
		out = append(out, m[k])
	}
	return out
}

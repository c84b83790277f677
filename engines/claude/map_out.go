package claude

import (
	"bytes"

	"keva/agent/event"
)

// received maps a line of stdout. Blank lines are framing, not messages.
func (s *step) received(raw []byte) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		s.quiet("blank line")
		return
	}
	var l line
	if err := decode(raw, &l); err != nil {
		s.unrecognised("not a JSON object", raw)
		return
	}
	switch l.Type {
	case "system":
		s.system(l, raw)
	case "assistant":
		s.assistant(l, raw)
	case "user":
		s.user(l, raw)
	case "stream_event":
		s.streamed(l, raw)
	case "result":
		s.result(l, raw)
	case "control_request":
		s.asked(l, raw)
	case "control_response":
		s.answered(l)
	case "control_cancel_request":
		s.withdrawn(l.RequestID)
	case "rate_limit_event":
		s.limited(l, raw)
	case "tool_progress":
		s.toolProgress(l)
	case "prompt_suggestion", "keep_alive":
		s.quiet(l.Type)
	case "":
		s.unrecognised("message without a type", raw)
	default:
		s.unrecognised(l.Type, raw)
	}
}

func (s *step) system(l line, raw []byte) {
	switch l.Subtype {
	case "init":
		s.init(l)
	case "session_state_changed":
		s.stateChanged(l, raw)
	case "status":
		s.status(l, raw)
	case "task_started":
		s.taskStarted(l, raw)
	case "task_progress":
		s.taskProgress(l, raw)
	case "task_updated":
		s.taskUpdated(l, raw)
	case "task_notification":
		s.taskNotification(l)
	case "api_retry":
		s.emit("", event.Retrying{
			Attempt: l.Attempt, Max: l.MaxRetries, DelayMillis: int64(l.RetryDelay),
			Cause: retryCause(l.Error, l.ErrorStatus),
		})
	case "compact_boundary":
		s.emit("", event.Compaction{State: event.CompactionDone, Before: l.Compact.Pre, After: l.Compact.Post})
	case "permission_denied":
		s.permissionDenied(l)
	case "model_refusal_no_fallback":
		s.notice("", event.LevelWarning, event.ClassRefusal,
			"The model declined to answer this. Rephrase the request, or choose another model.", l.Explanation)
	case "hook_response":
		s.hookResponse(l)
	case "hook_started", "thinking_tokens":
		s.quiet(l.Subtype)
	default:
		s.unrecognised("system/"+l.Subtype, raw)
	}
}

// init opens a turn that nobody asked for; in an asked one it only tells what the engine works with.
func (s *step) init(l line) {
	r := event.SessionReady{
		EngineSession: l.SessionID, Engine: "Claude Code", Model: l.Model, Dir: l.CWD, Mode: l.Mode,
	}
	if l.Version != "" {
		r.Engine += " " + l.Version
	}
	s.begin()
	s.ready = r
	s.emit("", r)
	p := &s.process
	if !p.checkedID {
		p.checkedID = true
		if s.resume != "" && r.EngineSession != s.resume {
			s.notice("", event.LevelWarning, event.ClassResume,
				"Claude Code did not continue the earlier conversation but began another one. It does not remember what was said before.",
				"asked for session "+s.resume+", got "+r.EngineSession)
		}
		s.resume = ""
	}
	for _, srv := range l.MCPServers {
		if srv.Status == "failed" && !s.servers[srv.Name] {
			s.servers[srv.Name] = true
			s.notice("", event.LevelWarning, event.ClassConfig,
				"The MCP server "+srv.Name+" did not start. Its tools are missing; check its command in the settings.", "")
		}
	}
}

func (s *step) stateChanged(l line, raw []byte) {
	s.process.state = l.State
	switch l.State {
	case "running":
		s.emit("", event.EngineState{Activity: event.Running})
	case "requires_action":
		s.emit("", event.EngineState{Activity: event.Waiting})
	case "idle":
		s.emit("", event.EngineState{Activity: event.Idle})
	default:
		s.unrecognised("session state "+l.State, raw)
	}
}

// status reports compactions and changes of the permission mode. A success is told by compact_boundary, with numbers.
func (s *step) status(l line, raw []byte) {
	before := len(s.events)
	if l.Mode != "" && l.Mode != s.ready.Mode {
		s.ready.Mode = l.Mode
		s.emit("", s.ready)
	}
	switch {
	case l.Status == "compacting":
		s.emit("", event.Compaction{State: event.CompactionStarted})
	case l.CompactResult == "failed":
		if t := s.process.turn; t != nil {
			t.compactError = l.CompactError
			if t.compactError == "" {
				t.compactError = "no reason was given"
			}
		}
		s.emit("", event.Compaction{State: event.CompactionFailed, Message: l.CompactError})
	case l.CompactResult == "success", l.Status == "requesting", l.Status == "":
	default:
		s.unrecognised("status "+l.Status, raw)
	}
	if len(s.events) == before {
		s.quiet("status")
	}
}

func (s *step) hookResponse(l line) {
	if l.Outcome == "success" || l.Outcome == "" {
		s.quiet("hook_response")
		return
	}
	s.notice("", event.LevelWarning, event.ClassConfig, "The hook "+l.HookName+" failed.", l.Stderr)
}

// limited keeps each window of the provider's limits: an event names only one of them.
func (s *step) limited(l line, raw []byte) {
	r := l.RateLimit
	if r.Type == "" && r.Status == "" {
		s.unrecognised("rate_limit_event without content", raw)
		return
	}
	lim := event.Limit{Name: r.Type, UsedPercent: -1, ResetsAt: int64(r.ResetsAt)}
	if r.Utilization != nil {
		lim.UsedPercent = *r.Utilization * 100
	}
	switch r.Status {
	case "allowed", "allowed_warning":
	default:
		lim.Reached = true // "rejected", or a word that is not known: rather warn
	}
	s.limits[r.Type] = lim
	s.emit("", event.Limits{Limits: sortedLimits(s.limits)})
}

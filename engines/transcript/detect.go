package transcript

import (
	"encoding/json"

	"keva/engines"
)

// Detect tells from the content which engine the frames are from: the first line that only one of them can have said or
// been told decides. It returns "" when no line does.
func Detect(frames []engines.Frame) string {
	for _, f := range frames {
		if f.Dir != engines.In && f.Dir != engines.Out {
			continue
		}
		if e := detectLine(f.Line); e != "" {
			return e
		}
	}
	return ""
}

// detectLine looks at the outermost fields only. Codex speaks JSON-RPC without the version field (method, or id with
// result or error); every message of Claude Code has a type from a known set.
func detectLine(line []byte) string {
	var head struct {
		Type   any             `json:"type"`
		Method any             `json:"method"`
		ID     json.RawMessage `json:"id"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	if json.Unmarshal(line, &head) != nil {
		return ""
	}
	if _, ok := head.Method.(string); ok {
		return Codex
	}
	if head.ID != nil && (head.Result != nil || head.Error != nil) {
		return Codex
	}
	switch head.Type {
	case "system", "assistant", "user", "stream_event", "result", "control_request", "control_response",
		"control_cancel_request", "rate_limit_event", "tool_progress":
		return Claude
	}
	return ""
}

// spawned tells which engine the recorder says it started; it decides only where the engine never said a word.
func spawned(notes []Note) string {
	for _, n := range notes {
		var spawn struct {
			Spawn any `json:"spawn"`
		}
		if json.Unmarshal([]byte(n.Text), &spawn) != nil {
			continue
		}
		switch spawn.Spawn {
		case Claude:
			return Claude
		case Codex:
			return Codex
		}
	}
	return ""
}

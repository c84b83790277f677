package codex

import (
	"encoding/json"
	"strings"

	"keva/agent/event"
)

// notice is the rule of a notification that is a sentence for people.
func notice(usual event.Level, text, detail string) func(*Mapper, json.RawMessage) bool {
	return func(m *Mapper, raw json.RawMessage) bool {
		said := field(raw, text)
		if said == "" {
			return false
		}
		if strings.HasPrefix(said, "Codex could not find bubblewrap") {
			// Its advice to install it would mislead: Keva does not use the sandbox.
			return m.notice(raw, event.LevelInfo, "Codex's own sandbox is not used here: Keva asks about everything instead.", said)
		}
		more := ""
		if detail != "" {
			more = field(raw, detail)
		}
		return m.notice(raw, usual, said, more)
	}
}

// notice emits a sentence in the scope that the parameters name, if any.
func (m *Mapper) notice(raw json.RawMessage, level event.Level, text, detail string) bool {
	n := event.Notice{Level: level, Text: text, Detail: detail}
	h := head{ThreadID: field(raw, "threadId"), TurnID: field(raw, "turnId")}
	if h.ThreadID == "" {
		m.emit("", "", n)
		return true
	}
	m.in(m.of(h.ThreadID), h.TurnID, n)
	return true
}

func (m *Mapper) modelRerouted(raw json.RawMessage) bool {
	to := field(raw, "toModel")
	if to == "" {
		return false
	}
	return m.notice(raw, event.LevelWarning,
		"The provider answers with another model: "+to+" instead of "+field(raw, "fromModel")+".", field(raw, "reason"))
}

// hookCompleted tells of hooks that ran. The launch settings leave no hooks, so a person should know.
func (m *Mapper) hookCompleted(raw json.RawMessage) bool {
	var p struct {
		Run struct {
			Event  string `json:"eventName"`
			Path   string `json:"sourcePath"`
			Status string `json:"status"`
		} `json:"run"`
	}
	if !params(raw, &p) {
		return false
	}
	return m.notice(raw, event.LevelWarning, "A hook ran ("+p.Run.Event+"): "+p.Run.Status+".", p.Run.Path)
}

func (m *Mapper) mcpStartup(raw json.RawMessage) bool {
	name := field(raw, "name")
	switch field(raw, "status") {
	case "starting", "ready":
		return true
	case "failed", "cancelled":
		return m.notice(raw, event.LevelWarning,
			"The MCP server "+name+" did not start. Its tools are missing.", field(raw, "error"))
	}
	return false
}

func (m *Mapper) loginCompleted(raw json.RawMessage) bool {
	var p struct {
		Success *bool  `json:"success"`
		Error   string `json:"error"`
	}
	if !params(raw, &p) || p.Success == nil {
		return false
	}
	if !*p.Success {
		m.emit("", "", event.Notice{Level: event.LevelError, Class: event.ClassAuth, Text: "The sign-in failed. Try again.", Detail: p.Error})
	}
	return true
}

func (m *Mapper) remoteControl(raw json.RawMessage) bool {
	switch status := field(raw, "status"); status {
	case "disabled":
		return true
	case "":
		return false
	default:
		return m.notice(raw, event.LevelWarning, "Codex can be driven from elsewhere: its remote control is "+status+".", "")
	}
}

func (m *Mapper) goalUpdated(raw json.RawMessage) bool {
	var p struct {
		Goal struct {
			Objective string `json:"objective"`
			Status    string `json:"status"`
		} `json:"goal"`
	}
	if !params(raw, &p) || p.Goal.Status == "" {
		return false
	}
	return m.notice(raw, event.LevelInfo, "Codex follows a goal ("+p.Goal.Status+"): "+firstLine(p.Goal.Objective, titleLen), p.Goal.Objective)
}

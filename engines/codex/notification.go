package codex

import (
	"encoding/json"
	"regexp"
	"strconv"

	"keva/agent/event"
)

// notifications has a rule for each notification that says something to the user or to the accounting. A rule reports
// false when it can't read the parameters; the frame is then kept as unrecognised.
var notifications map[string]func(*Mapper, json.RawMessage) bool

func init() {
	notifications = map[string]func(*Mapper, json.RawMessage) bool{
		"thread/started":          (*Mapper).threadStarted,
		"thread/status/changed":   (*Mapper).statusChanged,
		"thread/closed":           (*Mapper).threadClosed,
		"thread/settings/updated": (*Mapper).settingsUpdated,
		"thread/goal/updated":     (*Mapper).goalUpdated,

		"turn/started":              (*Mapper).turnStarted,
		"turn/completed":            (*Mapper).turnCompleted,
		"turn/plan/updated":         (*Mapper).planUpdated,
		"error":                     (*Mapper).failed,
		"thread/tokenUsage/updated": (*Mapper).usageUpdated,
		"account/rateLimits/updated": func(m *Mapper, raw json.RawMessage) bool {
			ls, ok := limits(raw)
			if len(ls) > 0 {
				m.emit("", "", event.Limits{Limits: ls})
			}
			return ok
		},

		"item/started":                              (*Mapper).itemStarted,
		"item/completed":                            (*Mapper).itemCompleted,
		"item/agentMessage/delta":                   delta(textDelta),
		"item/plan/delta":                           delta(textDelta),
		"item/reasoning/summaryTextDelta":           (*Mapper).summaryDelta,
		"item/reasoning/textDelta":                  (*Mapper).rawDelta,
		"item/reasoning/summaryPartAdded":           (*Mapper).summaryPart,
		"item/commandExecution/outputDelta":         delta(outputDelta),
		"item/fileChange/outputDelta":               delta(outputDelta),
		"item/commandExecution/terminalInteraction": (*Mapper).terminalInput,
		"item/mcpToolCall/progress":                 (*Mapper).mcpProgress,

		"serverRequest/resolved": (*Mapper).requestResolved,

		"warning":                             notice(event.LevelWarning, "message", ""),
		"guardianWarning":                     notice(event.LevelWarning, "message", ""),
		"configWarning":                       notice(event.LevelWarning, "summary", "details"),
		"deprecationNotice":                   notice(event.LevelInfo, "summary", "details"),
		"modelProvider/authRecoveryStarted":   notice(event.LevelInfo, "message", ""),
		"modelProvider/authRecoveryCompleted": notice(event.LevelInfo, "message", ""),
		"model/rerouted":                      (*Mapper).modelRerouted,
		"hook/completed":                      (*Mapper).hookCompleted,
		"mcpServer/startupStatus/updated":     (*Mapper).mcpStartup,
		"account/login/completed":             (*Mapper).loginCompleted,
		"remoteControl/status/changed":        (*Mapper).remoteControl,
		"autoApprovalReview/strictReviewRequired": func(m *Mapper, raw json.RawMessage) bool {
			return m.notice(raw, event.LevelWarning, "Codex asks for a stricter review of what it does.", "")
		},
		"item/autoApprovalReview/started": func(m *Mapper, raw json.RawMessage) bool {
			return m.notice(raw, event.LevelWarning, "Codex lets a reviewer of its own decide on an action.", string(raw))
		},
		"item/autoApprovalReview/completed": func(m *Mapper, raw json.RawMessage) bool {
			return m.notice(raw, event.LevelWarning, "A reviewer of Codex decided on an action.", string(raw))
		},
		"thread/compacted": func(m *Mapper, raw json.RawMessage) bool {
			var h head
			if !params(raw, &h) || h.ThreadID == "" {
				return false
			}
			m.in(m.of(h.ThreadID), h.TurnID, event.Compaction{State: event.CompactionDone})
			return true
		},
	}
}

// silent are the notifications that say nothing that the stream needs, each with the reason. All others that have no
// rule are unrecognised.
var silent = map[string]string{
	"item/fileChange/patchUpdated":        "a patch while the model writes it; the whole patch comes with item/started",
	"turn/diff/updated":                   "all patches of the turn once more; each came as a file change",
	"turn/moderationMetadata":             "nothing to show",
	"model/verification":                  "nothing to show",
	"model/safetyBuffering/updated":       "nothing to show",
	"hook/started":                        "its end is told",
	"thread/readState/changed":            "a list's unread mark, which is ours to keep",
	"thread/archived":                     "answer to a request of ours",
	"thread/unarchived":                   "answer to a request of ours",
	"thread/deleted":                      "answer to a request of ours",
	"thread/reverted":                     "answer to a request of ours",
	"thread/name/updated":                 "Keva names its sessions itself",
	"thread/section/changed":              "a list's section, which Keva has not",
	"thread/attachment/updated":           "attachments of a feature that Keva does not use",
	"thread/prediction/updated":           "a guess of the next prompt",
	"thread/goal/cleared":                 "the turns of a goal are told",
	"thread/queue/changed":                "a queued message is told when it is sent, and when a turn reads it",
	"thread/project/updated":              "projects are Keva's own",
	"project/changed":                     "projects are Keva's own",
	"thread/environment/connected":        "remote environments are not used",
	"thread/environment/disconnected":     "remote environments are not used",
	"thread/search/partial":               "answer to a request of ours",
	"skills/changed":                      "nothing to show",
	"app/list/updated":                    "apps are switched off",
	"account/updated":                     "sign-in reads the account itself",
	"account/gatewayOAuth/changed":        "sign-in reads the account itself",
	"mcpServer/oauthLogin/completed":      "sign-in to MCP servers is not offered",
	"mcpServer/event/stream/notification": "events of a server that nobody subscribed to",
	"fs/changed":                          "answer to a request of ours",
	"fuzzyFileSearch/sessionUpdated":      "answer to a request of ours",
	"fuzzyFileSearch/sessionCompleted":    "answer to a request of ours",
	"command/exec/outputDelta":            "output of a command that Keva ran itself",
	"process/outputDelta":                 "output of a process that Keva ran itself",
	"process/exited":                      "end of a process that Keva ran itself",
}

type deltaBody func(item, text string) event.Body

func textDelta(item, text string) event.Body { return event.TextDelta{Block: item, Text: text} }

func outputDelta(item, text string) event.Body { return event.ToolOutput{ID: item, Text: text} }

// delta is the rule of a notification that carries a piece of text of an item.
func delta(body deltaBody) func(*Mapper, json.RawMessage) bool {
	return func(m *Mapper, raw json.RawMessage) bool {
		var p deltaParams
		if !params(raw, &p) || p.ThreadID == "" || p.ItemID == "" {
			return false
		}
		m.in(m.of(p.ThreadID), p.TurnID, body(p.ItemID, p.Delta))
		return true
	}
}

func (m *Mapper) summaryDelta(raw json.RawMessage) bool {
	return m.reasoningDelta(raw, func(it *wireItem) string {
		it.summary = true
		return ""
	})
}

// rawDelta is a piece of the model's own words, which follow the summary in the same block.
func (m *Mapper) rawDelta(raw json.RawMessage) bool {
	return m.reasoningDelta(raw, func(it *wireItem) string {
		first := it.summary && !it.raw
		it.raw = true
		if first {
			return "\n\n"
		}
		return ""
	})
}

func (m *Mapper) reasoningDelta(raw json.RawMessage, before func(*wireItem) string) bool {
	var p deltaParams
	if !params(raw, &p) || p.ThreadID == "" || p.ItemID == "" {
		return false
	}
	t := m.of(p.ThreadID)
	if it := t.items[p.ItemID]; it != nil {
		p.Delta = before(it) + p.Delta
	}
	m.in(t, p.TurnID, event.ReasoningDelta{Block: p.ItemID, Text: p.Delta})
	return true
}

// summaryPart separates the parts of a summary as the final text does.
func (m *Mapper) summaryPart(raw json.RawMessage) bool {
	var p struct {
		head
		Index int `json:"summaryIndex"`
	}
	if !params(raw, &p) || p.ThreadID == "" {
		return false
	}
	if t := m.of(p.ThreadID); p.Index > 0 {
		m.in(t, p.TurnID, event.ReasoningDelta{Block: p.ItemID, Text: "\n\n"})
	}
	return true
}

// terminalInput warns: what is typed into a terminal that was approved once is asked about by nobody. The launch
// settings refuse terminals, so this should never come.
func (m *Mapper) terminalInput(raw json.RawMessage) bool {
	var p deltaParams
	if !params(raw, &p) || p.ThreadID == "" {
		return false
	}
	if t := m.of(p.ThreadID); p.Stdin != "" { // "": it only looked whether the command has ended
		m.in(t, p.TurnID, event.Notice{
			Level: event.LevelWarning, Text: "Codex typed into a running terminal without asking.", Detail: p.Stdin,
		})
	}
	return true
}

func (m *Mapper) mcpProgress(raw json.RawMessage) bool {
	var p struct {
		head
		Message string `json:"message"`
	}
	if !params(raw, &p) || p.ThreadID == "" {
		return false
	}
	m.in(m.of(p.ThreadID), p.TurnID, event.ToolOutput{ID: p.ItemID, Text: p.Message + "\n"})
	return true
}

func (m *Mapper) planUpdated(raw json.RawMessage) bool {
	var p planParams
	if !params(raw, &p) || p.ThreadID == "" {
		return false
	}
	plan := event.Plan{Note: p.Explanation}
	for _, s := range p.Plan {
		state := event.StepUnknown
		switch s.Status {
		case "pending":
			state = event.StepPending
		case "inProgress":
			state = event.StepActive
		case "completed":
			state = event.StepDone
		}
		plan.Steps = append(plan.Steps, event.Step{Text: s.Step, State: state})
	}
	m.in(m.of(p.ThreadID), p.TurnID, plan)
	return true
}

// usageUpdated tells the main agent's use. A sub-agent has a context of its own, so only its total is told, with its
// task.
func (m *Mapper) usageUpdated(raw json.RawMessage) bool {
	var p usageParams
	if !params(raw, &p) || p.ThreadID == "" {
		return false
	}
	t, u := m.of(p.ThreadID), p.TokenUsage
	if !t.own {
		m.progress(t, event.TaskProgress{Tokens: u.Total.Total})
		return true
	}
	m.in(t, p.TurnID, event.Usage{
		Input: u.Total.Input, Cached: u.Total.Cached, Output: u.Total.Output,
		ContextUsed: u.Last.Total, ContextWindow: u.ModelContextWindow,
	})
	return true
}

var attempts = regexp.MustCompile(`(\d+)/(\d+)`)

// failed is either a retry, or the error that the turn's end will carry.
func (m *Mapper) failed(raw json.RawMessage) bool {
	var p errorParams
	if !params(raw, &p) || p.Error.Message == "" {
		return false
	}
	err := failure(&p.Error)
	if p.ThreadID == "" {
		m.emit("", "", event.Notice{Level: event.LevelError, Class: err.Class, Text: err.Message, Detail: err.Detail})
		return true
	}
	t := m.of(p.ThreadID)
	if p.WillRetry {
		t.retries++
		r := event.Retrying{Attempt: t.retries, Cause: *err}
		if n := attempts.FindStringSubmatch(p.Error.Message); n != nil {
			r.Attempt, r.Max = number(n[1], 0), number(n[2], 0)
		}
		m.in(t, p.TurnID, r)
		return true
	}
	if t.open == "" {
		m.in(t, p.TurnID, event.Notice{Level: event.LevelError, Class: err.Class, Text: err.Message, Detail: err.Detail})
		return true
	}
	t.err = err // told by turn/completed
	return true
}

func windowName(minutes int64) string {
	switch minutes {
	case 300:
		return "five_hour"
	case 1440:
		return "one_day"
	case 10080:
		return "seven_day"
	case 0:
		return "unknown"
	}
	return strconv.FormatInt(minutes, 10) + "_minutes"
}

package codex

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"keva/agent/event"
)

func decodeItem(raw json.RawMessage) (*wireItem, bool) {
	var it wireItem
	if !params(raw, &it) || it.Type == "" {
		return nil, false
	}
	return &it, true
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func (m *Mapper) itemStarted(raw json.RawMessage) bool {
	var p itemParams
	if !params(raw, &p) || p.ThreadID == "" {
		return false
	}
	it, ok := decodeItem(p.Item)
	if !ok {
		return false
	}
	t := m.of(p.ThreadID)
	it.turn = p.TurnID
	if it.ID != "" {
		t.items[it.ID] = it
		t.seen[it.ID] = true
	}
	switch it.Type {
	case "userMessage":
		m.echo(t, it)
		delete(t.items, it.ID)
	case "agentMessage", "reasoning", "plan":
		// Text comes in deltas, or at the end.
	case "subAgentActivity":
		m.activity(t, p.TurnID, it, false)
	case "contextCompaction":
		m.in(t, p.TurnID, event.Compaction{State: event.CompactionStarted})
	case "enteredReviewMode", "exitedReviewMode", "hookPrompt", "functionCallOutput":
		// Told whole at the end.
	default:
		if start, ok := toolStart(it, p.Item); ok {
			m.in(t, p.TurnID, start)
		} else {
			m.in(t, p.TurnID, event.NewUnrecognised("item "+it.Type, p.Item))
		}
		if it.Type == "collabAgentToolCall" {
			m.collab(t, p.TurnID, it, false)
		}
	}
	return true
}

func (m *Mapper) itemCompleted(raw json.RawMessage) bool {
	var p itemParams
	if !params(raw, &p) || p.ThreadID == "" {
		return false
	}
	it, ok := decodeItem(p.Item)
	if !ok {
		return false
	}
	t := m.of(p.ThreadID)
	opened := t.items[it.ID]
	delete(t.items, it.ID)
	it.turn = p.TurnID
	switch it.Type {
	case "userMessage":
		m.echo(t, it)
	case "agentMessage":
		if it.Text != "" {
			t.child.last = it.Text
		}
		m.in(t, p.TurnID, event.TextFinal{Block: it.ID, Text: it.Text, Commentary: it.Phase == "commentary"})
	case "plan":
		m.in(t, p.TurnID, event.TextFinal{Block: it.ID, Text: it.Text})
	case "reasoning":
		m.in(t, p.TurnID, event.ReasoningFinal{Block: it.ID, Text: reasoningText(it)})
	case "subAgentActivity":
		m.activity(t, p.TurnID, it, true)
	case "contextCompaction":
		m.in(t, p.TurnID, event.Compaction{State: event.CompactionDone})
	case "enteredReviewMode":
		m.in(t, p.TurnID, event.Notice{Level: event.LevelInfo, Text: "Codex reviews: " + firstLine(it.Review, titleLen), Detail: it.Review})
	case "exitedReviewMode":
		// The same text comes as the answer.
		m.in(t, p.TurnID, event.Notice{Level: event.LevelInfo, Text: "The review is over.", Detail: it.Review})
	case "hookPrompt", "functionCallOutput":
		m.in(t, p.TurnID, event.Notice{Level: event.LevelInfo, Text: "Codex added to the conversation: " + it.Type, Detail: string(p.Item)})
	default:
		m.toolDone(t, p, it, opened)
	}
	return true
}

// toolDone closes a tool item, with what it did to files and what it found on the web before its end.
func (m *Mapper) toolDone(t *thread, p itemParams, it, opened *wireItem) {
	end, ok := toolEnd(it)
	if !ok {
		m.in(t, p.TurnID, event.NewUnrecognised("item "+it.Type, p.Item))
		return
	}
	if !t.seen[it.ID] { // its start was never seen: a card needs one
		t.seen[it.ID] = true
		if start, ok := toolStart(it, p.Item); ok {
			m.in(t, p.TurnID, start)
		}
	}
	if opened != nil && opened.stopped && end.Outcome != event.Success {
		end.Outcome, end.Class = event.Interrupted, event.ClassInterrupted
	}
	switch it.Type {
	case "fileChange":
		m.in(t, p.TurnID, event.FileChange{ID: it.ID, Changes: changes(it.Changes), Outcome: end.Outcome})
	case "webSearch":
		m.in(t, p.TurnID, web(it))
	case "collabAgentToolCall":
		m.collab(t, p.TurnID, it, true)
	}
	m.in(t, p.TurnID, end)
	if opened != nil && opened.task {
		m.emit(m.turnFor(t, p.TurnID), t.scope(), event.TaskEnded{
			ID: it.ID, Outcome: end.Outcome, Class: end.Class, Via: "item/completed",
		})
	}
}

// echo is the engine's reading of a message: it tells which turn took it. A sub-agent's is its task.
func (m *Mapper) echo(t *thread, it *wireItem) {
	if t.own {
		if !strings.HasPrefix(it.ClientID, reasonID) {
			t.read(t.turnID(it.turn), it.ClientID)
		}
		for i, q := range t.queue {
			if q == it.ClientID {
				t.queue = append(t.queue[:i], t.queue[i+1:]...)
				break
			}
		}
		return
	}
	var content []contentItem
	if json.Unmarshal(it.Content, &content) == nil && len(content) > 0 {
		m.named(t, firstLine(content[0].Text, titleLen), rankPrompt)
	}
}

func reasoningText(it *wireItem) string {
	var content []string
	if len(it.Content) > 0 && json.Unmarshal(it.Content, &content) != nil {
		content = nil // of a shape that is not known; the summary stands alone
	}
	return strings.Join(append(it.Summary, content...), "\n\n")
}

// toolStart describes a tool item as it opens.
func toolStart(it *wireItem, raw json.RawMessage) (event.ToolStarted, bool) {
	s := event.ToolStarted{ID: it.ID, Name: it.Type, Tool: event.ToolOther}
	switch it.Type {
	case "commandExecution":
		s.Tool, s.Title, s.Dir = event.ToolCommand, unwrap(it.Command), it.Cwd
		s.Input = object("command", it.Command)
	case "fileChange":
		s.Tool, s.Title = event.ToolEdit, changeTitle(it.Changes)
		s.Input = object("changes", it.Changes)
	case "webSearch":
		s.Tool, s.Title = event.ToolWeb, it.Query
		if s.Title == "" {
			s.Title = "search the web" // what for comes with the end
		}
	case "mcpToolCall":
		s.Tool, s.Name, s.Title, s.Input = event.ToolMCP, it.Tool, it.Server+": "+it.Tool, it.Arguments
	case "dynamicToolCall":
		s.Name, s.Title, s.Input = it.Tool, it.Tool, it.Arguments
	case "collabAgentToolCall":
		s.Tool, s.Name, s.Title = event.ToolAgent, it.Tool, firstLine(it.Prompt, titleLen)
		if s.Title == "" {
			s.Title = it.Tool
		} else {
			s.Input = object("prompt", it.Prompt)
		}
	case "imageView":
		s.Tool, s.Title = event.ToolImage, it.Path
	case "imageGeneration":
		s.Tool, s.Title, s.Input = event.ToolImage, "generate an image", raw
	case "sleep":
		s.Title = "wait " + strconv.FormatInt(it.Millis, 10) + " ms"
	default:
		return s, false
	}
	return s, true
}

// toolEnd describes how a tool item ended, and reports false for what is no tool.
func toolEnd(it *wireItem) (event.ToolEnded, bool) {
	e := event.ToolEnded{ID: it.ID, Millis: it.Millis}
	switch it.Type {
	case "commandExecution":
		e.Outcome, e.Class = itemOutcome(it.Status)
		if it.Output != nil {
			e.Output = *it.Output
		}
		// -1 is no exit code: the command could not start, or was ended by a clean-up.
		if it.ExitCode != nil && *it.ExitCode != -1 {
			e.ExitCode = it.ExitCode
			if *it.ExitCode != 0 && e.Outcome == event.Success {
				e.Outcome, e.Class = event.Failure, event.ClassTool
			}
		}
	case "fileChange":
		e.Outcome, e.Class = itemOutcome(it.Status)
	case "mcpToolCall":
		e.Outcome, e.Class = itemOutcome(it.Status)
		e.Output = mcpText(it)
		if e.Outcome == event.Failure && field(it.ItemError, "message") == "user rejected MCP tool call" {
			e.Class = event.ClassDenied
		}
	case "dynamicToolCall":
		e.Outcome, e.Class = itemOutcome(it.Status)
		if it.Success != nil && !*it.Success && e.Outcome == event.Success {
			e.Outcome, e.Class = event.Failure, event.ClassTool
		}
		e.Output = joinText(it.ContentItems)
	case "collabAgentToolCall":
		e.Outcome, e.Class = itemOutcome(it.Status)
	case "imageGeneration":
		e.Outcome, e.Class = itemOutcome(it.Status)
		e.Output = it.SavedPath
	case "webSearch", "imageView", "sleep":
		// These items have no status: their completion is all that is said.
		e.Outcome = event.Success
		if it.Type == "sleep" {
			e.Millis = 0 // durationMs is what was asked for
		}
	default:
		return e, false
	}
	return e, true
}

// itemOutcome maps an item's status word, fail-closed like outcome.
func itemOutcome(status string) (event.Outcome, event.Class) {
	switch status {
	case "completed":
		return event.Success, ""
	case "declined":
		return event.Failure, event.ClassDenied
	case "interrupted":
		return event.Interrupted, event.ClassInterrupted
	case "", "inProgress":
		return event.Unknown, ""
	}
	return event.Failure, event.ClassTool
}

func changeTitle(cs []wireChange) string {
	if len(cs) == 0 {
		return "change files"
	}
	title := cs[0].Path
	if len(cs) > 1 {
		title += " and " + strconv.Itoa(len(cs)-1) + " more"
	}
	return title
}

func mcpText(it *wireItem) string {
	var r struct {
		Content []contentItem `json:"content"`
	}
	if params(it.Result, &r) {
		if text := joinText(r.Content); text != "" {
			return text
		}
	}
	if msg := field(it.ItemError, "message"); msg != "" {
		return msg
	}
	if string(it.Result) == "null" {
		return ""
	}
	return string(it.Result)
}

func joinText(items []contentItem) string {
	var parts []string
	for _, c := range items {
		if c.Text != "" {
			parts = append(parts, c.Text)
		} else {
			parts = append(parts, "["+c.Type+"]")
		}
	}
	return strings.Join(parts, "\n")
}

// object makes a JSON object with one member.
func object(key string, value any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // people read it
	if enc.Encode(map[string]any{key: value}) != nil {
		return nil // only values that JSON can hold come here
	}
	return bytes.TrimSpace(b.Bytes())
}

package claude

import (
	"encoding/json"
	"strings"
)

// message is the Messages API object in assistant and user lines.
type message struct {
	ID      string          `json:"id"`
	Role    string          `json:"role"`
	Model   string          `json:"model"`
	Content json.RawMessage `json:"content"` // a string or a list of blocks
	Usage   usage           `json:"usage"`
}

// synthetic is the model of lines that the CLI wrote itself.
const synthetic = "<synthetic>"

// block is one content block of any kind.
type block struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`

	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

// blocks reads content. A plain string is one text block. ok is false for anything that is neither.
func blocks(content json.RawMessage) (bs []block, ok bool) {
	var s string
	if json.Unmarshal(content, &s) == nil && len(content) > 0 && content[0] == '"' {
		return []block{{Type: "text", Text: s}}, true
	}
	var raw []json.RawMessage
	if len(content) == 0 || json.Unmarshal(content, &raw) != nil || content[0] != '[' {
		return nil, false
	}
	for _, r := range raw {
		var b block
		if decode(r, &b) != nil {
			b.Type = "" // kept as a block of no type, so that it is counted and the others keep their index
		}
		bs = append(bs, b)
	}
	return bs, true
}

// plainText joins the text of blocks; an image is named, since its bytes help nobody in a text.
func plainText(bs []block) string {
	var parts []string
	for _, b := range bs {
		switch b.Type {
		case "text":
			parts = append(parts, b.Text)
		case "image":
			parts = append(parts, "[image]")
		}
	}
	return strings.Join(parts, "\n")
}

// streamEvent is a raw event of the Messages API's stream.
type streamEvent struct {
	Type    string  `json:"type"`
	Index   int     `json:"index"`
	Message message `json:"message"`
	Block   block   `json:"content_block"`
	Delta   struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Thinking string `json:"thinking"`
	} `json:"delta"`
	Usage usage `json:"usage"`
}

// controlRequest is the request of either side.
type controlRequest struct {
	Subtype        string          `json:"subtype"`
	ToolName       string          `json:"tool_name"`
	Input          json.RawMessage `json:"input"`
	Description    string          `json:"description"`
	DecisionReason string          `json:"decision_reason"`
	ToolUseID      string          `json:"tool_use_id"`
	AgentID        string          `json:"agent_id"`
	TaskID         string          `json:"task_id"`
	MessageUUID    string          `json:"message_uuid"`
}

// controlResponse is the answer of either side.
type controlResponse struct {
	Subtype   string          `json:"subtype"`
	RequestID string          `json:"request_id"`
	Response  json.RawMessage `json:"response"`
	Error     string          `json:"error"`
}

// permission is our answer to can_use_tool.
type permission struct {
	Behavior string          `json:"behavior"`
	Updated  json.RawMessage `json:"updatedInput"`
	Message  string          `json:"message"`
}

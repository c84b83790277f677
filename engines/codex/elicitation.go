package codex

import (
	"encoding/json"
	"strconv"
	"strings"

	"keva/agent/event"
)

// elicitation is a request of an MCP server: the approval of a tool call, a form, or an address to visit.
type elicitation struct {
	Server  string `json:"serverName"`
	Mode    string `json:"mode"`
	Message string `json:"message"`
	URL     string `json:"url"`
	Title   string `json:"title"`
	Meta    struct {
		Kind   string          `json:"codex_approval_kind"`
		Tool   string          `json:"tool_name"`
		About  string          `json:"tool_description"`
		Params json.RawMessage `json:"tool_params"`
	} `json:"_meta"`
	Schema json.RawMessage `json:"requestedSchema"`
}

// property is one field of a form.
type property struct {
	Type        string   `json:"type"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Enum        []string `json:"enum"`
	EnumNames   []string `json:"enumNames"`
	OneOf       []struct {
		Const string `json:"const"`
		Title string `json:"title"`
	} `json:"oneOf"`
	Items *property `json:"items"`
}

func (m *Mapper) askServer(t *thread, r *request, h head) bool {
	var p elicitation
	if !params(r.params, &p) {
		return false
	}
	approval := event.ApprovalAsked{
		ID: r.id, Tool: event.ToolMCP, Name: p.Server, Title: p.Message, Reason: p.Meta.About, Input: p.Meta.Params,
	}
	switch {
	case p.Meta.Kind != "": // mcp_tool_call, and whatever else wants a yes or no
		approval.Name, approval.Title = p.Meta.Tool, p.Server+": "+p.Meta.Tool
		approval.ToolID = t.openTool(p.Server, p.Meta.Tool)
		if p.Meta.Tool == "" {
			approval.Name, approval.Title = p.Meta.Kind, p.Message
		}
		r.item = approval.ToolID
		if approval.Input == nil {
			approval.Input = r.params
		}
		m.in(t, h.TurnID, approval)
	case p.Mode == "url":
		approval.Reason, approval.Input = p.URL, r.params
		m.in(t, h.TurnID, approval)
	case p.Mode == "openai/userVerification":
		r.refuse = true
		m.in(t, h.TurnID, event.Notice{
			Level: event.LevelWarning, Detail: p.Title,
			Text: "The MCP server " + p.Server + " asks for a verification by device, which Keva can't give.",
		})
	default: // form, openai/form, openaiForm
		q := event.QuestionAsked{ID: r.id, ToolID: t.openTool(p.Server, ""), Questions: form(p)}
		r.question, r.item = true, q.ToolID
		m.in(t, h.TurnID, q)
	}
	return true
}

// openTool finds the open MCP call that a request is about, which carries no item id.
func (t *thread) openTool(server, tool string) string {
	for _, id := range sortedKeys(t.items) {
		it := t.items[id]
		if it.Type == "mcpToolCall" && it.Server == server && (tool == "" || it.Tool == tool) {
			return id
		}
	}
	return ""
}

func formProperties(schema json.RawMessage) map[string]property {
	var s struct {
		Properties map[string]property `json:"properties"`
	}
	if !params(schema, &s) {
		return nil
	}
	return s.Properties
}

// form makes a question of each property. A form that asks nothing is a question without a key: yes or no.
func form(p elicitation) []event.Question {
	var out []event.Question
	props := formProperties(p.Schema)
	for _, key := range sortedKeys(props) {
		prop := props[key]
		q := event.Question{ID: key, Header: p.Server, Text: p.Message}
		label := prop.Title
		if label == "" {
			label = key
		}
		q.Text += "\n" + label
		if prop.Description != "" {
			q.Text += ": " + prop.Description
		}
		q.Options = options(prop)
		if prop.Items != nil {
			q.Multi = true
			q.Options = options(*prop.Items)
		}
		q.Free = len(q.Options) == 0
		out = append(out, q)
	}
	if len(out) == 0 {
		out = append(out, event.Question{Header: p.Server, Text: p.Message, Options: []event.Option{{Label: "OK"}}})
	}
	return out
}

func options(p property) []event.Option {
	var out []event.Option
	for i, e := range p.Enum {
		o := event.Option{Label: e}
		if i < len(p.EnumNames) {
			o.Detail = p.EnumNames[i]
		}
		out = append(out, o)
	}
	for _, o := range p.OneOf {
		out = append(out, event.Option{Label: o.Const, Detail: o.Title})
	}
	if len(out) == 0 && p.Type == "boolean" {
		out = []event.Option{{Label: "true"}, {Label: "false"}}
	}
	return out
}

// formContent makes the form's content of the answers, each in the type that the schema asks for. What does not fit its
// type goes as text: the server judges.
func formContent(schema json.RawMessage, answers map[string][]string) map[string]any {
	props := formProperties(schema)
	content := map[string]any{}
	for key, values := range answers {
		if key == "" || len(values) == 0 {
			continue
		}
		p := props[key]
		if p.Type == "array" {
			content[key] = values
			continue
		}
		content[key] = typed(p.Type, strings.Join(values, ", "))
	}
	return content
}

func typed(typ, s string) any {
	switch typ {
	case "integer":
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return n
		}
	case "number":
		if n, err := strconv.ParseFloat(s, 64); err == nil {
			return n
		}
	case "boolean":
		if b, err := strconv.ParseBool(s); err == nil {
			return b
		}
	}
	return s
}

package demo

import (
	"encoding/json"
	"regexp"
	"strings"
)

// responsesRequest is the part of an OpenAI Responses request that the demo looks at.
type responsesRequest struct {
	Model        string            `json:"model"`
	Stream       bool              `json:"stream"`
	Instructions string            `json:"instructions"`
	Tools        []responsesTool   `json:"tools"`
	Input        []json.RawMessage `json:"input"`
	CacheKey     string            `json:"prompt_cache_key"`
}

type responsesTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Tools       []responsesTool `json:"tools"` // of a namespace
}

// inputItem is one item of the history. The newest models get their tools as an item as well.
type inputItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Output    json.RawMessage `json:"output"`
	Tools     []responsesTool `json:"tools"`
}

var (
	codexCWD = regexp.MustCompile(`<cwd>([^<]+)</cwd>`)
	// Codex writes its own remarks into user messages, as elements or under a heading.
	codexRemark = regexp.MustCompile(`^(<[a-z_]+>|# AGENTS\.md instructions)`)
)

// conversation reads the request's items.
func (r *responsesRequest) conversation(choose func(string) (*Script, bool)) *Conversation {
	t := newTranscript(choose)
	tools := r.Tools
	cwd := ""
	for _, raw := range r.Input {
		var item inputItem
		if json.Unmarshal(raw, &item) != nil {
			continue
		}
		text := joinText(item.Content)
		switch {
		case item.Type == "additional_tools":
			tools = append(tools, item.Tools...)
		case strings.HasSuffix(item.Type, "_call_output"):
			t.codexResult(item)
		case item.Type == "custom_tool_call", item.Type == "function_call":
			t.call(item.CallID, item.Name)
			t.spawned(item)
		case item.Type == "agent_message":
			t.agentMessage(text)
		case item.Type == "message" && item.Role == "assistant":
			t.said()
		case item.Type == "message" && item.Role == "user" || item.Type == "" && item.Role == "user":
			if m := codexCWD.FindStringSubmatch(text); m != nil {
				cwd = m[1]
			}
			for _, block := range blocks(item.Content) { // what a host put before the person's words is one of its own
				t.codexText(block.Text)
			}
		}
	}
	conv := &t.conv
	conv.Key, conv.CWD = r.CacheKey, cwd
	conv.Offers = codexOffers(tools)
	if conv.Script == nil {
		conv.Script, _ = choose("")
	}
	return conv
}

// codexText takes a user message.
func (t *transcript) codexText(text string) {
	trimmed := strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(trimmed, "<turn_aborted>"):
		t.interrupted = true
	case strings.HasPrefix(trimmed, "<subagent_notification>"):
		t.conv.News = append(t.conv.News, trimmed)
	case codexRemark.MatchString(trimmed):
	default:
		t.prompt(text)
	}
}

// spawned notes the name of a sub-agent: Codex refuses one that the thread had already.
func (t *transcript) spawned(item inputItem) {
	ref, ours := decodeRef(item.CallID)
	var arguments struct {
		Name string `json:"task_name"`
	}
	if item.Name == "spawn_agent" && ours && json.Unmarshal([]byte(item.Arguments), &arguments) == nil && arguments.Name != "" {
		t.conv.Names[arguments.Name], t.conv.Spawned[ref] = true, arguments.Name
	}
}

// agentMessage takes what one agent tells another: the task of a sub-agent, or its report.
func (t *transcript) agentMessage(text string) {
	if agentMarker.MatchString(text) {
		t.prompt(text)
		return
	}
	t.conv.News = append(t.conv.News, text)
}

func codexOffers(tools []responsesTool) Offers {
	o := Offers{names: map[string]bool{}}
	var walk func(namespace string, tools []responsesTool)
	walk = func(namespace string, tools []responsesTool) {
		for _, tool := range tools {
			switch {
			case tool.Type == "namespace":
				walk(tool.Name, tool.Tools)
				continue
			case tool.Type == "custom" && tool.Name == "exec":
				o.CodeMode = true
				o.Plan = strings.Contains(tool.Description, "update_plan")
			case tool.Type == "custom" && tool.Name == "apply_patch":
				o.Patch = true
			case tool.Type == "web_search":
				o.Search = true
			case tool.Name == "spawn_agent":
				o.Agents = namespace
			case tool.Name == "update_plan":
				o.Plan = true
			}
			o.names[tool.Name] = true
		}
	}
	walk("", tools)
	return o
}

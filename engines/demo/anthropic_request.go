package demo

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// messagesRequest is the part of an Anthropic Messages request that the demo looks at. Fields that may have several shapes
// are kept raw: a strange one is skipped, it never fails the request.
type messagesRequest struct {
	Model    string            `json:"model"`
	Stream   bool              `json:"stream"`
	System   json.RawMessage   `json:"system"`
	Tools    []messagesTool    `json:"tools"`
	Messages []json.RawMessage `json:"messages"`
	Output   json.RawMessage   `json:"output_config"`
	Metadata struct {
		UserID string `json:"user_id"`
	} `json:"metadata"`
}

type messagesTool struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

type contentBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	ToolUseID string          `json:"tool_use_id"`
	IsError   bool            `json:"is_error"`
	Content   json.RawMessage `json:"content"`
	Encrypted string          `json:"encrypted_content"` // Codex: a message between agents, as we wrote it
}

// blocks reads content that is a string or a list of blocks.
func blocks(raw json.RawMessage) []contentBlock {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return []contentBlock{{Type: "text", Text: text}}
	}
	var each []json.RawMessage
	if json.Unmarshal(raw, &each) != nil {
		return nil
	}
	var list []contentBlock
	for _, one := range each {
		var block contentBlock
		if json.Unmarshal(one, &block) == nil {
			list = append(list, block)
		}
	}
	return list
}

func joinText(raw json.RawMessage) string {
	var texts []string
	for _, block := range blocks(raw) {
		if text := block.Text + block.Encrypted; text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

var (
	reminder     = regexp.MustCompile(`(?s)<system-reminder>.*?</system-reminder>`)
	workingDir   = regexp.MustCompile(`(?m)working directory: (.+)$`)
	exitCode     = regexp.MustCompile(`^Exit code (\d+)`)
	apiErrorText = regexp.MustCompile(`^(API Error|Failed to authenticate|There's an issue with the selected model)`)
)

// conversation reads the request's messages.
func (r *messagesRequest) conversation(choose func(string) (*Script, bool)) *Conversation {
	t := newTranscript(choose)
	for _, raw := range r.Messages {
		var message struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		}
		if json.Unmarshal(raw, &message) != nil {
			continue
		}
		for _, block := range blocks(message.Content) {
			switch {
			case message.Role == "assistant" && block.Type == "text":
				t.said()
			case message.Role == "assistant" && block.Type == "tool_use":
				t.call(block.ID, block.Name)
			case message.Role == "user" && block.Type == "tool_result":
				t.result(block.ToolUseID, map[int]Outcome{-1: block.outcome(t.tools[block.ToolUseID])})
			case message.Role == "user" && block.Type == "text":
				t.userText(block.Text)
			}
		}
	}
	conv := &t.conv
	conv.Key = r.Metadata.UserID
	if m := workingDir.FindStringSubmatch(joinText(r.System)); m != nil {
		conv.CWD = strings.TrimSpace(m[1])
	}
	conv.Offers = r.offers()
	if conv.Script == nil {
		conv.Script, _ = choose("")
	}
	return conv
}

// userText takes a text block of a user message, which may be the person's or the CLI's own.
func (t *transcript) userText(text string) {
	aside := strings.Contains(text, "This is a side question from the user")
	text = strings.TrimSpace(reminder.ReplaceAllString(text, ""))
	switch {
	case aside:
		t.aside(text)
	case strings.HasPrefix(text, "[Request interrupted by user"):
		t.interrupted = true
	case strings.HasPrefix(text, "<local-command"), strings.HasPrefix(text, "<command-"), strings.HasPrefix(text, "[Your previous response had no"):
	default:
		t.prompt(text)
	}
}

// toolFailure are the beginnings of what the CLI's tools say when they fail; denial are words of a refusal.
var (
	toolFailure = regexp.MustCompile(`^(<tool_use_error>|Error|InputValidationError|File does not exist|File has|EISDIR|ENOENT|EACCES|getaddrinfo|Invalid)`)
	denial      = regexp.MustCompile(`(?i)\b(den(y|ied|ies)|declined?|refused?|reject(ed)?|permission|not allowed|no,)`)
)

// outcome reads a tool_result. A refusal carries the host's own words, so it is told by what it is not: the failure of a
// tool has a form of its own. Reading is hardly ever asked about and fails in many ways: there the words must say it.
func (b contentBlock) outcome(tool string) Outcome {
	text := joinText(b.Content)
	o := Outcome{Text: text, Error: b.IsError}
	switch m := exitCode.FindStringSubmatch(text); {
	case b.IsError && m != nil:
		if code, err := strconv.Atoi(m[1]); err == nil {
			o.Exit = &code
		}
	case b.IsError:
		o.Denied = !toolFailure.MatchString(text) && (tool != "Read" || denial.MatchString(text))
	default:
		zero := 0
		o.Exit = &zero
		o.AgentsFailed = apiErrorText.MatchString(text)
	}
	return o
}

func (r *messagesRequest) offers() Offers {
	o := Offers{names: map[string]bool{}}
	for _, tool := range r.Tools {
		o.names[tool.Name] = true
	}
	o.Todos = o.names["TodoWrite"] && !o.names["TaskCreate"]
	o.Plan = o.Todos || o.names["TaskCreate"]
	o.Search = o.names["WebSearch"]
	return o
}

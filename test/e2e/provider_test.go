package e2e

import (
	"encoding/json"
	"strings"

	"keva/engines/demo"
)

// block is one piece of text that a provider was sent, whatever its wire.
type block struct {
	role, text string
}

// blocks are the texts of a request's conversation, each as the engine kept it apart from the others.
func blocks(r demo.Request) []block {
	type message struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	var body struct {
		Messages []message `json:"messages"` // Anthropic
		Input    []message `json:"input"`    // OpenAI
	}
	if r.Decode(&body) != nil {
		return nil // no conversation
	}
	var out []block
	for _, m := range append(body.Messages, body.Input...) {
		var whole string
		var parts []struct {
			Text string `json:"text"`
		}
		if json.Unmarshal(m.Content, &whole) == nil {
			out = append(out, block{m.Role, whole})
		} else if json.Unmarshal(m.Content, &parts) == nil {
			for _, p := range parts {
				out = append(out, block{m.Role, p.Text})
			}
		}
	}
	return out
}

// asked are the requests that hold text as a block of its own: whatever Keva or an engine put beside it, it stayed what
// the user wrote.
func (w *world) asked(text string) [][]block {
	var out [][]block
	for _, r := range w.access.Demo().Requests() {
		list := blocks(r)
		for _, b := range list {
			if b.role == "user" && strings.TrimSpace(b.text) == text {
				out = append(out, list)
				break
			}
		}
	}
	return out
}

// with are the blocks that hold all parts.
func with(list []block, parts ...string) (found []block) {
next:
	for _, b := range list {
		for _, p := range parts {
			if !strings.Contains(b.text, p) {
				continue next
			}
		}
		found = append(found, b)
	}
	return found
}

package demo

import (
	"encoding/json"
	"strings"
)

// message is one Messages API answer that is being built.
type message struct {
	model  string
	id     string
	input  int // tokens
	frames []frame
	block  int
	output int
	stop   string
	whole  []map[string]any // the content, for a request that does not stream
	server int              // web searches done
}

type fields = map[string]any

func newMessage(model, id string, inputTokens int) *message {
	m := &message{model: model, id: id, input: inputTokens, stop: "end_turn"}
	m.frame("message_start", fields{"message": fields{
		"id": id, "type": "message", "role": "assistant", "model": model, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": m.usage(),
	}})
	return m
}

func (m *message) usage() fields {
	usage := fields{
		"input_tokens": m.input, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
		"output_tokens": m.output, "service_tier": "standard",
	}
	if m.server > 0 {
		usage["server_tool_use"] = fields{"web_search_requests": m.server}
	}
	return usage
}

func (m *message) frame(event string, data fields) {
	data["type"] = event
	m.frames = append(m.frames, frame{event: event, data: data, block: -1})
}

// content adds one block: how it begins, its deltas, and what it is as a whole.
func (m *message) content(start fields, deltas []fields, whole fields) {
	add := func(event string, data fields, opens, ends, text bool) {
		data["type"], data["index"] = event, m.block
		m.frames = append(m.frames, frame{event: event, data: data, block: m.block, opens: opens, ends: ends, text: text})
	}
	add("content_block_start", fields{"content_block": start}, true, false, false)
	for _, delta := range deltas {
		add("content_block_delta", fields{"delta": delta}, false, false, delta["type"] == "text_delta" || delta["type"] == "thinking_delta")
	}
	add("content_block_stop", fields{}, false, true, false)
	m.block++
	m.whole = append(m.whole, whole)
}

func (m *message) text(text string) {
	if text == "" {
		return
	}
	var deltas []fields
	for _, piece := range chunks(text) {
		deltas = append(deltas, fields{"type": "text_delta", "text": piece})
	}
	m.output += tokens(len(text))
	m.content(fields{"type": "text", "text": ""}, deltas, fields{"type": "text", "text": text})
}

func (m *message) thinking(text string) {
	if text == "" {
		return
	}
	var deltas []fields
	for _, piece := range chunks(text) {
		deltas = append(deltas, fields{"type": "thinking_delta", "thinking": piece})
	}
	const signature = "ZGVtbw=="
	deltas = append(deltas, fields{"type": "signature_delta", "signature": signature})
	m.output += tokens(len(text))
	m.content(fields{"type": "thinking", "thinking": "", "signature": ""}, deltas, fields{"type": "thinking", "thinking": text, "signature": signature})
}

func (m *message) toolUse(kind, id, name string, input map[string]any) {
	data, err := json.Marshal(input)
	if err != nil {
		panic("demo: a tool input can't be encoded: " + err.Error()) // inputs are built here from plain values
	}
	m.output += tokens(len(data))
	m.content(fields{"type": kind, "id": id, "name": name, "input": fields{}},
		[]fields{{"type": "input_json_delta", "partial_json": string(data)}},
		fields{"type": kind, "id": id, "name": name, "input": input})
}

// search adds what the service itself does for its web_search tool.
func (m *message) search(id string, search *Search) {
	m.toolUse("server_tool_use", id, "web_search", fields{"query": search.Query})
	found := []any{}
	for _, hit := range search.Results {
		found = append(found, fields{"type": "web_search_result", "title": hit.Title, "url": hit.URL, "encrypted_content": "ZGVtbw==", "page_age": nil})
	}
	result := fields{"type": "web_search_tool_result", "tool_use_id": id, "content": found}
	m.content(result, nil, result)
	m.server++
	m.text(search.Summary)
}

func (m *message) end() {
	m.frame("message_delta", fields{"delta": fields{"stop_reason": m.stop, "stop_sequence": nil}, "usage": m.usage()})
	m.frame("message_stop", fields{})
}

// body is the answer to a request that does not stream.
func (m *message) body() fields {
	if m.whole == nil {
		m.whole = []map[string]any{}
	}
	return fields{
		"id": m.id, "type": "message", "role": "assistant", "model": m.model, "content": m.whole,
		"stop_reason": m.stop, "stop_sequence": nil, "usage": m.usage(),
	}
}

// play writes an answer into the message.
func (m *message) play(answer Answer, nonce string) {
	for i := 0; i < len(answer.Parts); i++ {
		part := answer.Parts[i]
		m.thinking(part.Think)
		// Steps without tools between them read as one text.
		texts := []string{part.Say}
		for len(part.Calls) == 0 && i+1 < len(answer.Parts) && answer.Parts[i+1].Think == "" {
			i++
			part = answer.Parts[i]
			texts = append(texts, part.Say)
		}
		m.text(paragraphs(texts))
		for _, call := range part.Calls {
			m.toolUse("tool_use", call.Ref.encode("toolu_", nonce), call.Name, call.Input)
			m.stop = "tool_use"
		}
	}
}

func paragraphs(texts []string) string {
	var kept []string
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" {
			kept = append(kept, text)
		}
	}
	return strings.Join(kept, "\n\n")
}

// tokens is a rough count: four bytes each.
func tokens(n int) int { return (n + 3) / 4 }

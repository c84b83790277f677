package demo

import (
	"encoding/json"
	"strconv"
	"strings"
)

// response is one Responses API answer that is being built.
type response struct {
	model, id string
	nonce     string
	input     int // tokens
	output    int
	reasoning int
	frames    []frame
	items     []any
	sequence  int
	calls     int
}

func newResponse(model, nonce string, inputTokens int) *response {
	r := &response{model: model, id: "resp_demo_" + nonce, nonce: nonce, input: inputTokens}
	r.frame("response.created", fields{"response": r.body("in_progress")})
	r.frame("response.in_progress", fields{"response": r.body("in_progress")})
	return r
}

func (r *response) body(status string) fields {
	body := fields{"id": r.id, "object": "response", "model": r.model, "status": status, "error": nil, "incomplete_details": nil, "output": []any{}, "usage": nil}
	if status != "in_progress" {
		body["output"] = append([]any{}, r.items...)
		body["usage"] = fields{
			"input_tokens": r.input, "input_tokens_details": fields{"cached_tokens": 0},
			"output_tokens": r.output, "output_tokens_details": fields{"reasoning_tokens": r.reasoning}, "total_tokens": r.input + r.output,
		}
	}
	return body
}

func (r *response) frame(event string, data fields) {
	data["type"], data["sequence_number"] = event, r.sequence
	r.sequence++
	r.frames = append(r.frames, frame{event: event, data: data, block: -1})
}

// item adds one output item: how it begins, what comes between, and what it is as a whole.
func (r *response) item(start fields, middle []fields, whole fields) {
	index := len(r.items)
	add := func(data fields, opens, ends bool) {
		event, _ := data["type"].(string) // written by this file
		data["output_index"], data["sequence_number"] = index, r.sequence
		r.sequence++
		r.frames = append(r.frames, frame{event: event, data: data, block: index, opens: opens, ends: ends, text: strings.HasSuffix(event, "text.delta")})
	}
	add(fields{"type": "response.output_item.added", "item": start}, true, false)
	for _, data := range middle {
		data["item_id"] = start["id"]
		add(data, false, false)
	}
	add(fields{"type": "response.output_item.done", "item": whole}, false, true)
	r.items = append(r.items, whole)
}

func (r *response) itemID(prefix string) string {
	return prefix + "_demo_" + r.nonce + "_" + strconv.Itoa(len(r.items))
}

// text adds a message. phase is commentary, or final_answer for the last text of a turn.
func (r *response) text(text, phase string) {
	if text == "" {
		return
	}
	id := r.itemID("msg")
	part := func(text string) fields { return fields{"type": "output_text", "text": text, "annotations": []any{}} }
	middle := []fields{{"type": "response.content_part.added", "content_index": 0, "part": part("")}}
	for _, piece := range chunks(text) {
		middle = append(middle, fields{"type": "response.output_text.delta", "content_index": 0, "delta": piece})
	}
	middle = append(middle, fields{"type": "response.output_text.done", "content_index": 0, "text": text},
		fields{"type": "response.content_part.done", "content_index": 0, "part": part(text)})
	r.output += tokens(len(text))
	r.item(fields{"type": "message", "id": id, "role": "assistant", "status": "in_progress", "phase": phase, "content": []any{}}, middle,
		fields{"type": "message", "id": id, "role": "assistant", "status": "completed", "phase": phase, "content": []any{part(text)}})
}

func (r *response) thinking(text string) {
	if text == "" {
		return
	}
	id := r.itemID("rs")
	part := func(text string) fields { return fields{"type": "summary_text", "text": text} }
	middle := []fields{{"type": "response.reasoning_summary_part.added", "summary_index": 0, "part": part("")}}
	for _, piece := range chunks(text) {
		middle = append(middle, fields{"type": "response.reasoning_summary_text.delta", "summary_index": 0, "delta": piece})
	}
	middle = append(middle, fields{"type": "response.reasoning_summary_text.done", "summary_index": 0, "text": text},
		fields{"type": "response.reasoning_summary_part.done", "summary_index": 0, "part": part(text)})
	r.reasoning += tokens(len(text))
	r.output += tokens(len(text))
	r.item(fields{"type": "reasoning", "id": id, "summary": []any{}}, middle, fields{"type": "reasoning", "id": id, "summary": []any{part(text)}})
}

// call adds a tool call, or a search that is done already.
func (r *response) call(call Call) {
	if call.Search != nil {
		r.search(call.Search)
		return
	}
	r.calls++
	if call.Raw != "" {
		r.output += tokens(len(call.Raw))
		r.tool("custom_tool_call", "ctc", call, "input", call.Raw, "response.custom_tool_call_input")
		return
	}
	arguments, err := json.Marshal(call.Input)
	if err != nil {
		panic("demo: a tool input can't be encoded: " + err.Error()) // inputs are built here from plain values
	}
	r.output += tokens(len(arguments))
	r.tool("function_call", "fc", call, "arguments", string(arguments), "response.function_call_arguments")
}

func (r *response) tool(kind, prefix string, call Call, field, value, event string) {
	id := r.itemID(prefix)
	item := func(status, value string) fields {
		it := fields{"type": kind, "id": id, "call_id": call.Ref.encode("call_", r.nonce), "name": call.Name, "status": status, field: value}
		if call.Namespace != "" {
			it["namespace"] = call.Namespace
		}
		return it
	}
	r.item(item("in_progress", ""), []fields{{"type": event + ".delta", "delta": value}, {"type": event + ".done", field: value}}, item("completed", value))
}

// search adds what the service itself does: Codex shows it and needs no result.
func (r *response) search(search *Search) {
	middle := func() []fields {
		return []fields{{"type": "response.web_search_call.in_progress"}, {"type": "response.web_search_call.searching"}, {"type": "response.web_search_call.completed"}}
	}
	done := func(action fields) {
		id := r.itemID("ws")
		r.item(fields{"type": "web_search_call", "id": id, "status": "in_progress"}, middle(),
			fields{"type": "web_search_call", "id": id, "status": "completed", "action": action})
	}
	done(fields{"type": "search", "query": search.Query, "queries": []any{search.Query}})
	// Codex has no place for the pages that a hosted search found; it shows the pages that were opened.
	for _, hit := range search.Results {
		done(fields{"type": "open_page", "url": hit.URL})
	}
}

func (r *response) end() { r.frame("response.completed", fields{"response": r.body("completed")}) }

// play writes an answer into the response.
func (r *response) play(answer Answer) {
	for i := 0; i < len(answer.Parts); i++ {
		part := answer.Parts[i]
		r.thinking(part.Think)
		texts := []string{part.Say}
		for len(part.Calls) == 0 && i+1 < len(answer.Parts) && answer.Parts[i+1].Think == "" {
			i++
			part = answer.Parts[i]
			texts = append(texts, part.Say)
		}
		phase := "commentary"
		if len(part.Calls) == 0 && i == len(answer.Parts)-1 {
			phase = "final_answer"
		}
		r.text(paragraphs(texts), phase)
		for _, call := range part.Calls {
			r.call(call)
		}
	}
}

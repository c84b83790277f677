package codex

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// provider is a scripted model on loopback: it answers each request for a response with what script returns for it.
type provider struct {
	*httptest.Server
	mu       sync.Mutex
	requests []string // bodies
	script   func(n int, body, thread string) []output
}

// output is one item of a model's answer.
type output map[string]any

func say(text string) output {
	return output{
		"type": "message", "role": "assistant", "id": "", "phase": "final_answer",
		"content": []any{map[string]any{"type": "output_text", "text": text}},
	}
}

func run(command string) output {
	raw, err := json.Marshal(map[string]any{"cmd": command})
	if err != nil {
		panic(err)
	}
	return output{"type": "function_call", "name": "exec_command", "arguments": string(raw), "call_id": ""}
}

func patch(text string) output {
	return output{"type": "custom_tool_call", "name": "apply_patch", "input": text, "call_id": ""}
}

func agent(tool string, arguments map[string]any) output {
	raw, err := json.Marshal(arguments)
	if err != nil {
		panic(err)
	}
	return output{"type": "function_call", "namespace": "collaboration", "name": tool, "arguments": string(raw), "call_id": ""}
}

// perThread serves a script of its own to each thread, in the order in which they first ask: the main agent, its first
// sub-agent, … A script is given the number of the thread's request.
func perThread(t *testing.T, scripts ...func(n int) []output) *provider {
	var mu sync.Mutex
	var order []string
	counts := map[string]int{}
	p := newProvider(t, nil)
	p.script = func(_ int, _ string, thread string) []output {
		mu.Lock()
		if _, ok := counts[thread]; !ok {
			order = append(order, thread)
		}
		n := counts[thread]
		counts[thread]++
		which := -1
		for i, id := range order {
			if id == thread {
				which = i
			}
		}
		mu.Unlock()
		if which >= len(scripts) {
			return []output{say("Nothing to do.")}
		}
		return scripts[which](n)
	}
	return p
}

// newProvider serves script: it is given the number of the request, from 0, and its body. A nil answer hangs until the
// client goes away.
func newProvider(t *testing.T, script func(n int, body string) []output) *provider {
	p := &provider{script: func(n int, body, _ string) []output { return script(n, body) }}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/responses") {
			http.NotFound(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		p.mu.Lock()
		n := len(p.requests)
		p.requests = append(p.requests, string(body))
		p.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		send := func(typ string, fields map[string]any) {
			fields["type"] = typ
			raw, err := json.Marshal(fields)
			if err != nil {
				panic(err)
			}
			fmt.Fprintf(w, "event: %s\ndata: %s\n\n", typ, raw)
			w.(http.Flusher).Flush()
		}
		id := fmt.Sprintf("resp_%d", n)
		send("response.created", map[string]any{"response": map[string]any{"id": id}})
		items := p.script(n, string(body), r.Header.Get("thread-id"))
		if items == nil {
			<-r.Context().Done()
			return
		}
		for i, item := range items {
			for _, key := range []string{"id", "call_id"} {
				if _, ok := item[key]; ok {
					item[key] = fmt.Sprintf("%s_%d_%d", key, n, i)
				}
			}
			send("response.output_item.added", map[string]any{"output_index": i, "item": item})
			send("response.output_item.done", map[string]any{"output_index": i, "item": item})
		}
		send("response.completed", map[string]any{"response": map[string]any{
			"id": id, "usage": map[string]any{"input_tokens": 10, "output_tokens": 5, "total_tokens": 15},
		}})
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *provider) bodies() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.requests...)
}

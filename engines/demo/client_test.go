package demo

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// post sends a request as an engine does and returns status and body.
func post(t *testing.T, s *Server, path, body string) (int, http.Header, string) {
	t.Helper()
	return request(t, http.MethodPost, "http://"+s.addr+path, s.Key(), body)
}

func request(t *testing.T, method, url, key, body string) (int, http.Header, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		data = append(data, "<"+err.Error()+">"...)
	}
	return res.StatusCode, res.Header, string(data)
}

// toolResult is what a simulated tool returns.
type toolResult struct {
	text   string
	failed bool
}

// chat is a conversation with the server, without an engine: it keeps the history and lets a function play the tools.
type chat struct {
	t       *testing.T
	s       *Server
	wire    wire
	cwd     string
	tools   []any
	history []any
	run     func(tool string, input map[string]any) toolResult
	called  []string // tools, in order
	said    string
	rounds  int
}

func claudeChat(t *testing.T, s *Server, run func(string, map[string]any) toolResult) *chat {
	c := &chat{t: t, s: s, wire: wireAnthropic, cwd: "/srv/project", run: run}
	for _, name := range []string{"Bash", "Read", "Edit", "Write", "TaskCreate", "TaskUpdate", "WebSearch", "Agent"} {
		c.tools = append(c.tools, fields{"name": name, "input_schema": fields{"type": "object"}})
	}
	return c
}

func codexChat(t *testing.T, s *Server, run func(string, map[string]any) toolResult) *chat {
	c := &chat{t: t, s: s, wire: wireOpenAI, cwd: "/srv/project", run: run}
	for _, name := range []string{"exec_command", "write_stdin", "update_plan"} {
		c.tools = append(c.tools, fields{"type": "function", "name": name})
	}
	c.tools = append(c.tools, fields{"type": "custom", "name": "apply_patch"},
		fields{"type": "namespace", "name": "collaboration", "tools": []any{fields{"type": "function", "name": "spawn_agent"}, fields{"type": "function", "name": "wait_agent"}}})
	c.history = []any{fields{"type": "message", "role": "user", "content": []any{fields{"type": "input_text", "text": "<environment_context>\n  <cwd>" + c.cwd + "</cwd>\n</environment_context>"}}}}
	return c
}

// turn sends a prompt and plays the tools until the model asks for none.
func (c *chat) turn(prompt string) {
	c.t.Helper()
	c.said, c.called, c.rounds = "", nil, 0
	if c.wire == wireAnthropic {
		c.history = append(c.history, fields{"role": "user", "content": []any{fields{"type": "text", "text": "<system-reminder>noise: tour</system-reminder>"}, fields{"type": "text", "text": prompt}}})
	} else {
		c.history = append(c.history, fields{"type": "message", "role": "user", "content": []any{fields{"type": "input_text", "text": prompt}}})
	}
	for c.round() {
		if c.rounds > 60 {
			c.t.Fatalf("the script does not end: %q", c.called)
		}
	}
}

// round is one request. It returns true when tools were used.
func (c *chat) round() bool {
	c.t.Helper()
	c.rounds++
	if c.wire == wireOpenAI {
		return c.codexRound()
	}
	answer := c.ask("/v1/messages", fields{"model": ModelClaude, "system": "Primary working directory: " + c.cwd, "tools": c.tools, "messages": c.history})
	content, _ := answer["content"].([]any)
	c.history = append(c.history, fields{"role": "assistant", "content": content})
	var results []any
	for _, block := range content {
		switch str(block, "type") {
		case "text":
			c.said += str(block, "text") + "\n"
		case "tool_use":
			input, _ := at(block, "input").(map[string]any)
			c.called = append(c.called, str(block, "name"))
			r := c.run(str(block, "name"), input)
			results = append([]any{fields{"type": "tool_result", "tool_use_id": str(block, "id"), "content": r.text, "is_error": r.failed}}, results...) // engines answer in any order
		}
	}
	if len(results) == 0 {
		if answer["stop_reason"] != "end_turn" {
			c.t.Errorf("stop reason %v", answer["stop_reason"])
		}
		return false
	}
	c.history = append(c.history, fields{"role": "user", "content": results})
	return true
}

func (c *chat) codexRound() bool {
	answer := c.ask("/v1/responses", fields{"model": "m", "tools": c.tools, "input": c.history})
	output, _ := answer["output"].([]any)
	c.history = append(c.history, output...)
	used := false
	for _, item := range output {
		switch str(item, "type") {
		case "message":
			content, _ := at(item, "content").([]any)
			for _, part := range content {
				c.said += str(part, "text") + "\n"
			}
		case "function_call", "custom_tool_call":
			used = true
			input := map[string]any{"input": str(item, "input")}
			if arguments := str(item, "arguments"); arguments != "" {
				if err := json.Unmarshal([]byte(arguments), &input); err != nil {
					c.t.Fatal(err)
				}
			}
			c.called = append(c.called, str(item, "name"))
			r := c.run(str(item, "name"), input)
			c.history = append(c.history, fields{"type": "function_call_output", "call_id": str(item, "call_id"), "output": r.text})
		}
	}
	return used
}

func (c *chat) ask(path string, body fields) map[string]any {
	c.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	status, _, text := post(c.t, c.s, path, string(data))
	if status != http.StatusOK {
		c.t.Fatalf("status %d: %s", status, text)
	}
	var answer map[string]any
	if err := json.NewDecoder(bytes.NewBufferString(text)).Decode(&answer); err != nil {
		c.t.Fatal(err)
	}
	return answer
}

package demo

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"
)

func claude(t *testing.T, s *Server, dir string) *live {
	t.Helper()
	home := t.TempDir()
	return startLive(t, dir, []string{
		"HOME=" + home, "CLAUDE_CONFIG_DIR=" + home + "/config", "TMPDIR=" + home, "PATH=" + os.Getenv("PATH"), "SHELL=/bin/bash", "LANG=C.UTF-8",
		"ANTHROPIC_BASE_URL=" + s.AnthropicBase(), "ANTHROPIC_API_KEY=" + s.Key(), "NO_PROXY=127.0.0.1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS=1", "DISABLE_AUTOUPDATER=1",
	}, engineBinary(t, "KEVA_TEST_CLAUDE"), "-p", "--model", ModelClaude, "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
		"--permission-prompt-tool", "stdio", "--include-partial-messages", "--setting-sources", "user", "--strict-mcp-config")
}

// turn sends a prompt and answers every approval by allow until the result.
func (l *live) claudeTurn(prompt string, allow func(tool string, input map[string]any) bool) (asked []string, text string, result map[string]any) {
	l.t.Helper()
	l.send(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": prompt}, "parent_tool_use_id": nil})
	l.each(90*time.Second, func(m map[string]any) bool {
		switch m["type"] {
		case "control_request":
			tool := str(m, "request", "tool_name")
			input, _ := at(m, "request", "input").(map[string]any)
			asked = append(asked, tool)
			answer := map[string]any{"behavior": "allow", "updatedInput": input}
			if !allow(tool, input) {
				answer = map[string]any{"behavior": "deny", "message": "No, not like this."}
			}
			l.send(map[string]any{"type": "control_response", "response": map[string]any{"subtype": "success", "request_id": m["request_id"], "response": answer}})
		case "assistant":
			if m["parent_tool_use_id"] != nil {
				return false
			}
			content, _ := at(m, "message", "content").([]any)
			for _, block := range content {
				text += str(block, "text") + "\n"
			}
		case "result":
			result = m
			return true
		}
		return false
	})
	return asked, text, result
}

func TestTourWithClaude(t *testing.T) {
	engineBinary(t, "KEVA_TEST_CLAUDE")
	s, err := Start(context.Background(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	dir := t.TempDir()
	if err := NewProject(dir); err != nil {
		t.Fatal(err)
	}
	if testsPass(t, dir) {
		t.Fatal("the sample project has no failing test")
	}
	asked, text, result := claude(t, s, dir).claudeTurn("Start the tour", func(string, map[string]any) bool { return true })
	t.Log(strings.Join(asked, " "))
	t.Log(text)
	if result["is_error"] != false {
		t.Errorf("result: %v", result)
	}
	if !testsPass(t, dir) {
		t.Error("the tests still fail after the tour")
	}
	if !strings.Contains(text, "That was the tour") {
		t.Error("the tour did not reach its end")
	}
	for _, r := range s.Requests() {
		t.Log(r.Method, r.Path, r.Script, r.Step)
	}
}

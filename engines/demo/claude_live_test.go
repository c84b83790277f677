package demo

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// claudeArgs is the launch line of protocol notes: partial messages, approvals over stdio, no settings of the project.
var claudeArgs = []string{
	"-p", "--model", ModelClaude, "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
	"--permission-prompt-tool", "stdio", "--include-partial-messages", "--setting-sources", "user", "--strict-mcp-config",
}

func claude(t *testing.T, s *Server, home, dir string, more ...string) *live {
	t.Helper()
	return startLive(t, dir, []string{
		"HOME=" + home, "CLAUDE_CONFIG_DIR=" + home + "/config", "TMPDIR=" + home, "PATH=" + os.Getenv("PATH"), "SHELL=/bin/bash", "LANG=C.UTF-8",
		"ANTHROPIC_BASE_URL=" + s.AnthropicBase(), "ANTHROPIC_API_KEY=" + s.Key(), "NO_PROXY=127.0.0.1", "IS_SANDBOX=",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS=1", "DISABLE_AUTOUPDATER=1",
	}, engineBinary(t, "claude"), append(slices.Clone(claudeArgs), more...)...)
}

func (l *live) user(prompt string) {
	l.t.Helper()
	l.send(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": prompt}, "parent_tool_use_id": nil})
}

// claudeTurn sends a prompt and answers approvals until the result. It returns what was asked and what was said.
func (l *live) claudeTurn(prompt string, allow func(asked string) bool) (asked []string, text string, result map[string]any) {
	l.t.Helper()
	l.user(prompt)
	l.each(90*time.Second, func(m map[string]any) bool {
		switch m["type"] {
		case "control_request":
			tool := str(m, "request", "tool_name") + " " + str(m, "request", "input", "command") + str(m, "request", "input", "query")
			if file := str(m, "request", "input", "file_path"); file != "" {
				tool += filepath.Base(file)
			}
			asked = append(asked, tool)
			answer := map[string]any{"behavior": "allow", "updatedInput": at(m, "request", "input")}
			if !allow(tool) {
				answer = map[string]any{"behavior": "deny", "message": "I don't want this."}
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
	engineBinary(t, "claude")
	s, dir := startServer(t, Options{}), newProject(t)
	if testsPass(t, dir) {
		t.Fatal("the sample project has no failing test")
	}
	l := claude(t, s, t.TempDir(), dir)
	asked, text, result := l.claudeTurn("Start the tour", always)
	if result["is_error"] != false {
		t.Errorf("result: %v", result)
	}
	if !testsPass(t, dir) {
		t.Error("the tests still fail after the tour")
	}
	want := []string{"Bash sh tests/run.sh", "Edit parse.sh", "Bash sh tests/run.sh", "WebSearch POSIX shell remove leading zero parameter expansion"}
	if !slices.Equal(asked, want) {
		t.Errorf("asked %q", asked)
	}
	expect(t, text, "`tests/dates.txt`, line 4", "wants `30 January 2026` and gets `3 January 2026`", "9 tests passed", "The calendar helper **failed**", "That was the tour")

	// The same session sees the tour again: nothing is left to repair, and it says so.
	_, text, _ = l.claudeTurn("tour", always)
	expect(t, text, "somebody fixed the bug already", "That was the tour")
}

// The person may say no at every point; the tour says what that means, and claims nothing that did not happen.
func TestTourWithClaudeDenied(t *testing.T) {
	engineBinary(t, "claude")
	s, dir := startServer(t, Options{}), newProject(t)
	l := claude(t, s, t.TempDir(), dir)
	asked, text, _ := l.claudeTurn("tour", func(string) bool { return false })
	if testsPass(t, dir) {
		t.Error("the file was changed without consent")
	}
	if len(asked) != 4 { // tests, both edits, search
		t.Errorf("asked %q", asked)
	}
	expect(t, text, "You denied the test run", "Another way", "No to both", "No search, then", "That was the tour")
	if strings.Contains(text, "tests passed") {
		t.Error("it claims a success")
	}

	edits := 0
	_, text, _ = l.claudeTurn("tour", func(what string) bool {
		if strings.HasPrefix(what, "Edit") {
			edits++
			return edits == 2
		}
		return true
	})
	expect(t, text, "Another way", "9 tests passed")
	if !testsPass(t, dir) {
		t.Error("the second way does not repair the file")
	}
}

// The state is in the history alone: a killed engine and a new server, with another key, go on where the tour was.
func TestTourWithClaudeSurvivesRestart(t *testing.T) {
	engineBinary(t, "claude")
	home, dir := t.TempDir(), newProject(t)
	first := startServer(t, Options{})
	l := claude(t, first, home, dir)
	l.user("tour")
	session := ""
	l.each(60*time.Second, func(m map[string]any) bool {
		if id := str(m, "session_id"); id != "" {
			session = id
		}
		return m["type"] == "control_request" // the test run waits for its approval
	})
	l.kill()
	closeServer(t, first)

	asked, text, _ := claude(t, startServer(t, Options{}), home, dir, "--resume", session).claudeTurn("continue", always)
	if len(asked) != 4 {
		t.Errorf("asked %q", asked)
	}
	expect(t, text, "9 tests passed", "That was the tour")
	if strings.Contains(text, "Welcome") {
		t.Error("the tour began again")
	}
	if !testsPass(t, dir) {
		t.Error("the tests still fail after the tour")
	}
}

package demo

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// codexThread is a thread of a running app-server.
type codexThread struct {
	*live
	id   string
	next int
}

// codex starts the app-server with the recommended settings and opens a thread, or the given one again.
func codex(t *testing.T, s *Server, home, dir, model, thread string) *codexThread {
	t.Helper()
	config := "model_provider = \"demo\"\n[model_providers.demo]\nname = \"Keva demo\"\nbase_url = \"" + s.OpenAIBase() + "\"\nenv_key = \"KEVA_PROVIDER_KEY\"\nwire_api = \"responses\"\n"
	if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"app-server"}
	for _, setting := range []string{
		"features.unified_exec_tty=false", "features.plugins=false", "features.goals=false", "features.unbounded_connection_retries=false",
		"features.shell_snapshot=false", "analytics.enabled=false", "features.apps=false", "tools.update_plan.enabled=true",
	} {
		args = append(args, "-c", setting)
	}
	l := startLive(t, dir, []string{
		"HOME=" + home, "CODEX_HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "KEVA_PROVIDER_KEY=" + s.Key(), "NO_PROXY=127.0.0.1",
	}, engineBinary(t, "codex"), args...)
	c := &codexThread{live: l, next: 10}
	l.send(map[string]any{"id": 1, "method": "initialize", "params": map[string]any{
		"clientInfo": map[string]any{"name": "keva", "title": "Keva", "version": "0"}, "capabilities": map[string]any{"experimentalApi": true},
	}})
	l.send(map[string]any{"method": "initialized"})
	open := map[string]any{
		"cwd": dir, "model": model, "approvalPolicy": "untrusted", "config": map[string]any{"projects": map[string]any{dir: map[string]any{"trust_level": "untrusted"}}},
	}
	method := "thread/start"
	if thread != "" {
		method, open["threadId"] = "thread/resume", thread
	}
	l.send(map[string]any{"id": 2, "method": method, "params": open})
	l.each(20*time.Second, func(m map[string]any) bool {
		if m["id"] == 2.0 && m["method"] == nil {
			c.id = str(m, "result", "thread", "id")
			return true
		}
		return false
	})
	if c.id == "" {
		t.Fatal("no thread")
	}
	return c
}

func (c *codexThread) start(prompt string) {
	c.t.Helper()
	c.next++
	c.send(map[string]any{"id": c.next, "method": "turn/start", "params": map[string]any{
		"threadId": c.id, "input": []any{map[string]any{"type": "text", "text": prompt, "text_elements": []any{}}},
		"sandboxPolicy": map[string]any{"type": "externalSandbox", "networkAccess": "enabled"}, "summary": "auto",
	}})
}

// turn sends a prompt and answers approvals until the turn of the main thread is complete.
func (c *codexThread) turn(prompt string, allow func(asked string) bool) (asked []string, text, status string) {
	c.t.Helper()
	c.start(prompt)
	c.each(90*time.Second, func(m map[string]any) bool {
		switch m["method"] {
		case "item/commandExecution/requestApproval", "item/fileChange/requestApproval":
			what := "patch"
			if command := str(m, "params", "command"); command != "" {
				what = strings.TrimSuffix(command[strings.Index(command, "'")+1:], "'") // without the shell around it
			}
			asked = append(asked, what)
			decision := "accept"
			if !allow(what) {
				decision = "decline"
			}
			c.send(map[string]any{"id": m["id"], "result": map[string]any{"decision": decision}})
		case "item/completed":
			if str(m, "params", "threadId") == c.id && str(m, "params", "item", "type") == "agentMessage" {
				text += str(m, "params", "item", "text") + "\n"
			}
		case "turn/completed":
			if str(m, "params", "threadId") == c.id {
				status = str(m, "params", "turn", "status")
				return true
			}
		}
		return false
	})
	return asked, text, status
}

// The tour runs with a model that has code mode, and with one that Codex does not know and gives plain tools.
func TestTourWithCodex(t *testing.T) {
	engineBinary(t, "codex")
	for _, model := range []string{ModelCodex, "unknown-model"} {
		t.Run(model, func(t *testing.T) {
			s, dir := startServer(t, Options{}), newProject(t)
			c := codex(t, s, t.TempDir(), dir, model, "")
			asked, text, status := c.turn("Start the tour", always)
			if status != "completed" {
				t.Errorf("status %q", status)
			}
			if !testsPass(t, dir) {
				t.Error("the tests still fail after the tour")
			}
			want := []string{"ls -R", "cat README.md", "cat src/parse.sh", "sh tests/run.sh", "patch", "sh tests/run.sh", "cat src/ledger.sh", "cat src/parse.sh"}
			slices.Sort(asked) // commands of one step run side by side
			slices.Sort(want)
			if !slices.Equal(asked, want) {
				t.Errorf("asked %q", asked)
			}
			expect(t, text, "`tests/dates.txt`, line 4", "wants `30 January 2026` and gets `3 January 2026`", "9 tests passed", "The calendar helper **failed**", "That was the tour")

			_, text, _ = c.turn("tour", always)
			expect(t, text, "somebody fixed the bug already", "The calendar helper **failed**", "That was the tour")
		})
	}
}

func TestTourWithCodexDenied(t *testing.T) {
	engineBinary(t, "codex")
	for _, model := range []string{ModelCodex, "unknown-model"} {
		t.Run(model, func(t *testing.T) {
			s, dir := startServer(t, Options{}), newProject(t)
			_, text, status := codex(t, s, t.TempDir(), dir, model, "").turn("tour", func(string) bool { return false })
			if status != "completed" || testsPass(t, dir) {
				t.Errorf("status %q", status)
			}
			expect(t, text, "You did not let me look around", "You denied the test run", "Another way", "No to both", "I was not allowed to read the files", "That was the tour")
		})
	}
}

// The state is in the history alone: a killed engine and a new server, with another key, go on where the tour was.
func TestTourWithCodexSurvivesRestart(t *testing.T) {
	engineBinary(t, "codex")
	home, dir := t.TempDir(), newProject(t)
	first := startServer(t, Options{})
	c := codex(t, first, home, dir, ModelCodex, "")
	c.start("tour")
	c.each(60*time.Second, func(m map[string]any) bool {
		if m["method"] == "item/commandExecution/requestApproval" {
			if strings.Contains(str(m, "params", "command"), "tests/run.sh") {
				return true
			}
			c.send(map[string]any{"id": m["id"], "result": map[string]any{"decision": "accept"}})
		}
		return false
	})
	c.kill()
	closeServer(t, first)

	asked, text, _ := codex(t, startServer(t, Options{}), home, dir, ModelCodex, c.id).turn("continue", always)
	expect(t, text, "9 tests passed", "That was the tour")
	if strings.Contains(text, "Welcome") || asked[0] != "sh tests/run.sh" {
		t.Errorf("the tour began again: %q", asked)
	}
	if !testsPass(t, dir) {
		t.Error("the tests still fail after the tour")
	}
}

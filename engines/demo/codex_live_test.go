package demo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// codex starts the app-server with the recommended settings and opens a thread.
type codexThread struct {
	*live
	id   string
	next int
}

func codex(t *testing.T, s *Server, dir, model string) *codexThread {
	t.Helper()
	home := t.TempDir()
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
	}, engineBinary(t, "KEVA_TEST_CODEX"), args...)
	c := &codexThread{live: l, next: 10}
	l.send(map[string]any{"id": 1, "method": "initialize", "params": map[string]any{
		"clientInfo": map[string]any{"name": "keva", "title": "Keva", "version": "0"}, "capabilities": map[string]any{"experimentalApi": true},
	}})
	l.send(map[string]any{"method": "initialized"})
	l.send(map[string]any{"id": 2, "method": "thread/start", "params": map[string]any{
		"cwd": dir, "model": model, "approvalPolicy": "untrusted", "config": map[string]any{"projects": map[string]any{dir: map[string]any{"trust_level": "untrusted"}}},
	}})
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

// turn sends a prompt and answers approvals until the turn of the main thread is complete.
func (c *codexThread) turn(prompt string, allow func(kind, what string) bool) (asked []string, text, status string) {
	c.t.Helper()
	c.next++
	c.send(map[string]any{"id": c.next, "method": "turn/start", "params": map[string]any{
		"threadId": c.id, "input": []any{map[string]any{"type": "text", "text": prompt, "text_elements": []any{}}},
		"sandboxPolicy": map[string]any{"type": "externalSandbox", "networkAccess": "enabled"}, "summary": "auto",
	}})
	c.each(40*time.Second, func(m map[string]any) bool {
		switch m["method"] {
		case "item/commandExecution/requestApproval", "item/fileChange/requestApproval":
			kind, what := "command", str(m, "params", "command")
			if m["method"] != "item/commandExecution/requestApproval" {
				kind, what = "patch", ""
			}
			asked = append(asked, kind+" "+what)
			decision := "accept"
			if !allow(kind, what) {
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

func TestTourWithCodex(t *testing.T) {
	for _, model := range []string{ModelCodex, "keva-demo"} {
		t.Run(model, func(t *testing.T) { tourWithCodex(t, model) })
	}
}

func tourWithCodex(t *testing.T, model string) {
	t.Helper()
	engineBinary(t, "KEVA_TEST_CODEX")
	s, err := Start(context.Background(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	t.Cleanup(func() {
		if log := os.Getenv("KEVA_TEST_LOG"); log != "" {
			for i, r := range s.Requests() {
				_ = os.WriteFile(filepath.Join(log, fmt.Sprintf("cx%02d.json", i)), r.Body, 0o600)
			}
		}
	})
	dir := t.TempDir()
	if err := NewProject(dir); err != nil {
		t.Fatal(err)
	}
	asked, text, status := codex(t, s, dir, model).turn("Start the tour", func(string, string) bool { return true })
	t.Log(strings.Join(asked, "\n"))
	t.Log(text)
	for _, r := range s.Requests() {
		t.Log(r.Method, r.Path, r.Script, r.Step)
	}
	if status != "completed" {
		t.Errorf("status %q", status)
	}
	if !testsPass(t, dir) {
		t.Error("the tests still fail after the tour")
	}
	if !strings.Contains(text, "That was the tour") {
		t.Error("the tour did not reach its end")
	}
}

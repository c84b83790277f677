package hostile

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The engines' own defaults run the traps and obey the rules: so the traps work, and TestNothingGetsIn can fail.
func TestTheTrapsWorkWithDefaultSettings(t *testing.T) {
	for engine, c := range map[string]struct {
		run    func(*world)
		sprung []string
		told   []string
	}{
		"claude": {
			run: claudeByDefault,
			sprung: []string{
				"settings-hook-SessionStart", "settings-hook-UserPromptSubmit", "settings-hook-PreToolUse", "settings-hook-PostToolUse",
				"settings-hook-Stop", "local-hook-SessionStart", "mcp", "git-core.fsmonitor", "git-filter.trap.clean", "command",
				"local-apiKeyHelper", "local-bash-env",
			},
			told: []string{trapText}, // it keeps files from outside of the project by itself
		},
		"codex": {
			run:    codexByDefault,
			sprung: []string{"codex-mcp", "codex-bash-env", "git-filter.trap.clean", "command"},
			told:   []string{trapText},
		},
	} {
		t.Run(engine, func(t *testing.T) {
			w := newWorld(t, engine)
			w.arm()
			c.run(w)
			t.Logf("sprung: %s", strings.Join(w.sprung(), " "))
			if missing := missing(w.sprung(), slices.Clone(c.sprung)...); len(missing) > 0 {
				t.Errorf("traps that do not work: %s", strings.Join(missing, ", "))
			}
			for _, text := range c.told {
				if !strings.Contains(w.sent(), text) {
					t.Errorf("the provider was not told %s", text)
				}
			}
		})
	}
}

// bare is an engine as anybody would start it.
func (w *world) bare(args []string, env ...string) (io.WriteCloser, *bufio.Scanner) {
	w.t.Helper()
	paths, err := find(w.engine)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	w.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, paths.Binary, args...)
	cmd.Dir = w.dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.state, "LANG=C.UTF-8", "SHELL=/bin/bash", "NO_PROXY=127.0.0.1"}, env...)
	in, err := cmd.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		_ = in.Close()
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait() // how it ends is of no interest
	})
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<26)
	return in, lines
}

func send(t *testing.T, in io.Writer, v any) {
	t.Helper()
	b, err := json.Marshal(v)
	if err == nil {
		_, err = in.Write(append(b, '\n'))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func claudeByDefault(w *world) {
	// As root it refuses to run in this mode; every other user would get it.
	local := filepath.Join(w.dir, ".claude", "settings.local.json")
	text, err := os.ReadFile(local)
	if err != nil {
		w.t.Fatal(err)
	}
	write(w.t, local, strings.ReplaceAll(string(text), "bypassPermissions", "default"), 0o600)
	in, lines := w.bare(
		[]string{"-p", "--model", w.provider().Model, "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--permission-prompt-tool", "stdio"},
		"CLAUDE_CONFIG_DIR="+filepath.Join(w.state, "config"), "ANTHROPIC_BASE_URL="+w.demo.AnthropicBase(), "ANTHROPIC_API_KEY="+w.demo.Key(),
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
	)
	send(w.t, in, map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": "run " + w.trap("command")}, "parent_tool_use_id": nil})
	for lines.Scan() {
		var m struct {
			Type   string `json:"type"`
			Result string `json:"result"`
		}
		if json.Unmarshal(lines.Bytes(), &m) == nil && m.Type == "control_request" {
			w.t.Errorf("it asks: %s", lines.Text())
		}
		if m.Type == "result" && strings.Contains(m.Result, "The command") { // other turns are those of the project's schedule
			return
		}
	}
	w.t.Errorf("no result: %v", lines.Err())
}

func codexByDefault(w *world) {
	provider := `{name="demo",base_url="` + w.demo.OpenAIBase() + `",env_key="KEVA_PROVIDER_KEY",wire_api="responses"}`
	in, lines := w.bare([]string{"app-server", "-c", "model_providers.demo=" + provider, "-c", `model_provider="demo"`, "-c", "analytics.enabled=false"},
		"CODEX_HOME="+w.state, "KEVA_PROVIDER_KEY="+w.demo.Key())
	call := func(id int, method string, params map[string]any) (result struct {
		Thread struct {
			ID string `json:"id"`
		} `json:"thread"`
	},
	) {
		send(w.t, in, map[string]any{"id": id, "method": method, "params": params})
		for lines.Scan() {
			var m struct {
				ID     int             `json:"id"`
				Method string          `json:"method"`
				Result json.RawMessage `json:"result"`
			}
			if json.Unmarshal(lines.Bytes(), &m) == nil && m.ID == id && m.Method == "" {
				_ = json.Unmarshal(m.Result, &result) // an error has none, and no thread is seen below
				return result
			}
		}
		w.t.Fatalf("%s: no reply", method)
		return result
	}
	call(1, "initialize", map[string]any{
		"clientInfo": map[string]any{"name": "keva", "title": "Keva", "version": "0"}, "capabilities": map[string]any{"experimentalApi": true},
	})
	send(w.t, in, map[string]any{"method": "initialized"})
	// What many clients send, so that nothing is in the way.
	thread := call(2, "thread/start", map[string]any{
		"cwd": w.dir, "model": w.provider().Model, "approvalPolicy": "untrusted", "sandbox": "danger-full-access",
	}).Thread.ID
	if thread == "" {
		w.t.Fatal("no thread")
	}
	call(3, "turn/start", map[string]any{
		"threadId": thread, "input": []any{map[string]any{"type": "text", "text": "run " + w.trap("command"), "text_elements": []any{}}},
	})
	for lines.Scan() {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(lines.Bytes(), &m) == nil && len(m.ID) > 0 && strings.HasSuffix(m.Method, "requestApproval") {
			w.t.Errorf("it asks: %s", lines.Text())
			send(w.t, in, map[string]any{"id": m.ID, "result": map[string]any{"decision": "decline"}})
		}
		if m.Method == "turn/completed" {
			return
		}
	}
	w.t.Errorf("no end: %v", lines.Err())
}

package claude

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"keva/agent/runtime"
)

// J7: nothing of Keva's own environment reaches the engine; G6 and protocol §12: the flags that keep the mediator alive.
func TestLaunchIsAnAllowList(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "of somebody else")
	t.Setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
	t.Setenv("HOME", "/of/the/user")
	state := filepath.Join(t.TempDir(), "state")
	o := Options{Binary: "/bin/claude", StateDir: state, Env: []string{"HTTPS_PROXY=http://127.0.0.1:1", "NO_PROXY=example.org"}}
	spec, temp, err := o.spec(runtime.Start{
		Session: "k1", Dir: "/p", Model: "m", Resume: "s", Instructions: "Be kind.",
		Provider: runtime.Provider{BaseURL: "http://127.0.0.1:2", Key: "secret"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(temp) != 2 {
		t.Fatalf("%q", temp)
	}
	file, settings := temp[0], temp[1]
	allowed := strings.Fields(`GIT_DIR BASH_ENV CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS CLAUDE_CODE_DISABLE_CRON CLAUDE_CODE_DISABLE_AUTO_MEMORY PATH HOME CLAUDE_CONFIG_DIR TMPDIR CLAUDE_CODE_TMPDIR USER LOGNAME LC_CTYPE TZ LANG LC_ALL TERM SHELL KEVA_SESSION
		CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC DISABLE_AUTOUPDATER DISABLE_UPDATES
		DISABLE_TELEMETRY DISABLE_ERROR_REPORTING ANTHROPIC_BASE_URL ANTHROPIC_API_KEY NO_PROXY no_proxy HTTPS_PROXY`)
	seen := map[string]string{}
	for _, kv := range spec.Env {
		name, value, _ := strings.Cut(kv, "=")
		if !slices.Contains(allowed, name) {
			t.Errorf("%s is not allowed", name)
		}
		if _, twice := seen[name]; twice {
			t.Errorf("%s is set twice", name)
		}
		seen[name] = value
	}
	for name, want := range map[string]string{
		"ANTHROPIC_API_KEY": "secret", "HOME": filepath.Join(state, "home"), "NO_PROXY": "example.org,127.0.0.1,localhost,::1",
		"KEVA_SESSION": "k1", "DISABLE_UPDATES": "1", "CLAUDE_CODE_TMPDIR": filepath.Join(state, "tmp"),
		"GIT_DIR": "/dev/null", "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS": "1", "CLAUDE_CODE_DISABLE_CRON": "1",
		"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
	} {
		if seen[name] != want {
			t.Errorf("%s=%q, want %q", name, seen[name], want)
		}
	}
	line := strings.Join(spec.Args, " ")
	for _, want := range []string{
		"--permission-prompt-tool stdio", "--setting-sources user", "--strict-mcp-config", "--include-partial-messages",
		"--replay-user-messages", "--model m", "--resume s", "--append-system-prompt-file " + file, "--settings " + settings,
	} {
		if !strings.Contains(line, want) {
			t.Errorf("%q is missing in %s", want, line)
		}
	}
	if strings.Contains(line, "secret") {
		t.Error("the key is in the command line")
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "Be kind." {
		t.Errorf("%q %v", text, err)
	}
	for _, dir := range []string{"", "home", "config", "tmp"} {
		if info, err := os.Stat(filepath.Join(state, dir)); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v %v", dir, info, err)
		}
	}
}

func TestSubscriptionTokenIsNoKey(t *testing.T) {
	p, err := Options{Binary: "/bin/claude"}.launchPlan(runtime.Start{Provider: runtime.Provider{Key: "sk-ant-oat01-x"}}, "/p", nil)
	if err != nil {
		t.Fatal(err)
	}
	env := strings.Join(p.Env, "\n")
	if strings.Contains(env, "ANTHROPIC_API_KEY") || !strings.Contains(env, "CLAUDE_CODE_OAUTH_TOKEN=sk-ant-oat01-x") {
		t.Error(env)
	}
}

func TestUnwritableStateDir(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := (Options{StateDir: filepath.Join(file, "x")}).spec(runtime.Start{}); err == nil {
		t.Error("no error")
	}
}

// An approved command is the user's own: it finds the user's home (their git identity), and git works in it. The engine
// itself has neither.
func TestCommandsHaveTheUsersHome(t *testing.T) {
	home := filepath.Join(t.TempDir(), "it's home")
	t.Setenv("HOME", home)
	o := Options{Binary: "/bin/claude", StateDir: t.TempDir()}
	if err := o.makeDirs(); err != nil {
		t.Fatal(err)
	}
	p, err := o.launchPlan(runtime.Start{}, "/p", nil)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), p.Get("SHELL"), "-c", `echo "$HOME|$GIT_DIR|$BASH_ENV"`)
	cmd.Env = p.Env
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != home+"||\n" {
		t.Fatalf("%q %v", out, err)
	}
	if !slices.Contains(cmd.Env, "HOME="+o.home()) {
		t.Fatal("the engine has the user's home")
	}
}

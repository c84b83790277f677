package trustscan

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"keva/agent/trust"
)

// lay writes files of a project.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, dir, name, text)
	}
	return dir
}

// brief is an entry on one line.
func brief(e trust.Entry) string {
	on := "on"
	if !e.Offered() {
		on = "off"
	}
	return fmt.Sprintf("%s:%d %s %s %s %q %s %v", e.File, e.Line, e.Engine, e.Kind, e.Name, e.Text, on, e.Runs)
}

func expect(t *testing.T, r trust.Report, want ...string) {
	t.Helper()
	var got []string
	for _, e := range r.Entries {
		got = append(got, brief(e))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(r.Problems) > 0 {
		t.Errorf("problems: %+v", r.Problems)
	}
}

func TestScanOfClaude(t *testing.T) {
	dir := lay(t, map[string]string{
		".claude/settings.json": `{
  "$schema": "x",
  "permissions": {
    "allow": ["Bash(npm test:*)", "Bash", "Bash(*)",
              "Bash(git push:*)"],
    "defaultMode": "bypassPermissions",
    "additionalDirectories": ["../shared"]
  },
  "hooks": {"PostToolUse": [{"matcher": "Edit|Write", "hooks": [
      {"type": "command", "command": "sh \"$CLAUDE_PROJECT_DIR\"/.claude/fmt.sh", "timeout": 5},
      {"type": "http", "url": "http://x"}]}]},
  "apiKeyHelper": "cat key",
  "env": {"LEVEL": "1", "NODE_OPTIONS": "--require x"},
  "enableAllProjectMcpServers": true,
  "enabledPlugins": {"a@b": true},
  "model": "m"
}`,
		".claude/fmt.sh": "gofmt\n",
		".mcp.json": `{"mcpServers": {
  "db": {"command": "node", "args": ["server.js", "a b"], "env": {"K": "v"}},
  "web": {"type": "http", "url": "https://x/y", "headersHelper": "steal"}}}`,
		"server.js":                    "run()",
		".claude/scheduled_tasks.json": `{"tasks":[{"cron":"* * * * *","prompt":"Go"}]}`,
		".claude/skills/a/SKILL.md":    "!`x`",
	})
	r := Scan(dir)
	const set = ".claude/settings.json"
	expect(
		t, r,
		set+`:4 claude allow  "Bash(npm test:*)" on []`,
		set+`:4 claude allow  "Bash" off []`,
		set+`:4 claude allow  "Bash(*)" off []`,
		set+`:5 claude allow  "Bash(git push:*)" off []`,
		set+`:6 claude mode defaultMode "bypassPermissions" off []`,
		set+`:7 claude directory  "../shared" on []`,
		set+`:10 claude hook PostToolUse Edit|Write "sh \"$CLAUDE_PROJECT_DIR\"/.claude/fmt.sh\ntimeout: 5" on [.claude/fmt.sh]`,
		set+`:11 claude hook PostToolUse Edit|Write "type: \"http\"\nurl: \"http://x\"" off []`,
		set+`:12 claude helper apiKeyHelper "cat key" off []`,
		set+`:13 claude env LEVEL "LEVEL=1" on []`,
		set+`:13 claude env NODE_OPTIONS "NODE_OPTIONS=--require x" off []`,
		set+`:14 claude mode enableAllProjectMcpServers "true" off []`,
		set+`:15 claude plugin enabledPlugins "{\"a@b\":true}" off []`,
		set+`:16 claude setting model "m" off []`,
		`.mcp.json:2 claude server db "node server.js 'a b'\nenv: {\"K\":\"v\"}" on [server.js]`,
		`.mcp.json:3 claude server web "https://x/y\ntype: \"http\"\nheadersHelper: \"steal\"" off []`,
		`.claude/scheduled_tasks.json:1 claude schedule * * * * * "Go" off []`,
		".claude/skills/a/SKILL.md:1 claude text  \"!`x`\" off []",
	)
	for _, e := range r.Entries {
		if e.Kind == trust.KindHook && e.Offered() {
			var raw map[string]map[string]any
			if err := json.Unmarshal(e.Raw, &raw); err != nil || raw["PostToolUse"]["matcher"] != "Edit|Write" || len(raw["PostToolUse"]["hooks"].([]any)) != 1 {
				t.Errorf("%s %v", e.Raw, err)
			}
		}
	}
}

func TestScanOfCodex(t *testing.T) {
	dir := lay(t, map[string]string{
		".codex/config.toml": `approval_policy = "never"
notify = ["sh", "-c", "x"]

[mcp_servers.db]
command = "python"
args = ["srv.py"]

[mcp_servers.eager]
command = "x"
default_tools_approval_mode = "approve"

[features]
hooks = true

[[hooks.Stop]]
[[hooks.Stop.hooks]]
type = "command"
command = "late"
`,
		".codex/rules/default.rules": `prefix_rule(pattern=["rm"], decision="allow")`,
		".agents/skills/a/SKILL.md":  "text",
		"srv.py":                     "run()",
	})
	const set = ".codex/config.toml"
	r := Scan(dir)
	expect(
		t, r,
		set+`:1 codex mode approval_policy "never" off []`,
		set+`:12 codex setting features "{\"hooks\":true}" off []`,
		set+`:15 codex hook Stop "late" off []`,
		set+`:4 codex server db "python srv.py" on [srv.py]`,
		set+`:8 codex server eager "x\ndefault_tools_approval_mode: \"approve\"" off []`,
		set+`:2 codex helper notify "[\"sh\",\"-c\",\"x\"]" off []`,
		`.codex/rules/default.rules:1 codex allow  "prefix_rule(pattern=[\"rm\"], decision=\"allow\")" off []`,
		`.agents/skills/a/SKILL.md:1 codex text  "text" off []`,
	)
}

// A change of anything that was shown, or that it runs, is another content; a change of anything else is not.
func TestHashIsOfTheContent(t *testing.T) {
	files := map[string]string{
		".claude/settings.json": `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"sh tools/end.sh && make check"}]}]}}`,
		"tools/end.sh":          "true\n", "Makefile": "check:\n", "README.md": "hello\n",
	}
	dir := lay(t, files)
	was := Scan(dir)
	consent, ok := trust.Agree(was)
	if !ok {
		t.Fatalf("%+v", was)
	}
	if again := Scan(dir); again.Hash != was.Hash || !trust.Allowed(again, consent) {
		t.Error("the same content has another hash")
	}
	for name, same := range map[string]bool{"README.md": true, "tools/end.sh": false, "Makefile": false, ".claude/settings.json": false} {
		write(t, dir, name, files[name]+" ")
		if got := trust.Allowed(Scan(dir), consent); got != same {
			t.Errorf("after a change of %s the consent holds: %v", name, got)
		}
		write(t, dir, name, files[name])
	}
	write(t, dir, ".mcp.json", `{"mcpServers":{}}`)
	if trust.Allowed(Scan(dir), consent) {
		t.Error("a new file changes nothing")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if Scan(link).Dir != was.Dir {
		t.Error("the same folder by another name is another folder")
	}
}

// Nothing to see gives nothing to ask.
func TestScanOfAQuietProject(t *testing.T) {
	dir := lay(t, map[string]string{"CLAUDE.md": "Be kind.", "AGENTS.md": "x", "package.json": "{}"})
	if r := Scan(dir); !r.Empty() || r.Hash != "" {
		t.Errorf("%+v", r)
	}
}

// What can't be read as the engine might read it is a problem, so nobody can agree to it; and a scan always ends.
func TestScanOfHostileFiles(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret.json")
	if err := os.WriteFile(secret, []byte(`{"apiKeyHelper":"top secret"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	hook := `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"true"}]}]}}`
	deep := strings.Repeat("[", 100000)
	for name, c := range map[string]struct {
		file, text string
		make       func(path string) error
	}{
		"broken JSON":       {file: ".mcp.json", text: `{"a":`},
		"two values":        {file: ".mcp.json", text: `{} {}`},
		"no object":         {file: ".mcp.json", text: `[]`},
		"comments":          {file: ".claude/settings.json", text: "// x\n{}"},
		"no UTF-8":          {file: ".claude/settings.json", text: "{\"a\":\"\xff\"}"},
		"deep JSON":         {file: ".mcp.json", text: `{"a":` + deep},
		"huge":              {file: ".claude/settings.json", text: `{"a":"` + strings.Repeat("x", maxTrustFile) + `"}`},
		"broken TOML":       {file: ".codex/config.toml", text: "a = "},
		"deep TOML":         {file: ".codex/config.toml", text: "a = " + deep},
		"deep on lines":     {file: ".codex/config.toml", text: "a = " + strings.Repeat("[\n", 100000)},
		"many settings":     {file: ".claude/settings.json", text: "{" + settings(20000) + `"z":1}`},
		"many keys":         {file: ".codex/config.toml", text: strings.ReplaceAll(strings.ReplaceAll(settings(20000), ":", "="), ",", "\n")},
		"deep tables":       {file: ".codex/config.toml", text: "[a" + strings.Repeat(".a", 50000) + "]"},
		"link out":          {file: ".mcp.json", make: func(p string) error { return os.Symlink(secret, p) }},
		"link to nowhere":   {file: ".mcp.json", make: func(p string) error { return os.Symlink("gone", p) }},
		"link to itself":    {file: ".mcp.json", make: func(p string) error { return os.Symlink(".mcp.json", p) }},
		"folder is a link":  {file: ".claude/commands", make: func(p string) error { return os.Symlink(filepath.Dir(secret), p) }},
		"a folder":          {file: ".mcp.json", make: func(p string) error { return os.Mkdir(p, 0o700) }},
		"a pipe":            {file: ".codex/rules/a.rules", make: func(p string) error { return unix.Mkfifo(p, 0o600) }},
		"a pipe as setting": {file: ".codex/config.toml", make: func(p string) error { return unix.Mkfifo(p, 0o600) }},
		"script leads out":  {file: "run.sh", make: func(p string) error { return os.Symlink(secret, p) }},
		"too many":          {file: ".claude/rules/x.md", text: "x", make: func(p string) error { return many(filepath.Dir(p)) }},
	} {
		t.Run(name, func(t *testing.T) {
			dir := lay(t, map[string]string{".claude/settings.local.json": strings.Replace(hook, `"true"`, `"sh run.sh"`, 1), c.file + ".dir": ""})
			path := filepath.Join(dir, c.file)
			var err error
			if c.make != nil {
				err = c.make(path)
			} else {
				err = os.WriteFile(path, []byte(c.text), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			r := Scan(dir)
			if len(r.Problems) == 0 || r.Empty() {
				t.Errorf("no problem: %+v", r)
			}
			if _, ok := trust.Agree(r); ok {
				t.Error("somebody could agree to what nobody has seen")
			}
			if text := fmt.Sprint(r); strings.Contains(text, "top secret") {
				t.Error("a file from outside was read")
			}
		})
	}
}

func settings(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "\"k%d\":1,", i)
	}
	return b.String()
}

func many(dir string) error {
	for i := range maxTrustFiles + 2 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.md", i)), []byte("x"), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// A rule is offered when it says what it allows.
func TestRefusedRules(t *testing.T) {
	for rule, refused := range map[string]bool{
		"Bash(make test)": false, "Bash(npm run lint:*)": false, "WebFetch(domain:example.org)": false, "Edit(docs/**)": false,
		"mcp__db__query": false, "Bash": true, "Bash(*)": true, "Bash(:*)": true, "Edit(**)": true, "Read(~/**)": true, "*": true,
		"mcp__db": true, "Write": true, "Bash(git log:*)": true, "Bash(python3 x.py)": true, "Task": true, "": true,
	} {
		if got := refusedRule(rule) != ""; got != refused {
			t.Errorf("%q refused: %v", rule, got)
		}
	}
}

func FuzzScan(f *testing.F) {
	f.Add([]byte(`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"sh x"}]}]},"permissions":{"allow":["a"]}}`), []byte("[mcp_servers.a]\ncommand='x'"))
	f.Add([]byte(`{"hooks":5,"env":[],"permissions":{"allow":{"a":1}}}`), []byte("hooks = [1,[2]]\nmcp_servers = 3"))
	f.Fuzz(func(t *testing.T, settings, config []byte) {
		dir := lay(t, map[string]string{".claude/settings.json": string(settings), ".mcp.json": string(settings), ".codex/config.toml": string(config)})
		r := Scan(dir)
		if again := Scan(dir); again.Hash != r.Hash || len(again.Entries) != len(r.Entries) {
			t.Error("two looks, two reports")
		}
		for _, e := range r.Entries {
			if e.File == "" || e.Engine == "" || e.Kind == "" {
				t.Errorf("%+v", e)
			}
		}
	})
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

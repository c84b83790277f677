package claude

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"keva/agent/runtime"
	"keva/agent/trust"
)

// Nothing of a project is in the settings that nobody agreed to; programs that a project can steer always ask.
func TestOwnSettings(t *testing.T) {
	entry := func(engine string, kind trust.Kind, name, text, raw, refused string) trust.Entry {
		return trust.Entry{Engine: engine, Kind: kind, Name: name, Text: text, Raw: json.RawMessage(raw), Refused: refused}
	}
	o := Options{StateDir: "/state"}
	plain := asJSON(t, o.ownSettings(nil))
	if !strings.Contains(plain, `"Bash(git:*)"`) || !strings.Contains(plain, `"Edit(//state/config/**)"`) || strings.Contains(plain, "allow") || strings.Contains(plain, "hooks") {
		t.Error(plain)
	}
	got := asJSON(t, o.ownSettings([]trust.Entry{
		entry("claude", trust.KindAllow, "", "Bash(make test)", "", ""),
		entry("claude", trust.KindAllow, "", "Bash", "", "too much"),
		entry("codex", trust.KindAllow, "", "of another engine", "", ""),
		entry("claude", trust.KindEnv, "A", "A=b", `"b"`, ""),
		entry("claude", trust.KindHook, "Stop", "x", `{"Stop":{"hooks":[{"type":"command","command":"x","timeout":3}]}}`, ""),
		entry("claude", trust.KindHook, "Stop *", "y", `{"Stop":{"matcher":"*","hooks":[{"type":"command","command":"y"}]}}`, ""),
		entry("claude", trust.KindHook, "Stop", "", `5`, ""),
		entry("claude", trust.KindMode, "defaultMode", "bypassPermissions", "", ""),
		entry("claude", trust.KindHelper, "apiKeyHelper", "steal", "", ""),
	}))
	for _, want := range []string{
		`"allow":["Bash(make test)"]`, `"env":{"A":"b"}`, `unset GIT_DIR BASH_ENV\n`, `\nx","timeout":3`, `"matcher":"*"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in %s", want, got)
		}
	}
	for _, bad := range []string{`"Bash"`, "another", "bypass", "steal"} {
		if strings.Contains(got, bad) {
			t.Errorf("%s is in %s", bad, got)
		}
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// Servers that were agreed to are in a file of their own, which nobody else may read and which goes with the process.
func TestTrustedServers(t *testing.T) {
	o := Options{Binary: "/bin/claude", StateDir: t.TempDir()}
	server := trust.Entry{Engine: "claude", Kind: trust.KindServer, Name: "db", Raw: json.RawMessage(`{"command":"srv","args":["a"],"env":{"SECRET":"s3cret"}}`)}
	spec, temp, err := o.spec(runtime.Start{Trusted: []trust.Entry{server}})
	if err != nil || len(temp) != 2 {
		t.Fatal(temp, err)
	}
	line := strings.Join(spec.Args, " ")
	if !strings.Contains(line, "--strict-mcp-config") || !strings.Contains(line, "--mcp-config "+temp[1]) || strings.Contains(line, "s3cret") {
		t.Error(line)
	}
	raw, err := os.ReadFile(temp[1])
	if err != nil || !strings.Contains(string(raw), `"args":["-u","GIT_DIR","-u","BASH_ENV","srv","a"],"command":"env"`) {
		t.Errorf("%s %v", raw, err)
	}
	for _, file := range temp {
		if st, err := os.Stat(file); err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("%v %v", st.Mode(), err)
		}
	}
	remove(temp)
	if _, err := os.Stat(temp[1]); err == nil {
		t.Error("it stays")
	}
}

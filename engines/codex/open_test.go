package codex

import (
	"encoding/json"
	"testing"

	"keva/agent/runtime"
	"keva/agent/trust"
)

// I-16: a project's own settings are not obeyed, whether a thread begins or goes on; and with full access in the call that
// opens it the engine would trust the project by itself.
func TestOpenTrustsNoProject(t *testing.T) {
	dir := t.TempDir()
	for _, resume := range []string{"", "thread-1"} {
		method, params := openThread(runtime.Start{Dir: dir, Resume: resume})
		if (method == "thread/resume") != (resume != "") {
			t.Errorf("resume %q: %s", resume, method)
		}
		if params["approvalPolicy"] != "untrusted" || params["approvalsReviewer"] != "user" {
			t.Errorf("%s: %v", method, params)
		}
		for _, key := range []string{"sandbox", "permissions", "sandboxPolicy"} {
			if _, ok := params[key]; ok {
				t.Errorf("%s names %s", method, key)
			}
		}
		config, _ := params["config"].(map[string]any)
		projects, _ := config["projects"].(map[string]any)
		if level, _ := projects[dir].(map[string]any); level["trust_level"] != "untrusted" {
			t.Errorf("%s: the project's trust is left open: %v", method, params["config"])
		}
		if _, ok := config["mcp_servers"]; ok {
			t.Errorf("%s: servers that nobody agreed to: %v", method, config)
		}
	}
}

// Of what was agreed to, Codex gets its tool servers and nothing else.
func TestTrustedServersOnly(t *testing.T) {
	entry := func(engine string, kind trust.Kind, name, refused string) trust.Entry {
		return trust.Entry{Engine: engine, Kind: kind, Name: name, Refused: refused, Raw: json.RawMessage(`{"command":"x"}`)}
	}
	_, params := openThread(runtime.Start{Dir: t.TempDir(), Trusted: []trust.Entry{
		entry("codex", trust.KindServer, "good", ""), entry("codex", trust.KindServer, "refused", "no"),
		entry("claude", trust.KindServer, "other", ""), entry("codex", trust.KindAllow, "rule", ""),
		{Engine: "codex", Kind: trust.KindServer, Name: "broken", Raw: json.RawMessage(`null`)},
	}})
	servers, _ := params["config"].(map[string]any)["mcp_servers"].(map[string]any)
	if len(servers) != 1 || servers["good"] == nil {
		t.Errorf("%v", servers)
	}
}

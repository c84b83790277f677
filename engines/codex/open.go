package codex

import (
	"encoding/json"

	"keva/agent/runtime"
	"keva/agent/trust"
)

// openThread is the call that opens a thread of ours, or opens it again. No sandbox is named here: with full access the
// engine would trust the project at once and obey its .codex folder. It is given with each turn.
func openThread(s runtime.Start) (method string, params map[string]any) {
	config := untrusted(s.Dir)
	if servers := trustedServers(s.Trusted); len(servers) > 0 {
		config["mcp_servers"] = servers
	}
	params = map[string]any{
		"cwd": s.Dir, "approvalPolicy": asks, "approvalsReviewer": "user", "config": config,
	}
	if s.Model != "" {
		params["model"] = s.Model
	}
	if s.Instructions != "" {
		params["developerInstructions"] = s.Instructions
	}
	if s.Resume == "" {
		return "thread/start", params
	}
	params["threadId"], params["excludeTurns"] = s.Resume, true
	return "thread/resume", params
}

// trustedServers is the tool servers of the project that the user has agreed to. It is all of a project's .codex folder
// that is ever used: its rules and its approval settings would switch the asking off.
func trustedServers(trusted []trust.Entry) map[string]any {
	servers := map[string]any{}
	for _, e := range trusted {
		if e.Engine != "codex" || e.Kind != trust.KindServer || !e.Offered() {
			continue
		}
		var config map[string]any
		if json.Unmarshal(e.Raw, &config) == nil && config != nil { // the scanner makes objects only
			servers[e.Name] = config
		}
	}
	return servers
}

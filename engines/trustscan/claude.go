package trustscan

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"keva/agent/trust"
)

// Why something stays off even after consent.
const (
	whyKey      = "Keva hands the engine its key itself."
	whyUnused   = "Keva has no use for it."
	whyAsk      = "It would let the engine act without asking you."
	whyNotYet   = "Keva does not pass this on."
	whySchedule = "Keva sends no prompts that you did not write."
	whyBroad    = "It allows everything of its kind. Allow what you see, when you are asked."
	whyGit      = "Commands that a repository can steer, such as git, are always asked about."
	whySteers   = "It would steer the engine itself."
	whyFields   = "It is set up in a way that Keva does not know: "
)

const idClaude = "claude"

// claude looks at what Claude Code reads from a project.
func (s *scan) claude() {
	for _, name := range []string{".claude/settings.json", ".claude/settings.local.json"} {
		if n, ok := s.json(name); ok {
			s.claudeSettings(name, n)
		}
	}
	if n, ok := s.json(".mcp.json"); ok {
		servers := n.get("mcpServers")
		if len(servers.fields) == 0 {
			servers = n // without the outer name
		}
		for _, f := range servers.fields {
			s.server(idClaude, ".mcp.json", f.name, f.node, claudeServerFields)
		}
	}
	if n, ok := s.json(".lsp.json"); ok {
		for _, f := range n.fields {
			s.add(trust.Entry{Engine: idClaude, Kind: trust.KindServer, Name: f.name, Text: serverText(f.node), File: ".lsp.json", Line: f.line, Refused: whyNotYet})
		}
	}
	for _, name := range []string{".claude-plugin/marketplace.json", ".claude-plugin/plugin.json"} {
		if n, ok := s.json(name); ok {
			s.add(trust.Entry{Engine: idClaude, Kind: trust.KindPlugin, Text: compact(n.raw), File: name, Line: n.line, Refused: whyNotYet})
		}
	}
	if n, ok := s.json(".claude/scheduled_tasks.json"); ok {
		for _, task := range n.get("tasks").items {
			s.add(trust.Entry{Engine: idClaude, Kind: trust.KindSchedule, Name: text(task.get("cron")), Text: text(task.get("prompt")), File: ".claude/scheduled_tasks.json", Line: task.line, Refused: whySchedule})
		}
	}
	for _, dir := range []string{"agents", "commands", "skills", "output-styles", "rules", "workflows", "routines"} {
		for _, name := range s.list(".claude/"+dir, "") {
			s.textFile(idClaude, name)
		}
	}
	for _, name := range []string{".claude/CLAUDE.md", "CLAUDE.local.md", ".claude/loop.md"} {
		s.textFile(idClaude, name)
	}
}

// json reads a file; ok is false when there is none, or when it is a problem.
func (s *scan) json(name string) (node, bool) {
	data := s.read(name)
	if data == nil {
		return node{}, false
	}
	n, err := parseJSON(data)
	if err == nil && !n.isObject() {
		err = fmt.Errorf("it holds no object")
	}
	if err != nil {
		s.problem(name, "It is not the JSON that it should be: "+err.Error()+".")
		return node{}, false
	}
	return n, true
}

// textFile notes a file that speaks to the model, and may name commands that its use would run.
func (s *scan) textFile(engine, name string) {
	if data := s.read(name); data != nil {
		s.entries = append(s.entries, trust.Entry{
			Engine: engine, Kind: trust.KindText, Text: strings.ToValidUTF8(string(data), "\uFFFD"), File: name, Line: 1, Refused: whyNotYet,
		})
	}
}

func (s *scan) claudeSettings(file string, n node) {
	put := func(kind trust.Kind, name, value string, at node, refused string, raw json.RawMessage) {
		s.add(trust.Entry{Engine: idClaude, Kind: kind, Name: name, Text: value, File: file, Line: at.line, Refused: refused, Raw: raw})
	}
	for _, f := range n.fields {
		switch f.name {
		case "$schema":
		case "permissions":
			s.claudePermissions(file, f.node)
		case "hooks":
			for _, event := range f.fields {
				s.claudeHooks(file, event)
			}
		case "env":
			for _, v := range f.fields {
				value, isText := v.text()
				refused := refusedVariable(v.name)
				if !isText {
					value, refused = compact(v.raw), whyFields+"its value is no text."
				}
				put(trust.KindEnv, v.name, v.name+"="+value, v.node, refused, v.raw)
			}
		case "apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh", "otelHeadersHelper", "proxyAuthHelper":
			put(trust.KindHelper, f.name, text(f.node), f.node, whyKey, nil)
		case "statusLine", "subagentStatusLine", "fileSuggestion":
			put(trust.KindHelper, f.name, hookText(f.node), f.node, whyUnused, nil)
		case "enabledPlugins", "extraKnownMarketplaces":
			put(trust.KindPlugin, f.name, text(f.node), f.node, whyNotYet, nil)
		case "enableAllProjectMcpServers", "enabledMcpjsonServers", "sandbox", "skipDangerousModePermissionPrompt":
			put(trust.KindMode, f.name, text(f.node), f.node, whyAsk, nil)
		default:
			put(trust.KindSetting, f.name, text(f.node), f.node, whyNotYet, nil)
		}
	}
}

func (s *scan) claudePermissions(file string, n node) {
	put := func(kind trust.Kind, name string, at node, refused string) {
		s.add(trust.Entry{Engine: idClaude, Kind: kind, Name: name, Text: text(at), File: file, Line: at.line, Refused: refused})
	}
	for _, f := range n.fields {
		rules, isList := f.strings()
		switch {
		case f.name == "allow" && isList:
			for _, r := range rules {
				put(trust.KindAllow, "", r, refusedRule(text(r)))
			}
		case f.name == "additionalDirectories" && isList:
			for _, d := range rules {
				put(trust.KindDirectory, "", d, "")
			}
		case f.name == "defaultMode" || f.name == "allow":
			put(trust.KindMode, f.name, f.node, whyAsk)
		default:
			put(trust.KindSetting, "permissions."+f.name, f.node, whyNotYet)
		}
	}
}

// ruleForm is Tool(what): what is not empty and not just a wildcard.
var ruleForm = regexp.MustCompile(`^(Bash|Read|Edit|Write|WebFetch)\((.+)\)$|^mcp__[A-Za-z0-9_-]+__[A-Za-z0-9_-]+$`)

// steered are programs that Keva's own rules ask about, however they are called: those rules are stronger, so to offer
// these would promise what does not happen. It is the adapter's list.
var steered = []string{"git", "gh", "pyright", "docker", "node", "python", "python3"}

func refusedRule(rule string) string {
	m := ruleForm.FindStringSubmatch(rule)
	switch {
	case m == nil || m[1] != "" && strings.Trim(m[2], "*:/ ~.") == "":
		return whyBroad
	case m[1] == "Bash":
		program, _, _ := strings.Cut(m[2], ":")
		if words := strings.Fields(program); len(words) > 0 && slices.Contains(steered, words[0]) {
			return whyGit
		}
	}
	return ""
}

// refusedVariable keeps variables off that reach further than the project's commands: the engine itself has them too.
func refusedVariable(name string) string {
	upper := strings.ToUpper(name)
	for _, prefix := range []string{
		"ANTHROPIC", "CLAUDE", "KEVA", "AWS_", "GOOGLE_", "VERTEX", "OTEL_", "LD_", "DYLD_", "NODE_", "BUN_", "BASH", "GIT_", "SSL_",
		"DISABLE_", "MCP_", "XDG_", "CODEX", "OPENAI",
	} {
		if strings.HasPrefix(upper, prefix) {
			return whySteers
		}
	}
	switch upper {
	case "PATH", "HOME", "SHELL", "ENV", "IFS", "TMPDIR", "ZDOTDIR", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "IS_SANDBOX":
		return whySteers
	}
	return ""
}

// claudeHooks takes the commands of one event one by one. Raw is {event: {group without its other hooks}}.
func (s *scan) claudeHooks(file string, event field) {
	for _, group := range event.items {
		matcher, _ := group.get("matcher").text()
		for _, hook := range group.get("hooks").items {
			name := event.name
			if matcher != "" {
				name += " " + matcher
			}
			one := map[string]any{"hooks": []json.RawMessage{hook.raw}}
			if matcher != "" {
				one["matcher"] = matcher
			}
			refused := ""
			if _, ok := hook.get("command").text(); !ok || string(hook.get("type").raw) != `"command"` {
				refused = whyFields + "it is no command."
			}
			for _, f := range hook.fields {
				if !slices.Contains([]string{"type", "command", "timeout", "statusMessage", "async", "if", "once", "shell"}, f.name) {
					refused = whyFields + f.name
				}
			}
			for _, f := range group.fields {
				if f.name != "matcher" && f.name != "hooks" {
					refused = whyFields + f.name
				}
			}
			s.add(trust.Entry{
				Engine: idClaude, Kind: trust.KindHook, Name: name, Text: hookText(hook), File: file, Line: hook.line, Refused: refused,
				Raw: wrap(map[string]any{event.name: one}),
			})
		}
	}
}

// claudeServerFields are the settings of a tool server that don't change what is asked about.
var claudeServerFields = []string{"type", "command", "args", "env", "url", "headers", "timeout"}

// server notes a tool server. Only one that is set up with known fields is offered: others may approve for the user.
func (s *scan) server(engine, file, name string, n node, known []string) {
	refused := ""
	args, argsAreTexts := n.get("args").strings()
	_, hasCommand := n.get("command").text()
	_, hasURL := n.get("url").text()
	switch {
	case !n.isObject() || hasCommand == hasURL:
		refused = whyFields + "it names no program and no address."
	case len(n.get("args").raw) > 0 && !argsAreTexts:
		refused = whyFields + fmt.Sprintf("args (%d)", len(args))
	case !serverName.MatchString(name):
		refused = whyFields + "its name."
	}
	for _, f := range n.fields {
		if !slices.Contains(known, f.name) {
			refused = whyFields + f.name
		}
	}
	s.add(trust.Entry{Engine: engine, Kind: trust.KindServer, Name: name, Text: serverText(n), File: file, Line: n.line, Refused: refused, Raw: n.raw})
}

var serverName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

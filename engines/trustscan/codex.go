package trustscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"keva/agent/trust"
)

const (
	idCodex  = "codex"
	whyRules = "Codex would run what these rules name without asking you, in every project."
	whyHooks = "Hooks of Codex are off in Keva."
)

// codex looks at what Codex reads from a project. Of all that only tool servers are ever turned on: rules hold for every
// later session, and the approval settings would switch Keva's asking off.
func (s *scan) codex() {
	const config = ".codex/config.toml"
	if data := s.read(config); data != nil {
		n, err := parseTOML(data)
		if err != nil {
			s.problem(config, "It is not the TOML that it should be: "+err.Error()+".")
		}
		for _, f := range n.fields {
			s.codexSetting(config, f)
		}
	}
	if n, ok := s.json(".codex/hooks.json"); ok {
		s.codexHooks(".codex/hooks.json", n.get("hooks"))
	}
	for _, name := range s.list(".codex/rules", ".rules") {
		if data := s.read(name); data != nil {
			s.add(trust.Entry{Engine: idCodex, Kind: trust.KindAllow, Text: strings.ToValidUTF8(string(data), "\uFFFD"), File: name, Line: 1, Refused: whyRules})
		}
	}
	for _, dir := range []string{".codex/agents", ".codex/skills", ".codex/prompts", ".agents"} {
		for _, name := range s.list(dir, "") {
			s.textFile(idCodex, name)
		}
	}
	s.textFile(idCodex, "AGENTS.override.md")
}

func (s *scan) codexSetting(file string, f field) {
	put := func(kind trust.Kind, name string, n node, refused string) {
		s.add(trust.Entry{Engine: idCodex, Kind: kind, Name: name, Text: text(n), File: file, Line: n.line, Refused: refused})
	}
	switch f.name {
	case "mcp_servers":
		for _, server := range f.fields {
			s.server(idCodex, file, server.name, server.node, codexServerFields)
		}
	case "hooks":
		s.codexHooks(file, f.node)
	case "notify":
		put(trust.KindHelper, f.name, f.node, whyHooks)
	case "approval_policy", "approvals_reviewer", "sandbox_mode", "sandbox_workspace_write", "default_permissions", "permissions", "projects":
		put(trust.KindMode, f.name, f.node, whyAsk)
	case "shell_environment_policy":
		put(trust.KindEnv, f.name, f.node, whyNotYet)
	case "plugins", "marketplaces":
		put(trust.KindPlugin, f.name, f.node, whyNotYet)
	default:
		put(trust.KindSetting, f.name, f.node, whyNotYet)
	}
}

func (s *scan) codexHooks(file string, n node) {
	for _, event := range n.fields {
		for _, group := range event.items {
			for _, hook := range group.get("hooks").items {
				line := max(hook.line, group.line)
				s.add(trust.Entry{Engine: idCodex, Kind: trust.KindHook, Name: event.name, Text: hookText(hook), File: file, Line: line, Refused: whyHooks})
			}
		}
	}
}

// codexServerFields are the settings of a tool server that don't change what is asked about.
var codexServerFields = []string{
	"command", "args", "env", "cwd", "url", "http_headers", "startup_timeout_sec", "startup_timeout_ms", "tool_timeout_sec", "enabled",
	"enabled_tools", "disabled_tools",
}

// parseTOML reads TOML into the same form as JSON.
func parseTOML(data []byte) (node, error) {
	if !utf8.Valid(data) {
		return node{}, errors.New("it is not UTF-8 text")
	}
	if nested(data) > maxTrustDepth || dotted(data) > maxTrustDots {
		return node{}, errDeep
	}
	var v map[string]any
	if _, err := toml.Decode(string(data), &v); err != nil {
		var at toml.ParseError
		if errors.As(err, &at) {
			return node{}, errors.New(at.Error())
		}
		return node{}, err
	}
	if tooDeep(v, 0) {
		return node{}, errDeep
	}
	raw, err := json.Marshal(v) // times and numbers become what the engine's own reading of JSON takes
	if err != nil {
		return node{}, err
	}
	n, err := parseJSON(raw)
	if err != nil {
		return node{}, err
	}
	locate(&n, keyLines(data), "", 0)
	return n, nil
}

// nested is how deep brackets go, counted without regard to texts: a parser must not be led into a depth without end.
func nested(data []byte) int {
	depth, most := 0, 0
	for _, c := range data {
		switch c {
		case '[', '{':
			depth++
			most = max(most, depth)
		case ']', '}':
			depth = max(0, depth-1)
		}
	}
	return most
}

// maxTrustDots bounds how deep one dotted key can go; the parser needs the square of it.
const maxTrustDots = 256

// dotted is the largest number of dots on one line.
func dotted(data []byte) int {
	most := 0
	for line := range bytes.Lines(data) {
		most = max(most, bytes.Count(line, []byte{'.'}))
	}
	return most
}

func tooDeep(v any, depth int) bool {
	if depth > maxTrustDepth {
		return true
	}
	switch v := v.(type) {
	case map[string]any:
		for _, x := range v {
			if tooDeep(x, depth+1) {
				return true
			}
		}
	case []map[string]any:
		return slices.ContainsFunc(v, func(x map[string]any) bool { return tooDeep(x, depth+1) })
	case []any:
		return slices.ContainsFunc(v, func(x any) bool { return tooDeep(x, depth+1) })
	}
	return false
}

// locate gives the values of the two outer levels the line that first names them, 0 where it can't be told.
func locate(n *node, lines map[string]int, path string, depth int) {
	n.line = lines[path]
	for i := range n.fields {
		f := &n.fields[i]
		if depth < 2 {
			locate(&f.node, lines, strings.TrimPrefix(path+"."+f.name, "."), depth+1)
		} else {
			flatten(&f.node, n.line)
		}
	}
	for i := range n.items {
		flatten(&n.items[i], n.line)
	}
}

// flatten gives everything below a value its line: that of JSON made from TOML means nothing.
func flatten(n *node, line int) {
	n.line = line
	for i := range n.fields {
		flatten(&n.fields[i].node, line)
	}
	for i := range n.items {
		flatten(&n.items[i], line)
	}
}

// keyLines says on which line a dotted key of one or two parts is first named, as a table or with a value. It only helps
// the eye, so odd ways of writing a key may be missed.
func keyLines(data []byte) map[string]int {
	lines := map[string]int{}
	plain := strings.NewReplacer(`"`, "", "'", "", " ", "", "\t", "", "[", "")
	table := ""
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		key := ""
		if name, _, ok := strings.Cut(line, "]"); ok && strings.HasPrefix(line, "[") {
			table = plain.Replace(name)
			key = table
		} else if name, _, ok := strings.Cut(line, "="); ok {
			key = strings.TrimPrefix(table+"."+plain.Replace(name), ".")
		}
		parts := strings.SplitN(key, ".", 3)
		for n := 1; n <= min(2, len(parts)); n++ {
			if k := strings.Join(parts[:n], "."); lines[k] == 0 {
				lines[k] = i + 1
			}
		}
	}
	return lines
}

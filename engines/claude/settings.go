package claude

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"keva/agent/event"
	"keva/agent/trust"
	"keva/engines/fence"
)

// asksAlways are programs that the engine would run without asking when their arguments only look, though a project decides
// what they do: its git configuration names programs (core.fsmonitor, filter.*.clean, diff.external, …), its other files
// say which interpreter a name stands for. `git status` ran a project's program that way, unasked (measured). Everything
// else that is not plainly looking is asked about anyway.
var asksAlways = []string{"git", "gh", "pyright", "docker", "node", "python", "python3"}

// neverUsed are tools that change something without asking: they make and remove git worktrees, whose hooks and filters are
// the project's. The engine has no git of its own, so they could only fail.
var neverUsed = []string{"EnterWorktree", "ExitWorktree"}

// ownFolders keeps the file tools out of the engine's own folders. In one of them it would write unasked: what it remembers
// of a project, which it would then read in every later session (measured: also with the memory switched off). What it was
// signed in with is not even read: a user who allows all reads does not mean that.
func (o Options) ownFolders() []string {
	var rules []string
	add := func(tool, dir, rest string) {
		for _, d := range []string{dir, resolved(dir)} {
			if rule := tool + "(/" + d + rest + ")"; filepath.IsAbs(d) && !slices.Contains(rules, rule) {
				rules = append(rules, rule)
			}
		}
	}
	add("Edit", o.home(), "/**")
	add("Edit", o.config(), "/**")
	add("Read", o.config(), "/.credentials.json")
	return rules
}

func resolved(dir string) string {
	if d, err := filepath.EvalSymlinks(dir); err == nil {
		return d
	}
	return dir
}

// ownSettings are the settings that Keva starts the engine with, above those of the engine's own folder: what is always
// asked about, and what the user has agreed to. A rule that asks is stronger than one that allows.
func (o Options) ownSettings(trusted []trust.Entry) map[string]any {
	var ask []string
	for _, program := range asksAlways {
		ask = append(ask, "Bash("+program+":*)")
	}
	var allow, dirs []string
	env := map[string]json.RawMessage{}
	hooks := map[string][]hookGroup{}
	for _, e := range ours(trusted) {
		switch e.Kind {
		case trust.KindAllow:
			allow = append(allow, e.Text)
		case trust.KindDirectory:
			dirs = append(dirs, e.Text)
		case trust.KindEnv:
			env[e.Name] = e.Raw
		case trust.KindHook:
			o.addHook(hooks, e.Raw)
		case trust.KindServer: // see trustedServers
		case trust.KindHelper, trust.KindMode, trust.KindPlugin, trust.KindText, trust.KindSchedule, trust.KindSetting:
			// Never offered, so nobody has agreed to them.
		}
	}
	permissions := map[string]any{"ask": ask, "deny": append(slices.Clone(neverUsed), o.ownFolders()...)}
	s := map[string]any{"permissions": permissions}
	if len(allow) > 0 {
		permissions["allow"] = allow
	}
	if len(dirs) > 0 {
		permissions["additionalDirectories"] = dirs
	}
	if len(env) > 0 {
		s["env"] = env
	}
	if len(hooks) > 0 {
		s["hooks"] = hooks
	}
	return s
}

// hookGroup is what the engine's settings hold for an event. Fields of a hook that Keva does not know are kept.
type hookGroup struct {
	Matcher string                       `json:"matcher,omitempty"`
	Hooks   []map[string]json.RawMessage `json:"hooks"`
}

// addHook adds {event: group}. The engine runs hooks in a plain shell that reads no start file, so what only the engine
// shall have is taken away in the command itself.
func (o Options) addHook(hooks map[string][]hookGroup, raw json.RawMessage) {
	var of map[string]hookGroup
	if json.Unmarshal(raw, &of) != nil {
		return // the scanner makes nothing else
	}
	for name, group := range of {
		for _, h := range group.Hooks {
			var command string
			if json.Unmarshal(h["command"], &command) != nil {
				continue
			}
			if lifted, err := json.Marshal(o.shellStart() + command); err == nil { // a string always marshals
				h["command"] = lifted
			}
		}
		hooks[name] = append(hooks[name], group)
	}
}

// trustedServers is the tool servers that the user has agreed to, nil for none. What only the engine shall have in its
// environment is taken away from them.
func trustedServers(trusted []trust.Entry) map[string]any {
	servers := map[string]any{}
	for _, e := range ours(trusted) {
		if e.Kind != trust.KindServer {
			continue
		}
		var config map[string]any
		if json.Unmarshal(e.Raw, &config) != nil || config == nil {
			continue // the scanner makes objects only
		}
		if command, ok := config["command"].(string); ok && command != "" {
			args, _ := config["args"].([]any)
			config["command"] = "env"
			config["args"] = append([]any{"-u", fence.GitDir, "-u", "BASH_ENV", command}, args...)
		}
		servers[e.Name] = config
	}
	if len(servers) == 0 {
		return nil
	}
	return map[string]any{"mcpServers": servers}
}

// ours are the entries that this engine obeys and that may be turned on at all.
func ours(trusted []trust.Entry) []trust.Entry {
	return slices.DeleteFunc(slices.Clone(trusted), func(e trust.Entry) bool { return e.Engine != "claude" || !e.Offered() })
}

// temp writes a file for one process, which only the user may read. The caller removes it.
func (o Options) temp(pattern string, data []byte) (string, error) {
	f, err := os.CreateTemp(o.tmp(), pattern)
	if err == nil {
		_, err = f.Write(data)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}
	if err != nil {
		return "", &event.Error{
			Class:   event.ClassConfig,
			Message: "Claude Code's settings could not be written. Check free space in the data folder.",
			Detail:  err.Error(),
		}
	}
	return f.Name(), nil
}

func (o Options) tempJSON(pattern string, v any) (string, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return "", &event.Error{Class: event.ClassConfig, Message: "Claude Code's settings could not be made.", Detail: err.Error()}
	}
	return o.temp(pattern, raw)
}

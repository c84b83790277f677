package codex

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/engines/fence"
	"keva/engines/userland/plan"
)

// keyEnv carries the provider's key into the engine's process. It is never an argument: those can be read by others.
const keyEnv = "KEVA_CODEX_KEY"

// defaultBase is where a key goes when the provider names no address.
const defaultBase = "https://api.openai.com/v1"

// hostName is the program that runs the scripts of code mode. The engine looks for it beside itself.
const hostName = "codex-code-mode-host"

// settings are given on the command line, where nothing that the user or a project wrote can override them.
var settings = []string{
	"features.unified_exec_tty=false",             // what is typed into a terminal is not asked about
	"features.plugins=false",                      // fetches a catalogue from the net unasked
	"features.apps=false",                         //
	"features.hooks=false",                        // commands that nobody is asked about
	"features.goals=false",                        // turns that nobody asked for
	"features.guardian_approval=false",            // a model that approves instead of the user
	"features.skill_mcp_dependency_install=false", // installs servers
	"features.shell_snapshot=false",               // runs a login shell at each start
	"features.unbounded_connection_retries=false", // without it, no network means a turn that never ends
	"analytics.enabled=false",
	"check_for_update_on_startup=false",
	"tools.update_plan.enabled=true",    // else there are no plans
	"project_doc_max_bytes=0",           // Keva appends the project's instructions itself
	"skills.include_instructions=false", // a project's skills speak to the model, trusted or not
	// The engine's commands must not see the key, and git is kept from the engine only.
	`shell_environment_policy.exclude=["` + keyEnv + `","` + fence.GitDir + `"]`,
}

// arguments is the command line. The key is not in it.
func arguments(p runtime.Provider) []string {
	args := []string{"app-server"}
	add := func(s string) { args = append(args, "-c", s) }
	for _, s := range settings {
		add(s)
	}
	if p.BaseURL == "" && p.Key == "" {
		return args // the engine's own provider, and its own sign-in
	}
	base := p.BaseURL
	if base == "" {
		base = defaultBase
	}
	name := p.Name
	if name == "" {
		name = "Keva"
	}
	provider := "name=" + quote(name) + ",base_url=" + quote(base) + `,wire_api="responses"`
	if p.Key != "" {
		provider += ",env_key=" + quote(keyEnv)
	}
	add("model_providers.keva={" + provider + "}")
	add(`model_provider="keva"`)
	return args
}

// quote makes a TOML basic string; a JSON string is one.
func quote(s string) string {
	raw, err := json.Marshal(s)
	if err != nil { // a string always marshals
		return `""`
	}
	return string(raw)
}

// plan is the launch: what is the engine's own. The rest is the place's.
func (o Options) plan(home string, s runtime.Start, dir string, args []string) (plan.Plan, error) {
	// At each start the engine runs `git status`, and that runs the filters of a repository's own configuration.
	own := []string{"CODEX_HOME=" + home, fence.NoGit}
	var secret []string
	if s.Provider.Key != "" {
		secret = []string{keyEnv + "=" + s.Provider.Key}
	}
	return plan.New(plan.Request{
		Place: o.Place, Program: o.program(), Args: args, Dir: dir, Session: s.Session,
		Own: own, Secret: secret, Extra: o.Env,
	})
}

func (o Options) program() plan.Program {
	return plan.Program{ID: "codex", Label: "Codex", Binary: o.Binary, Path: o.Helpers}
}

// untrusted is the thread's configuration: the project's own .codex folder is not obeyed. A cloned project could start
// servers and allow itself commands with it. Trust is kept for the folder or for its repository's root, and by either
// name of a linked one.
func untrusted(dir string) map[string]any {
	projects := map[string]any{}
	mark := func(d string) { projects[d] = map[string]any{"trust_level": "untrusted"} }
	for _, start := range []string{dir, resolved(dir)} {
		mark(start)
		for d := start; ; d = filepath.Dir(d) {
			if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
				mark(d)
			}
			if d == filepath.Dir(d) {
				break
			}
		}
	}
	return map[string]any{"projects": projects}
}

func resolved(dir string) string {
	if d, err := filepath.EvalSymlinks(dir); err == nil {
		return d
	}
	return dir // it does not exist: starting will say so
}

// prepareHome makes the engine's own folder, which belongs to Keva: nobody else may read it, and it holds no rules that
// allow commands unasked.
func prepareHome(state string) (string, error) {
	home := filepath.Join(state, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return "", homeError(home, err)
	}
	if err := os.Chmod(home, 0o700); err != nil {
		return "", homeError(home, err)
	}
	rules := filepath.Join(home, "rules")
	entries, err := os.ReadDir(rules)
	if err != nil && !os.IsNotExist(err) {
		return "", homeError(rules, err)
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(rules, e.Name())); err != nil {
			return "", &event.Error{
				Class: event.ClassConfig,
				Message: "Codex holds rules that let commands run without asking, and they can't be removed. " +
					"Delete the folder " + rules + " and try again.",
				Detail: err.Error(),
			}
		}
	}
	return home, nil
}

func homeError(path string, err error) error {
	return &event.Error{
		Class:   event.ClassConfig,
		Message: "Codex needs a folder that Keva can write to: " + path + ". Check its permissions and the free space.",
		Detail:  err.Error(),
	}
}

// checkHost looks for the program beside the engine without which every tool call of the current models fails, while the
// turn still says that it succeeded.
func (o Options) checkHost() error {
	path := filepath.Join(filepath.Dir(resolved(o.Binary)), hostName)
	info, err := os.Stat(path)
	if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
		return nil
	}
	detail := path + " is not executable"
	if err != nil {
		detail = err.Error()
	}
	return &event.Error{
		Class:   event.ClassEngine,
		Message: "A part of Codex is missing: " + hostName + " must lie beside codex, or no tool would work. " + o.Place.Reinstall(),
		Detail:  detail,
	}
}

// withoutKey removes the key from a text that people will see.
func withoutKey(s string, p runtime.Provider) string {
	if p.Key == "" {
		return s
	}
	return strings.ReplaceAll(s, p.Key, "…")
}

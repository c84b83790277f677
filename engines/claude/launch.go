package claude

import (
	"os"
	"path/filepath"
	"strings"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/engines/fence"
	"keva/engines/proc"
	launchplan "keva/engines/userland/plan"
)

// Options say where the engine is and what surrounds it.
type Options struct {
	Binary string // path of the CLI
	// Place is where it runs: the zero one is the host.
	Place launchplan.Place
	// StateDir holds the engine's home, configuration and temporary files; it is the app's own and made with mode 0700.
	StateDir string
	// RecordDir is where proc.Reclaim finds what outlived Keva; "" = no run records.
	RecordDir string
	// Version is what Check asks for; "" = Version.
	Version string
	// Env is added to the environment: proxy variables, certificates, CLAUDE_CODE_MAX_RETRIES. Nothing else is inherited.
	Env []string
}

func (o Options) home() string   { return filepath.Join(o.StateDir, "home") }
func (o Options) config() string { return filepath.Join(o.StateDir, "config") }
func (o Options) tmp() string    { return filepath.Join(o.StateDir, "tmp") }

// bashStart is what bash reads before a command, and zshStart what zsh reads.
func (o Options) bashStart() string { return filepath.Join(o.home(), ".bashrc") }
func (o Options) zshStart() string  { return filepath.Join(o.home(), ".zshenv") }

// shellStart takes away from a command what only the engine shall have: it was approved, so its git is the user's. Bash
// reads the file by itself when its stdin is a socket, as the engine's commands' is (it takes that for a remote login), else
// because BASH_ENV names it. It gets the user's home back, too: without their git identity a commit fails.
func (o Options) shellStart() string {
	start := "unset " + fence.GitDir + " BASH_ENV\n"
	if home := o.Place.HomeDir(); home != "" {
		start += "export HOME='" + strings.ReplaceAll(home, "'", `'\''`) + "'\n"
	}
	return start
}

// makeDirs makes the engine's folders. The configuration holds whole conversations, so nobody else may look in.
func (o Options) makeDirs() error {
	failed := func(path string, err error) error {
		return &event.Error{
			Class:   event.ClassConfig,
			Message: "Claude Code's folder " + path + " can't be made or protected. Check free space and permissions of the data folder.",
			Detail:  err.Error(),
		}
	}
	for _, dir := range []string{o.StateDir, o.home(), o.config(), o.tmp()} {
		err := os.MkdirAll(dir, 0o700)
		if err == nil {
			err = os.Chmod(dir, 0o700)
		}
		if err != nil {
			return failed(dir, err)
		}
	}
	for _, file := range []string{o.bashStart(), o.zshStart()} {
		if err := os.WriteFile(file, []byte(o.shellStart()), 0o600); err != nil {
			return failed(file, err)
		}
	}
	return nil
}

// plan is the launch: what is the engine's own. The rest is the place's.
func (o Options) launchPlan(s runtime.Start, dir string, args []string) (launchplan.Plan, error) {
	own := []string{
		"CLAUDE_CONFIG_DIR=" + o.config(),
		"CLAUDE_CODE_TMPDIR=" + o.tmp(),          // without it or TMPDIR the engine hangs where there is no /tmp
		"LC_ALL=" + o.Place.Language(),           //
		"CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS=1", // else `git status` at each start
		"CLAUDE_CODE_DISABLE_AUTO_MEMORY=1",      // else files that the model writes without asking, and reads in every session
		"CLAUDE_CODE_DISABLE_CRON=1",             // else turns that .claude/scheduled_tasks.json asks for
		fence.NoGit,                              // for the engine itself
		"BASH_ENV=" + o.bashStart(),              // lifts it for a command
		"CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1",
		"DISABLE_UPDATES=1",
		"DISABLE_TELEMETRY=1",
		"DISABLE_ERROR_REPORTING=1",
	}
	if s.Provider.BaseURL != "" {
		own = append(own, "ANTHROPIC_BASE_URL="+s.Provider.BaseURL)
	}
	own = append(own, aliasEnv(s.Provider)...)
	var secret []string
	switch key := s.Provider.Key; {
	case key == "":
	case strings.HasPrefix(key, "sk-ant-oat"): // of a subscription
		secret = []string{"CLAUDE_CODE_OAUTH_TOKEN=" + key}
	default:
		secret = []string{"ANTHROPIC_API_KEY=" + key}
	}
	return launchplan.New(launchplan.Request{
		Place: o.Place, Program: o.program(), Args: args, Dir: dir, Session: s.Session,
		Home: o.home(), Temp: o.tmp(), Own: own, Secret: secret, Extra: o.Env,
	})
}

func (o Options) program() launchplan.Program {
	return launchplan.Program{ID: "claude", Label: "Claude Code", Binary: o.Binary}
}

// files are what a process is given beside its arguments, "" for none: as arguments they could be longer than the system
// allows, and everybody could read them.
type files struct {
	instructions string // appended to the system prompt
	settings     string
	servers      string // tool servers that the user has agreed to
}

// args is the command line. Project and local settings, and the project's MCP servers, are never read: they would run
// hooks and switch the approvals off (protocol/claude.md §12).
func args(s runtime.Start, f files) []string {
	a := []string{
		"-p",
		"--input-format", "stream-json",
		"--output-format", "stream-json",
		"--verbose",
		"--include-partial-messages",
		"--permission-prompt-tool", "stdio",
		"--replay-user-messages",
		"--setting-sources", "user",
		"--strict-mcp-config",
	}
	for _, o := range [][2]string{
		{"--model", s.Model},
		{"--effort", s.Effort},
		{"--resume", s.Resume},
		{"--append-system-prompt-file", f.instructions},
		{"--settings", f.settings},
		{"--mcp-config", f.servers},
	} {
		if o[1] != "" {
			a = append(a, o[0], o[1])
		}
	}
	return a
}

// spec is what to run for a session, and the files that the caller removes when the process is gone, or never was.
func (o Options) spec(s runtime.Start) (spec proc.Spec, temp []string, err error) {
	if err := o.makeDirs(); err != nil {
		return spec, nil, err
	}
	var f files
	put := func(to *string, path string, problem error) {
		if *to = path; path != "" {
			temp = append(temp, path)
		}
		if err == nil {
			err = problem
		}
	}
	if s.Instructions != "" {
		path, problem := o.temp("instructions-*.md", []byte(s.Instructions))
		put(&f.instructions, path, problem)
	}
	path, problem := o.tempJSON("settings-*.json", o.ownSettings(s.Trusted))
	put(&f.settings, path, problem)
	if servers := trustedServers(s.Trusted); servers != nil {
		path, problem := o.tempJSON("servers-*.json", servers)
		put(&f.servers, path, problem)
	}
	if err != nil {
		return spec, temp, err
	}
	p, err := o.launchPlan(s, s.Dir, args(s, f))
	return p.Spec(), temp, err
}

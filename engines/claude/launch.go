package claude

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/engines/proc"
)

// Options say where the engine is and what surrounds it.
type Options struct {
	Binary string // path of the CLI
	// StateDir holds the engine's home, configuration and temporary files; it is the app's own and made with mode 0700.
	StateDir string
	// RecordDir is where proc.Reclaim finds what outlived Keva; "" = no run records.
	RecordDir string
	// Version is what Check asks for; "" = Version.
	Version string
	// Path is PATH for the engine and the commands it runs; "" = that of this process.
	Path string
	// Env is added to the environment: proxy variables, certificates, CLAUDE_CODE_MAX_RETRIES. Nothing else is inherited.
	Env []string
}

func (o Options) home() string   { return filepath.Join(o.StateDir, "home") }
func (o Options) config() string { return filepath.Join(o.StateDir, "config") }
func (o Options) tmp() string    { return filepath.Join(o.StateDir, "tmp") }

// makeDirs makes the engine's folders. The configuration holds whole conversations, so nobody else may look in.
func (o Options) makeDirs() error {
	for _, dir := range []string{o.StateDir, o.home(), o.config(), o.tmp()} {
		err := os.MkdirAll(dir, 0o700)
		if err == nil {
			err = os.Chmod(dir, 0o700)
		}
		if err != nil {
			return &event.Error{
				Class:   event.ClassConfig,
				Message: "Claude Code's folder " + dir + " can't be made or protected. Check free space and permissions of the data folder.",
				Detail:  err.Error(),
			}
		}
	}
	return nil
}

// env is the whole environment of the engine: an allow-list, so that nothing of another session or account leaks in
// (J7, A5).
func (o Options) env(s runtime.Start) []string {
	path := o.Path
	if path == "" {
		path = os.Getenv("PATH")
	}
	lang := os.Getenv("LANG")
	if lang == "" || lang == "C" || lang == "POSIX" {
		lang = "C.UTF-8"
	}
	env := []string{
		"PATH=" + path,
		"HOME=" + o.home(),
		"CLAUDE_CONFIG_DIR=" + o.config(),
		"TMPDIR=" + o.tmp(),
		"CLAUDE_CODE_TMPDIR=" + o.tmp(),
		"LANG=" + lang,
		"LC_ALL=" + lang,
		"TERM=dumb",
		"CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS=1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1",
		"DISABLE_UPDATES=1",
		"DISABLE_TELEMETRY=1",
		"DISABLE_ERROR_REPORTING=1",
	}
	if sh := shell(path); sh != "" {
		env = append(env, "SHELL="+sh)
	}
	if s.Session != "" {
		env = append(env, "KEVA_SESSION="+s.Session)
	}
	if s.Provider.BaseURL != "" {
		env = append(env, "ANTHROPIC_BASE_URL="+s.Provider.BaseURL)
	}
	switch key := s.Provider.Key; {
	case key == "":
	case strings.HasPrefix(key, "sk-ant-oat"): // of a subscription
		env = append(env, "CLAUDE_CODE_OAUTH_TOKEN="+key)
	default:
		env = append(env, "ANTHROPIC_API_KEY="+key)
	}
	return withLoopback(append(env, o.Env...))
}

// withLoopback keeps loopback out of every proxy: HTTPS_PROXY would also be used for an http:// base URL on loopback.
func withLoopback(env []string) []string {
	const loopback = "127.0.0.1,localhost,::1"
	var out []string
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		value := loopback
		for _, kv := range env {
			if v, ok := strings.CutPrefix(kv, name+"="); ok && v != "" {
				value = v + "," + loopback
			}
		}
		out = append(out, name+"="+value)
	}
	for _, kv := range env {
		if name, _, _ := strings.Cut(kv, "="); name != "NO_PROXY" && name != "no_proxy" {
			out = append(out, kv)
		}
	}
	return out
}

// pathFrom is PATH in an environment.
func pathFrom(env []string) string {
	for _, kv := range env {
		if p, ok := strings.CutPrefix(kv, "PATH="); ok {
			return p
		}
	}
	return ""
}

// shell finds a shell that the engine accepts: its path must contain bash or zsh, or the Bash tool fails.
func shell(path string) string {
	dirs := append(filepath.SplitList(path), "/bin", "/usr/bin")
	for _, name := range []string{"bash", "zsh"} {
		for _, dir := range dirs {
			p, err := exec.LookPath(filepath.Join(dir, name))
			if err == nil && filepath.IsAbs(p) {
				return p
			}
		}
	}
	return ""
}

// args is the command line. Project and local settings, and the project's MCP servers, are never read: they would run
// hooks and switch the approvals off (protocol/claude.md §12).
func args(s runtime.Start, instructions string) []string {
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
		{"--model", s.Model}, {"--effort", s.Effort}, {"--resume", s.Resume}, {"--append-system-prompt-file", instructions},
	} {
		if o[1] != "" {
			a = append(a, o[0], o[1])
		}
	}
	return a
}

// spec is what to run for a session. The instructions go into a file that the caller removes: as an argument they could
// be longer than the system allows.
func (o Options) spec(s runtime.Start) (spec proc.Spec, instructions string, err error) {
	if err := o.makeDirs(); err != nil {
		return spec, "", err
	}
	if s.Instructions != "" {
		if instructions, err = writeInstructions(o.tmp(), s.Instructions); err != nil {
			return spec, "", err
		}
	}
	return proc.Spec{Path: o.Binary, Args: args(s, instructions), Env: o.env(s), Dir: s.Dir}, instructions, nil
}

func writeInstructions(dir, text string) (string, error) {
	f, err := os.CreateTemp(dir, "instructions-*.md")
	if err == nil {
		_, err = f.WriteString(text)
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}
	if err != nil {
		return "", &event.Error{
			Class:   event.ClassConfig,
			Message: "The project's instructions could not be handed to Claude Code. Check free space in the data folder.",
			Detail:  err.Error(),
		}
	}
	return f.Name(), nil
}

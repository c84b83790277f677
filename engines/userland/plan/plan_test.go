package plan

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/engines/proc"
)

// run launches a plan and returns what the engine of tree_test.go says.
func run(t *testing.T, p Plan) (said []string, exit event.EngineExited) {
	t.Helper()
	spec := p.Spec()
	spec.OnLine = func(l []byte) { said = append(said, string(l)) }
	child, err := proc.Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	child.CloseStdin()
	<-child.Done()
	return said, child.Exit()
}

// poison fills Keva's own environment with what no engine may get.
func poison(t *testing.T) {
	t.Helper()
	for _, name := range strings.Fields(`LD_PRELOAD_X LD_LIBRARY_PATH_X NODE_OPTIONS BASH_ENV ENV GIT_DIR GIT_CONFIG_GLOBAL PYTHONPATH
		ANTHROPIC_API_KEY ANTHROPIC_BASE_URL OPENAI_API_KEY CODEX_HOME CLAUDE_CONFIG_DIR HTTPS_PROXY https_proxy ALL_PROXY
		SSL_CERT_FILE NODE_EXTRA_CA_CERTS KEVA_SESSION KEVA_CHILD PROMPT_COMMAND SHELL TERM LS_COLORS SSH_AUTH_SOCK`) {
		t.Setenv(name, "poison")
	}
}

// The engine is the process: not its linker, not a shell. Its environment is the plan's, and the mark of the process.
func TestTheEngineIsTheProcess(t *testing.T) {
	x := newTree(t, "v-é") // a letter that is no ASCII
	poison(t)
	for _, name := range []string{"PATH", "HOME", "LANG", "TMPDIR", "USER", "TZ", "LC_ALL"} {
		t.Setenv(name, filepath.Join(t.TempDir(), "poison"))
	}
	x.place = Pack(x.root, x.place.Data) // made where everything is poisoned
	if err := x.place.Prepare(); err != nil {
		t.Fatal(err)
	}
	p, err := New(Request{
		Place: x.place, Program: x.program, Args: []string{"--flag", "a b"}, Dir: x.place.Home, Session: "s-1",
		Own: []string{"OWN=1", "TERM=own"}, Secret: []string{"KEY=hidden"}, Extra: []string{"HTTPS_PROXY=http://127.0.0.1:9"},
	})
	if err != nil {
		t.Fatal(err)
	}
	said, exit := run(t, p)
	if exit.Class != event.ExitClean {
		t.Fatalf("%+v", exit)
	}
	want := []string{"exe=" + x.program.Binary, "arg=" + x.program.Binary, "arg=--flag", "arg=a b"}
	for _, kv := range p.Env {
		want = append(want, "env="+kv)
	}
	marked := slices.DeleteFunc(slices.Clone(said), func(l string) bool { return strings.HasPrefix(l, "env="+proc.MarkerEnv+"=") })
	if !slices.Equal(marked, want) || len(said) != len(want)+1 {
		t.Errorf("said\n%s\nwant\n%s", strings.Join(said, "\n"), strings.Join(want, "\n"))
	}
	if text := strings.Join(said, "\n"); strings.Contains(text, "poison") {
		t.Errorf("inherited:\n%s", text)
	}
	if p.Marker != "KEVA_SESSION=s-1" || p.Get("KEVA_SESSION") != "s-1" || p.Get("TERM") != "own" || p.Get("NONE") != "" {
		t.Errorf("%s", p)
	}
	if text := p.String(); strings.Contains(text, "hidden") || !strings.Contains(text, "KEY=…") || !strings.Contains(text, x.program.Binary) {
		t.Error(text)
	}
}

// On the host a handful of variables say who the user is; all others stay behind.
func TestHostInheritsAHandful(t *testing.T) {
	poison(t)
	home := t.TempDir()
	for name, value := range map[string]string{
		"PATH": "/usr/bin:/bin:relative", "HOME": home, "USER": "ada", "LOGNAME": "ada", "TMPDIR": "/var/tmp", "LC_ALL": "", "LC_CTYPE": "",
		"TZ": "UTC", "LANG": "C",
	} {
		t.Setenv(name, value)
	}
	p, err := New(Request{Program: Program{Binary: "/opt/engine", Path: "/opt/rg"}, Dir: "/srv/project"})
	if err != nil {
		t.Fatal(err)
	}
	shell := p.Get("SHELL")
	if filepath.Base(shell) != "bash" && filepath.Base(shell) != "zsh" {
		t.Errorf("shell %q", shell)
	}
	want := []string{
		"HOME=" + home, "LANG=C.UTF-8", "LOGNAME=ada", "NO_PROXY=" + loopback, "PATH=/opt/rg:/usr/bin:/bin", "SHELL=" + shell, "TERM=dumb",
		"TMPDIR=/var/tmp", "TZ=UTC", "USER=ada", "no_proxy=" + loopback,
	}
	if !slices.Equal(p.Env, want) {
		t.Errorf("\n%s\nwant\n%s", strings.Join(p.Env, "\n"), strings.Join(want, "\n"))
	}
}

// Loopback is Keva's own way to the provider: no proxy may stand before it, whatever the composition says of others.
func TestLoopbackIsDirect(t *testing.T) {
	p, err := New(Request{Program: Program{Binary: "/e"}, Own: []string{"NO_PROXY=own.example"}, Extra: []string{"no_proxy=corp.example", "NO_PROXY="}})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Get("NO_PROXY"); got != "corp.example,own.example,"+loopback || p.Get("no_proxy") != got {
		t.Error(got)
	}
}

func TestPlansThatAreNone(t *testing.T) {
	for name, r := range map[string]Request{
		"no program":      {},
		"a relative one":  {Program: Program{Binary: "engine"}},
		"no variable":     {Program: Program{Binary: "/e"}, Own: []string{"x"}},
		"without a name":  {Program: Program{Binary: "/e"}, Own: []string{"=x"}},
		"a torn variable": {Program: Program{Binary: "/e"}, Extra: []string{"A=b\x00LD_PRELOAD=x"}},
	} {
		var e *event.Error
		if _, err := New(r); !errors.As(err, &e) || e.Message == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An adapter's error of a start gets its reason: from the files, else from how the process died. What people read stays.
func TestExplain(t *testing.T) {
	x := newTree(t, "v")
	start := func() error {
		p, err := New(Request{Place: x.place, Program: x.program})
		if err != nil {
			t.Fatal(err)
		}
		_, err = proc.Start(proc.Spec{Path: p.Path, Env: p.Env, OnLine: func([]byte) {}})
		if err == nil {
			t.Fatal("it started")
		}
		return Explain(x.place, x.program, err)
	}
	x.write("opt/engine/engine", "#!/\n")
	if err := start(); ReasonOf(err) != NotRelocated { // no interpreter of this tree: the cause, not the effect
		t.Error(err)
	}
	x.place = Host()
	err := start()
	var e *event.Error
	if ReasonOf(err) != ExecDenied || !errors.As(err, &e) || !strings.Contains(e.Message, "does not allow") || !strings.HasPrefix(e.Detail, "exec_denied: ") {
		t.Errorf("%v %+v", err, e)
	}
	x.chmod("opt/engine/engine", 0o644)
	if err := start(); ReasonOf(err) != NotExecutable {
		t.Error(err)
	}
	x.remove("opt/engine/engine")
	if err := start(); ReasonOf(err) != ProgramMissing {
		t.Error(err)
	}
	other := errors.New("the provider refused")
	if Explain(x.place, x.program, nil) != nil || Explain(x.place, x.program, other) != other || Explain(x.place, x.program, err) != err {
		t.Error("an error was changed that has nothing to do with a start")
	}
}

func TestDied(t *testing.T) {
	said := &event.Error{Class: event.ClassEngineGone, Message: "It ended.", Detail: "last lines"}
	for class, want := range map[event.ExitClass]Reason{
		event.ExitBlocked: SyscallBlocked, event.ExitNoLoader: LibraryMissing, event.ExitNotAllowed: ExecDenied, event.ExitNotFound: ProgramMissing,
		event.ExitKilled: Killed, event.ExitCrashed: Crashed, event.ExitCode: "", event.ExitClean: "", event.ExitStopped: "", event.ExitUnknown: "",
	} {
		err := Died(said, event.EngineExited{Class: class})
		var e *event.Error
		if ReasonOf(err) != want || !errors.As(err, &e) || e.Class != said.Class || e.Message != said.Message || !strings.Contains(e.Detail, said.Detail) {
			t.Errorf("%s: %v %+v", class, err, e)
		}
	}
	if Died(nil, event.EngineExited{Class: event.ExitBlocked}) != nil {
		t.Error("an error out of nothing")
	}
}

func TestPrepareSaysWhichFolder(t *testing.T) {
	data := t.TempDir()
	p := Pack(filepath.Join(data, "v"), filepath.Join(data, "d"))
	if err := p.Prepare(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(p.Temp); err != nil {
		t.Fatal(err)
	}
	block(t, p.Temp)
	if err := p.Prepare(); ReasonOf(err) != TempUnwritable || !strings.Contains(err.Error(), p.Temp) {
		t.Error(err)
	}
	if err := (Place{}).Prepare(); err != nil {
		t.Error(err)
	}
}

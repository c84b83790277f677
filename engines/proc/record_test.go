package proc

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"keva/agent/event"
)

// records is what lies in the folder of run records, for a fake to print.
func records() string {
	var out []string
	files, _ := filepath.Glob(filepath.Join(os.Getenv("FAKE_RUN"), "*"))
	for _, f := range files {
		data, _ := os.ReadFile(f)
		out = append(out, filepath.Base(f)+" "+string(data))
	}
	return strings.Join(out, " | ")
}

func recorded(dir string) func(*Spec) {
	return func(s *Spec) {
		s.Record = RecordSpec{Dir: dir, Engine: "claude", Session: "s-1"}
		s.Env = append(s.Env, "FAKE_RUN="+dir)
	}
}

// parsePrinted reads the one record of a line of records.
func parsePrinted(t *testing.T, line string) record {
	t.Helper()
	name, data, _ := strings.Cut(line, " ")
	r, err := parseRecord(name, []byte(data))
	if err != nil {
		t.Fatalf("%v in %q", err, line)
	}
	return r
}

// Keva may be killed at any moment. So the marker is on disk before the process exists, and who it is before it gets a
// byte.
func TestRecordComesBeforeTheFirstByte(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "run")
	c := startFake(t, "tell", recorded(dir))
	if err := c.Write(t.Context(), []byte("x")); err != nil {
		t.Fatal(err)
	}
	mark, first, _ := strings.Cut(strings.TrimPrefix(c.line(), "start "), " ")
	if r := parsePrinted(t, first); r.Marker != mark || r.Engine != "claude" || r.Session != "s-1" {
		t.Errorf("when the process began, the record was %+v; its marker is %s", r, mark)
	}
	r := parsePrinted(t, strings.TrimPrefix(c.line(), "byte "))
	if r.Child == nil {
		t.Fatal("the engine got its first byte before its record was complete")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	self := who(os.Getpid())
	if r.Child.PID != c.PID() || r.Child.Start != c.id.start || *r.UID != uint32(os.Getuid()) || r.Keva != (instance{self.pid, self.start}) {
		t.Errorf("record %+v of %+v, started by %+v", r, c.id, self)
	}
	if want := exe + "\x00"; string(r.Cmdline) != want {
		t.Errorf("command line %q, want %q", r.Cmdline, want)
	}
	if boot, err := (system{}).bootID(); err != nil || r.Boot != boot {
		t.Errorf("boot %q, want %q (%v)", r.Boot, boot, err)
	}
}

// Killed between the start of the process and the completion of its record, Keva still leaves its marker.
func TestMarkerIsNotedBeforeTheProcess(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, found := t.TempDir(), []string(nil)
	pr := &blindSystem{cmd: func() error { found = files(t, dir); return nil }} // it is asked as soon as there is a process
	p, err := start(Spec{Path: exe, Env: []string{fakeEnv + "=echo"}, Record: RecordSpec{Dir: dir}}, pr)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	if len(found) != 1 || filepath.Base(found[0]) != p.kin.mark+recordExt {
		t.Errorf("the process began before its marker was on disk: %v", found)
	}
}

// The record goes when nothing of the engine can be left, however it ended.
func TestRecordGoesWithTheLastDescendant(t *testing.T) {
	for _, mode := range []string{"exit 3", "widow", "stubborn", "family"} {
		t.Run(mode, func(t *testing.T) {
			dir := t.TempDir()
			c := startFake(t, mode, recorded(dir)).quick()
			if mode == "stubborn" || mode == "family" {
				if n := files(t, dir); len(n) != 1 {
					t.Errorf("a running engine has %d records", len(n))
				}
				for l := c.line(); l != "ready" && l != "complete"; l = c.line() {
				}
			} else {
				c.ended()
			}
			c.Stop()
			if n := files(t, dir); len(n) != 0 {
				t.Errorf("left after the end: %v", n)
			}
		})
	}
}

// While nobody can say whether all are gone, the record stays for the next start.
func TestRecordStaysInDoubt(t *testing.T) {
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	pr := &blindSystem{}
	p, err := start(Spec{Path: exe, Env: []string{fakeEnv + "=echo"}, Record: RecordSpec{Dir: dir}}, pr)
	if err != nil {
		t.Fatal(err)
	}
	pr.blind = func() error { return errForced }
	p.Stop()
	if n := files(t, dir); len(n) != 1 {
		t.Errorf("%v, want the record", n)
	}
}

// blindSystem is this machine, with facts that can't be read.
type blindSystem struct {
	system
	boot, cmd, blind func() error
	pid              int // of the process that was started
}

func (b *blindSystem) bootID() (string, error) {
	if b.boot != nil {
		return "", b.boot()
	}
	return b.system.bootID()
}

func (b *blindSystem) cmdline(pid int) ([]byte, error) {
	if b.pid == 0 { // the engine is asked for first; later ones are looked at while its kin are swept
		b.pid = pid
	}
	if b.cmd != nil {
		if err := b.cmd(); err != nil {
			return nil, err
		}
	}
	return b.system.cmdline(pid)
}

func (b *blindSystem) pids() ([]int, error) {
	if b.blind != nil {
		return nil, b.blind()
	}
	return b.system.pids()
}

// An engine without a record could go on for ever and nobody could prove whose it is. So it is not started, or is ended
// before it got a byte; and the error names the folder.
func TestNoRecordNoEngine(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	base := t.TempDir()
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	forced := func() error { return errForced }
	vanishing := filepath.Join(base, "vanishing")
	for name, c := range map[string]struct {
		dir     string
		pr      *blindSystem
		started bool
	}{
		"the folder can't be made":     {filepath.Join(file, "run"), &blindSystem{}, false},
		"the boot id can't be read":    {filepath.Join(base, "a"), &blindSystem{boot: forced}, false},
		"its facts can't be read":      {filepath.Join(base, "b"), &blindSystem{cmd: forced}, true},
		"the disk fails in the middle": {vanishing, &blindSystem{cmd: func() error { return os.RemoveAll(vanishing) }}, true},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := start(Spec{
				Path: exe, Env: []string{fakeEnv + "=stubborn"}, Record: RecordSpec{Dir: c.dir},
				OnLine: func([]byte) { t.Error("something was read of an engine that was never there") },
			}, c.pr)
			if p != nil {
				p.Stop()
				t.Fatal("an engine without a record was started")
			}
			var e *event.Error
			if !errors.As(err, &e) || e.Class != event.ClassEngine || e.Detail == "" || !strings.Contains(e.Message, c.dir) {
				t.Errorf("%T %v, want an *event.Error that names %s", err, err, c.dir)
			}
			if started := c.pr.pid != 0; started != c.started {
				t.Errorf("started: %v, want %v", started, c.started)
			}
			if c.pr.pid != 0 && syscall.Kill(c.pr.pid, 0) == nil {
				t.Errorf("process %d is alive", c.pr.pid)
			}
			if n := files(t, c.dir); len(n) != 0 {
				t.Errorf("left behind: %v", n)
			}
		})
	}
}

// Just after an exec there is no command line for a moment, and none any more after an end. The first is waited for, the
// second needs no record of a process.
func TestNewProcessWithoutCommandLine(t *testing.T) {
	for name, later := range map[string]func(*fakeProc){
		"it comes late": func(p *fakeProc) { p.cmdline = "engine\x00" },
		"it has ended":  func(p *fakeProc) { p.zombie = true },
	} {
		f, rec := scene()
		rec.Child, rec.Cmdline = nil, nil
		r := &run{dir: t.TempDir(), rec: rec}
		late := &lateSystem{fakeSystem: f, later: later}
		f.procs[leader].cmdline = ""
		id, err := identify(f, leader)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.complete(late, id); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if ended := f.procs[leader].zombie; (r.rec.Child == nil) != ended {
			t.Errorf("%s: the record has the process %v", name, r.rec.Child)
		}
	}
}

// lateSystem changes a process after its command line was read once.
type lateSystem struct {
	*fakeSystem
	later func(*fakeProc)
}

func (l *lateSystem) cmdline(pid int) ([]byte, error) {
	defer l.later(l.procs[pid])
	return l.fakeSystem.cmdline(pid)
}

// A program that can't be started leaves no record, and one without a RecordSpec has none.
func TestNoProcessNoRecord(t *testing.T) {
	dir := t.TempDir()
	if _, err := Start(Spec{Path: filepath.Join(dir, "nope"), Record: RecordSpec{Dir: filepath.Join(dir, "run")}}); err == nil {
		t.Fatal("started")
	}
	if n := files(t, filepath.Join(dir, "run")); len(n) != 0 {
		t.Errorf("left behind: %v", n)
	}
}

// A reader sees the old record or the new one, whole, and a write that fails leaves the old one.
func TestRecordIsReplacedWhole(t *testing.T) {
	_, rec := scene()
	dir := t.TempDir()
	r := &run{dir: dir, rec: rec}
	if err := r.write(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(r.path())
	if err != nil {
		t.Fatal(err)
	}
	old, err := os.Open(r.path())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = old.Close() }()
	r.rec.Session = strings.Repeat("longer ", 1000)
	if err := r.write(); err != nil {
		t.Fatal(err)
	}
	var still bytes.Buffer
	if _, err := still.ReadFrom(old); err != nil || !bytes.Equal(still.Bytes(), before) {
		t.Error("the old record was written over: a cut in between would tear it")
	}
	if n := files(t, dir); len(n) != 1 {
		t.Errorf("files %v, want one", n)
	}
}

// files are the names in dir, none when it does not exist.
func files(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	hidden, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil {
		t.Fatal(err)
	}
	return append(names, hidden...)
}

package plan

import (
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/agent/slot"
	"keva/engines/proc"
)

// plenty is a machine with room for everything.
type plenty struct {
	mem, free int64
	err       error
}

func (p plenty) memory() (int64, error)     { return p.mem, p.err }
func (p plenty) disk(string) (int64, error) { return p.free, p.err }

var rich = plenty{mem: 8e9, free: 8e9}

const patience = 2 * time.Minute // for programs that end at once, on a machine that is busy

func lease(t *testing.T) *slot.Lease {
	t.Helper()
	l, err := new(slot.Slot).Acquire(t.Context(), slot.Holder{Who: "test"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (x *tree) check(m facts) []Problem {
	x.t.Helper()
	return check(x.t.Context(), m, patience, x.place, x.program, Options{Lease: lease(x.t), RecordDir: x.t.TempDir()})
}

// A tree with nothing wrong passes, so that the problems below are those of their faults.
func TestNothingWrong(t *testing.T) {
	x := newTree(t, "v")
	if found := x.check(rich); found != nil {
		t.Fatalf("%+v", found)
	}
	for _, dir := range []string{x.place.Home, x.place.Temp} {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%v %v", info, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	}
}

// Each fault has a reason of its own, which comes first, is about the right file, and says what to do.
func TestReasons(t *testing.T) {
	lib := "usr/lib/" + triplet()
	linker := func(x *tree) string { return lib + "/" + filepath.Base(x.linker) }
	mode := func(text string) func(*tree) { return func(x *tree) { x.write("opt/engine/mode", text) } }
	const engine, shell = "opt/engine/engine", "usr/bin/bash"
	cases := []struct {
		want    Reason
		name    string
		subject string // in the tree
		fault   func(*tree)
	}{
		{NotInstalled, "no tree", "", func(x *tree) { x.remove("") }},
		{NotInstalled, "no program named", "", func(x *tree) { x.program.Binary = "" }},
		{ProgramMissing, "no program", engine, func(x *tree) { x.remove(engine) }},
		{ProgramMissing, "a folder", engine, func(x *tree) { x.remove(engine); x.write(engine+"/x", "") }},
		{CompanionMissing, "", "opt/engine/beside", func(x *tree) { x.remove("opt/engine/beside") }},
		{WrongArch, "engine", engine, foreign(engine)},
		{WrongArch, "linker", "", func(x *tree) { foreign(linker(x))(x) }},
		{NotExecutable, "engine", engine, func(x *tree) { x.chmod(engine, 0o644) }},
		{NotExecutable, "beside", "opt/engine/beside", func(x *tree) { x.chmod("opt/engine/beside", 0o644) }},
		{NotExecutable, "linker", "", func(x *tree) { x.chmod(linker(x), 0o644) }},
		{NotExecutable, "shell", shell, func(x *tree) { x.chmod(shell, 0o644) }},
		{LinkerMissing, "ld.so", "", func(x *tree) { x.remove(linker(x)) }},
		{LinkerMissing, "the stub", "l/ldk", func(x *tree) { x.remove(lib + "/ldk") }},
		{NotRelocated, "of the host", engine, func(x *tree) { x.engine("engine", "/lib64/ld-linux-x86-64.so.2") }},
		{NotRelocated, "of a tree that was moved", engine, func(x *tree) { x.engine("engine", x.place.Root+"2/l/ld.so") }},
		{NotRelocated, "the shell", shell, func(x *tree) { x.compiled("engine", "/lib/ld.so", shell) }},
		{NotRelocated, "an empty slot", engine, func(x *tree) { x.engine("engine", "") }},
		{InterpreterMissing, "named, not there", engine, func(x *tree) { x.engine("engine", x.at("l/ld-none.so")) }},
		{InterpreterMissing, "found by the trial", shell, func(x *tree) {
			x.write(shell, "#!"+x.at("inner")+"\n")
			x.write("inner", "#!/gone/interpreter\n")
		}},
		{PreloadMissing, "", "l/k.so", func(x *tree) { x.remove(lib + "/k.so") }},
		{LibraryMissing, "", engine, func(x *tree) { x.engine("lacks", x.linker) }},
		{ShellMissing, "", shell, func(x *tree) { x.remove(shell) }},
		{CertificatesMissing, "", "etc/ssl/certs/ca-certificates.crt", func(x *tree) { x.remove("etc/ssl") }},
		{HomeUnwritable, "", "", func(x *tree) { block(x.t, x.place.Home) }},
		{TempUnwritable, "", "", func(x *tree) { block(x.t, x.place.Temp) }},
		{HashMismatch, "", "", func(x *tree) { x.place.Verify = func(context.Context) error { return errors.New("usr/bin/git") } }},
		{ExecDenied, "shell", shell, func(x *tree) { x.compiled("engine", x.at("usr"), shell) }}, // a folder: EACCES, for root too
		{ExecDenied, "engine", engine, func(x *tree) { x.engine("engine", x.at("usr")) }},
		{ExecDenied, "a launcher's word", engine, mode("0 126")},
		{SyscallBlocked, "shell", shell, func(x *tree) { x.write("usr/bin/mode", "31 0") }},
		{SyscallBlocked, "engine", engine, mode("31 0")},
		{Killed, "", engine, mode("9 0")},
		{Crashed, "", engine, mode("11 0")},
		{StartFailed, "", engine, mode("0 3")},
	}
	seen := map[Reason]bool{PrefixTooLong: true, MemoryLow: true, DiskLow: true, NoAnswer: true} // below
	for _, c := range cases {
		seen[c.want] = true
		t.Run(string(c.want)+" "+c.name, func(t *testing.T) {
			x := newTree(t, "v")
			c.fault(x)
			found := check(t.Context(), rich, patience, x.place, x.program, Options{Lease: lease(t), RecordDir: t.TempDir(), Full: true})
			if len(found) == 0 || found[0].Reason != c.want || found[0].Weight == Unknown {
				t.Fatalf("want %s, found %+v", c.want, found)
			}
			said(t, found[0])
			if c.subject != "" && found[0].Subject != x.at(c.subject) {
				t.Errorf("it is about %q", found[0].Subject)
			}
		})
	}
	for _, r := range Reasons(KindPack) {
		if !seen[r] {
			t.Errorf("%s is never found", r)
		}
	}
}

// said holds a problem to what people need of it.
func said(t *testing.T, p Problem) {
	t.Helper()
	if !strings.HasSuffix(p.Message, ".") || p.Remedy == "" || strings.Contains(p.Message, "%") {
		t.Errorf("badly said: %+v", p)
	}
	var e *event.Error
	if !errors.As(error(&p), &e) || e.Class == "" || e.Message != p.Error() || !strings.Contains(e.Message, p.Remedy) || !strings.HasPrefix(e.Detail, string(p.Reason)) {
		t.Errorf("%+v", e)
	}
	if ReasonOf(errors.Join(&p)) != p.Reason {
		t.Error("the reason is lost on the way")
	}
}

// foreign makes a file one for a machine that this is not.
func foreign(path string) func(*tree) {
	return func(x *tree) {
		data, err := os.ReadFile(x.at(path))
		if err != nil {
			x.t.Fatal(err)
		}
		other := elf.EM_AARCH64
		if runtime.GOARCH == "arm64" {
			other = elf.EM_X86_64
		}
		binary.LittleEndian.PutUint16(data[18:], uint16(other)) // e_machine
		x.write(path, string(data))
	}
}

// block puts a file where a folder should be: nobody can write into it, root neither.
func block(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestLongPrefix(t *testing.T) {
	data := t.TempDir()
	place := Pack(filepath.Join(data, strings.Repeat("y", maxRoot)), data)
	if err := os.MkdirAll(place.Root, 0o700); err != nil {
		t.Fatal(err)
	}
	found := Static(place, Program{})
	if len(found) == 0 || found[0].Reason != PrefixTooLong {
		t.Fatalf("%+v", found)
	}
	said(t, found[0])
}

// What runs out is a warning; what nobody can read is unknown, and neither hides the other.
func TestResources(t *testing.T) {
	low, full := budget.LowMemory.Size, budget.LowDisk.Size
	for _, c := range []struct {
		m            plenty
		memory, disk Weight
	}{
		{rich, "", ""},
		{plenty{mem: low - 1, free: 8e9}, Warns, ""},
		{plenty{mem: low, free: full - 1}, "", Warns},
		{plenty{mem: 1, free: 1}, Warns, Warns},
		{plenty{mem: 8e9, free: 8e9, err: os.ErrPermission}, Unknown, Unknown},
	} {
		x := newTree(t, "v")
		weights := map[Reason]Weight{}
		for _, p := range x.check(c.m) {
			weights[p.Reason] = p.Weight
			if p.Weight == Warns {
				said(t, p)
			}
		}
		if weights[MemoryLow] != c.memory || weights[DiskLow] != c.disk {
			t.Errorf("%+v: %v", c.m, weights)
		}
	}
	for name, look := range map[string]func() (int64, error){
		"memory": machine{}.memory,
		"disk":   func() (int64, error) { return machine{}.disk(t.TempDir()) },
	} {
		if n, err := look(); err != nil || n < 1e6 || n > 1e18 {
			t.Errorf("%s: %d %v", name, n, err)
		}
	}
	if _, err := (machine{}).disk("/gone/away"); err == nil {
		t.Error("a folder that is not there has free space")
	}
}

// A program that hangs is ended and said so; a check that is called off knows nothing.
func TestTrialThatDoesNotEnd(t *testing.T) {
	x := newTree(t, "v")
	x.write("opt/engine/mode", "1000 0")
	o := Options{Lease: lease(t), RecordDir: t.TempDir()}
	found := check(t.Context(), rich, 2*time.Second, x.place, x.program, o)
	if len(found) != 1 || found[0].Reason != NoAnswer || found[0].Weight != Blocks {
		t.Errorf("%+v", found)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	x.place.Verify = func(ctx context.Context) error { return ctx.Err() }
	o.Full = true
	for _, p := range check(ctx, rich, patience, x.place, x.program, o) {
		if p.Weight != Unknown {
			t.Errorf("%+v", p)
		}
	}
}

// I-13: nobody starts an engine without a lease. The shell is tried all the same.
func TestNoLeaseNoEngine(t *testing.T) {
	x := newTree(t, "v")
	x.write("opt/engine/mode", "31 0")
	if found := check(t.Context(), rich, patience, x.place, x.program, Options{}); found != nil {
		t.Errorf("the engine was started: %+v", found)
	}
	x.write("usr/bin/mode", "31 0")
	if found := check(t.Context(), rich, patience, x.place, x.program, Options{}); len(found) != 1 || found[0].Reason != SyscallBlocked {
		t.Errorf("%+v", found)
	}
}

// The host has no tree, so nothing of one is missed, and what the tree's checks are is not claimed.
func TestHostNeedsNoTree(t *testing.T) {
	x := newTree(t, "v")
	x.engine("engine", proc.Interpreter(x.at("opt/engine/beside")))
	program := Program{Label: "Engine", Binary: x.program.Binary}
	if found := check(t.Context(), rich, patience, Host(), program, Options{Lease: lease(t)}); found != nil {
		t.Errorf("%+v", found)
	}
	if slices.Contains(Reasons(KindHost), PreloadMissing) || !slices.Contains(Reasons(KindHost), ProgramMissing) {
		t.Error(Reasons(KindHost))
	}
	program.Binary += "-none"
	found := Static(Place{}, program)
	if len(found) != 1 || found[0].Reason != ProgramMissing || !strings.Contains(found[0].Remedy, "make engines") {
		t.Errorf("%+v", found)
	}
}

// Without a shell an engine of the host can still talk: it starts, and the user is told.
func TestNoShellOnTheHost(t *testing.T) {
	x := newTree(t, "v")
	x.engine("engine", proc.Interpreter(x.at("opt/engine/beside")))
	defer func(dirs []string) { usual = dirs }(usual)
	usual = nil
	place := Host()
	place.Path = "/gone"
	found := check(t.Context(), rich, patience, place, Program{Binary: x.program.Binary}, Options{Lease: lease(t)})
	if len(found) != 1 || found[0].Reason != ShellMissing || found[0].Weight != Warns {
		t.Errorf("%+v", found)
	}
}

func TestReasonsAreWhole(t *testing.T) {
	if len(Reasons(KindPack)) != len(texts) {
		t.Error("a reason is missing")
	}
	for _, r := range Reasons(KindPack) {
		if r.Title() == "" || r.Title() == string(r) {
			t.Errorf("%s has no title", r)
		}
	}
}

package unpack

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"keva/engines/userland/pack"
	"keva/engines/userland/pack/packtest"
)

// TestNoSpace: it is said before anything is written, with the numbers; what is not known is tried.
func TestNoSpace(t *testing.T) {
	root := t.TempDir()
	old := install(t, samplePack(t, "1"), root)
	next := samplePack(t, "2")
	has := int64(1_000_000)
	o := Options{Arch: arch, Free: func(dir string) (int64, error) { return has, nil }}
	_, err := Install(t.Context(), source(next), root, o)
	if reason(err) != pack.ReasonNoSpace || !strings.Contains(err.Error(), "1 MB are free") {
		t.Error(detail(err))
	}
	if cur, err := Current(root); err != nil || cur.Root != old.Root {
		t.Errorf("in use is %+v (%v)", cur.Root, err)
	}
	for _, name := range versions(t, root) {
		if n := onDisk(t, filepath.Join(root, "versions", name)); name != old.Manifest.ID && n > 10_000 {
			t.Errorf("%d bytes were written to %s", n, name)
		}
	}
	o.Free = func(string) (int64, error) { return 0, errors.New("not known") }
	if _, err := Install(t.Context(), source(next), root, o); err != nil {
		t.Error(detail(err))
	}
}

// TestSpaceForWhatIsMissingOnly: a resumed installation needs no room for what is there.
func TestSpaceForWhatIsMissingOnly(t *testing.T) {
	root := t.TempDir()
	b := bigPack(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, err := Install(ctx, &stopping{source(b), 8, cancel}, root, Options{Arch: arch, Workers: 1}); reason(err) != pack.ReasonStopped {
		t.Fatal(detail(err))
	}
	var asked bool
	_, err := Install(t.Context(), source(b), root, Options{Arch: arch, Free: func(string) (int64, error) {
		asked = true
		return spare + 30_000_000, nil
	}})
	if err != nil || !asked {
		t.Errorf("%s, asked: %v", detail(err), asked)
	}
}

// TestDiskFull: a disk that runs full is called that, and what was written is kept. Told by a limit on the size of files.
func TestDiskFull(t *testing.T) {
	err := writeError("x", &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC})
	if reason(err) != pack.ReasonNoSpace || !errors.Is(err, syscall.ENOSPC) {
		t.Error(detail(err))
	}
	if err := writeError("x", &fs.PathError{Op: "write", Path: "x", Err: syscall.EROFS}); reason(err) != pack.ReasonWrite {
		t.Error(detail(err))
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = full.Write([]byte("x"))
	if got := reason(writeError("x", errors.Join(err, full.Close()))); got != pack.ReasonNoSpace {
		t.Errorf("a full device is called %s", got)
	}
}

// TestUnsuitableStorage: each lack is named, before anything of the pack is written.
func TestUnsuitableStorage(t *testing.T) {
	clash := packtest.Pack(t, packtest.Spec(arch), packtest.Text("Makefile", 0o644, "1"), packtest.Text("makefile", 0o644, "2"))
	for _, c := range []struct {
		name string
		can  storage
		pack []byte
		want string
	}{
		{"no modes", storage{false, true, true, true}, samplePack(t, "1"), "permissions"},
		{"no links", storage{true, false, true, true}, samplePack(t, "1"), "symbolic links"},
		{"no programs", storage{true, true, false, true}, samplePack(t, "1"), "noexec"},
		{"no case, and names that need it", storage{true, true, true, false}, clash, `"Makefile" and "makefile"`},
		{"no case, and no need of it", storage{true, true, true, false}, samplePack(t, "1"), ""},
		{"all", storage{true, true, true, true}, clash, ""},
	} {
		root := t.TempDir()
		_, err := Install(t.Context(), source(c.pack), root, Options{Arch: arch, probe: func(string) (storage, error) { return c.can, nil }})
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %s", c.name, detail(err))
			}
			continue
		}
		if reason(err) != pack.ReasonStorage || !strings.Contains(err.Error(), c.want) || len(versions(t, root)) > 0 {
			t.Errorf("%s: %s; %v", c.name, detail(err), versions(t, root))
		}
	}
}

// TestProbe: a real file system of ours can all of it, and the probe leaves nothing behind.
func TestProbe(t *testing.T) {
	dir := t.TempDir()
	can, err := probe(dir)
	if err != nil || !can.modes || !can.links || !can.cases {
		t.Errorf("%+v (%v)", can, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v (%v)", left, err)
	}
	if _, err := probe(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is not there is suitable")
	}
}

// TestTwoInstallations: the second waits for the first, or is told.
func TestTwoInstallations(t *testing.T) {
	root := t.TempDir()
	b := samplePack(t, "1")
	inside, leave := make(chan struct{}), make(chan struct{})
	slow := &gate{source(b), sync.OnceFunc(func() { close(inside); <-leave })}
	first := make(chan error, 1)
	go func() {
		_, err := Install(t.Context(), slow, root, Options{Arch: arch})
		first <- err
	}()
	<-inside
	if _, err := Install(t.Context(), source(b), root, Options{Arch: arch}); reason(err) != pack.ReasonBusy {
		t.Error(detail(err))
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := Install(ctx, source(b), root, Options{Arch: arch, Waiting: cancel}); reason(err) != pack.ReasonStopped {
		t.Error(detail(err))
	}
	_, err := Install(t.Context(), source(b), root, Options{Arch: arch, Waiting: func() { close(leave) }})
	if err := errors.Join(err, <-first); err != nil {
		t.Error(detail(err))
	}
	tree, err := Current(root)
	if err != nil {
		t.Fatal(detail(err))
	}
	expect(t, tree.Root, tree.Root, sampleEntries("1"))
}

// gate stops at the first frame of content.
type gate struct {
	pack.Source
	enter func()
}

func (g *gate) ReadAt(b []byte, off int64) (int, error) {
	if off > 0 && off < g.Size()-300 {
		g.enter()
	}
	return g.Source.ReadAt(b, off)
}

// TestRunning: a program that runs from a tree is seen, and its version is not deleted under it.
func TestRunning(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal("sleep is missing: install the package coreutils")
	}
	program, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	old := install(t, packtest.Pack(t, packtest.Spec(arch), packtest.Bytes("prog", 0o755, program)), root)
	if used, err := Running(old.Root); err != nil || used {
		t.Errorf("nothing runs, and it is called %v (%v)", used, err)
	}
	cmd := exec.Command(filepath.Join(old.Root, "prog"), "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	waitFor(t, func() bool { used, err := Running(old.Root); return err == nil && used })
	now := install(t, samplePack(t, "2"), root)
	if _, err := os.Lstat(filepath.Join(old.Root, "prog")); err != nil {
		t.Errorf("deleted while it runs: %v", err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if err := Sweep(t.Context(), root, Options{}); err != nil {
		t.Fatal(detail(err))
	}
	if list := versions(t, root); !slices.Equal(list, []string{now.Manifest.ID, now.Manifest.ID + ".manifest", now.Manifest.ID + ".prefix"}) {
		t.Errorf("left: %v", list)
	}
	if used, err := Running(filepath.Join(root, "none")); err != nil || used {
		t.Errorf("a tree that is not there: %v (%v)", used, err)
	}
}

func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it never came")
		}
	}
}

// TestSweepKeepsWhatIsNotOurs: only versions and their records are removed.
func TestSweepKeepsWhatIsNotOurs(t *testing.T) {
	root := t.TempDir()
	tree := install(t, samplePack(t, "1"), root)
	other := strings.Repeat("ab", 32)
	for _, dir := range []string{"mine", other, other[:60] + "cdef.gone", "probe-123"} {
		if err := os.MkdirAll(filepath.Join(root, "versions", dir, "x"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.WriteFile(filepath.Join(root, "versions", other+".state"), nil, 0o600), os.WriteFile(filepath.Join(root, "versions", "notes"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := Sweep(t.Context(), root, Options{}); err != nil {
		t.Fatal(detail(err))
	}
	id := tree.Manifest.ID
	want := []string{id, id + ".manifest", id + ".prefix", "mine", "notes"}
	if got := versions(t, root); !slices.Equal(got, want) {
		t.Errorf("left %v, want %v", got, want)
	}
	if err := Sweep(t.Context(), t.TempDir(), Options{}); reason(err) != pack.ReasonNone {
		t.Error(detail(err))
	}
}

// TestDamagedCurrentKeepsAll: while nobody knows which version is in use, an installation that fails deletes none.
func TestDamagedCurrentKeepsAll(t *testing.T) {
	root := t.TempDir()
	old := install(t, samplePack(t, "1"), root)
	if err := os.WriteFile(filepath.Join(root, "current"), []byte("torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := samplePack(t, "2")
	if _, err := Install(t.Context(), source(flipped(b, len(b)/2)), root, Options{Arch: arch}); reason(err) != pack.ReasonCorrupt {
		t.Error(detail(err))
	}
	expect(t, old.Root, old.Root, sampleEntries("1"))
	install(t, b, root)
	if _, err := os.Lstat(old.Root); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the old version is still there: %v", err)
	}
}

// TestInstallHostile: a refused pack leaves nothing and changes nothing.
func TestInstallHostile(t *testing.T) {
	root := t.TempDir()
	old := install(t, samplePack(t, "1"), root)
	before := versions(t, root)
	evil := pack.Manifest{
		Format: pack.Format, Arch: arch, Parts: []pack.Part{{Name: "base", Size: 1}},
		Files: []pack.File{packtest.File("../../current", 0o644, "x")},
	}
	if _, err := Install(t.Context(), source(packtest.Forge(t, packtest.Forgery{Manifest: evil, Content: map[string]string{"../../current": "x"}})), root, Options{Arch: arch}); reason(err) != pack.ReasonHostile {
		t.Error(detail(err))
	}
	if got := versions(t, root); !slices.Equal(got, before) {
		t.Errorf("left: %v", got)
	}
	expect(t, old.Root, old.Root, sampleEntries("1"))
}

// TestFullSlotIsRefused: bytes in a slot would be lost by relocation, and no check could bring them back.
func TestFullSlotIsRefused(t *testing.T) {
	body := strings.Repeat("x", 300)
	f := packtest.File("prog", 0o755, body)
	f.Relocs = []pack.Reloc{{Kind: pack.Slot, Offset: 0, Room: 256}}
	m := pack.Manifest{Format: pack.Format, Arch: arch, Parts: []pack.Part{{Name: "base", Size: 300}}, Files: []pack.File{f}}
	b := packtest.Forge(t, packtest.Forgery{Manifest: m, Content: map[string]string{"prog": body}})
	_, err := Install(t.Context(), source(b), t.TempDir(), Options{Arch: arch})
	var e *pack.Error
	if !errors.As(err, &e) || e.Reason != pack.ReasonCorrupt || e.File != "prog" {
		t.Error(detail(err))
	}
}

// TestLinkInTheWay: what stands in an unfinished tree is not written through.
func TestLinkInTheWay(t *testing.T) {
	root, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
	b := samplePack(t, "1")
	r, err := pack.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	tree := filepath.Join(root, "versions", r.Manifest().ID)
	err = errors.Join(os.MkdirAll(filepath.Join(tree, "usr"), 0o755), os.Mkdir(outside, 0o755), os.WriteFile(filepath.Join(outside, "version"), []byte("mine"), 0o600),
		os.Symlink(outside, filepath.Join(tree, "usr/bin")), os.Symlink(filepath.Join(outside, "version"), filepath.Join(tree, "usr/version")))
	if err != nil {
		t.Fatal(err)
	}
	install(t, b, root)
	expect(t, tree, tree, sampleEntries("1"))
	list, err := os.ReadDir(outside)
	if err != nil || len(list) != 1 {
		t.Errorf("outside: %v (%v)", list, err)
	}
	if got, err := os.ReadFile(filepath.Join(outside, "version")); err != nil || string(got) != "mine" {
		t.Errorf("a file outside is %q (%v)", got, err)
	}
}

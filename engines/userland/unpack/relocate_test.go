package unpack

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"keva/engines/userland/pack"
	"keva/engines/userland/pack/packtest"
)

// moved installs and moves the whole folder, as when the app's data goes to another user or a card.
func moved(t *testing.T, to string) Tree {
	t.Helper()
	dir := t.TempDir()
	install(t, samplePack(t, "1"), filepath.Join(dir, "before"))
	if err := os.Rename(filepath.Join(dir, "before"), filepath.Join(dir, to)); err != nil {
		t.Fatal(err)
	}
	tree, err := Current(filepath.Join(dir, to))
	if err != nil {
		t.Fatal(detail(err))
	}
	if !tree.Moved() {
		t.Fatal("nobody noticed that the tree was moved")
	}
	return tree
}

// TestRelocate: to a shorter path, a longer one and one of the same length; repeated, it changes nothing.
func TestRelocate(t *testing.T) {
	for _, to := range []string{"x", "before2-longer-path", "beforf"} {
		tree := moved(t, to)
		rep, err := tree.Check(t.Context(), Quick)
		if err != nil || len(rep.Problems) != 1 || rep.Problems[0].Fault != Misplaced {
			t.Errorf("before: %+v (%v)", rep, err)
		}
		for round := range 2 {
			before := inodes(t, tree)
			now, left, err := Relocate(t.Context(), tree, tree.Root)
			if err != nil || len(left) != 0 || now.Moved() {
				t.Fatalf("%s: %v left (%s)", to, left, detail(err))
			}
			expect(t, now.Root, now.Root, sampleEntries("1"))
			if round == 1 {
				for path, inode := range inodes(t, tree) {
					if before[path] != inode {
						t.Errorf("%s was made again without need", path)
					}
				}
			}
		}
		again, err := Current(filepath.Dir(filepath.Dir(tree.Root)))
		if err != nil || again.Moved() {
			t.Errorf("not recorded: %+v (%v)", again.Prefix, err)
		}
		if rep, err := again.Check(t.Context(), Full); err != nil || !rep.OK() || rep.Extras != 0 {
			t.Errorf("after: %+v (%v)", rep, err)
		}
	}
}

// TestRelocateAnywhere: there and back gives the same bytes, for paths of any length up to the limit.
func TestRelocateAnywhere(t *testing.T) {
	tree := install(t, samplePack(t, "1"), t.TempDir())
	for _, n := range []int{2, 3, 50, 199, 200} {
		prefix := "/" + strings.Repeat("p", n-1)
		if _, left, err := Relocate(t.Context(), tree, prefix); err != nil || len(left) != 0 {
			t.Fatalf("%d: %v (%s)", n, left, detail(err))
		}
		expect(t, tree.Root, prefix, sampleEntries("1"))
	}
	if _, _, err := Relocate(t.Context(), tree, tree.Root); err != nil {
		t.Fatal(detail(err))
	}
	expect(t, tree.Root, tree.Root, sampleEntries("1"))
	for _, bad := range []string{"relative", "/" + strings.Repeat("p", 200), "/with space", "/a/../b", "/", "/a\nb"} {
		if _, _, err := Relocate(t.Context(), tree, bad); reason(err) != pack.ReasonPrefix {
			t.Errorf("%q: %s", bad, detail(err))
		}
	}
	expect(t, tree.Root, tree.Root, sampleEntries("1"))
}

// TestRelocateHalf: after a kill in the middle some files are set up for one path and some for another.
func TestRelocateHalf(t *testing.T) {
	tree := moved(t, "x")
	top, err := os.OpenRoot(tree.Root)
	if err != nil {
		t.Fatal(err)
	}
	done := 0
	for i := range tree.Manifest.Files {
		if f := &tree.Manifest.Files[i]; len(f.Relocs) > 0 && i%2 == 0 {
			done++
			if err := relocateFile(top, f, tree.Root); err != nil {
				t.Fatal(err)
			}
		}
	}
	// Of two slots one is new and one old.
	if err := errors.Join(top.Close(), poke(filepath.Join(tree.Root, "usr/bin/twice"), 1000, tree.Root+"/l/ld.so\x00"+strings.Repeat("\x00", 100)), os.Remove(placesOf(tree).prefix(tree.Manifest.ID))); err != nil || done == 0 {
		t.Fatal(done, err)
	}
	tree, err = Current(filepath.Dir(filepath.Dir(tree.Root)))
	if err != nil || !tree.Moved() {
		t.Fatalf("half relocated, and called %q (%v)", tree.Prefix, err)
	}
	if _, left, err := Relocate(t.Context(), tree, tree.Root); err != nil || len(left) > 0 {
		t.Fatalf("%v (%s)", left, detail(err))
	}
	expect(t, tree.Root, tree.Root, sampleEntries("1"))
}

// TestRelocateLeavesForeignFiles: a script that a user edited is named and not touched; repair makes it the pack's.
func TestRelocateLeavesForeignFiles(t *testing.T) {
	tree := moved(t, "x")
	env := filepath.Join(tree.Root, "usr/bin/env")
	if err := errors.Join(os.WriteFile(env, []byte("#!/bin/mine\n"), 0o755), os.Truncate(filepath.Join(tree.Root, "usr/bin/prog"), 100),
		poke(filepath.Join(tree.Root, "opt/claude"), 300_000, "no path"), os.Remove(filepath.Join(tree.Root, "usr/bin/two"))); err != nil {
		t.Fatal(err)
	}
	now, left, err := Relocate(t.Context(), tree, tree.Root)
	if err != nil {
		t.Fatal(detail(err))
	}
	want := []string{"usr/bin/env:changed", "usr/bin/two:missing", "usr/bin/prog:changed", "opt/claude:changed"}
	if got := said(Report{Problems: left}); !slices.Equal(got, want) {
		t.Errorf("left %v, want %v", got, want)
	}
	if b, err := os.ReadFile(env); err != nil || string(b) != "#!/bin/mine\n" {
		t.Errorf("the user's script is %q (%v)", b, err)
	}
	if _, err := now.Repair(t.Context(), source(samplePack(t, "1")), Options{Arch: arch}); err != nil {
		t.Fatal(detail(err))
	}
	expect(t, tree.Root, tree.Root, sampleEntries("1"))
}

// TestMovedTreeIsRepairedAndInstalled: both relocate first.
func TestMovedTreeIsRepairedAndInstalled(t *testing.T) {
	tree := moved(t, "x")
	if now, err := tree.Repair(t.Context(), source(samplePack(t, "1")), Options{Arch: arch}); err != nil || now.Moved() {
		t.Fatal(detail(err))
	}
	expect(t, tree.Root, tree.Root, sampleEntries("1"))
	tree = moved(t, "y")
	install(t, samplePack(t, "1"), filepath.Dir(filepath.Dir(tree.Root)))
	expect(t, tree.Root, tree.Root, sampleEntries("1"))
}

// BenchmarkRelocate: as many files as the real tree has to relocate (about 210 programs, 190 scripts). Aim: 0.3 s.
func BenchmarkRelocate(b *testing.B) {
	entries := []pack.Entry{packtest.Folder("bin")}
	for i := range 400 {
		name := "bin/" + strings.Repeat("x", 1+i/26) + string(rune('a'+i%26))
		if i%2 == 0 {
			entries = append(entries, packtest.Text(name, 0o755, "#!/bin/sh\n"+strings.Repeat("echo\n", 500), pack.Reloc{Kind: pack.Insert, Offset: 2}))
		} else {
			entries = append(entries, packtest.Bytes(name, 0o755, append(packtest.Noise(uint64(i), 100_000), make([]byte, 512)...),
				pack.Reloc{Kind: pack.Slot, Offset: 100_000, Room: 256, Suffix: "/l/ld.so"}))
		}
	}
	tree, err := Install(b.Context(), source(packtest.Pack(b, packtest.Spec(arch), entries...)), b.TempDir(), Options{Arch: arch})
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		if _, left, err := Relocate(b.Context(), tree, []string{"/data/user/10/app/userland/one", "/data/user/0/two"}[i%2]); err != nil || len(left) > 0 {
			b.Fatal(left, err)
		}
	}
}

// TestRelocateStopped: until all of it is done the tree counts as moved, whatever it was set up for before.
func TestRelocateStopped(t *testing.T) {
	root := t.TempDir()
	tree := install(t, samplePack(t, "1"), root)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Relocate(ctx, tree, "/other/place"); reason(err) != pack.ReasonStopped {
		t.Error(detail(err))
	}
	tree, err := Current(root)
	if err != nil || !tree.Moved() {
		t.Fatalf("stopped in the middle, and called set up for %q (%v)", tree.Prefix, err)
	}
	if rep, err := tree.Check(t.Context(), Quick); err != nil || rep.OK() {
		t.Errorf("the check says %+v (%v)", rep, err)
	}
	if _, left, err := Relocate(t.Context(), tree, tree.Root); err != nil || len(left) > 0 {
		t.Fatalf("%v (%s)", left, detail(err))
	}
	expect(t, tree.Root, tree.Root, sampleEntries("1"))
}

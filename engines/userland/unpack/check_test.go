package unpack

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"keva/engines/userland/pack"
	"keva/engines/userland/pack/packtest"
)

// counting is a source that counts what is read of it.
type counting struct {
	*bytes.Reader
	mu   sync.Mutex
	read int64
	fail error // of reads behind failAt
	at   int64
}

func (c *counting) ReadAt(b []byte, off int64) (int, error) {
	c.mu.Lock()
	c.read += int64(len(b))
	c.mu.Unlock()
	if c.fail != nil && off > c.at && off < c.Size()-int64(10000) {
		return 0, c.fail
	}
	return c.Reader.ReadAt(b, off)
}

// damage does something to a tree; want is what a check must say, by depth.
type damage struct {
	name        string
	do          func(at func(string) string) error
	quick, full []string // path:fault
	extra       []string // paths of the full check
}

func damages() []damage {
	both := func(name string, do func(at func(string) string) error, want ...string) damage {
		return damage{name: name, do: do, quick: want, full: want}
	}
	rewrite := func(path string, b string) error {
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		return errors.Join(os.Remove(path), os.WriteFile(path, []byte(b), 0o600), os.Chmod(path, info.Mode().Perm()))
	}
	return []damage{
		both("a file is missing", func(at func(string) string) error { return os.Remove(at("usr/version")) }, "usr/version:missing"),
		both("a link is missing", func(at func(string) string) error { return os.Remove(at("bin")) }, "bin:missing"),
		both("a link goes elsewhere", func(at func(string) string) error {
			return errors.Join(os.Remove(at("bin")), os.Symlink("/etc", at("bin")))
		}, "bin:changed"),
		both("a file is a link", func(at func(string) string) error {
			return errors.Join(os.Remove(at("usr/version")), os.Symlink("empty", at("usr/version")))
		}, "usr/version:kind"),
		both("a mode is another", func(at func(string) string) error { return os.Chmod(at("usr/bin/prog"), 0o644) }, "usr/bin/prog:mode"),
		both("a folder's mode is another", func(at func(string) string) error { return os.Chmod(at("opt"), 0o700) }, "opt:mode"),
		both("a file is longer", func(at func(string) string) error { return rewrite(at("usr/version"), "longer") }, "usr/version:changed"),
		both("a file is shorter", func(at func(string) string) error { return os.Truncate(at("opt/claude"), 1000) }, "opt/claude:changed"),
		both("a folder is gone", func(at func(string) string) error { return os.RemoveAll(at("usr/bin")) },
			"usr/bin:missing", "usr/bin/env:missing", "usr/bin/two:missing", "usr/bin/prog:missing", "usr/bin/twice:missing"),
		both("a slot holds another path", func(at func(string) string) error { return poke(at("usr/bin/prog"), 1000, "/other/l/ld.so\x00") }, "usr/bin/prog:changed"),
		{
			// Only its hash can tell whether it is a path.
			name: "a script has another path", do: func(at func(string) string) error { return poke(at("usr/bin/env"), 3, "X") },
			quick: []string{"usr/bin/env:changed"}, full: []string{"usr/bin/env:prefix"},
		},
		both("an engine is changed", func(at func(string) string) error { return poke(at("opt/claude"), 1000, "X") }, "opt/claude:changed"),
		{
			name: "another program is changed", do: func(at func(string) string) error { return poke(at("usr/bin/prog"), 10, "X") },
			full: []string{"usr/bin/prog:changed"},
		},
		{
			name:  "users add files",
			do:    func(at func(string) string) error { return os.MkdirAll(at("usr/lib/node_modules/mine"), 0o755) },
			extra: []string{"usr/lib"},
		},
		{
			// The folder is a link: what is below it is not the tree's, however right it looks.
			name: "a folder is a link to a copy", do: func(at func(string) string) error {
				return errors.Join(os.Rename(at("usr/bin"), at("usr/copy")), os.Symlink("copy", at("usr/bin")))
			},
			quick: []string{"usr/bin:kind", "usr/bin/env:missing", "usr/bin/two:missing", "usr/bin/prog:missing", "usr/bin/twice:missing"},
			full:  []string{"usr/bin:kind", "usr/bin/env:missing", "usr/bin/two:missing", "usr/bin/prog:missing", "usr/bin/twice:missing"},
			extra: []string{"usr/copy"},
		},
		{
			name: "a folder of a user stands in the way", do: func(at func(string) string) error {
				return errors.Join(os.Remove(at("usr/version")), os.MkdirAll(at("usr/version/mine"), 0o755))
			},
			quick: []string{"usr/version:kind"}, full: []string{"usr/version:kind"}, extra: []string{"usr/version/mine"},
		},
		both("two things at once", func(at func(string) string) error {
			return errors.Join(os.Chmod(at("opt/claude"), 0o700), os.Truncate(at("opt/claude"), 5))
		}, "opt/claude:mode", "opt/claude:changed"),
	}
}

func poke(path string, at int64, s string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte(s), at)
	return errors.Join(err, f.Chmod(info.Mode().Perm()), setTime(f), f.Close())
}

func said(rep Report) (list []string) {
	for _, p := range rep.Problems {
		list = append(list, p.Path+":"+string(p.Fault))
	}
	return list
}

// TestCheckAndRepair: each damage is named exactly, and repair undoes exactly it: no other file is written again.
func TestCheckAndRepair(t *testing.T) {
	b := samplePack(t, "1")
	for _, d := range damages() {
		t.Run(d.name, func(t *testing.T) {
			tree := install(t, b, t.TempDir())
			at := func(p string) string { return filepath.Join(tree.Root, p) }
			before := inodes(t, tree)
			if err := d.do(at); err != nil {
				t.Fatal(err)
			}
			quick, err := tree.Check(t.Context(), Quick)
			if err != nil || !slices.Equal(said(quick), d.quick) {
				t.Errorf("quick: %v (%v), want %v", quick.Problems, err, d.quick)
			}
			full, err := tree.Check(t.Context(), Full)
			if err != nil || !slices.Equal(said(full), d.full) || !slices.Equal(full.Extra, d.extra) {
				t.Errorf("full: %v and %v (%v), want %v and %v", full.Problems, full.Extra, err, d.full, d.extra)
			}
			if _, err := tree.Repair(t.Context(), source(b), Options{Arch: arch}); err != nil {
				t.Fatal(detail(err))
			}
			after, err := tree.Check(t.Context(), Full)
			if err != nil || !after.OK() || after.Extras < len(d.extra) {
				t.Errorf("after repair: %+v (%v)", after, err)
			}
			wrong := map[string]bool{}
			for _, p := range d.full {
				path, _, _ := strings.Cut(p, ":")
				wrong[path] = true
			}
			for path, inode := range inodes(t, tree) {
				if !wrong[path] && before[path] != inode {
					t.Errorf("%s was made again without need", path)
				}
			}
		})
	}
}

// inodes tell which files are the same ones as before.
func inodes(t *testing.T, tree Tree) map[string]any {
	t.Helper()
	all := map[string]any{}
	for _, f := range tree.Manifest.Files {
		info, err := os.Lstat(filepath.Join(tree.Root, f.Path))
		if err != nil {
			t.Fatal(err)
		}
		all[f.Path] = inode(info)
	}
	return all
}

// TestRepairReadsOnlyItsFrames: a small file costs one frame, not the archive.
func TestRepairReadsOnlyItsFrames(t *testing.T) {
	b := samplePack(t, "1")
	tree := install(t, b, t.TempDir())
	if err := os.Remove(filepath.Join(tree.Root, "usr/version")); err != nil {
		t.Fatal(err)
	}
	src := &counting{Reader: bytes.NewReader(b)}
	if _, err := tree.Repair(t.Context(), src, Options{Arch: arch}); err != nil {
		t.Fatal(detail(err))
	}
	if src.read > int64(len(b))/2 {
		t.Errorf("%d of %d bytes were read for a file of one byte", src.read, len(b))
	}
}

// TestRepairKeepsWhatUsersMade: a folder in the way is moved aside with all that is in it.
func TestRepairKeepsWhatUsersMade(t *testing.T) {
	b := samplePack(t, "1")
	tree := install(t, b, t.TempDir())
	at := filepath.Join(tree.Root, "usr/version")
	err := errors.Join(os.Remove(at), os.Mkdir(at, 0o755), os.WriteFile(filepath.Join(at, "mine"), []byte("work"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tree.Repair(t.Context(), source(b), Options{Arch: arch}); err != nil {
		t.Fatal(detail(err))
	}
	if got, err := os.ReadFile(filepath.Join(at+".aside-1", "mine")); err != nil || string(got) != "work" {
		t.Errorf("the user's file: %q (%v)", got, err)
	}
}

// TestRepairWithAnotherPack: it would mix two versions.
func TestRepairWithAnotherPack(t *testing.T) {
	tree := install(t, samplePack(t, "1"), t.TempDir())
	if _, err := tree.Repair(t.Context(), source(samplePack(t, "2")), Options{Arch: arch}); reason(err) != pack.ReasonVersion {
		t.Error(detail(err))
	}
}

// TestInstallMends: installing what is installed and damaged repairs it.
func TestInstallMends(t *testing.T) {
	b := samplePack(t, "1")
	root := t.TempDir()
	tree := install(t, b, root)
	if err := poke(filepath.Join(tree.Root, "opt/claude"), 5, "X"); err != nil {
		t.Fatal(err)
	}
	install(t, b, root)
	expect(t, tree.Root, tree.Root, sampleEntries("1"))
}

// TestFailedRepairIsTold: a source that fails leaves the tree usable as far as it was, with the reason.
func TestFailedRepairIsTold(t *testing.T) {
	b := samplePack(t, "1")
	root := t.TempDir()
	tree := install(t, b, root)
	if err := os.Remove(filepath.Join(tree.Root, "opt/claude")); err != nil {
		t.Fatal(err)
	}
	src := &counting{Reader: bytes.NewReader(b), fail: fs.ErrClosed, at: 0}
	if _, err := tree.Repair(t.Context(), src, Options{Arch: arch}); reason(err) != pack.ReasonRead || !errors.Is(err, fs.ErrClosed) {
		t.Error(detail(err))
	}
	if _, err := tree.Repair(t.Context(), source(b), Options{Arch: arch}); err != nil {
		t.Error(detail(err))
	}
	expect(t, tree.Root, tree.Root, sampleEntries("1"))
}

// TestDamagedRecords: what names the version is damaged, and says so.
func TestDamagedRecords(t *testing.T) {
	b := samplePack(t, "1")
	for name, do := range map[string]func(root, id string) error{
		"current": func(root, _ string) error {
			return os.WriteFile(filepath.Join(root, "current"), []byte("../../x\n"), 0o600)
		},
		"manifest missing": func(root, id string) error { return os.Remove(filepath.Join(root, "versions", id+".manifest")) },
		"manifest of other": func(root, id string) error {
			return os.WriteFile(filepath.Join(root, "versions", id+".manifest"), []byte("{}"), 0o600)
		},
		"tree missing": func(root, id string) error { return os.RemoveAll(filepath.Join(root, "versions", id)) },
		"marked": func(root, id string) error {
			return os.WriteFile(filepath.Join(root, "versions", id+".state"), nil, 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			tree := install(t, b, root)
			if err := do(root, tree.Manifest.ID); err != nil {
				t.Fatal(err)
			}
			if _, err := Current(root); reason(err) != pack.ReasonDamaged {
				t.Error(detail(err))
			}
			install(t, b, root)
			expect(t, tree.Root, tree.Root, sampleEntries("1"))
		})
	}
}

// TestCheckStops with its context.
func TestCheckStops(t *testing.T) {
	tree := install(t, packtest.Pack(t, packtest.Spec(arch), packtest.Text("a", 0o644, "a")), t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tree.Check(ctx, Full); reason(err) != pack.ReasonStopped {
		t.Error(detail(err))
	}
}

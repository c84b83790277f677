package unpack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keva/engines/userland/pack"
	"keva/engines/userland/pack/packtest"
)

const arch = "arm64"

// bigEntries are sampleEntries and files over several frames, with relocations across their borders.
func bigEntries(version string) []pack.Entry {
	crossing := append(bytes.Repeat([]byte("#"), pack.MaxFrame), " /bin/sh and the rest"...)
	late := append(packtest.Noise(4, pack.MaxFrame-4096), make([]byte, 8192)...)
	return append(sampleEntries(version), packtest.In("claude",
		packtest.Bytes("opt/big", 0o755, append(packtest.Noise(2, 3*pack.MaxFrame+777), make([]byte, 256)...),
			pack.Reloc{Kind: pack.Slot, Offset: 3*pack.MaxFrame + 777, Room: 256, Suffix: "/l/ldk"}),
		packtest.Bytes("opt/late", 0o755, late, pack.Reloc{Kind: pack.Slot, Offset: pack.MaxFrame - 4096, Room: 8192}),
		packtest.Bytes("opt/crossing", 0o755, crossing, pack.Reloc{Kind: pack.Insert, Offset: pack.MaxFrame - 3}, pack.Reloc{Kind: pack.Insert, Offset: pack.MaxFrame + 1}),
		packtest.Text("opt/last", 0o600, "last"))...)
}

// sampleEntries has all kinds of entries and both kinds of relocation.
func sampleEntries(version string) []pack.Entry {
	slot := append(packtest.Noise(9, 1000), make([]byte, 256)...)
	slots := append(slot, packtest.Noise(8, 100)...)
	slots = append(slots, make([]byte, 300)...)
	base := []pack.Entry{
		packtest.Folder("usr"), packtest.Folder("usr/bin"), packtest.Symlink("bin", "usr/bin"),
		packtest.Text("usr/bin/env", 0o755, "#!/usr/bin/sh\necho env\n", pack.Reloc{Kind: pack.Insert, Offset: 2}),
		packtest.Text("usr/bin/two", 0o555, "#!/bin/sh\n. /etc/x\n", pack.Reloc{Kind: pack.Insert, Offset: 2}, pack.Reloc{Kind: pack.Insert, Offset: 12}),
		packtest.Bytes("usr/bin/prog", 0o755, slot, pack.Reloc{Kind: pack.Slot, Offset: 1000, Room: 256, Suffix: "/l/ld.so"}),
		packtest.Bytes("usr/bin/twice", 0o555, slots, pack.Reloc{Kind: pack.Slot, Offset: 1000, Room: 256, Suffix: "/l/ld.so"}, pack.Reloc{Kind: pack.Slot, Offset: 1356, Room: 300}),
		packtest.Text("usr/empty", 0o640, ""), packtest.Text("usr/version", 0o444, version), packtest.Symlink("usr/broken", "nowhere"),
	}
	engine := packtest.In("claude", packtest.Folder("opt"),
		packtest.Bytes("opt/claude", 0o755, append(packtest.Noise(2, 300_000), make([]byte, 256)...),
			pack.Reloc{Kind: pack.Slot, Offset: 300_000, Room: 256, Suffix: "/l/ldk"}))
	return append(base, engine...)
}

func samplePack(t testing.TB, version string) []byte {
	t.Helper()
	return packtest.Pack(t, packtest.Spec(arch), sampleEntries(version)...)
}

// bigPack is made once.
var big []byte

func bigPack(t testing.TB) []byte {
	t.Helper()
	if big == nil {
		big = packtest.Pack(t, packtest.Spec(arch), bigEntries("1")...)
	}
	return big
}

func source(b []byte) pack.Source { return bytes.NewReader(b) }

func install(t *testing.T, b []byte, root string) Tree {
	t.Helper()
	tree, err := Install(t.Context(), source(b), root, Options{Arch: arch})
	if err != nil {
		t.Fatal(detail(err))
	}
	return tree
}

// detail is all that an error knows.
func detail(err error) string {
	var e *pack.Error
	if errors.As(err, &e) {
		return fmt.Sprintf("%s %q: %s [%s] %v", e.Reason, e.File, e.Message, e.Detail, e.Cause)
	}
	if err == nil {
		return "no error"
	}
	return "untyped: " + err.Error()
}

func reason(err error) pack.Reason {
	var e *pack.Error
	if errors.As(err, &e) {
		return e.Reason
	}
	return pack.Reason(detail(err))
}

// expect compares a tree with its entries without any code of this package: relocated for prefix.
func expect(t *testing.T, root, prefix string, entries []pack.Entry) {
	t.Helper()
	seen := map[string]bool{".": true}
	for _, e := range entries {
		seen[e.Path] = true
		full := filepath.Join(root, e.Path)
		info, err := os.Lstat(full)
		if err != nil {
			t.Error(err)
			continue
		}
		switch e.Kind {
		case pack.Dir:
			if !info.IsDir() || uint32(info.Mode().Perm()) != e.Mode {
				t.Errorf("%s is %v", e.Path, info.Mode())
			}
		case pack.Link:
			if got, err := os.Readlink(full); got != e.Link {
				t.Errorf("%s links to %q (%v)", e.Path, got, err)
			}
		case pack.Regular:
			got, err := os.ReadFile(full)
			if err != nil || !info.Mode().IsRegular() || uint32(info.Mode().Perm()) != e.Mode || info.ModTime().Unix() != pack.ModTime {
				t.Errorf("%s is %v of %v (%v)", e.Path, info.Mode(), info.ModTime(), err)
			}
			if want := setUp(t, e, prefix); !bytes.Equal(got, want) {
				t.Errorf("%s has another content: %d bytes, want %d", e.Path, len(got), len(want))
			}
		}
	}
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, path)
		if !seen[rel] {
			t.Errorf("%s is there too", rel)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// setUp relocates in the plainest way: from the last one to the first.
func setUp(t *testing.T, e pack.Entry, prefix string) []byte {
	t.Helper()
	r, err := e.Open()
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	b = bytes.Clone(b)
	for i := len(e.Relocs) - 1; i >= 0; i-- {
		switch r := e.Relocs[i]; r.Kind {
		case pack.Slot:
			copy(b[r.Offset:], prefix+r.Suffix)
		case pack.Insert:
			b = []byte(string(b[:r.Offset]) + prefix + string(b[r.Offset:]))
		}
	}
	return b
}

func versions(t *testing.T, root string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(filepath.Join(root, "versions"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// TestInstall: a whole tree, relocated, with no traces of the work; the same again changes nothing.
func TestInstall(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		root := t.TempDir()
		b := bigPack(t)
		tree, err := Install(t.Context(), source(b), root, Options{Arch: arch, Workers: workers})
		if err != nil {
			t.Fatal(detail(err))
		}
		if want := filepath.Join(root, "versions", tree.Manifest.ID); tree.Root != want || tree.Moved() {
			t.Errorf("the tree is %q for %q, want %q", tree.Root, tree.Prefix, want)
		}
		expect(t, tree.Root, tree.Root, bigEntries("1"))
		id := tree.Manifest.ID
		if got := strings.Join(versions(t, root), " "); got != id+" "+id+".manifest "+id+".prefix" {
			t.Errorf("left beside the tree: %s", got)
		}
		if now, err := Current(root); err != nil || now.Root != tree.Root || now.Moved() {
			t.Errorf("current is %+v (%v)", now, err)
		}
		if rep, err := tree.Check(t.Context(), Full); err != nil || !rep.OK() || rep.Extras != 0 {
			t.Errorf("the check says %+v (%v)", rep, err)
		}
		before, err := os.Lstat(filepath.Join(tree.Root, "opt/big"))
		if err != nil {
			t.Fatal(err)
		}
		install(t, b, root)
		after, err := os.Lstat(filepath.Join(tree.Root, "opt/big"))
		if err != nil || !os.SameFile(before, after) {
			t.Errorf("a second installation wrote again (%v)", err)
		}
	}
}

// TestUpdate: the new version is in use, the old one is gone; but not while something runs from it.
func TestUpdate(t *testing.T) {
	root := t.TempDir()
	old := install(t, samplePack(t, "1"), root)
	var kept []string
	busy := true
	o := Options{
		Arch:  arch,
		InUse: func(prefix string) (bool, error) { return busy && prefix == old.Root, nil },
		Kept: func(id string, err error) {
			if err != nil {
				t.Errorf("%s can't be removed: %v", id, err)
			}
			kept = append(kept, id)
		},
	}
	now, err := Install(t.Context(), source(samplePack(t, "2")), root, o)
	if err != nil {
		t.Fatal(detail(err))
	}
	if cur, err := Current(root); err != nil || cur.Root != now.Root || cur.Root == old.Root {
		t.Errorf("in use is %s (%v)", cur.Root, err)
	}
	expect(t, now.Root, now.Root, sampleEntries("2"))
	expect(t, old.Root, old.Root, sampleEntries("1"))
	if len(kept) == 0 || kept[len(kept)-1] != old.Manifest.ID {
		t.Errorf("kept: %v", kept)
	}
	busy = false
	if err := Sweep(t.Context(), root, o); err != nil {
		t.Fatal(detail(err))
	}
	for _, name := range versions(t, root) {
		if !strings.HasPrefix(name, now.Manifest.ID) {
			t.Errorf("left: %s", name)
		}
	}
}

// TestUnknownUseKeeps: a version of which nobody can say whether it is in use stays.
func TestUnknownUseKeeps(t *testing.T) {
	root := t.TempDir()
	old := install(t, samplePack(t, "1"), root)
	var said error
	_, err := Install(t.Context(), source(samplePack(t, "2")), root, Options{
		Arch:  arch,
		InUse: func(string) (bool, error) { return false, errors.New("can't say") },
		Kept:  func(_ string, err error) { said = err },
	})
	if err != nil || said == nil {
		t.Errorf("%s; said: %v", detail(err), said)
	}
	expect(t, old.Root, old.Root, sampleEntries("1"))
}

// TestWrongArch: before anything is written.
func TestWrongArch(t *testing.T) {
	root := filepath.Join(t.TempDir(), "new")
	_, err := Install(t.Context(), source(samplePack(t, "1")), root, Options{Arch: "amd64"})
	if reason(err) != pack.ReasonArch || !strings.Contains(err.Error(), "arm64") {
		t.Error(detail(err))
	}
	if _, err := os.Lstat(root); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was written: %v", err)
	}
}

// TestNothingInstalled: it has a reason of its own.
func TestNothingInstalled(t *testing.T) {
	if _, err := Current(t.TempDir()); reason(err) != pack.ReasonNone {
		t.Error(detail(err))
	}
}

// flipped has one bit changed in the middle of the content of a frame that is stored as it is.
func flipped(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[at] ^= 1
	return b
}

// TestCorruptKeepsTheOldVersion: the switch comes after the check, and the error names the file.
func TestCorruptKeepsTheOldVersion(t *testing.T) {
	root := t.TempDir()
	old := install(t, samplePack(t, "1"), root)
	b := samplePack(t, "2")
	_, err := Install(t.Context(), source(flipped(b, len(b)/2)), root, Options{Arch: arch})
	var e *pack.Error
	if !errors.As(err, &e) || e.Reason != pack.ReasonCorrupt || e.File != "opt/claude" {
		t.Error(detail(err))
	}
	cur, err := Current(root)
	if err != nil || cur.Root != old.Root {
		t.Fatalf("in use is %s (%v)", cur.Root, err)
	}
	expect(t, old.Root, old.Root, sampleEntries("1"))
	install(t, b, root) // what the bad one left does no harm
}

// TestCancel: it stops, nothing is in use, and the next run goes on.
func TestCancel(t *testing.T) {
	root := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := Install(ctx, source(bigPack(t)), root, Options{Arch: arch, Workers: 1, Progress: func(p Progress) {
		if p.Stage == Unpacking {
			cancel()
		}
	}})
	if reason(err) != pack.ReasonStopped || !errors.Is(err, context.Canceled) {
		t.Error(detail(err))
	}
	if _, err := Current(root); reason(err) != pack.ReasonNone {
		t.Error(detail(err))
	}
	tree := install(t, bigPack(t), root)
	expect(t, tree.Root, tree.Root, bigEntries("1"))
}

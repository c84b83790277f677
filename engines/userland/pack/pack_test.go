package pack_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"keva/engines/userland/pack"
	"keva/engines/userland/pack/packtest"
)

// sample has all kinds, a file over several frames, an empty one, names that need PAX, and both kinds of relocation.
func sample() []pack.Entry {
	long := "usr/" + strings.Repeat("long-name-", 20)
	slot := append([]byte("ELF"), make([]byte, 256)...)
	base := []pack.Entry{
		packtest.Folder("usr"), packtest.Folder("usr/bin"), packtest.Folder("usr/größe"), packtest.Symlink("bin", "usr/bin"),
		packtest.Text("usr/bin/env", 0o755, "#!/usr/bin/sh\n", pack.Reloc{Kind: pack.Insert, Offset: 2}),
		packtest.Bytes("usr/bin/prog", 0o755, slot, pack.Reloc{Kind: pack.Slot, Offset: 3, Room: 256, Suffix: "/l/ld.so"}),
		packtest.Text("usr/empty", 0o600, ""), packtest.Text(long, 0o644, "long"), packtest.Symlink("usr/link", strings.TrimPrefix(long, "usr/")),
		packtest.Text("usr/größe/ä", 0o644, "umlaut"),
	}
	engine := packtest.In("claude", packtest.Folder("opt"), packtest.Bytes("opt/claude", 0o755, packtest.Noise(1, 2*pack.MaxFrame+12345)),
		packtest.Text("opt/last", 0o644, strings.Repeat("x", 512)))
	return append(base, engine...)
}

func content(t *testing.T, e pack.Entry) string {
	t.Helper()
	if e.Open == nil {
		return ""
	}
	r, err := e.Open()
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func read(t *testing.T, data []byte) *pack.Reader {
	t.Helper()
	r, err := pack.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRoundTrip: what goes in comes out, in the manifest's order, and each entry is seen.
func TestRoundTrip(t *testing.T) {
	entries := sample()
	r := read(t, packtest.Pack(t, packtest.Spec("arm64"), entries...))
	m := r.Manifest()
	got := make([]bytes.Buffer, len(m.Files))
	seen := make([]bool, len(m.Files))
	err := r.Walk(func(p pack.Piece) error {
		if p.Offset != int64(got[p.File].Len()) {
			t.Fatalf("%s: a piece at %d after %d bytes", m.Files[p.File].Path, p.Offset, got[p.File].Len())
		}
		seen[p.File] = true
		got[p.File].Write(p.Data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range entries {
		f := m.Files[i]
		if f.Path != e.Path || f.Kind != e.Kind || !seen[i] || got[i].String() != content(t, e) {
			t.Errorf("%s: came back as %s %s, seen %v, %d bytes", e.Path, f.Kind, f.Path, seen[i], got[i].Len())
		}
	}
	if m.Parts[0].Size == 0 || m.Parts[0].Packed == 0 || m.Parts[1].Packed < 2*pack.MaxFrame {
		t.Errorf("sizes of the parts: %+v", m.Parts)
	}
	if m.Size() != m.Parts[0].Size+m.Parts[1].Size {
		t.Errorf("the parts have %+v, the files %d bytes", m.Parts, m.Size())
	}
}

// TestRandomAccess: the frames that Holds names are enough for any tail of any entry.
func TestRandomAccess(t *testing.T) {
	r := read(t, packtest.Pack(t, packtest.Spec("arm64"), sample()...))
	for i, e := range sample() {
		want := content(t, e)
		for _, from := range []int{0, len(want) / 2, max(len(want)-1, 0)} {
			first, last := r.Holds(i, int64(from))
			got, seen := "", false
			for n := first; n <= last; n++ {
				err := r.Frame(n, make([]byte, pack.MaxFrame), func(p pack.Piece) error {
					if p.File == i {
						seen = true
						got += string(p.Data[min(max(int64(from)-p.Offset, 0), int64(len(p.Data))):])
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			if got != want[from:] || !seen {
				t.Errorf("%s from %d: %d bytes in the frames %d to %d, seen %v", e.Path, from, len(got), first, last, seen)
			}
		}
	}
}

// TestReproducible: two runs and any number of workers give the same bytes.
func TestReproducible(t *testing.T) {
	var first []byte
	for _, workers := range []int{1, 2, 7} {
		var buf bytes.Buffer
		if _, err := pack.Write(t.Context(), &buf, packtest.Spec("arm64"), sample(), pack.Options{Workers: workers, Temp: t.TempDir()}); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = buf.Bytes()
		} else if !bytes.Equal(first, buf.Bytes()) {
			t.Errorf("with %d workers the bytes are others", workers)
		}
	}
}

// TestUnchangedPart: the frames of a part don't change with another part, so that they can be remembered.
func TestUnchangedPart(t *testing.T) {
	frames := func(entries []pack.Entry) map[string]bool {
		set := map[string]bool{}
		compress := pack.Fast()
		seen := make(chan string, 100)
		_, err := pack.Write(t.Context(), io.Discard, packtest.Spec("arm64"), entries, pack.Options{
			Temp: t.TempDir(), Workers: 1,
			Compress: func(b []byte) ([]byte, error) { seen <- string(b); return compress(b) },
		})
		if err != nil {
			t.Fatal(err)
		}
		close(seen)
		for s := range seen {
			set[s] = true
		}
		return set
	}
	before := frames(sample())
	changed := sample()
	changed[4] = packtest.Text("usr/bin/env", 0o755, "#!/usr/bin/other\n")
	for f := range frames(changed) {
		delete(before, f)
	}
	if len(before) != 2 { // the manifest and the first part
		t.Errorf("%d frames changed", len(before))
	}
}

// TestOtherTools: it is a zstd file of a tar stream for everyone.
func TestOtherTools(t *testing.T) {
	for _, tool := range []string{"zstd", "tar"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("%s is missing: install the packages zstd and tar", tool)
		}
	}
	file := filepath.Join(t.TempDir(), "a.tar.zst")
	if err := os.WriteFile(file, packtest.Pack(t, packtest.Spec("arm64"), sample()...), 0o600); err != nil {
		t.Fatal(err)
	}
	plain, err := exec.CommandContext(t.Context(), "zstd", "-dc", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	list := exec.CommandContext(t.Context(), "tar", "tvf", "-")
	list.Stdin = bytes.NewReader(plain)
	if out, err := list.CombinedOutput(); err != nil || !strings.Contains(string(out), "usr/bin/env") {
		t.Errorf("tar: %v\n%s", err, out)
	}
	names := []string{pack.ManifestName}
	for _, e := range sample() {
		names = append(names, e.Path)
	}
	for r := tar.NewReader(bytes.NewReader(plain)); ; names = names[1:] {
		h, err := r.Next()
		if errors.Is(err, io.EOF) && len(names) == 0 {
			return
		}
		if err != nil || len(names) == 0 || strings.TrimSuffix(h.Name, "/") != names[0] || h.ModTime.Unix() != pack.ModTime || h.Uid != 0 || h.Uname != "" {
			t.Fatalf("want %q, got %+v (%v)", names, h, err)
		}
	}
}

// TestExternalCompressor: what the zstd tool makes at a high level is read like our own.
func TestExternalCompressor(t *testing.T) {
	var buf bytes.Buffer
	_, err := pack.Write(t.Context(), &buf, packtest.Spec("arm64"), sample(), pack.Options{
		Temp: t.TempDir(),
		Compress: func(b []byte) ([]byte, error) {
			cmd := exec.Command("zstd", "-19", "-c", "-q")
			cmd.Stdin = bytes.NewReader(b[:min(len(b), 100_000)]) // level 19 is slow
			out, err := cmd.Output()
			if err != nil || len(b) <= 100_000 {
				return out, err
			}
			rest, err := pack.Fast()(b[100_000:])
			return append(out, rest...), err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := read(t, buf.Bytes()).Walk(func(pack.Piece) error { return nil }); err != nil {
		t.Error(err)
	}
}

// TestWriterRefuses: a wrong entry is an error when the pack is made, not on the phone.
func TestWriterRefuses(t *testing.T) {
	calls := 0
	changing := pack.Entry{
		Path: "a", Kind: pack.Regular, Mode: 0o644, Part: "base",
		Open: func() (io.ReadCloser, error) {
			calls++
			return io.NopCloser(strings.NewReader(strings.Repeat("x", calls))), nil
		},
	}
	full := packtest.Text("a", 0o644, strings.Repeat("x", 300), pack.Reloc{Kind: pack.Slot, Offset: 0, Room: 256})
	for _, c := range []struct {
		name, want string
		entries    []pack.Entry
	}{
		{"a slot with bytes in it", "not empty", []pack.Entry{full}},
		{"a file that changes", "while it was packed", []pack.Entry{changing}},
		{"a path out", "no path inside", []pack.Entry{packtest.Text("../a", 0o644, "")}},
		{"an unknown part", "unknown", packtest.In("other", packtest.Folder("a"))},
		{"parts mixed", "later one", append(packtest.In("claude", packtest.Folder("a")), packtest.Folder("b"))},
		{"no folder", "no folder", []pack.Entry{packtest.Text("a/b", 0o644, "")}},
	} {
		_, err := pack.Write(t.Context(), io.Discard, packtest.Spec("arm64"), c.entries, pack.Options{Temp: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

package pack_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keva/engines/userland/pack"
	"keva/engines/userland/pack/packtest"
)

// apk writes a zip file with the pack between other entries.
func apk(t *testing.T, method uint16, b []byte) string {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, e := range []struct {
		name   string
		method uint16
		data   []byte
	}{{"classes.dex", zip.Deflate, bytes.Repeat([]byte("x"), 5000)}, {"assets/userland.tar.zst", method, b}, {"z", zip.Store, []byte("z")}} {
		f, err := w.CreateHeader(&zip.FileHeader{Name: e.name, Method: e.method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(e.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "keva.apk")
	if err := os.WriteFile(path, buf.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestAPK: a stored entry is read in place; a compressed one, a missing one and what is no APK say so.
func TestAPK(t *testing.T) {
	b := packtest.Pack(t, packtest.Spec("arm64"), sample()...)
	good := apk(t, zip.Store, b)
	o, err := pack.OpenAPK(good, "assets/userland.tar.zst")
	if err != nil {
		t.Fatal(err)
	}
	if o.Size() != int64(len(b)) {
		t.Errorf("%d bytes, want %d", o.Size(), len(b))
	}
	got, err := io.ReadAll(io.NewSectionReader(o, 0, o.Size()))
	if err != nil || !bytes.Equal(got, b) {
		t.Errorf("other bytes (%v)", err)
	}
	r, err := pack.NewReader(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.Walk(func(pack.Piece) error { return nil }), o.Close()); err != nil {
		t.Error(err)
	}
	if _, err := o.ReadAt(make([]byte, 1), 0); err == nil {
		t.Error("it is not closed")
	}
	for _, c := range []struct {
		name, path, entry string
		want              pack.Reason
	}{
		{"compressed", apk(t, zip.Deflate, b), "assets/userland.tar.zst", pack.ReasonCompressed},
		{"no such entry", good, "assets/other", pack.ReasonRead},
		{"no APK", write(t, b), "x", pack.ReasonFormat},
		{"no file", filepath.Join(t.TempDir(), "none"), "x", pack.ReasonRead},
		{"a folder", t.TempDir(), "x", pack.ReasonRead},
	} {
		if o, err := pack.OpenAPK(c.path, c.entry); reason(err) != c.want || o != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func write(t *testing.T, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pack")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestFile: a pack that is a file of its own.
func TestFile(t *testing.T) {
	b := packtest.Pack(t, packtest.Spec("arm64"), packtest.Text("a", 0o644, "a"))
	o, err := pack.OpenFile(write(t, b))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pack.NewReader(o); err != nil {
		t.Error(err)
	}
	if err := o.Close(); err != nil {
		t.Error(err)
	}
	if _, err := pack.OpenFile(t.TempDir()); reason(err) != pack.ReasonRead {
		t.Error(err)
	}
}

// TestTornAnywhere: a pack cut off at any byte is refused at once, and called what it is.
func TestTornAnywhere(t *testing.T) {
	b := packtest.Pack(t, packtest.Spec("arm64"), packtest.Folder("d"), packtest.Text("d/a", 0o644, strings.Repeat("text ", 100)),
		packtest.In("claude", packtest.Bytes("c", 0o755, packtest.Noise(1, 3000)))[0])
	for n := range len(b) {
		if _, err := pack.NewReader(bytes.NewReader(b[:n])); reason(err) != pack.ReasonTorn {
			t.Fatalf("cut to %d of %d bytes: %v", n, len(b), err)
		}
	}
	// Bytes that are missing at the beginning or in the middle, or added.
	for name, b := range map[string][]byte{"middle": append(bytes.Clone(b[:2000]), b[2001:]...), "added": append(bytes.Clone(b), 0)} {
		if err := open(b); reason(err) != pack.ReasonTorn {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := open(b[1:]); reason(err) != pack.ReasonFormat {
		t.Error(err)
	}
	if err := open([]byte("PK\x03\x04 something else altogether")); reason(err) != pack.ReasonFormat {
		t.Error(err)
	}
}

// failing fails to read behind a point.
type failing struct {
	*bytes.Reader
	from int64
	err  error
}

func (f *failing) ReadAt(b []byte, off int64) (int, error) {
	if off >= f.from {
		return 0, f.err
	}
	return f.Reader.ReadAt(b, off)
}

// TestReadErrorIsNotDamage: what can't be read is not called torn or corrupt, and the cause is kept.
func TestReadErrorIsNotDamage(t *testing.T) {
	b := packtest.Pack(t, packtest.Spec("arm64"), sample()...)
	broken := errors.New("I/O error")
	if _, err := pack.NewReader(&failing{bytes.NewReader(b), 0, broken}); reason(err) != pack.ReasonRead || !errors.Is(err, broken) {
		t.Error(err)
	}
	src := &failing{bytes.NewReader(b), int64(len(b)), broken}
	r, err := pack.NewReader(src)
	if err != nil {
		t.Fatal(err)
	}
	src.from = r.Frames()[2].Offset
	if err := r.Walk(func(pack.Piece) error { return nil }); reason(err) != pack.ReasonRead || !errors.Is(err, broken) {
		t.Error(err)
	}
}

// FuzzReader: whatever the bytes, there is an error of ours or a pack whose pieces are where the manifest says, and no
// more memory is taken than frames may have.
func FuzzReader(f *testing.F) {
	good := packtest.Pack(f, packtest.Spec("arm64"), packtest.Folder("d"), packtest.Text("d/a", 0o644, "text"), packtest.Symlink("l", "d/a"),
		packtest.In("claude", packtest.Bytes("c", 0o755, append(packtest.Noise(1, 100), make([]byte, 256)...), pack.Reloc{Kind: pack.Slot, Offset: 100, Room: 256}))[0])
	f.Add(good)
	f.Add(good[:len(good)-5])
	for _, at := range []int{0, 30, 300, len(good) - 3, len(good) - 12, len(good) - 20, len(good) - 40, len(good) / 2} {
		b := bytes.Clone(good)
		b[at] ^= 0x41
		f.Add(b)
	}
	m, content := honest()
	f.Add(packtest.Forge(f, packtest.Forgery{Manifest: m, Content: content, Tail: make([]byte, 100_000)}))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := pack.NewReader(bytes.NewReader(b))
		if err != nil {
			typed(t, err)
			return
		}
		files := r.Manifest().Files
		at := make([]int64, len(files))
		err = r.Walk(func(p pack.Piece) error {
			if p.Offset != at[p.File] || p.Offset+int64(len(p.Data)) > files[p.File].Size {
				t.Fatalf("a piece of %d bytes at %d of %+v", len(p.Data), p.Offset, files[p.File])
			}
			at[p.File] += int64(len(p.Data))
			return nil
		})
		if err != nil {
			typed(t, err)
			return
		}
		for i, n := range at {
			if n != files[i].Size {
				t.Fatalf("%d bytes of %+v", n, files[i])
			}
		}
	})
}

func typed(t *testing.T, err error) {
	t.Helper()
	var e *pack.Error
	if !errors.As(err, &e) || e.Reason == "" || e.Message == "" {
		t.Fatalf("an error without a reason: %v", err)
	}
}

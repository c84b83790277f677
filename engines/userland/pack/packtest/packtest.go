// Package packtest makes small packs for tests: right ones through the writer, and forged ones by hand, without any of
// the writer's checks. It must not be used outside of tests.
package packtest

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"keva/engines/userland/pack"
)

// Folder is an entry for a folder.
func Folder(path string) pack.Entry {
	return pack.Entry{Path: path, Kind: pack.Dir, Mode: 0o755, Part: "base"}
}

// Text is an entry for a file.
func Text(path string, mode uint32, content string, relocs ...pack.Reloc) pack.Entry {
	return Bytes(path, mode, []byte(content), relocs...)
}

// Bytes is an entry for a file.
func Bytes(path string, mode uint32, content []byte, relocs ...pack.Reloc) pack.Entry {
	return pack.Entry{
		Path: path, Kind: pack.Regular, Mode: mode, Part: "base", Relocs: relocs,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil },
	}
}

// Symlink is an entry for a link.
func Symlink(path, target string) pack.Entry {
	return pack.Entry{Path: path, Kind: pack.Link, Link: target, Part: "base"}
}

// In puts entries into another part.
func In(part string, entries ...pack.Entry) []pack.Entry {
	for i := range entries {
		entries[i].Part = part
	}
	return entries
}

// Noise is n bytes that don't compress, the same for the same seed.
func Noise(seed uint64, n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), 1})
	_, _ = r.Read(b) // never fails
	return b
}

// Spec is a manifest's head with the parts base and claude.
func Spec(arch string) pack.Spec {
	return pack.Spec{
		Arch: arch, Policy: "android10-release." + arch,
		Parts: []pack.Part{{Name: "base", Version: "1"}, {Name: "claude", Version: "2"}},
	}
}

// Pack writes a pack and returns its bytes.
func Pack(t testing.TB, spec pack.Spec, entries ...pack.Entry) []byte {
	t.Helper()
	var buf bytes.Buffer
	if _, err := pack.Write(context.Background(), &buf, spec, entries, pack.Options{Temp: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// Forgery is a pack made by hand. Its tar has the manifest's entries, unless Tar gives others.
type Forgery struct {
	Manifest pack.Manifest // the ID is made
	Content  map[string]string
	Raw      []byte                    // of the manifest, if not nil
	Tar      func(w *tar.Writer) error // the entries behind the manifest
	Tail     []byte                    // of the tar stream instead of its end
	Table    func(table []uint32)      // changes the seek table: packed and plain size of each frame
}

// File is an entry with the size and the hash of its content.
func File(path string, mode uint32, content string) pack.File {
	sum := sha256.Sum256([]byte(content))
	return pack.File{Path: path, Kind: pack.Regular, Mode: mode, Size: int64(len(content)), SHA256: hex.EncodeToString(sum[:]), Part: "base"}
}

// Forge makes the bytes. It shares no code with the writer but the manifest's type.
func Forge(t testing.TB, f Forgery) []byte {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	raw := f.Raw
	if raw == nil {
		m := f.Manifest
		m.ID = ""
		without, err := json.Marshal(m)
		must(err)
		sum := sha256.Sum256(without)
		m.ID = hex.EncodeToString(sum[:])
		raw, err = json.Marshal(m)
		must(err)
	}
	when := time.Unix(pack.ModTime, 0)
	var first, rest bytes.Buffer
	w := tar.NewWriter(&first)
	must(w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: pack.ManifestName, Mode: 0o644, Size: int64(len(raw)), ModTime: when}))
	_, err := w.Write(raw)
	must(err)
	must(w.Flush())
	w = tar.NewWriter(&rest)
	if f.Tar == nil {
		f.Tar = func(w *tar.Writer) error { return entries(w, f.Manifest.Files, f.Content, when) }
	}
	must(f.Tar(w))
	if f.Tail != nil {
		must(w.Flush())
		rest.Write(f.Tail)
	} else {
		must(w.Close())
	}
	return frames(t, f.Table, first.Bytes(), rest.Bytes())
}

func entries(w *tar.Writer, files []pack.File, content map[string]string, when time.Time) error {
	for _, f := range files {
		h := &tar.Header{Name: f.Path, Mode: int64(f.Mode), ModTime: when, Linkname: f.Link, Typeflag: tar.TypeReg}
		if f.Kind == pack.Dir {
			h.Typeflag, h.Name = tar.TypeDir, f.Path+"/"
		}
		if f.Kind == pack.Link {
			h.Typeflag = tar.TypeSymlink
		}
		h.Size = int64(len(content[f.Path]))
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		if _, err := io.WriteString(w, content[f.Path]); err != nil {
			return err
		}
	}
	return nil
}

// frames compresses the plain frames and adds the seek table.
func frames(t testing.TB, change func([]uint32), plain ...[]byte) []byte {
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	var table []uint32
	for _, p := range plain {
		packed := enc.EncodeAll(p, nil)
		out = append(out, packed...)
		table = append(table, uint32(len(packed)), uint32(len(p)))
	}
	if change != nil {
		change(table)
	}
	out = binary.LittleEndian.AppendUint32(out, 0x184D2A5E)
	out = binary.LittleEndian.AppendUint32(out, uint32(4*len(table)+9))
	for _, v := range table {
		out = binary.LittleEndian.AppendUint32(out, v)
	}
	out = binary.LittleEndian.AppendUint32(out, uint32(len(table)/2))
	out = append(out, 0)
	return binary.LittleEndian.AppendUint32(out, 0x8F92EAB1)
}

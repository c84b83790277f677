package pack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"runtime"
)

// Entry is one entry to pack. Folders come before what is in them, and the entries of a part stand together, in the
// order of the parts: each part gets frames of its own, so that an unchanged part gives unchanged frames.
type Entry struct {
	Path   string
	Kind   Kind
	Mode   uint32 // permission bits; of links it is not used
	Link   string
	Part   string
	Relocs []Reloc
	// Open gives the content of a file. It is called twice, once to hash and once to pack, and must give the same bytes.
	Open func() (io.ReadCloser, error)
}

// Spec is what the manifest says besides the files. Of parts, Name and Version are used.
type Spec struct {
	Arch     string
	Policy   string
	Parts    []Part
	Licences []Licence
}

// Options are how a pack is written. None of them changes what is in it.
type Options struct {
	Compress Compress // [Fast] if nil. It may remember what it compressed: frames of unchanged parts are the same
	Workers  int      // frames compressed at once; the number of processors if 0
	Temp     string   // folder for a temporary file as big as the pack; the system's if ""
}

// Write writes a pack of the entries and returns its manifest. The same entries and the same compressor give the same
// bytes. What the manifest's checks refuse is an error here already.
func Write(ctx context.Context, w io.Writer, spec Spec, entries []Entry, o Options) (*Manifest, error) {
	if o.Compress == nil {
		o.Compress = Fast()
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	m, err := describe(ctx, spec, entries)
	if err != nil {
		return nil, err
	}
	// The manifest comes first and says how big the parts are when packed: so they are packed aside.
	aside, err := os.CreateTemp(o.Temp, "keva-pack-*")
	if err != nil {
		return nil, err
	}
	defer func() { _ = aside.Close(); _ = os.Remove(aside.Name()) }() // all of it was copied, or the error is another
	frames, err := packFrames(ctx, aside, m, entries, o)
	if err != nil {
		return nil, err
	}
	if _, err := aside.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	raw, err := m.encode()
	if err != nil {
		return nil, err
	}
	entry, err := manifestEntry(raw)
	if err != nil {
		return nil, err
	}
	if len(entry) > MaxFrame {
		return nil, fmt.Errorf("a manifest of %d bytes: at most %d fit into a frame", len(entry), MaxFrame)
	}
	first, err := o.Compress(entry)
	if err != nil {
		return nil, err
	}
	frames = append([]Frame{{Packed: len(first), Size: len(entry)}}, frames...)
	if _, err := w.Write(first); err != nil {
		return nil, err
	}
	if _, err := io.Copy(w, aside); err != nil {
		return nil, err
	}
	_, err = w.Write(seekTable(frames))
	return m, err
}

// describe makes the manifest, but for what is known after packing only.
func describe(ctx context.Context, spec Spec, entries []Entry) (*Manifest, error) {
	m := &Manifest{Format: Format, Arch: spec.Arch, Policy: spec.Policy, Licences: spec.Licences}
	index := map[string]int{}
	for i, p := range spec.Parts {
		index[p.Name] = i
		m.Parts = append(m.Parts, Part{Name: p.Name, Version: p.Version})
	}
	part := 0
	for i := range entries {
		e := &entries[i]
		n, ok := index[e.Part]
		if !ok || n < part {
			return nil, fmt.Errorf("%s: the part %q is unknown, or comes after a later one", e.Path, e.Part)
		}
		part = n
		f := File{Path: e.Path, Kind: e.Kind, Mode: e.Mode, Link: e.Link, Part: e.Part, Relocs: e.Relocs}
		if e.Kind == Link {
			f.Mode = 0o777
		}
		if e.Kind == Regular {
			var err error
			if f.Size, f.SHA256, err = measure(ctx, e); err != nil {
				return nil, fmt.Errorf("%s: %w", e.Path, err)
			}
		}
		m.Parts[n].Size += f.Size
		m.Files = append(m.Files, f)
	}
	return m, m.Validate()
}

// measure reads an entry's content and checks that its slots are empty.
func measure(ctx context.Context, e *Entry) (int64, string, error) {
	r, err := e.Open()
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = r.Close() }() // only read
	h := sha256.New()
	buf := make([]byte, 1<<20)
	var size int64
	for {
		n, err := r.Read(buf)
		if !EmptySlots(e.Relocs, size, buf[:n]) {
			return 0, "", fmt.Errorf("the slot of a relocation is not empty")
		}
		h.Write(buf[:n])
		size += int64(n)
		if err == io.EOF {
			return size, hex.EncodeToString(h.Sum(nil)), nil
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return 0, "", err
		}
	}
}

// EmptySlots reports whether all slots are empty as far as they lie in data, which stands at offset in its file.
func EmptySlots(relocs []Reloc, offset int64, data []byte) bool {
	for _, r := range relocs {
		from, to := max(r.Offset-offset, 0), min(r.Offset+int64(r.Room)-offset, int64(len(data)))
		if r.Kind == Slot && from < to && !zero(data[from:to]) {
			return false
		}
	}
	return true
}

// packFrames writes the frames behind the manifest's and says in the manifest how big the parts are.
func packFrames(ctx context.Context, w io.Writer, m *Manifest, entries []Entry, o Options) ([]Frame, error) {
	c := newCutter(ctx, o)
	go c.finish(m, entries)
	var frames []Frame
	var failed error
	for job := range c.jobs { // to the end also after an error, so that nobody is left behind
		out := <-job.out
		if failed == nil {
			failed = out.err
		}
		if failed != nil {
			c.cancel()
			continue
		}
		frames = append(frames, Frame{Packed: len(out.packed), Size: job.size})
		m.Parts[job.part].Packed += int64(len(out.packed))
		if _, err := w.Write(out.packed); err != nil {
			failed = err
		}
	}
	c.cancel()
	if failed == nil {
		failed = c.err
	}
	return frames, failed
}

// same makes sure that a file is packed as it was measured.
type same struct {
	h    hash.Hash
	left int64
}

func (s *same) Write(b []byte) (int, error) {
	if s.left -= int64(len(b)); s.left < 0 {
		return 0, fmt.Errorf("grew while it was packed")
	}
	return s.h.Write(b)
}

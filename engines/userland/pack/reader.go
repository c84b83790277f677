package pack

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// Reader reads a pack from any frame on. It is safe for concurrent use.
type Reader struct {
	src      Source
	manifest *Manifest
	raw      []byte
	frames   []Frame
	places   []Place
	packed   sync.Pool // of *[]byte: frames as they are in the archive
}

// NewReader reads the seek table and the manifest, and checks all that can be checked without unpacking: see
// [Manifest.Validate]; and that the frames hold exactly as much as the manifest says.
func NewReader(src Source) (*Reader, error) {
	frames, err := readSeekTable(src)
	if err != nil {
		return nil, err
	}
	r := &Reader{src: src, frames: frames}
	first, err := r.decode(0, make([]byte, frames[0].Size))
	if err != nil {
		return nil, err
	}
	if r.raw, err = manifestOf(first); err != nil {
		return nil, err
	}
	if r.manifest, err = Decode(r.raw); err != nil {
		return nil, err
	}
	var end int64
	if r.places, end, err = r.manifest.layout(int64(len(first))); err != nil {
		return nil, err
	}
	last := frames[len(frames)-1]
	if has := last.Start + int64(last.Size); has != end {
		return nil, hostile("", "holds %d bytes of tar, its manifest gives %d", has, end)
	}
	return r, nil
}

// manifestOf takes the manifest out of the tar entry that the first frame must be.
func manifestOf(frame []byte) ([]byte, error) {
	if len(frame) < block {
		return nil, &Error{Reason: ReasonFormat, Message: "This is no userland pack of Keva: it does not begin with a manifest." + again}
	}
	raw := frame[block:]
	if i := bytes.LastIndexByte(raw, '}'); i >= 0 {
		raw = raw[:i+1]
	}
	want, err := manifestEntry(raw)
	if err != nil || !bytes.Equal(want, frame) {
		return nil, &Error{Reason: ReasonFormat, Message: "This is no userland pack of Keva: it does not begin with a manifest." + again, Cause: err}
	}
	return raw, nil
}

// Manifest says what is in the pack. It is shared: don't change it.
func (r *Reader) Manifest() *Manifest { return r.manifest }

// RawManifest is the manifest's JSON, for [Decode].
func (r *Reader) RawManifest() []byte { return r.raw }

// Frames are all frames; the first holds the manifest only.
func (r *Reader) Frames() []Frame { return r.frames }

// Piece is what a frame holds of one entry's content.
type Piece struct {
	File   int    // index in the manifest's files
	Offset int64  // of Data in the packed file
	Data   []byte // into the frame's buffer
}

// Frame reads the frame i > 0 into buf, which must have a capacity of [MaxFrame], compares all that is not content with
// what must be there, and calls each for the contents in it, in order; each may change the data. An entry without content gets one call in the
// frame where its header ends.
func (r *Reader) Frame(i int, buf []byte, each func(Piece) error) error {
	data, err := r.decode(i, buf)
	if err != nil {
		return err
	}
	start, end := r.frames[i].Start, r.frames[i].Start+int64(len(data))
	// part is what the frame holds of the tar's bytes from..to, and where that begins.
	part := func(from, to int64) ([]byte, int64) {
		from, to = max(from, start), min(to, end)
		if from >= to {
			return nil, 0
		}
		return data[from-start : to-start], from
	}
	first := r.at(start)
	for n := first; n < len(r.places) && r.places[n].Start < end; n++ {
		p, f := &r.places[n], &r.manifest.Files[n]
		if got, at := part(p.Start, p.Data); !bytes.Equal(got, p.Header[min(max(at-p.Start, 0), int64(len(p.Header))):][:len(got)]) {
			return hostile(f.Path, "has another header in the archive than in the manifest")
		}
		content, at := part(p.Data, p.Data+f.Size)
		if len(content) > 0 || f.Size == 0 && p.Data > start && p.Data <= end {
			if err := each(Piece{File: n, Offset: max(at-p.Data, 0), Data: content}); err != nil {
				return err
			}
		}
		if pad, _ := part(p.Data+f.Size, p.End); !zero(pad) {
			return hostile(f.Path, "is followed by hidden bytes")
		}
	}
	last := r.frames[len(r.frames)-1]
	tail := last.Start + int64(last.Size) - int64(len(trailer))
	if rest, _ := part(tail, tail+int64(len(trailer))); !zero(rest) {
		return hostile("", "goes on after its end")
	}
	return nil
}

// Holds are the frames that hold anything of the entry i from the byte offset of its content on: first to last.
func (r *Reader) Holds(i int, offset int64) (first, last int) {
	p := r.places[i]
	begin, end := p.Data+offset, p.Data+r.manifest.Files[i].Size
	if begin == end { // what has no content comes with the end of its header
		begin--
	}
	first = r.frameAt(begin)
	return first, max(first, r.frameAt(end-1))
}

// frameAt is the frame with the tar's byte at.
func (r *Reader) frameAt(at int64) int {
	lo, hi := 0, len(r.frames)-1
	for lo < hi {
		if mid := (lo + hi + 1) / 2; r.frames[mid].Start <= at {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return lo
}

// at is the first entry that ends behind the tar's byte at.
func (r *Reader) at(at int64) int {
	lo, hi := 0, len(r.places)
	for lo < hi {
		if mid := (lo + hi) / 2; r.places[mid].End <= at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// Walk reads the whole pack in order and calls each for every piece of content. It compares no hash.
func (r *Reader) Walk(each func(Piece) error) error {
	buf := make([]byte, MaxFrame)
	for i := 1; i < len(r.frames); i++ {
		if err := r.Frame(i, buf, each); err != nil {
			return err
		}
	}
	return nil
}

// decode unpacks the frame i into buf.
func (r *Reader) decode(i int, buf []byte) ([]byte, error) {
	f := r.frames[i]
	if cap(buf) < f.Size {
		return nil, io.ErrShortBuffer
	}
	packed, ok := r.packed.Get().(*[]byte)
	if !ok {
		packed = new([]byte)
	}
	defer r.packed.Put(packed)
	if cap(*packed) < f.Packed {
		*packed = make([]byte, f.Packed)
	}
	in := (*packed)[:f.Packed]
	if err := readAt(r.src, in, f.Offset); err != nil {
		return nil, err
	}
	dec, err := decoder()
	if err != nil {
		return nil, err
	}
	out, err := dec.DecodeAll(in, buf[:0:f.Size])
	if err != nil {
		return nil, r.corruptFrame(i, err.Error())
	}
	if len(out) != f.Size {
		return nil, r.corruptFrame(i, fmt.Sprintf("%d bytes instead of %d", len(out), f.Size))
	}
	return out, nil
}

// corruptFrame names the first file that the frame holds something of.
func (r *Reader) corruptFrame(i int, detail string) error {
	name := ManifestName
	if i > 0 {
		if n := r.at(r.frames[i].Start); n < len(r.places) {
			name = r.manifest.Files[n].Path
		}
	}
	return Corrupt(name, fmt.Sprintf("frame %d: %s", i, detail))
}

// zero reports whether b is all NUL.
func zero(b []byte) bool {
	for len(b) > 0 {
		n := min(len(b), len(zeros))
		if !bytes.Equal(b[:n], zeros[:n]) {
			return false
		}
		b = b[n:]
	}
	return true
}

var zeros [4096]byte

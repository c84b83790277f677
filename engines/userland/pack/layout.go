package pack

import (
	"archive/tar"
	"bytes"
	"fmt"
	"time"
)

// block is what tar counts in.
const block = 512

// trailer ends a tar stream.
var trailer = make([]byte, 2*block)

// padding is how many NULs follow n bytes of content.
func padding(n int64) int64 { return (block - n%block) % block }

// header makes the tar header of an entry: the only one that is accepted for it. Names that USTAR can't hold get PAX.
func (f *File) header() ([]byte, error) {
	h := tar.Header{Name: f.Path, Mode: int64(f.Mode), ModTime: time.Unix(ModTime, 0), Size: f.Size, Linkname: f.Link}
	switch f.Kind {
	case Dir:
		h.Typeflag, h.Name = tar.TypeDir, f.Path+"/"
	case Link:
		h.Typeflag = tar.TypeSymlink
	case Regular:
		h.Typeflag = tar.TypeReg
	default:
		return nil, fmt.Errorf("no tar header for a %q", f.Kind)
	}
	var buf bytes.Buffer
	var err error
	for _, h.Format = range []tar.Format{tar.FormatUSTAR, tar.FormatPAX} {
		buf.Reset()
		if err = tar.NewWriter(&buf).WriteHeader(&h); err == nil {
			return buf.Bytes(), nil
		}
	}
	return nil, err
}

// Place is where an entry lies in the tar stream.
type Place struct {
	Header []byte // what must be there
	Start  int64  // of the header
	Data   int64  // of the content
	End    int64  // of the padding behind it
}

// layout places the entries behind the manifest's and says how long the tar stream is.
func (m *Manifest) layout(start int64) (places []Place, end int64, err error) {
	places = make([]Place, len(m.Files))
	for i := range m.Files {
		f := &m.Files[i]
		h, err := f.header()
		if err != nil {
			return nil, 0, hostile(f.Path, "fits into no tar header (%v)", err)
		}
		p := Place{Header: h, Start: start, Data: start + int64(len(h))}
		p.End = p.Data + f.Size + padding(f.Size)
		places[i] = p
		start = p.End
	}
	return places, start + int64(len(trailer)), nil
}

// manifestEntry is the tar entry of a manifest, complete with its padding.
func manifestEntry(raw []byte) ([]byte, error) {
	f := File{Path: ManifestName, Kind: Regular, Mode: 0o644, Size: int64(len(raw))}
	h, err := f.header()
	if err != nil {
		return nil, err
	}
	return append(append(h, raw...), make([]byte, padding(f.Size))...), nil
}

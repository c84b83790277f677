// Package pack is the file format of the userland: a manifest and a tree of files in one zstd archive that can be read
// from any frame on. The builder writes packs, the unpacker reads them.
//
// A pack is a valid zstd file of one valid tar stream, so that `zstd -dc PACK | tar t` works, and it ends in the seek
// table of zstd's seekable format. Frame 0 holds exactly the tar entry manifest.json; the next frames hold the entries
// in the manifest's order, cut into frames of at most [MaxFrame] bytes. Every byte of the tar stream but the files'
// contents follows from the manifest. So the reader never interprets a tar header: it makes the one that must be there
// and compares. What the manifest's checks refuse can't come in by the tar.
//
// The package is pure: it must never learn where trees are installed, or write anything but a pack.
package pack

// Format is the version of the format that this package writes and reads.
const Format = 1

// Limits. What is beyond them is refused before anything is unpacked.
const (
	MaxFrame    = 8 << 20 // bytes of tar in one frame; the manifest's frame included
	MaxFiles    = 100_000 // entries in one pack
	MaxSize     = 4 << 30 // bytes of all files
	MaxPrefix   = 200     // bytes of an install path
	maxPath     = 1024    // bytes of an entry's path or a link's target
	maxName     = 255     // bytes of one element of a path
	maxRelocs   = 64      // in one file
	maxParts    = 64
	maxLicences = 10_000
	maxLinks    = 40 // links that are followed to resolve one path, as in Linux
)

// ManifestName is the first entry of the tar stream.
const ManifestName = "manifest.json"

// ModTime is the modification time of every entry, in seconds since 1970: packs are reproducible, and so are trees.
const ModTime = 1_700_000_000

// Kind is what an entry is. There are no others: no hard links, no devices.
type Kind string

// The kinds of entries.
const (
	Dir     Kind = "dir"
	Regular Kind = "file"
	Link    Kind = "link"
)

// RelocKind is how the install path gets into a file.
type RelocKind string

// The kinds of relocation. A file has either slots or inserts, never both.
const (
	// Slot: PREFIX+Suffix, padded with NUL to Room bytes, is written at Offset. The packed bytes there are all NUL.
	Slot RelocKind = "slot"
	// Insert: PREFIX is inserted at Offset (a script's #! line: where the absolute path begins).
	Insert RelocKind = "insert"
)

// Manifest says what is in a pack.
type Manifest struct {
	Format   int       `json:"format"`
	ID       string    `json:"id"`     // hex SHA-256 of the JSON with an empty id; names the version's folder
	Arch     string    `json:"arch"`   // "arm64" or "amd64" (Go's names)
	Policy   string    `json:"policy"` // oldest policy that its call sites were made for, e.g. "android10-release.arm64"
	Parts    []Part    `json:"parts"`
	Files    []File    `json:"files"`
	Licences []Licence `json:"licences,omitempty"`
}

// Part is a group of files that comes from one source and has frames of its own.
type Part struct {
	Name    string `json:"name"` // base, node, claude, codex
	Version string `json:"version"`
	Size    int64  `json:"size"`   // bytes of its files
	Packed  int64  `json:"packed"` // bytes of its frames in the archive
}

// File is one entry of the tree.
type File struct {
	Path   string  `json:"path"` // slash separated, relative, clean; its folder is an earlier entry
	Kind   Kind    `json:"kind"`
	Mode   uint32  `json:"mode"` // permission bits; 0777 for links
	Size   int64   `json:"size,omitempty"`
	SHA256 string  `json:"sha256,omitempty"` // hex; of the packed bytes, before relocation
	Link   string  `json:"link,omitempty"`   // target of a link, relative, inside the tree
	Part   string  `json:"part"`
	Relocs []Reloc `json:"relocs,omitempty"` // by offset
}

// Reloc is what the install path changes in a file. Nothing else is edited where the pack is installed.
type Reloc struct {
	Kind   RelocKind `json:"kind"`
	Offset int64     `json:"offset"` // in the packed file
	Room   int       `json:"room,omitempty"`
	Suffix string    `json:"suffix,omitempty"`
}

// Licence is the licence text of one package.
type Licence struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Path    string `json:"path"` // of the text, in the tree
}

// Size is how many bytes the files of the tree have, before relocation.
func (m *Manifest) Size() int64 {
	var n int64
	for i := range m.Files {
		n += m.Files[i].Size
	}
	return n
}

// Inserts is how many times the install path is inserted into f, each making it longer.
func (f *File) Inserts() int {
	if len(f.Relocs) > 0 && f.Relocs[0].Kind == Insert {
		return len(f.Relocs)
	}
	return 0
}

// Installed is f's size in bytes below an install path of that many bytes.
func (f *File) Installed(prefix int) int64 { return f.Size + int64(f.Inserts())*int64(prefix) }

// Fill is what stands in the slot when the tree is at prefix: always Room bytes.
func (r Reloc) Fill(prefix string) []byte {
	b := make([]byte, r.Room)
	copy(b, prefix)
	copy(b[len(prefix):], r.Suffix)
	return b
}

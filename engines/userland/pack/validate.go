package pack

import (
	"encoding/hex"
	"io/fs"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Validate refuses a manifest that would do harm or could not be installed: paths and links that leave the tree, kinds
// and modes that no pack has, duplicates, sizes and numbers beyond the limits, relocations outside of their file.
func (m *Manifest) Validate() error {
	switch {
	case m.Format != Format:
		return hostile(ManifestName, "has format %d", m.Format)
	case m.Arch != "arm64" && m.Arch != "amd64":
		return hostile(ManifestName, "is for the unknown processor %q", clip(m.Arch))
	case len(m.Files) > MaxFiles:
		return hostile(ManifestName, "lists %d files, at most %d are allowed", len(m.Files), MaxFiles)
	case len(m.Parts) > maxParts || len(m.Licences) > maxLicences:
		return hostile(ManifestName, "lists %d parts and %d licences", len(m.Parts), len(m.Licences))
	}
	parts := map[string]int64{}
	for _, p := range m.Parts {
		if _, twice := parts[p.Name]; twice || !printable(p.Name) || p.Name == "" || !printable(p.Version) || p.Size < 0 || p.Packed < 0 {
			return hostile(ManifestName, "has an impossible part %q", clip(p.Name))
		}
		parts[p.Name] = 0
	}
	t := make(tree, len(m.Files))
	var total int64
	for i := range m.Files {
		f := &m.Files[i]
		if err := f.validate(); err != nil {
			return err
		}
		if t[f.Path] != nil {
			return hostile(f.Path, "is there twice")
		}
		if dir := path.Dir(f.Path); dir != "." && (t[dir] == nil || t[dir].Kind != Dir) {
			return hostile(f.Path, "lies in something that is no folder of the pack before it")
		}
		if _, ok := parts[f.Part]; !ok {
			return hostile(f.Path, "belongs to the unknown part %q", clip(f.Part))
		}
		parts[f.Part] += f.Size
		if total += f.Size; total > MaxSize {
			return hostile(ManifestName, "wants more than %d bytes of files", int64(MaxSize))
		}
		t[f.Path] = f
	}
	for _, p := range m.Parts {
		if parts[p.Name] != p.Size {
			return hostile(ManifestName, "says that the part %q has %d bytes, its files have %d", p.Name, p.Size, parts[p.Name])
		}
	}
	for _, l := range m.Licences {
		if f := t[l.Path]; f == nil || f.Kind == Dir || !printable(l.Name) || !printable(l.Version) {
			return hostile(l.Path, "is called a licence text and is none")
		}
	}
	return t.links(m.Files)
}

func (f *File) validate() error {
	if err := validPath(f.Path); err != nil {
		return err
	}
	if f.Path == ManifestName {
		return hostile(f.Path, "has the manifest's own name")
	}
	if f.Mode&^0o777 != 0 {
		return hostile(f.Path, "has the mode %#o, only permissions are allowed", f.Mode)
	}
	if f.Kind != Regular && (f.Size != 0 || f.SHA256 != "" || len(f.Relocs) != 0) || f.Kind != Link && f.Link != "" {
		return hostile(f.Path, "has what a %s can't have", f.Kind)
	}
	switch f.Kind {
	case Dir:
		if f.Mode&0o700 != 0o700 {
			return hostile(f.Path, "is a folder that its owner may not use (mode %#o)", f.Mode)
		}
	case Link:
		if f.Mode != 0o777 {
			return hostile(f.Path, "is a link with the mode %#o", f.Mode)
		}
	case Regular:
		return f.validateContent()
	default:
		return hostile(f.Path, "is a %q, and only files, folders and links are allowed", clip(string(f.Kind)))
	}
	return nil
}

func (f *File) validateContent() error {
	if f.Mode&0o400 == 0 {
		return hostile(f.Path, "is a file that its owner may not read (mode %#o)", f.Mode)
	}
	if f.Size < 0 || f.Size > MaxSize {
		return hostile(f.Path, "has %d bytes", f.Size)
	}
	if sum, err := hex.DecodeString(f.SHA256); err != nil || len(sum) != 32 || strings.ToLower(f.SHA256) != f.SHA256 {
		return hostile(f.Path, "has no SHA-256")
	}
	if len(f.Relocs) > maxRelocs {
		return hostile(f.Path, "has %d relocations", len(f.Relocs))
	}
	end := int64(0) // of the relocation before
	for _, r := range f.Relocs {
		if r.Kind != f.Relocs[0].Kind {
			return hostile(f.Path, "has relocations of two kinds")
		}
		// Compared without sums, which could overflow.
		if r.Offset < end || r.Offset >= f.Size || r.Room < 0 || int64(r.Room) > f.Size-r.Offset {
			return hostile(f.Path, "has a relocation at %d of %d bytes outside of its %d bytes, or over another one", r.Offset, r.Room, f.Size)
		}
		switch r.Kind {
		case Slot:
			if len(r.Suffix) >= r.Room || r.Room-len(r.Suffix) <= MaxPrefix {
				return hostile(f.Path, "has a slot of %d bytes, too small for an install path", r.Room)
			}
			if r.Suffix != "" && r.Suffix[0] != '/' || !printable(r.Suffix) {
				return hostile(f.Path, "has a slot for the impossible path %q", clip(r.Suffix))
			}
			end = r.Offset + int64(r.Room)
		case Insert:
			if r.Room != 0 || r.Suffix != "" {
				return hostile(f.Path, "has an insertion with room or suffix")
			}
			end = r.Offset + 1
		default:
			return hostile(f.Path, "has a relocation of the unknown kind %q", clip(string(r.Kind)))
		}
	}
	return nil
}

// validPath refuses what is no plain relative path.
func validPath(p string) error {
	switch {
	case !fs.ValidPath(p) || p == ".": // also empty, absolute, "..", "//", invalid UTF-8
		return hostile(p, "is no path inside the tree")
	case !printable(p):
		return hostile(p, "has control characters in its name")
	case len(p) > maxPath:
		return hostile(p, "is longer than %d bytes", maxPath)
	}
	for name := range strings.SplitSeq(p, "/") {
		if len(name) > maxName {
			return hostile(p, "has a name longer than %d bytes", maxName)
		}
	}
	return nil
}

func printable(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, unicode.IsControl) < 0
}

// CaseClash is the first pair of paths that a file system which ignores case can't keep apart. The pack is fine on any other.
func (m *Manifest) CaseClash() (a, b string, clash bool) {
	seen := make(map[string]string, len(m.Files))
	for i := range m.Files {
		p := m.Files[i].Path
		key := fold(p)
		if other, ok := seen[key]; ok {
			return other, p, true
		}
		seen[key] = p
	}
	return "", "", false
}

// fold maps runes that differ only in case to the same one, also those that lower-casing keeps apart.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, s)
}

package pack_test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"keva/engines/userland/pack"
	"keva/engines/userland/pack/packtest"
)

// honest is a manifest that is accepted, to be spoiled.
func honest() (pack.Manifest, map[string]string) {
	script := packtest.File("usr/bin/env", 0o755, "#!/bin/sh\n")
	script.Relocs = []pack.Reloc{{Kind: pack.Insert, Offset: 2}}
	prog := packtest.File("usr/bin/prog", 0o755, strings.Repeat("\x00", 600))
	prog.Relocs = []pack.Reloc{{Kind: pack.Slot, Offset: 0, Room: 256, Suffix: "/l/ld.so"}, {Kind: pack.Slot, Offset: 300, Room: 300}}
	m := pack.Manifest{
		Format: pack.Format, Arch: "arm64", Policy: "p", Parts: []pack.Part{{Name: "base", Size: script.Size + prog.Size + 4}},
		Files: []pack.File{
			{Path: "usr", Kind: pack.Dir, Mode: 0o755, Part: "base"},
			{Path: "usr/bin", Kind: pack.Dir, Mode: 0o755, Part: "base"},
			script, prog,
			{Path: "bin", Kind: pack.Link, Mode: 0o777, Link: "usr/bin", Part: "base"},
			{Path: "usr/up", Kind: pack.Link, Mode: 0o777, Link: "../usr/./bin//env", Part: "base"},
			packtest.File("usr/text", 0o644, "text"),
		},
		Licences: []pack.Licence{{Name: "all", Version: "1", Path: "usr/text"}},
	}
	return m, map[string]string{"usr/bin/env": "#!/bin/sh\n", "usr/bin/prog": strings.Repeat("\x00", 600), "usr/text": "text"}
}

func open(b []byte) error {
	r, err := pack.NewReader(bytes.NewReader(b))
	if err != nil {
		return err
	}
	return r.Walk(func(pack.Piece) error { return nil })
}

func reason(err error) pack.Reason {
	var e *pack.Error
	if !errors.As(err, &e) {
		return pack.Reason(fmt.Sprintf("untyped: %v", err))
	}
	return e.Reason
}

// TestForgedIsReadIfHonest: or the refusals below would prove nothing.
func TestForgedIsReadIfHonest(t *testing.T) {
	m, content := honest()
	if err := open(packtest.Forge(t, packtest.Forgery{Manifest: m, Content: content})); err != nil {
		var e *pack.Error
		errors.As(err, &e)
		t.Fatal(err, e.Detail)
	}
}

// TestHostileManifests: each is refused for what it is, before anything is unpacked.
func TestHostileManifests(t *testing.T) {
	link := func(path, target string) pack.File {
		return pack.File{Path: path, Kind: pack.Link, Mode: 0o777, Link: target, Part: "base"}
	}
	dir := func(path string) pack.File { return pack.File{Path: path, Kind: pack.Dir, Mode: 0o755, Part: "base"} }
	named := func(path string) func(*pack.Manifest) {
		return func(m *pack.Manifest) { m.Files = append(m.Files, packtest.File(path, 0o644, "")) }
	}
	with := func(f ...pack.File) func(*pack.Manifest) {
		return func(m *pack.Manifest) { m.Files = append(m.Files, f...) }
	}
	reloc := func(file int, r ...pack.Reloc) func(*pack.Manifest) {
		return func(m *pack.Manifest) { m.Files[file].Relocs = r }
	}
	deep := []pack.File{dir("d"), dir("d/e"), link("d/e/top", "../.."), link("out", "d/e/top/..")}
	ring := []pack.File{link("ring1", "ring2"), link("ring2", "ring1")}
	for _, c := range []struct {
		name, want string
		spoil      func(m *pack.Manifest)
	}{
		{"up", "no path inside", named("../up")},
		{"up in the middle", "no path inside", named("usr/../../up")},
		{"absolute", "no path inside", named("/etc/passwd")},
		{"empty path", "no path inside", named("")},
		{"the top itself", "no path inside", with(dir("."))},
		{"not clean", "no path inside", named("usr//x")},
		{"trailing slash", "no path inside", named("usr/x/")},
		{"NUL in a name", "control", named("a\x00b")},
		{"newline in a name", "control", named("a\nb")},
		{"escape in a name", "control", named("a\x1b[2Jb")},
		{"C1 control in a name", "control", named("a\u009bb")},
		{"long name", "longer than", named(strings.Repeat("x", 256))},
		{"long path", "longer than", with(nested(600)...)},
		{"the manifest's name", "own name", named("manifest.json")},
		{"twice", "twice", with(dir("usr"))},
		{"a folder replaced by a link", "twice", with(link("usr/bin", "../../tmp"))},
		{"a file below a link", "no folder", named("bin/x")},
		{"a file below a file", "no folder", named("usr/text/x")},
		{"a file before its folder", "no folder", with(packtest.File("late/x", 0o644, ""), dir("late"))},
		{"a link out", "leaves", with(link("usr/out", "../../etc"))},
		{"a link to the top's parent", "leaves", with(link("out", ".."))},
		{"an absolute link", "links to", with(link("out", "/etc/passwd"))},
		{"an empty link", "links to", with(link("out", ""))},
		{"a link with NUL", "links to", with(link("out", "a\x00b"))},
		{"a link out through a link", "leaves", with(deep...)},
		{"a link out through a later link", "leaves", with(deep[0], deep[1], deep[3], deep[2])},
		{"a link out by way of nothing", "leaves", with(link("out", "nothing/../.."))},
		{"links in a ring", "circles", with(ring...)},
		{"a link with a size", "can't have", func(m *pack.Manifest) { m.Files[4].Size = 1 }},
		{"a folder with relocations", "can't have", reloc(0, pack.Reloc{Kind: pack.Insert})},
		{"a file with a target", "can't have", func(m *pack.Manifest) { m.Files[6].Link = "x" }},
		{"setuid", "mode", func(m *pack.Manifest) { m.Files[2].Mode = 0o4755 }},
		{"sticky", "mode", func(m *pack.Manifest) { m.Files[0].Mode = 0o1777 }},
		{"a mode beyond all", "mode", func(m *pack.Manifest) { m.Files[2].Mode = 1 << 31 }},
		{"a folder that can't be used", "may not use", func(m *pack.Manifest) { m.Files[0].Mode = 0o500 }},
		{"a file that can't be read", "may not read", func(m *pack.Manifest) { m.Files[2].Mode = 0o055 }},
		{"a device", "only files, folders and links", func(m *pack.Manifest) { m.Files[0].Kind = "char" }},
		{"a hard link", "only files, folders and links", func(m *pack.Manifest) { m.Files[0].Kind = "hardlink" }},
		{"negative size", "bytes", func(m *pack.Manifest) { m.Files[6].Size = -1 }},
		{"a huge size", "bytes", func(m *pack.Manifest) { m.Files[6].Size = math.MaxInt64 }},
		{"sizes beyond the limit together", "more than", func(m *pack.Manifest) {
			for i := range 3 {
				f := packtest.File(fmt.Sprintf("huge%d", i), 0o644, "")
				f.Size = pack.MaxSize/2 + 1
				m.Files = append(m.Files, f)
			}
		}},
		{"too many files", "at most", func(m *pack.Manifest) {
			for i := range pack.MaxFiles {
				m.Files = append(m.Files, link(fmt.Sprint(i), "x"))
			}
		}},
		{"no hash", "SHA-256", func(m *pack.Manifest) { m.Files[6].SHA256 = "" }},
		{"a hash in capitals", "SHA-256", func(m *pack.Manifest) { m.Files[6].SHA256 = strings.ToUpper(m.Files[6].SHA256) }},
		{"an unknown part", "unknown part", func(m *pack.Manifest) { m.Files[6].Part = "x" }},
		{"a part twice", "impossible part", func(m *pack.Manifest) { m.Parts = append(m.Parts, m.Parts[0]) }},
		{"a part's size", "says that the part", func(m *pack.Manifest) { m.Parts[0].Size++ }},
		{"an unknown processor", "unknown processor", func(m *pack.Manifest) { m.Arch = "mips" }},
		{"a licence that is nowhere", "licence", func(m *pack.Manifest) { m.Licences[0].Path = "../../etc/passwd" }},
		{"a relocation before the file", "outside", reloc(3, pack.Reloc{Kind: pack.Slot, Offset: -1, Room: 256})},
		{"a slot over the end", "outside", reloc(3, pack.Reloc{Kind: pack.Slot, Offset: 400, Room: 256})},
		{"an offset that overflows", "outside", reloc(3, pack.Reloc{Kind: pack.Slot, Offset: math.MaxInt64, Room: 256})},
		{"room that overflows", "outside", reloc(3, pack.Reloc{Kind: pack.Slot, Offset: 1, Room: math.MaxInt})},
		{"negative room", "outside", reloc(3, pack.Reloc{Kind: pack.Slot, Offset: 1, Room: -5})},
		{"slots over each other", "outside", reloc(3, pack.Reloc{Kind: pack.Slot, Offset: 0, Room: 256}, pack.Reloc{Kind: pack.Slot, Offset: 255, Room: 256})},
		{"a slot too small", "too small", reloc(3, pack.Reloc{Kind: pack.Slot, Offset: 0, Room: 200})},
		{"a suffix too long", "too small", reloc(3, pack.Reloc{Kind: pack.Slot, Offset: 0, Room: 256, Suffix: "/" + strings.Repeat("x", 60)})},
		{"a suffix that is no path", "impossible path", reloc(3, pack.Reloc{Kind: pack.Slot, Offset: 0, Room: 256, Suffix: "x"})},
		{"a suffix with NUL", "impossible path", reloc(3, pack.Reloc{Kind: pack.Slot, Offset: 0, Room: 256, Suffix: "/\x00"})},
		{"an insertion at the end", "outside", reloc(2, pack.Reloc{Kind: pack.Insert, Offset: 10})},
		{"an insertion with room", "room or suffix", reloc(2, pack.Reloc{Kind: pack.Insert, Offset: 2, Room: 3})},
		{"two insertions at one place", "over another", reloc(2, pack.Reloc{Kind: pack.Insert, Offset: 2}, pack.Reloc{Kind: pack.Insert, Offset: 2})},
		{"both kinds", "two kinds", reloc(3, pack.Reloc{Kind: pack.Insert, Offset: 0}, pack.Reloc{Kind: pack.Slot, Offset: 5, Room: 256})},
		{"an unknown kind", "unknown kind", reloc(3, pack.Reloc{Kind: "append", Offset: 5})},
		{"very many", "relocations", reloc(3, make([]pack.Reloc, 65)...)},
	} {
		m, content := honest()
		c.spoil(&m)
		err := open(packtest.Forge(t, packtest.Forgery{Manifest: m, Content: content, Tar: func(*tar.Writer) error { return nil }}))
		if reason(err) != pack.ReasonHostile || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %s: %v, want %q", c.name, reason(err), err, c.want)
		}
	}
}

// nested are folders in folders, with a path longer than allowed in the end.
func nested(levels int) (list []pack.File) {
	path := ""
	for range levels {
		path += "/x"
		list = append(list, pack.File{Path: path[1:], Kind: pack.Dir, Mode: 0o755, Part: "base"})
	}
	return list
}

// TestInvalidUTF8: JSON can't carry it, so it is refused where the manifest is read; Validate refuses it as well.
func TestInvalidUTF8(t *testing.T) {
	m, _ := honest()
	m.Files[6].Path = "usr/\xff"
	if err := m.Validate(); reason(err) != pack.ReasonHostile {
		t.Error(err)
	}
}

// TestHostileArchives: the manifest is fine and the rest is not as it says.
func TestHostileArchives(t *testing.T) {
	when := time.Unix(pack.ModTime, 0)
	// instead writes the honest entries, but for one.
	instead := func(name string, h *tar.Header, body string) func(w *tar.Writer) error {
		return func(w *tar.Writer) error {
			m, content := honest()
			for _, f := range m.Files {
				header := &tar.Header{Name: f.Path, Mode: int64(f.Mode), ModTime: when, Linkname: f.Link, Typeflag: tar.TypeReg, Size: f.Size}
				if f.Kind == pack.Dir {
					header.Name, header.Typeflag = f.Path+"/", tar.TypeDir
				}
				if f.Kind == pack.Link {
					header.Typeflag = tar.TypeSymlink
				}
				text := content[f.Path]
				if f.Path == name {
					header, text = h, body
				}
				if err := w.WriteHeader(header); err != nil {
					return err
				}
				if _, err := w.Write([]byte(text)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	file := func(name string, mode int64, size int64) *tar.Header {
		return &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: mode, Size: size, ModTime: when}
	}
	m, content := honest()
	swapped := m
	swapped.Files = append(append([]pack.File{}, m.Files[:5]...), m.Files[6], m.Files[5])
	for _, c := range []struct {
		name string
		want pack.Reason
		f    packtest.Forgery
	}{
		{"a device node", pack.ReasonHostile, packtest.Forgery{Tar: instead("usr/text", &tar.Header{Typeflag: tar.TypeChar, Name: "usr/text", Mode: 0o644, Devmajor: 1, Devminor: 5, ModTime: when}, "")}},
		{"a hard link", pack.ReasonHostile, packtest.Forgery{Tar: instead("usr/up", &tar.Header{Typeflag: tar.TypeLink, Name: "usr/up", Linkname: "/etc/passwd", Mode: 0o777, ModTime: when}, "")}},
		{"another path", pack.ReasonHostile, packtest.Forgery{Tar: instead("usr/text", file("../text0", 0o644, 4), "text")}},
		{"another link target", pack.ReasonHostile, packtest.Forgery{Tar: instead("bin", &tar.Header{Typeflag: tar.TypeSymlink, Name: "bin", Linkname: "/system", Mode: 0o777, ModTime: when}, "")}},
		{"setuid in the tar only", pack.ReasonHostile, packtest.Forgery{Tar: instead("usr/text", file("usr/text", 0o4755, 4), "text")}},
		{"another size", pack.ReasonHostile, packtest.Forgery{Tar: instead("usr/text", file("usr/text", 0o644, 5), "text!")}},
		{"another owner", pack.ReasonHostile, packtest.Forgery{Tar: instead("usr/text", &tar.Header{Typeflag: tar.TypeReg, Name: "usr/text", Mode: 0o644, Size: 4, Uid: 5, ModTime: when}, "text")}},
		{"an entry more", pack.ReasonHostile, packtest.Forgery{Tar: func(w *tar.Writer) error {
			return errors.Join(instead("", nil, "")(w), w.WriteHeader(file("more", 0o644, 0)))
		}}},
		{"an entry less", pack.ReasonHostile, packtest.Forgery{Tar: func(w *tar.Writer) error {
			return w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: "usr/", Mode: 0o755, ModTime: when})
		}}},
		{"another order", pack.ReasonHostile, packtest.Forgery{Tar: func(w *tar.Writer) error {
			for _, f := range swapped.Files {
				h := &tar.Header{Name: f.Path, Mode: int64(f.Mode), ModTime: when, Linkname: f.Link, Typeflag: tar.TypeReg, Size: f.Size}
				if f.Kind == pack.Dir {
					h.Name, h.Typeflag = f.Path+"/", tar.TypeDir
				}
				if f.Kind == pack.Link {
					h.Typeflag = tar.TypeSymlink
				}
				if err := w.WriteHeader(h); err != nil {
					return err
				}
				if _, err := w.Write([]byte(content[f.Path])); err != nil {
					return err
				}
			}
			return nil
		}}},
		{"something behind the end", pack.ReasonHostile, packtest.Forgery{Tail: append(make([]byte, 1000), "hidden bytes at the end!"...)}},
		{"a bomb: the first frame is bigger than it says", pack.ReasonCorrupt, packtest.Forgery{Table: func(v []uint32) { v[1] -= 512 }}},
		{"a bomb: more in the frames than in the manifest", pack.ReasonHostile, packtest.Forgery{Table: func(v []uint32) { v[3] -= 512 }}},
		{"a bomb: the last frame is bigger than it says", pack.ReasonCorrupt, packtest.Forgery{Tail: make([]byte, 1<<20), Table: func(v []uint32) { v[3] -= 1<<20 - 1024 }}},
		{"a frame smaller than it says", pack.ReasonHostile, packtest.Forgery{Table: func(v []uint32) { v[3] += 512 }}},
		{"a frame of 4 GiB", pack.ReasonHostile, packtest.Forgery{Table: func(v []uint32) { v[3] = math.MaxUint32 }}},
		{"an empty frame", pack.ReasonHostile, packtest.Forgery{Table: func(v []uint32) { v[3] = 0 }}},
		{"a frame behind the end", pack.ReasonTorn, packtest.Forgery{Table: func(v []uint32) { v[2] += 5 }}},
		{"a gap before the table", pack.ReasonTorn, packtest.Forgery{Table: func(v []uint32) { v[2] -= 5 }}},
		{"no manifest", pack.ReasonFormat, packtest.Forgery{Raw: []byte("{}x")}},
		{"another version", pack.ReasonVersion, packtest.Forgery{Raw: []byte(`{"format":2,"new":{}}`)}},
		{"an unknown field", pack.ReasonHostile, packtest.Forgery{Raw: []byte(`{"format":1,"run":"rm"}`)}},
		{"no ID", pack.ReasonHostile, packtest.Forgery{Raw: []byte(`{"format":1,"id":""}`)}},
	} {
		f := c.f
		f.Manifest, f.Content = m, content
		if err := open(packtest.Forge(t, f)); reason(err) != c.want {
			var e *pack.Error
			errors.As(err, &e)
			t.Errorf("%s: %s: %v (%+v), want %s", c.name, reason(err), err, e, c.want)
		}
	}
}

// TestChangedManifest: whoever changes one byte of it would have to change the ID as well.
func TestChangedManifest(t *testing.T) {
	m, content := honest()
	good, err := pack.NewReader(bytes.NewReader(packtest.Forge(t, packtest.Forgery{Manifest: m, Content: content})))
	if err != nil {
		t.Fatal(err)
	}
	raw := good.RawManifest()
	for _, change := range []struct {
		from, to string
		want     pack.Reason
	}{
		{`"usr/text"`, `"usr/txet"`, pack.ReasonCorrupt},
		{`"format":1,`, `"format": 1,`, pack.ReasonHostile},
		{`"id":"`, `"id":"0`, pack.ReasonHostile},
	} {
		b := bytes.Replace(raw, []byte(change.from), []byte(change.to), 1)
		if _, err := pack.Decode(b); reason(err) != change.want || bytes.Equal(b, raw) {
			t.Errorf("%s: %v", change.to, err)
		}
	}
	if _, err := pack.Decode(append(bytes.Clone(raw), "{}"...)); err == nil {
		t.Error("a second document is accepted")
	}
	var again pack.Manifest
	if err := json.Unmarshal(raw, &again); err != nil {
		t.Fatal(err)
	}
	if b, err := json.Marshal(again); err != nil || !bytes.Equal(b, raw) {
		t.Errorf("the manifest is not in its canonical form (%v)", err)
	}
}

// TestCaseClash: names that a file system without case would mix up, also in other scripts.
func TestCaseClash(t *testing.T) {
	for _, c := range []struct {
		names []string
		clash bool
	}{{[]string{"a", "b"}, false}, {[]string{"Makefile", "makefile"}, true}, {[]string{"Ä", "ä"}, true}, {[]string{"K", "\u212a"}, true}, {[]string{"d/x", "D/y"}, false}} {
		m := pack.Manifest{}
		for _, n := range c.names {
			m.Files = append(m.Files, pack.File{Path: n})
		}
		if _, _, clash := m.CaseClash(); clash != c.clash {
			t.Errorf("%v: %v", c.names, clash)
		}
	}
}

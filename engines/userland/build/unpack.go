package build

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"keva/engines/userland/pack"
)

// entry is one entry of an archive, its data a part of the archive's bytes.
type entry struct {
	tar.Header
	data []byte
}

// entries reads a tar that is in memory. Names are checked: local, clean, no ".." and no backslash.
func entries(archive []byte, each func(e entry) error) error {
	r := bytes.NewReader(archive)
	tr := tar.NewReader(r)
	for {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag == tar.TypeXGlobalHeader {
			continue
		}
		e := entry{Header: *h}
		if e.Name, err = inside(h.Name); err != nil {
			return err
		}
		if h.Typeflag == tar.TypeReg {
			at := int64(len(archive) - r.Len()) // the reader reads whole headers and no further
			if h.Size > int64(r.Len()) {
				return fmt.Errorf("%s: %w", h.Name, io.ErrUnexpectedEOF)
			}
			e.data = archive[at : at+h.Size : at+h.Size]
		}
		if err := each(e); err != nil {
			return err
		}
	}
}

// inside is the clean form of a name that must lie below the archive's top; "." is the top itself.
func inside(name string) (string, error) {
	if path.IsAbs(name) || strings.ContainsAny(name, "\\\x00") || name == "" {
		return "", fmt.Errorf("the name %q leads out of the archive", name)
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return "", fmt.Errorf("the name %q leads out of the archive", name)
		}
	}
	return path.Clean(name), nil
}

// merged are the folders that lie in /usr on a merged system. Debian's packages still name some of their files by the old
// paths, and expect links.
var merged = []string{"bin", "sbin", "lib", "lib32", "lib64", "libx32"}

func merge(p string) string {
	first, _, _ := strings.Cut(p, "/")
	for _, m := range merged {
		if first == m {
			return "usr/" + p
		}
	}
	return p
}

// mode keeps only whether a file can be run: there are no other users, and no set-id bits.
func mode(m int64) uint32 {
	if m&0o111 != 0 {
		return 0o755
	}
	return 0o644
}

// addDeb puts the files of a package into the tree: merged, links relative. A hard link, which an Android app can't make,
// becomes a link to the first of its names: programs like bunzip2 ask by which name they were called, and still see it.
func (t tree) addDeb(archive []byte, name string) error {
	files := map[string]bool{} // by the name in the archive: what a hard link may name
	return entries(archive, func(e entry) error {
		p := merge(e.Name)
		if p == "." {
			return nil
		}
		switch e.Typeflag {
		case tar.TypeDir:
			return t.dir(p, name)
		case tar.TypeReg:
			files[e.Name] = true
			return t.add(p, &node{kind: pack.Regular, mode: mode(e.Mode), data: e.data, from: name})
		case tar.TypeLink:
			target, err := inside(e.Linkname)
			if err != nil {
				return err
			}
			if !files[target] {
				return fmt.Errorf("%s: %s is a hard link to %s, which is no file before it", name, e.Name, target)
			}
			return t.add(p, &node{kind: pack.Link, mode: 0o777, link: upTo(path.Dir(p), merge(target)), hard: true, from: name})
		case tar.TypeSymlink:
			link, err := relative(e.Name, e.Linkname)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			return t.add(p, &node{kind: pack.Link, mode: 0o777, link: link, from: name})
		default:
			return fmt.Errorf("%s: %s is neither file, folder nor link", name, e.Name)
		}
	})
}

// relative makes the target of the link at name, as the package meant it, one from the link's merged place.
func relative(name, target string) (string, error) {
	at := target
	if !path.IsAbs(target) {
		depth := strings.Count(name, "/")
		for part := range strings.SplitSeq(target, "/") {
			switch part {
			case "", ".":
			case "..":
				depth--
			default:
				depth++
			}
			if depth < 0 {
				return "", fmt.Errorf("%s links to %s, which leads out of the tree", name, target)
			}
		}
		at = path.Join("/", path.Dir(name), target)
	}
	at = path.Clean(at)
	if at == "/" {
		return "", fmt.Errorf("%s links to the root", name)
	}
	return upTo(path.Dir(merge(name)), merge(strings.TrimPrefix(at, "/"))), nil
}

// upTo is the relative path from the folder dir to p.
func upTo(dir, p string) string {
	var from []string
	if dir != "." {
		from = strings.Split(dir, "/")
	}
	to := strings.Split(p, "/")
	for len(from) > 0 && len(to) > 1 && from[0] == to[0] {
		from, to = from[1:], to[1:]
	}
	return strings.Repeat("../", len(from)) + strings.Join(to, "/")
}

// addNPM puts files of an npm package below at. place names each file's path there, or "" to leave it out.
func (t tree) addNPM(archive []byte, name string, place func(p string) string) error {
	return entries(archive, func(e entry) error {
		_, p, below := strings.Cut(e.Name, "/")
		if !below || e.Typeflag == tar.TypeDir {
			return nil
		}
		if e.Typeflag != tar.TypeReg {
			return fmt.Errorf("%s: %s is neither a file nor a folder", name, e.Name)
		}
		to := place(p)
		if to == "" {
			return nil
		}
		return t.add(to, &node{kind: pack.Regular, mode: mode(e.Mode), data: e.data, from: name})
	})
}

package pack

import (
	"path"
	"strings"
)

// tree finds entries by path.
type tree map[string]*File

// links refuses links that leave the tree, also by way of other links, and links that lead nowhere but to themselves.
// A target that is missing is allowed: packages have such, and nothing is ever written through a link.
func (t tree) links(files []File) error {
	for i := range files {
		f := &files[i]
		if f.Kind != Link {
			continue
		}
		if f.Link == "" || len(f.Link) > maxPath || !printable(f.Link) || path.IsAbs(f.Link) {
			return hostile(f.Path, "links to %q", clip(f.Link))
		}
		if why := t.leaves(f); why != "" {
			return hostile(f.Path, "links to %q, which %s", clip(f.Link), why)
		}
	}
	return nil
}

// leaves follows the link as the kernel would, and says what is wrong with where it goes, or "".
func (t tree) leaves(f *File) (why string) {
	var at []string // where we are, as names from the top
	if dir := path.Dir(f.Path); dir != "." {
		at = strings.Split(dir, "/")
	}
	todo := strings.Split(f.Link, "/")
	for followed := 0; len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			if len(at) == 0 {
				return "leaves the tree"
			}
			at = at[:len(at)-1]
			continue
		}
		next := t[strings.Join(append(at[:len(at):len(at)], name), "/")]
		if next == nil || next.Kind != Link {
			at = append(at[:len(at):len(at)], name)
			continue
		}
		if followed++; followed > maxLinks {
			return "goes round in circles"
		}
		if path.IsAbs(next.Link) {
			return "leaves the tree"
		}
		todo = append(strings.Split(next.Link, "/"), todo...)
	}
	return ""
}

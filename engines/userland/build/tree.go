package build

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"keva/engines/userland/pack"
)

// node is one entry of the tree.
type node struct {
	kind pack.Kind
	mode uint32
	data []byte // of a file; may be a part of a mapped archive, so it is never written to
	link string
	hard bool   // the link was a hard one: what it leads to must not be dropped
	from string // the package that brought it, for errors
	// What the builder made of it.
	edits  edited // the content, if it differs from data
	relocs []pack.Reloc
	ours   bool // compiled for this tree, not to be edited
}

// tree is the userland in memory, by path. Nothing of it touches the disk before the pack does, so that neither umask nor
// user nor file system leave a trace in it.
type tree map[string]*node

// dir makes a folder and those above it.
func (t tree) dir(p, from string) error {
	if p == "." {
		return nil
	}
	if n, ok := t[p]; ok {
		if n.kind != pack.Dir {
			return fmt.Errorf("%s: %s is a folder for it, but a %s for %s", from, p, n.kind, n.from)
		}
		return nil
	}
	if err := t.dir(path.Dir(p), from); err != nil {
		return err
	}
	t[p] = &node{kind: pack.Dir, mode: 0o755, from: from}
	return nil
}

// add puts a file or link at p. One that is there already must be the same.
func (t tree) add(p string, n *node) error {
	if err := t.dir(path.Dir(p), n.from); err != nil {
		return err
	}
	if old, ok := t[p]; ok && (old.kind != n.kind || old.link != n.link || old.mode != n.mode || !slices.Equal(old.data, n.data)) {
		return fmt.Errorf("%s and %s both bring %s, and not the same", old.from, n.from, p)
	}
	t[p] = n
	return nil
}

// set puts a file of ours at p, whatever was there.
func (t tree) set(p string, mode uint32, data []byte) error {
	delete(t, p)
	return t.add(p, &node{kind: pack.Regular, mode: mode, data: data, from: "Keva"})
}

// ln puts a link of ours at p, whatever was there.
func (t tree) ln(p, target string) error {
	delete(t, p)
	return t.add(p, &node{kind: pack.Link, mode: 0o777, link: target, from: "Keva"})
}

// find follows links: the entry that p leads to and its path, or nil.
func (t tree) find(p string) (string, *node) {
	var at []string
	todo := strings.Split(p, "/")
	for followed := 0; len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			if len(at) == 0 {
				return "", nil
			}
			at = at[:len(at)-1]
			continue
		}
		at = append(at, name)
		n := t[strings.Join(at, "/")]
		if n == nil {
			return "", nil
		}
		if n.kind == pack.Link {
			if followed++; followed > 40 {
				return "", nil
			}
			at = at[:len(at)-1]
			todo = append(strings.Split(n.link, "/"), todo...)
		}
	}
	full := strings.Join(at, "/")
	return full, t[full]
}

// paths are all paths, sorted: folders come before what is in them.
func (t tree) paths() []string {
	all := make([]string, 0, len(t))
	for p := range t {
		all = append(all, p)
	}
	slices.Sort(all)
	return all
}

// remove deletes an entry and what is below it, and says how many entries that were.
func (t tree) remove(p string) int {
	before := len(t)
	delete(t, p)
	for q := range t {
		if strings.HasPrefix(q, p+"/") {
			delete(t, q)
		}
	}
	return before - len(t)
}

package unpack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"keva/engines/userland/pack"
)

// Sweep removes all versions but the current one and those in use, and what killed runs left. It waits for another
// installation at work. Options as for [Install].
func Sweep(ctx context.Context, root string, o Options) error {
	o = o.defaults()
	p, err := newPlaces(root)
	if err != nil {
		return err
	}
	id, err := p.inUse()
	if err != nil {
		return err // without it nobody knows what may go
	}
	unlock, err := lock(ctx, p.lock(), func() {})
	if err != nil {
		return err
	}
	defer unlock()
	return p.sweep(id, o)
}

// sweep keeps the version in use, keep, and what programs run from.
func (p places) sweep(keep string, o Options) error {
	current, err := p.inUse()
	var known *pack.Error
	if errors.As(err, &known) && known.Reason == pack.ReasonDamaged {
		return nil // it may be any of them: the next sweep will know
	}
	if errors.As(err, &known) && known.Reason != pack.ReasonNone {
		return err
	}
	list, err := os.ReadDir(p.versions())
	if err != nil {
		return writeError(p.versions(), err)
	}
	for _, e := range list {
		id, kind, _ := strings.Cut(e.Name(), ".")
		switch {
		case strings.HasPrefix(e.Name(), "probe-"), validID(id) && kind == "gone":
			if err := os.RemoveAll(filepath.Join(p.versions(), e.Name())); err != nil {
				o.Kept(id, err)
			}
		case !validID(id), id == keep, id == current, kind != "" && exists(p.tree(id)):
			// not ours, needed, or it goes with its tree
		case kind != "":
			if err := os.Remove(filepath.Join(p.versions(), e.Name())); err != nil && !errors.Is(err, os.ErrNotExist) {
				o.Kept(id, err)
			}
		default:
			p.drop(id, o)
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, os.ErrNotExist)
}

// drop removes a version. It loses its name first: what is half removed must not look like a version.
func (p places) drop(id string, o Options) {
	used, err := o.InUse(p.tree(id))
	if used || err != nil {
		o.Kept(id, err)
		return
	}
	err = os.Rename(p.tree(id), p.gone(id))
	for _, beside := range []string{p.state(id), p.manifest(id), p.prefix(id)} {
		if gone := os.Remove(beside); err == nil && !errors.Is(gone, os.ErrNotExist) {
			err = gone
		}
	}
	if err == nil {
		err = os.RemoveAll(p.gone(id))
	}
	if err != nil {
		o.Kept(id, err)
	}
}

// Running reports whether a process of this user runs a program from the tree at prefix. A process that can't be looked
// at counts only if nobody can be looked at: those of other users never run from the app's folder.
func Running(prefix string) (bool, error) {
	real, err := filepath.EvalSymlinks(prefix)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	list, err := os.ReadDir("/proc")
	if err != nil {
		return false, err
	}
	seen := 0
	for _, e := range list {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		exe, err := os.Readlink(filepath.Join("/proc", e.Name(), "exe"))
		if err != nil {
			continue
		}
		seen++
		if strings.HasPrefix(exe, real+"/") {
			return true, nil
		}
	}
	if seen == 0 {
		return false, fmt.Errorf("no process can be looked at in /proc")
	}
	return false, nil
}

package unpack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"keva/engines/userland/pack"
)

// placesOf are the places that an installed tree belongs to.
func placesOf(t Tree) places { return places{filepath.Dir(filepath.Dir(t.Root))} }

// Relocate sets the tree up for another path, normally its Root after the data folder was moved. It changes a few
// hundred places and takes well below a second. It may be repeated, and after a kill at any point it is simply done
// again. Files that are not as they were installed are left alone and returned as problems, for [Tree.Repair].
// It waits for another installation at work.
func Relocate(ctx context.Context, t Tree, prefix string) (Tree, []Problem, error) {
	if err := validPrefix(prefix); err != nil {
		return t, nil, err
	}
	p := placesOf(t)
	unlock, err := lock(ctx, p.lock(), func() {})
	if err != nil {
		return t, nil, err
	}
	defer unlock()
	left, err := p.relocate(ctx, t, prefix)
	if err != nil {
		return t, left, err
	}
	t.Prefix = prefix
	return t, left, nil
}

// relocate does it and then, durably, says so.
func (p places) relocate(ctx context.Context, t Tree, prefix string) ([]Problem, error) {
	// Until all is done nobody knows for which path the tree is.
	if err := os.Remove(p.prefix(t.Manifest.ID)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, writeError(t.Root, err)
	}
	left, err := relocateAll(ctx, t, prefix)
	if err != nil {
		return left, stopped(ctx, t.Root, err)
	}
	err = syncAll(t.Root)
	if err == nil {
		err = writeDurable(p.prefix(t.Manifest.ID), []byte(prefix+"\n"))
	}
	if err != nil {
		return left, writeError(t.Root, err)
	}
	return left, nil
}

func relocateAll(ctx context.Context, t Tree, prefix string) (left []Problem, err error) {
	top, err := os.OpenRoot(t.Root)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, top.Close()) }()
	var todo []*pack.File
	for i := range t.Manifest.Files {
		if f := &t.Manifest.Files[i]; len(f.Relocs) > 0 {
			todo = append(todo, f)
		}
	}
	errs := make([]error, len(todo))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(todo) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				errs[i] = relocateFile(top, todo[i], prefix)
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for i, err := range errs {
		switch {
		case errors.Is(err, errForeign):
			left = append(left, Problem{todo[i].Path, Changed, err.Error()})
		case errors.Is(err, fs.ErrNotExist):
			left = append(left, Problem{todo[i].Path, Missing, what(err)})
		case err != nil:
			return left, fmt.Errorf("%s: %w", todo[i].Path, err)
		}
	}
	return left, nil
}

// errForeign is a file that is not the pack's, relocated for whatever path.
var errForeign = errors.New("not as it was installed")

// relocateFile sets one file up for prefix, whatever path it was set up for. It returns errForeign and leaves the file
// alone if it is another one.
func relocateFile(top *os.Root, f *pack.File, prefix string) error {
	info, err := top.Lstat(f.Path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: %s", errForeign, kindName(info.Mode()))
	}
	if f.Inserts() > 0 {
		return rewriteInserts(top, f, prefix, info)
	}
	if info.Size() != f.Size {
		return fmt.Errorf("%w: %d bytes instead of %d", errForeign, info.Size(), f.Size)
	}
	h, err := top.OpenFile(f.Path, os.O_RDWR|unix.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrPermission) {
		h, err = writable(top, f)
	}
	if err != nil {
		return err
	}
	return errors.Join(fillSlots(h, f, prefix), h.Chmod(info.Mode().Perm()), h.Close())
}

// writable opens a file that even its owner may only read.
func writable(top *os.Root, f *pack.File) (*os.File, error) {
	h, err := top.OpenFile(f.Path, os.O_RDONLY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(h.Chmod(os.FileMode(f.Mode|0o200)), h.Close()); err != nil {
		return nil, err
	}
	return top.OpenFile(f.Path, os.O_RDWR|unix.O_NOFOLLOW, 0)
}

// fillSlots writes each slot in place and reads it back. A kill in between leaves slots of both paths, which the next
// run takes for what they are.
func fillSlots(h *os.File, f *pack.File, prefix string) error {
	has := make([]byte, 0, 4096)
	changed := false
	for _, r := range f.Relocs {
		has = append(has[:0], make([]byte, r.Room)...)
		if _, err := h.ReadAt(has, r.Offset); err != nil {
			return err
		}
		switch slotState(r, prefix, has) {
		case relocRight:
			continue
		case relocBroken:
			return fmt.Errorf("%w: no path in the slot at %d", errForeign, r.Offset)
		case relocBlank, relocOther:
		}
		if _, err := h.WriteAt(r.Fill(prefix), r.Offset); err != nil {
			return err
		}
		changed = true
		if _, err := h.ReadAt(has, r.Offset); err != nil {
			return err
		}
		if slotState(r, prefix, has) != relocRight {
			return fmt.Errorf("the slot at %d is not as it was written", r.Offset)
		}
	}
	if changed {
		return setTime(h)
	}
	return nil
}

// rewriteInserts makes a script anew, since its length changes: aside, and then in its place.
func rewriteInserts(top *os.Root, f *pack.File, prefix string, info os.FileInfo) error {
	n := int64(f.Inserts())
	extra := info.Size() - f.Size
	if extra < 0 || extra%n != 0 || extra/n > pack.MaxPrefix {
		return fmt.Errorf("%w: %d bytes, packed were %d", errForeign, info.Size(), f.Size)
	}
	old := int(extra / n) // length of the path that is in it
	h, err := top.OpenFile(f.Path, os.O_RDONLY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	has, err := io.ReadAll(io.LimitReader(h, info.Size()))
	if err = errors.Join(err, h.Close()); err != nil {
		return err
	}
	plain, same := without(f, has, old, prefix)
	if same {
		return nil
	}
	sum := sha256.Sum256(plain)
	if hex.EncodeToString(sum[:]) != f.SHA256 {
		return fmt.Errorf("%w: other content", errForeign)
	}
	b, _ := relocated(f, prefix, 0, plain)
	return replace(top, f, b)
}

// without takes old bytes out of has at each insertion. same: what was there is prefix already.
func without(f *pack.File, has []byte, old int, prefix string) (plain []byte, same bool) {
	same = old == len(prefix)
	at := 0
	for i, r := range f.Relocs {
		place := int(r.Offset) + i*old
		if place+old > len(has) {
			return nil, false
		}
		plain = append(plain, has[at:place]...)
		at = place + old
		same = same && string(has[place:at]) == prefix
	}
	return append(plain, has[at:]...), same
}

// replace puts b in the place of f at once.
func replace(top *os.Root, f *pack.File, b []byte) error {
	part := f.Path + ".keva-new"
	h, err := top.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	_, err = h.Write(b)
	if err = errors.Join(err, h.Chmod(os.FileMode(f.Mode)), setTime(h), h.Close()); err != nil {
		return err
	}
	return top.Rename(part, f.Path)
}

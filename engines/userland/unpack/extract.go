package unpack

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"sort"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"keva/engines/userland/pack"
)

// extraction makes entries of a tree from a pack. Workers take frames in order and write what is in them; of a file
// that spans frames each worker waits for the one before it, so that the bytes on the disk are always its beginning.
//
// No link leads it out of the tree: see [folder], and os.Root for what is rare. It does not use the Chmod of os.Root:
// that is fchmodat2, a call for which Android kills the app.
type extraction struct {
	r       *pack.Reader
	tree    Tree
	workers int
	meter   *meter

	top    *os.Root
	dir    *os.File   // the same
	writes []*writing // by file, nil where there is nothing to do
	again  []int      // files whose beginning turned out to be wrong
	mu     sync.Mutex // for again
}

// run does what the verdicts say.
func (x *extraction) run(ctx context.Context, state []verdict) (err error) {
	if x.top, err = os.OpenRoot(x.tree.Root); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.top.Close()) }()
	if x.dir, err = x.top.Open("."); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.dir.Close()) }()
	at := &folder{top: x.dir}
	defer at.leave()
	missing := int64(0)
	files := x.r.Manifest().Files
	x.writes = make([]*writing, len(files))
	for _, v := range state {
		f := &files[v.file]
		if f.Kind == pack.Regular && v.redo {
			missing += f.Size - v.from
			first, last := x.r.Holds(v.file, v.from)
			x.writes[v.file] = &writing{x: x, file: v.file, from: v.from, sum: v.sum, first: first, turns: newTurns(last - first + 1)}
			continue
		}
		if err := x.other(at, f, v); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	x.meter.start(x.r.Manifest().Size() - missing)
	if err := x.frames(ctx); err != nil {
		return err
	}
	if len(x.again) == 0 {
		return nil
	}
	clear(x.writes)
	for _, i := range x.again {
		first, last := x.r.Holds(i, 0)
		x.writes[i] = &writing{x: x, file: i, first: first, turns: newTurns(last - first + 1)}
	}
	return x.frames(ctx)
}

// other makes what has no content in the frames, or needs none of it.
func (x *extraction) other(at *folder, f *pack.File, v verdict) error {
	switch {
	case v.refill:
		if err := relocateFile(x.top, f, x.tree.Root); err != nil {
			return err
		}
		return x.chmod(f)
	case !v.redo:
		return x.chmod(f)
	}
	create := func() error { return at.mkdir(f.Path, f.Mode) }
	if f.Kind == pack.Link {
		create = func() error { return at.symlink(f.Link, f.Path) }
	}
	err := create()
	if !errors.Is(err, os.ErrExist) {
		return err
	}
	if err := x.clear(f.Path); err != nil {
		return err
	}
	return create()
}

// chmod sets a mode that the umask can't change.
func (x *extraction) chmod(f *pack.File) error {
	h, err := x.top.OpenFile(f.Path, os.O_RDONLY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	return errors.Join(h.Chmod(os.FileMode(f.Mode)), h.Close())
}

// clear makes room for an entry. A file that a program runs from lives on until the program ends. A folder that stands
// there may hold what users made: it is moved aside, not deleted.
func (x *extraction) clear(name string) error {
	err := x.top.Remove(name)
	if err == nil || errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for i := 1; i < 1000; i++ {
		aside := fmt.Sprintf("%s.aside-%d", name, i)
		if _, exists := x.top.Lstat(aside); errors.Is(exists, os.ErrNotExist) {
			return x.top.Rename(name, aside)
		}
	}
	return fmt.Errorf("%s is in the way: %w", path.Base(name), err)
}

// frames unpacks the frames that hold what is to be written.
func (x *extraction) frames(ctx context.Context) error {
	wanted := x.wanted()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, x.workers)
	for w := range x.workers {
		wg.Go(func() {
			buf := make([]byte, pack.MaxFrame)
			at := &folder{top: x.dir}
			defer at.leave()
			for ctx.Err() == nil {
				n := int(next.Add(1)) - 1
				if n >= len(wanted) {
					return
				}
				frame := wanted[n]
				errs[w] = x.r.Frame(frame, buf, func(p pack.Piece) error {
					if job := x.writes[p.File]; job != nil {
						return job.piece(ctx, at, frame, p)
					}
					return nil
				})
				if errs[w] != nil {
					cancel()
				}
			}
		})
	}
	wg.Wait()
	for _, job := range x.writes {
		if job != nil && job.out != nil {
			errs = append(errs, job.out.Close())
		}
	}
	return first(ctx, errs)
}

// first is the error that stopped the others: theirs is only that they were stopped.
func first(ctx context.Context, errs []error) error {
	var stopped error
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
		stopped = errors.Join(stopped, err)
	}
	if stopped == nil {
		return ctx.Err()
	}
	return stopped
}

// wanted are the frames that hold anything to be written.
func (x *extraction) wanted() []int {
	set := map[int]bool{}
	for _, job := range x.writes {
		if job == nil {
			continue
		}
		for i := range job.turns {
			set[job.first+i] = true
		}
	}
	list := make([]int, 0, len(set))
	for frame := range set {
		list = append(list, frame)
	}
	sort.Ints(list)
	return list
}

// wrongHash ends a file whose content is not what the manifest says.
func (x *extraction) wrongHash(job *writing, got []byte) error {
	f := &x.r.Manifest().Files[job.file]
	if err := x.top.Remove(f.Path); err != nil {
		return err
	}
	if job.from > 0 { // what an earlier run left was wrong, not the pack
		x.meter.add(-f.Size)
		x.mu.Lock()
		x.again = append(x.again, job.file)
		x.mu.Unlock()
		return nil
	}
	return pack.Corrupt(f.Path, fmt.Sprintf("SHA-256 %s instead of %s", hex.EncodeToString(got), f.SHA256))
}

package unpack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"os"
	"path"
	"path/filepath"
	"sync"
	"sync/atomic"

	"keva/engines/userland/pack"
)

// Depth is how closely a tree is looked at.
type Depth int

// The depths. All see whether every entry is there, with its kind, size, mode, link target and relocations.
const (
	// Quick also hashes the engines' programs: for every start.
	Quick Depth = iota
	// Full hashes every file.
	Full

	// present hashes nothing.
	present
	// unfinished hashes every file, also the beginning of one that is too short.
	unfinished
)

// enginePart reports whether a part is an engine, whose programs every start verifies.
func enginePart(name string) bool { return name == "claude" || name == "codex" }

// hashed reports whether f's content is read at this depth.
func (d Depth) hashed(f *pack.File) bool {
	switch d {
	case Full, unfinished:
		return true
	case present:
		return false
	case Quick:
	}
	return enginePart(f.Part) && f.Mode&0o100 != 0
}

// verdict is what is wrong with one entry, and what to do about it.
type verdict struct {
	file     int
	problems []Problem
	redo     bool      // make it again
	from     int64     // bytes of its content that are there already
	sum      hash.Hash // of these, nil if none
	refill   bool      // only its relocations
	remode   bool      // only its mode
}

func (v *verdict) wrong(f *pack.File, fault Fault, format string, a ...any) {
	v.problems = append(v.problems, Problem{Path: f.Path, Fault: fault, Detail: fmt.Sprintf(format, a...)})
}

func (v *verdict) again(f *pack.File, fault Fault, format string, a ...any) {
	v.redo = true
	v.wrong(f, fault, format, a...)
}

// scanner looks at a tree. It follows no link: what lies below a folder that is none is missing.
type scanner struct {
	tree  Tree
	depth Depth
	read  func(n int64) // told how many bytes were hashed; or nil
	bad   map[string]bool
}

// scan returns the verdicts of all entries that are not as the manifest says, in its order.
func scan(ctx context.Context, t Tree, depth Depth, workers int, read func(int64)) ([]verdict, error) {
	s := &scanner{t, depth, read, map[string]bool{}}
	files := t.Manifest.Files
	all := make([]*verdict, len(files))
	for i := range files {
		if files[i].Kind == pack.Dir {
			v, err := s.folder(i)
			if err != nil {
				return nil, err
			}
			all[i] = v
		}
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, workers)
	for w := range workers {
		wg.Go(func() {
			buf := make([]byte, 1<<20)
			for {
				i := int(next.Add(1)) - 1
				if i >= len(files) {
					return
				}
				if files[i].Kind == pack.Dir {
					continue
				}
				if all[i], errs[w] = s.entry(ctx, i, buf); errs[w] != nil {
					next.Store(int64(len(files))) // nobody goes on
					return
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	var wrong []verdict
	for _, v := range all {
		if v != nil {
			wrong = append(wrong, *v)
		}
	}
	return wrong, nil
}

func (s *scanner) folder(i int) (*verdict, error) {
	f := &s.tree.Manifest.Files[i]
	v := &verdict{file: i}
	info, err := s.lstat(f)
	switch {
	case err != nil:
		return nil, err
	case info == nil:
		v.again(f, Missing, "no folder")
	case !info.IsDir():
		v.again(f, WrongKind, "%s instead of a folder", kindName(info.Mode()))
	case uint32(info.Mode().Perm()) != f.Mode:
		v.remode = true
		v.wrong(f, WrongMode, "%#o instead of %#o", info.Mode().Perm(), f.Mode)
	default:
		return nil, nil
	}
	s.bad[f.Path] = v.redo
	return v, nil
}

// lstat gives nil for what is not there.
func (s *scanner) lstat(f *pack.File) (os.FileInfo, error) {
	if s.bad[path.Dir(f.Path)] {
		return nil, nil
	}
	info, err := os.Lstat(s.at(f))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return info, err
}

// prefix is the path that files should be relocated for. A tree that was moved is compared with where it was.
func (s *scanner) prefix() string {
	if s.tree.Prefix == "" {
		return s.tree.Root
	}
	return s.tree.Prefix
}

func (s *scanner) at(f *pack.File) string {
	return filepath.Join(s.tree.Root, filepath.FromSlash(f.Path))
}

func (s *scanner) entry(ctx context.Context, i int, buf []byte) (*verdict, error) {
	f := &s.tree.Manifest.Files[i]
	v := &verdict{file: i}
	info, err := s.lstat(f)
	switch {
	case err != nil:
		return nil, err
	case info == nil:
		v.again(f, Missing, "no %s", f.Kind)
	case f.Kind == pack.Link:
		if info.Mode()&os.ModeSymlink == 0 {
			v.again(f, WrongKind, "%s instead of a link", kindName(info.Mode()))
		} else if target, err := os.Readlink(s.at(f)); err != nil {
			return nil, err
		} else if target != f.Link {
			v.again(f, Changed, "a link to %q instead of %q", target, f.Link)
		}
	case !info.Mode().IsRegular():
		v.again(f, WrongKind, "%s instead of a file", kindName(info.Mode()))
	default:
		if err := s.file(ctx, v, info, buf); err != nil {
			return nil, err
		}
	}
	if len(v.problems) == 0 {
		return nil, nil
	}
	return v, nil
}

func (s *scanner) file(ctx context.Context, v *verdict, info os.FileInfo, buf []byte) error {
	f := &s.tree.Manifest.Files[v.file]
	want := f.Installed(len(s.prefix()))
	if mode := uint32(info.Mode().Perm()); mode != f.Mode {
		v.remode = true
		v.wrong(f, WrongMode, "%#o instead of %#o", mode, f.Mode)
	}
	part := s.depth == unfinished && info.Size() < want && f.Inserts() == 0 && info.Mode()&0o200 != 0
	if info.Size() != want && !part {
		v.again(f, Changed, "%d bytes instead of %d", info.Size(), want)
		return nil
	}
	if !part && !s.depth.hashed(f) && len(f.Relocs) == 0 {
		return nil
	}
	file, err := open(s.at(f))
	if errors.Is(err, os.ErrPermission) {
		v.again(f, Unreadable, "%v", what(err))
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // only read
	if !part && !s.depth.hashed(f) {
		s.relocated(v, relocatedFor(file, f, s.prefix()))
		return nil
	}
	u := &unrelocated{file: file, size: info.Size(), f: f, prefix: s.prefix(), h: sha256.New(), buf: buf, read: s.read}
	if err := u.run(ctx); err != nil {
		if ctx.Err() == nil {
			v.again(f, Unreadable, "%v", what(err))
			return nil
		}
		return err
	}
	if part {
		// Nobody can say yet whether these bytes are right: the hash of the whole file will.
		v.again(f, Changed, "only %d bytes of %d", info.Size(), want)
		v.from, v.sum = info.Size(), u.h
		return nil
	}
	if got := hex.EncodeToString(u.h.Sum(nil)); got != f.SHA256 {
		v.again(f, Changed, "SHA-256 %s instead of %s", got, f.SHA256)
		return nil
	}
	s.relocated(v, u.state)
	return nil
}

func (s *scanner) relocated(v *verdict, state relocState) {
	f := &s.tree.Manifest.Files[v.file]
	switch state {
	case relocRight:
	case relocBlank, relocOther:
		v.refill = true
		v.wrong(f, Misplaced, "it is not set up for %s", s.prefix())
	case relocBroken:
		v.again(f, Changed, "what stands where its path belongs is no path")
	}
}

func kindName(m os.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m.IsRegular():
		return "a file"
	case m&os.ModeSymlink != 0:
		return "a link"
	}
	return "something else"
}

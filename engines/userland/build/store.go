package build

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"keva/agent/event"
)

// store keeps what was fetched and unpacked, by the hash of what it was made from. All of it can be made again. Several
// builds may use one at once: what they write is the same, and is renamed into place.
type store struct {
	dir    string
	mapped [][]byte
}

// close unmaps all archives; no byte of them may be used after it.
func (s *store) close() error {
	var errs []error
	for _, m := range s.mapped {
		errs = append(errs, unix.Munmap(m))
	}
	s.mapped = nil
	return errors.Join(errs...)
}

// archive is the tar with the key, mapped read-only so that hundreds of megabytes need no heap. If it is not there, or not
// what was written, fill writes it from a source that fill has verified.
func (s *store) archive(ctx context.Context, key string, fill func(io.Writer) error) ([]byte, error) {
	path := filepath.Join(s.dir, "tars", key)
	if b, err := s.mapWhole(ctx, path); err == nil {
		return b, nil
	} else if ctx.Err() != nil {
		return nil, stopped(ctx)
	}
	if err := writeSummed(path, fill); err != nil {
		return nil, err
	}
	b, err := s.mapWhole(ctx, path)
	if err != nil {
		return nil, diskError(path, err)
	}
	return b, nil
}

// writeSummed writes path and, before it, path.sum with its hash.
func writeSummed(path string, fill func(io.Writer) error) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return diskError(path, err)
	}
	part, err := os.CreateTemp(filepath.Dir(path), ".part-")
	if err != nil {
		return diskError(path, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, part.Close(), os.Remove(part.Name()))
		}
	}()
	h := sha256.New()
	buffered := bufio.NewWriterSize(io.MultiWriter(part, h), 1<<20)
	if err := fill(buffered); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return diskError(path, err)
	}
	if err := replace(path+".sum", []byte(sum(h)+"\n")); err != nil {
		return err
	}
	if err := part.Close(); err != nil {
		return diskError(path, err)
	}
	if err := os.Rename(part.Name(), path); err != nil {
		return diskError(path, err)
	}
	return nil
}

// mapWhole maps the file and compares it with its sum: a torn or rotten cache must never get into a pack.
func (s *store) mapWhole(ctx context.Context, path string) ([]byte, error) {
	want, err := os.ReadFile(path + ".sum")
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // the mapping stays
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() == 0 {
		return nil, fmt.Errorf("%s is empty", path)
	}
	m, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	s.mapped = append(s.mapped, m)
	h := sha256.New()
	for rest := m; len(rest) > 0 && ctx.Err() == nil; {
		n := min(len(rest), 1<<20)
		h.Write(rest[:n])
		rest = rest[n:]
	}
	if got := sum(h); got != strings.TrimSpace(string(want)) {
		return nil, fmt.Errorf("%s has the sha256 %s, not %s", path, got, want)
	}
	use(path, path+".sum")
	return m, nil
}

func sum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

func sha256Hex(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// replace writes a small file so that nobody sees half of it.
func replace(path string, data []byte) error {
	part, err := os.CreateTemp(filepath.Dir(path), ".part-")
	if err != nil {
		return diskError(path, err)
	}
	_, err = part.Write(data)
	if err = errors.Join(err, part.Chmod(0o644), part.Close()); err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		return diskError(path, errors.Join(err, os.Remove(part.Name())))
	}
	return nil
}

// diskError says why a file could not be written.
func diskError(path string, err error) error {
	e := &event.Error{Class: event.ClassEngine, Detail: err.Error()}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		e.Message = "The disk is full at " + path + ". Free 4 GB, or set KEVA_CACHE to another folder, then run `make pack` again."
	case errors.Is(err, os.ErrPermission), errors.Is(err, syscall.EROFS):
		e.Message = path + " may not be written. Check its permissions, or set KEVA_CACHE to another folder."
	default:
		e.Message = "The pack could not be made at " + path + ". The detail says why; then run `make pack` again."
	}
	return e
}

func stopped(ctx context.Context) error {
	return &event.Error{Class: event.ClassInterrupted, Message: "Making the pack was stopped. Run `make pack` to go on.", Detail: context.Cause(ctx).Error()}
}

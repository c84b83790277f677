package logging

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// FileName is the log that is being written; older ones have .1, .2 … behind it.
const FileName = "keva.log"

// rotating is a file that begins anew when it is full. It is not safe for concurrent use.
type rotating struct {
	path string
	max  int64
	keep int
	f    *os.File
	size int64
}

func openRotating(dir string, limit int64, keep int) (*rotating, error) {
	r := &rotating{path: filepath.Join(dir, FileName), max: limit, keep: keep}
	if err := r.open(); err != nil {
		return nil, err
	}
	return r, nil
}

func (r *rotating) open() error {
	f, err := os.OpenFile(r.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	fi, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	if !fi.Mode().IsRegular() {
		return errors.Join(fmt.Errorf("%s is not a regular file", r.path), f.Close())
	}
	if err := f.Chmod(0o600); err != nil { // it may be older than this rule
		return errors.Join(err, f.Close())
	}
	r.f, r.size = f, fi.Size()
	return nil
}

func (r *rotating) write(line []byte) error {
	if r.f == nil { // an earlier rotation failed half-way
		if err := r.open(); err != nil {
			return err
		}
	}
	if r.size > 0 && r.size+int64(len(line)) > r.max {
		if err := r.rotate(); err != nil {
			return err
		}
	}
	n, err := r.f.Write(line)
	r.size += int64(n)
	return err
}

// rotate moves each file one number up; the oldest is overwritten.
func (r *rotating) rotate() error {
	err := r.f.Close()
	r.f = nil
	for i := r.keep; i > 0; i-- {
		from := r.path
		if i > 1 {
			from = fmt.Sprintf("%s.%d", r.path, i-1)
		}
		e := os.Rename(from, fmt.Sprintf("%s.%d", r.path, i))
		if e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	if err != nil {
		return err
	}
	return r.open()
}

func (r *rotating) close() error {
	if r.f == nil {
		return nil
	}
	err := r.f.Close()
	r.f = nil
	return err
}

// ring keeps the last lines.
type ring struct {
	max  int
	buf  []string
	next int // where the oldest line is, once the ring is full
}

func (r *ring) add(line string) {
	if len(r.buf) < r.max {
		r.buf = append(r.buf, line)
		return
	}
	r.buf[r.next] = line
	r.next = (r.next + 1) % r.max
}

func (r *ring) lines() []string {
	return append(append(make([]string, 0, len(r.buf)), r.buf[r.next:]...), r.buf[:r.next]...)
}

package pack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
)

// cutter makes the tar stream and cuts it into frames, which are compressed while it goes on.
type cutter struct {
	ctx      context.Context
	cancel   context.CancelFunc
	compress Compress
	jobs     chan job // in order; closed at the end
	room     chan struct{}
	buf      []byte
	part     int
	err      error // valid when jobs is closed
}

// job is one frame at work.
type job struct {
	size int
	part int
	out  chan packed
}

type packed struct {
	packed []byte
	err    error
}

func newCutter(ctx context.Context, o Options) *cutter {
	ctx, cancel := context.WithCancel(ctx)
	return &cutter{
		ctx: ctx, cancel: cancel, compress: o.Compress,
		jobs: make(chan job, o.Workers), room: make(chan struct{}, o.Workers),
	}
}

// finish packs all entries and closes jobs.
func (c *cutter) finish(m *Manifest, entries []Entry) {
	defer close(c.jobs)
	parts := map[string]int{}
	for i, p := range m.Parts {
		parts[p.Name] = i
	}
	for i := range m.Files {
		f := &m.Files[i]
		if c.err = c.begin(parts[f.Part]); c.err == nil {
			c.err = c.add(f, &entries[i])
		}
		if c.err != nil {
			c.err = fmt.Errorf("%s: %w", f.Path, c.err)
			return
		}
	}
	if _, c.err = c.Write(trailer); c.err == nil {
		c.err = c.flush()
	}
}

// begin starts a new frame for a new part.
func (c *cutter) begin(part int) error {
	if part == c.part {
		return nil
	}
	err := c.flush()
	c.part = part
	return err
}

func (c *cutter) add(f *File, e *Entry) error {
	h, err := f.header()
	if err != nil {
		return err
	}
	if _, err := c.Write(h); err != nil || f.Kind != Regular {
		return err
	}
	r, err := e.Open()
	if err != nil {
		return err
	}
	check := &same{sha256.New(), f.Size}
	_, err = io.Copy(io.MultiWriter(check, c), struct{ io.Reader }{r})
	if err = errors.Join(err, r.Close()); err != nil {
		return err
	}
	if check.left != 0 || hex.EncodeToString(check.h.Sum(nil)) != f.SHA256 {
		return errors.New("changed while it was packed")
	}
	_, err = c.Write(make([]byte, padding(f.Size)))
	return err
}

// Write adds to the tar stream.
func (c *cutter) Write(b []byte) (int, error) {
	all := len(b)
	for len(b) > 0 {
		if c.buf == nil {
			c.buf = make([]byte, 0, MaxFrame)
		}
		n := min(len(b), MaxFrame-len(c.buf))
		c.buf = append(c.buf, b[:n]...)
		b = b[n:]
		if len(c.buf) == MaxFrame {
			if err := c.flush(); err != nil {
				return 0, err
			}
		}
	}
	return all, nil
}

// flush gives what is there to a compressor, once one is free.
func (c *cutter) flush() error {
	if len(c.buf) == 0 {
		return nil
	}
	j := job{len(c.buf), c.part, make(chan packed, 1)}
	plain := c.buf
	c.buf = nil
	select {
	case c.room <- struct{}{}:
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
	go func() {
		defer func() { <-c.room }()
		out, err := c.compress(plain)
		j.out <- packed{out, err}
	}()
	select {
	case c.jobs <- j:
		return nil
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
}

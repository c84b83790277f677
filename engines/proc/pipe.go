package proc

import (
	"bufio"
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// pipes are the three standard streams; index 0 is the reading end.
type pipes struct{ in, out, err [2]*os.File }

func (ps *pipes) open() error {
	for _, pair := range []*[2]*os.File{&ps.in, &ps.out, &ps.err} {
		r, w, err := os.Pipe()
		if err != nil {
			ps.closeChildEnds()
			ps.closeOwnEnds()
			return err
		}
		pair[0], pair[1] = r, w
	}
	return nil
}

func (ps *pipes) closeChildEnds() { closeAll(ps.in[0], ps.out[1], ps.err[1]) }
func (ps *pipes) closeOwnEnds()   { closeAll(ps.in[1], ps.out[0], ps.err[0]) }

// closeAll ignores errors: a pipe has nothing to flush, and closing twice is meant to be harmless.
func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close()
		}
	}
}

// drain reads a pipe to its end, or, once expired, what is in it at that moment. Everything that a dead process wrote is
// in the pipe, so nothing of it is lost, however slow the consumer is.
type drain struct {
	f       *os.File
	expired bool
	left    int
}

func newDrain(f *os.File) *drain { return &drain{f: f} }

// expire ends the wait for more after d.
func (d *drain) expire(after time.Duration) {
	// An error means that the pipe was closed; then nobody waits.
	_ = d.f.SetReadDeadline(time.Now().Add(after))
}

// Read implements io.Reader.
func (d *drain) Read(b []byte) (int, error) {
	if !d.expired {
		n, err := d.f.Read(b)
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
		d.expired, d.left = true, waiting(d.f)
		if err := d.f.SetReadDeadline(time.Time{}); err != nil {
			return 0, io.EOF
		}
	}
	if d.left <= 0 {
		return 0, io.EOF
	}
	n, err := d.f.Read(b[:min(len(b), d.left)])
	d.left -= n
	return n, err
}

// waiting is how many bytes can be read without blocking.
func waiting(f *os.File) int {
	n := 0
	c, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	if err := c.Control(func(fd uintptr) { n, err = unix.IoctlGetInt(int(fd), unix.TIOCINQ) }); err != nil {
		return 0
	}
	return n
}

// keep is how large a line buffer may stay after an unusual line: one 20 MB line must not cost 20 MB for ever.
const keep = 1 << 20

// readLines calls on for each line of r, and for an unterminated rest. on may be nil: then r is only drained, so that the
// child never blocks on a full pipe.
func readLines(r io.Reader, on func([]byte)) {
	if on == nil {
		// The end of the pipe is the only end there is, whatever the error.
		_, _ = io.Copy(io.Discard, r)
		return
	}
	br := bufio.NewReaderSize(r, 64<<10)
	var long []byte // the line so far, when it is longer than the reader's buffer
	for {
		part, err := br.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, part...)
			continue
		}
		line := part
		if len(long) > 0 {
			long = append(long, part...)
			line = long
		}
		if n := len(line); n > 0 && line[n-1] == '\n' {
			on(line[:n-1])
		} else if n > 0 {
			on(line)
		}
		if long = long[:0]; cap(long) > keep {
			long = nil
		}
		if err != nil {
			return
		}
	}
}

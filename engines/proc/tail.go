package proc

import (
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// tail keeps the last bytes that passed.
type tail struct {
	mu   sync.Mutex
	max  int
	buf  []byte
	lost bool // something was cut off at the front
}

func newTail(maxBytes int) *tail { return &tail{max: maxBytes} }

// Write implements io.Writer; it never fails.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if n := len(t.buf) - t.max; n > 0 {
		t.buf = append(t.buf[:0], t.buf[n:]...)
		t.lost = true
	}
	return len(b), nil
}

func (t *tail) tee(r io.Reader) io.Reader { return io.TeeReader(r, t) }

// text is the tail as valid UTF-8: a character that the cut halved is left out, other broken bytes become U+FFFD.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.buf
	for t.lost && len(b) > 0 && !utf8.RuneStart(b[0]) {
		b = b[1:]
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}

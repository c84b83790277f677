// Package logging keeps the program's log: in a file of bounded size, and the last lines in memory for the doctor screen.
//
// A secret must never get into it: known values and whatever looks like a key are struck out before a line is kept
// anywhere. A log that can't be written must never stop the program; it is counted and said.
package logging

import (
	"io"
	"sync"

	"github.com/rs/zerolog"

	"keva/agent/event"
)

// Sizes of the log: at most (Keep+1) × MaxBytes on disk.
const (
	MaxBytes  = 2 << 20
	Keep      = 2
	RingLines = 1000
	maxLine   = 16 << 10 // bytes of one line; a longer one is cut
)

// Log is the sink behind a zerolog.Logger. It is safe for concurrent use.
type Log struct {
	redactor Redactor
	mu       sync.Mutex
	file     *rotating // nil while there is none
	ring     ring
	lost     int   // lines that the file did not take
	lastErr  error // why
}

// Open logs to keva.log in dir, which must exist. The Log works also when the error is not nil: then in memory only, and
// the *event.Error says why.
func Open(dir string) (*Log, error) {
	l := &Log{ring: ring{max: RingLines}}
	f, err := openRotating(dir, MaxBytes, Keep)
	if err != nil {
		l.lastErr = err
		return l, &event.Error{
			Class: event.ClassConfig, Message: "The log can't be written to " + dir +
				", so a problem of this run can't be looked up later. Check the folder's permissions and the free space.",
			Detail: err.Error(),
		}
	}
	l.file = f
	return l, nil
}

// InMemory logs to memory alone, for tests and surfaces without a folder.
func InMemory() *Log { return &Log{ring: ring{max: RingLines}} }

// Logger makes the logger that the program passes around. more gets the same lines, e.g. os.Stderr.
func (l *Log) Logger(level zerolog.Level, more ...io.Writer) zerolog.Logger {
	out := make([]io.Writer, 0, len(more)+1)
	out = append(out, l)
	for _, w := range more {
		out = append(out, struckOut{&l.redactor, w})
	}
	return zerolog.New(zerolog.MultiLevelWriter(out...)).Level(level).With().Timestamp().Logger()
}

// Protect makes secret unprintable: from now on it is struck out of every line. Call it before the secret is used.
func (l *Log) Protect(secret string) { l.redactor.Protect(secret) }

// Write takes one line, as zerolog gives it. It never fails: a full disk must not stop what is being logged.
func (l *Log) Write(line []byte) (int, error) {
	n := len(line)
	line = l.redactor.Bytes(line)
	if len(line) > maxLine {
		line = append(line[:maxLine:maxLine], "… (cut)\n"...)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ring.add(string(line))
	if l.file == nil {
		return n, nil
	}
	if err := l.file.write(line); err != nil {
		l.lost++
		l.lastErr = err
	}
	return n, nil
}

// Lines are the last lines, oldest first.
func (l *Log) Lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ring.lines()
}

// Lost says how many lines the file did not take, and why.
func (l *Log) Lost() (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost, l.lastErr
}

// Close closes the file; later lines are kept in memory only.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := l.file.close()
	l.file = nil
	return err
}

// struckOut writes redacted lines to somebody else's writer.
type struckOut struct {
	r *Redactor
	w io.Writer
}

func (s struckOut) Write(p []byte) (int, error) {
	if _, err := s.w.Write(s.r.Bytes(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Redactor is what strikes secrets out of this log, for whatever else is made of the same program.
func (l *Log) Redactor() *Redactor { return &l.redactor }

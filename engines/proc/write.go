package proc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// PartialError says that the context of a Write ended when the child had taken a part of the line. The rest is written
// as soon as the child reads on.
type PartialError struct{ Cause error }

// Error implements error.
func (e *PartialError) Error() string {
	return fmt.Sprintf("a part of the line was written, the rest follows: %v", e.Cause)
}

// Unwrap gives the context's error.
func (e *PartialError) Unwrap() error { return e.Cause }

// lineWriter writes whole lines to a pipe whose reader may never read.
type lineWriter struct {
	f      *os.File
	turn   chan struct{} // holds one token; who has it may write
	closed chan struct{}
	once   sync.Once
}

func newLineWriter(f *os.File) *lineWriter {
	w := &lineWriter{f: f, turn: make(chan struct{}, 1), closed: make(chan struct{})}
	w.turn <- struct{}{}
	return w
}

func (w *lineWriter) close() {
	w.once.Do(func() {
		close(w.closed)
		_ = w.f.Close() // a pipe has nothing to flush; a blocked write returns os.ErrClosed
	})
}

func (w *lineWriter) write(ctx context.Context, line []byte) error {
	if bytes.IndexByte(line, '\n') >= 0 {
		return errors.New("a line must not contain a newline")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-w.closed:
		return ErrGone
	default:
	}
	select {
	case <-w.turn:
	case <-w.closed:
		return ErrGone
	case <-ctx.Done():
		return ctx.Err()
	}
	buf := make([]byte, 0, len(line)+1)
	buf = append(append(buf, line...), '\n')
	rest, err := w.writeUntil(ctx, buf)
	switch {
	case err == nil:
		w.turn <- struct{}{}
		return nil
	case !errors.Is(err, os.ErrDeadlineExceeded):
		// EPIPE or closed: there will be no reader any more.
		w.close()
		w.turn <- struct{}{}
		return ErrGone
	case len(rest) == len(buf):
		w.turn <- struct{}{}
		return ctx.Err()
	}
	go func() { // keeps the turn until the line is whole
		if _, err := w.f.Write(rest); err != nil {
			w.close()
		}
		w.turn <- struct{}{}
	}()
	return &PartialError{ctx.Err()}
}

// writeUntil writes buf and returns what is left of it when ctx ended or the pipe broke.
func (w *lineWriter) writeUntil(ctx context.Context, buf []byte) ([]byte, error) {
	fired := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = w.f.SetWriteDeadline(time.Unix(1, 0)) // fails only when closed, and then the write fails anyway
		close(fired)
	})
	n, err := w.f.Write(buf)
	if !stop() {
		<-fired // else the late deadline would hit the next line
	}
	_ = w.f.SetWriteDeadline(time.Time{})
	return buf[n:], err
}

package proc

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os"
	"testing"
	"time"
)

func newPipe(t *testing.T) (*os.File, *lineWriter) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	lw := newLineWriter(w)
	t.Cleanup(func() {
		lw.close()
		_ = r.Close()
	})
	return r, lw
}

// A line that was given up half written is finished before the next: half a frame would spoil both.
func TestGivenUpLineStaysWhole(t *testing.T) {
	r, w := newPipe(t)
	long := bytes.Repeat([]byte("x"), 300_000)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	var partial *PartialError
	if err := w.write(ctx, long); !errors.As(err, &partial) {
		t.Fatalf("%v, want a PartialError", err)
	}
	second := make(chan error)
	go func() { second <- w.write(context.Background(), []byte("second")) }()
	in := bufio.NewReader(r)
	for _, want := range [][]byte{long, []byte("second")} {
		got, err := in.ReadBytes('\n')
		if err != nil || !bytes.Equal(bytes.TrimSuffix(got, []byte("\n")), want) {
			t.Fatalf("got %d bytes (%v), want %d", len(got), err, len(want))
		}
	}
	if err := <-second; err != nil {
		t.Error(err)
	}
}

// A line of which nothing was written is not written later: its caller was told so.
func TestGivenUpLineIsNotWrittenLater(t *testing.T) {
	r, w := newPipe(t)
	full := 0
	for { // whole pages, so that the pipe ends up full
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		err := w.write(ctx, bytes.Repeat([]byte("f"), 4095))
		cancel()
		if err != nil {
			if p := (*PartialError)(nil); errors.As(err, &p) {
				t.Fatal("a page was written in part")
			}
			break
		}
		full++
	}
	in := bufio.NewReader(r)
	for range full {
		if _, err := in.ReadBytes('\n'); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.write(t.Context(), []byte("after")); err != nil {
		t.Fatal(err)
	}
	if got, err := in.ReadString('\n'); err != nil || got != "after\n" {
		t.Errorf("%q, %v: a given-up line came later", got, err)
	}
}

func TestWriteWithEndedContext(t *testing.T) {
	_, w := newPipe(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.write(ctx, []byte("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want Canceled", err)
	}
}

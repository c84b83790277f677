package proc

import (
	"bytes"
	"io"
	"os"
	"testing"
	"testing/iotest"
)

// What a dead process wrote is in the pipe. It is all delivered, also to a consumer that comes after the grace, and while
// somebody else holds the pipe open.
func TestDrainKeepsWhatIsInThePipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll(r, w)
	want := bytes.Repeat([]byte("output\n"), 5000)
	if _, err := w.Write(want); err != nil {
		t.Fatal(err)
	}
	d := newDrain(r)
	d.expire(-1)
	got, err := io.ReadAll(d)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes (%v), want %d", len(got), err, len(want))
	}
}

// Lines are the same however the bytes arrive.
func TestReadLinesInAnyPieces(t *testing.T) {
	long := bytes.Repeat([]byte("x"), 200_000)
	in := append(append([]byte("a\n\n"), long...), "\nb"...)
	for name, r := range map[string]io.Reader{
		"whole":       bytes.NewReader(in),
		"byte wise":   iotest.OneByteReader(bytes.NewReader(in)),
		"with an end": iotest.DataErrReader(bytes.NewReader(in)),
		"halves":      iotest.HalfReader(bytes.NewReader(in)),
	} {
		var got []string
		readLines(r, func(b []byte) { got = append(got, string(b)) })
		if len(got) != 4 || got[0] != "a" || got[1] != "" || got[2] != string(long) || got[3] != "b" {
			t.Errorf("%s: %d lines", name, len(got))
		}
	}
}

// A long answer comes as many short lines; the reader must not be what the phone works on.
func BenchmarkReadLines(b *testing.B) {
	data := bytes.Repeat([]byte(`{"type":"stream_event","event":{"type":"content_block_delta","delta":{"text":"word "}}}`+"\n"), 10_000)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		n := 0
		readLines(bytes.NewReader(data), func(line []byte) { n += len(line) })
	}
}

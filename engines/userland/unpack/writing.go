package unpack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"os"

	"keva/engines/userland/pack"
)

// writing is one file that is being written. The frames that hold it are worked on at once, its pieces in order.
type writing struct {
	x     *extraction
	file  int
	from  int64     // bytes that are on the disk already
	sum   hash.Hash // of these; nil: none
	out   *os.File
	first int // frame
	turns []turn
}

// turn is closed step by step as the piece of one frame is hashed and written.
type turn struct{ hashed, written chan struct{} }

func newTurns(n int) []turn {
	t := make([]turn, n)
	for i := range t {
		t[i] = turn{make(chan struct{}), make(chan struct{})}
	}
	return t
}

// piece hashes and writes what one frame holds of the file. While one worker writes, the next one may hash.
func (j *writing) piece(ctx context.Context, dir *folder, frame int, p pack.Piece) error {
	f := &j.x.r.Manifest().Files[j.file]
	n := frame - j.first
	if n < 0 {
		return nil // on the disk already
	}
	if n > 0 {
		if err := wait(ctx, j.turns[n-1].hashed); err != nil {
			return err
		}
	}
	if j.sum == nil {
		j.sum = sha256.New()
	}
	skip := min(max(j.from-p.Offset, 0), int64(len(p.Data)))
	data, at := p.Data[skip:], p.Offset+skip
	if !pack.EmptySlots(f.Relocs, at, data) {
		return pack.Corrupt(f.Path, "the slot of a relocation is not empty")
	}
	j.sum.Write(data)
	close(j.turns[n].hashed)
	if n > 0 {
		if err := wait(ctx, j.turns[n-1].written); err != nil {
			return err
		}
	}
	if err := j.write(dir, f, at, data); err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	j.x.meter.add(int64(len(data)))
	close(j.turns[n].written)
	if n == len(j.turns)-1 {
		return j.finish(f)
	}
	return nil
}

func wait(ctx context.Context, c <-chan struct{}) error {
	select {
	case <-c:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// write puts a piece where it belongs in the relocated file, relocated itself.
func (j *writing) write(dir *folder, f *pack.File, at int64, data []byte) error {
	if j.out == nil {
		if err := j.open(dir, f); err != nil {
			return err
		}
	}
	b, offset := relocated(f, j.x.tree.Root, at, data)
	_, err := j.out.WriteAt(b, offset)
	return err
}

// open opens the file, which nobody but its owner may use until it is whole.
func (j *writing) open(dir *folder, f *pack.File) (err error) {
	if j.from > 0 {
		j.out, err = dir.open(f.Path, os.O_WRONLY)
		return err
	}
	const fresh = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if j.out, err = dir.open(f.Path, fresh); err == nil {
		return nil
	}
	if !errors.Is(err, os.ErrExist) {
		return err
	}
	if err := j.x.clear(f.Path); err != nil {
		return err
	}
	j.out, err = dir.open(f.Path, fresh)
	return err
}

func (j *writing) finish(f *pack.File) error {
	out := j.out
	j.out = nil
	sum := j.sum.Sum(nil)
	right := hex.EncodeToString(sum) == f.SHA256
	var err error
	if right {
		if err = out.Chmod(os.FileMode(f.Mode)); err == nil {
			err = setTime(out)
		}
	}
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.Path, err)
	}
	if !right {
		return j.x.wrongHash(j, sum)
	}
	return nil
}

// relocated gives the bytes of a piece as they are in a file below prefix, and where they stand. It fills slots in place.
func relocated(f *pack.File, prefix string, at int64, data []byte) (b []byte, offset int64) {
	offset = at
	end := at + int64(len(data))
	for _, r := range f.Relocs {
		switch r.Kind {
		case pack.Slot:
			from, to := max(r.Offset, at), min(r.Offset+int64(r.Room), end)
			if from < to {
				copy(data[from-at:to-at], r.Fill(prefix)[from-r.Offset:])
			}
		case pack.Insert:
			if r.Offset < at {
				offset += int64(len(prefix))
			}
		}
	}
	if f.Inserts() == 0 {
		return data, offset
	}
	done := at
	for _, r := range f.Relocs {
		if r.Offset >= at && r.Offset < end {
			b = append(append(b, data[done-at:r.Offset-at]...), prefix...)
			done = r.Offset
		}
	}
	return append(b, data[done-at:]...), offset
}

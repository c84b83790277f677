package unpack

import (
	"bytes"
	"context"
	"hash"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"keva/engines/userland/pack"
)

// open opens for reading what is not a link.
func open(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW, 0)
}

// relocState is what stands where the install path belongs in a file.
type relocState int

const (
	relocRight  relocState = iota // the path that is wanted, everywhere
	relocBlank                    // nothing yet
	relocOther                    // another path
	relocBroken                   // no path
)

func (s relocState) worse(other relocState) relocState { return max(s, other) }

// slotState says what stands in a slot.
func slotState(r pack.Reloc, prefix string, has []byte) relocState {
	if bytes.Equal(has, r.Fill(prefix)) {
		return relocRight
	}
	text, rest, ok := bytes.Cut(has, []byte{0})
	switch {
	case !ok || len(bytes.Trim(rest, "\x00")) > 0:
		return relocBroken
	case len(text) == 0:
		return relocBlank
	case text[0] == '/' && strings.HasSuffix(string(text), r.Suffix) && len(text)-len(r.Suffix) <= pack.MaxPrefix:
		return relocOther
	}
	return relocBroken
}

// relocatedFor looks at the places of f's relocations only. f's size must be right.
func relocatedFor(file io.ReaderAt, f *pack.File, prefix string) relocState {
	state := relocRight
	for i, r := range f.Relocs {
		if r.Kind == pack.Slot {
			has := make([]byte, r.Room)
			if _, err := file.ReadAt(has, r.Offset); err != nil {
				return relocBroken
			}
			state = state.worse(slotState(r, prefix, has))
			continue
		}
		has := make([]byte, len(prefix))
		if _, err := file.ReadAt(has, r.Offset+int64(i*len(prefix))); err != nil {
			return relocBroken
		}
		if string(has) != prefix {
			return relocBroken // another path of the same length, or anything: only its hash could tell
		}
	}
	return state
}

// unrelocated hashes a file as it was packed: without what the install path has changed in it.
type unrelocated struct {
	file   io.ReaderAt
	size   int64 // as it is
	f      *pack.File
	prefix string
	h      hash.Hash
	buf    []byte
	read   func(int64)
	state  relocState
}

func (u *unrelocated) run(ctx context.Context) error {
	at := int64(0) // in the file as it is
	for i, r := range u.f.Relocs {
		if r.Kind == pack.Insert {
			place := r.Offset + int64(i*len(u.prefix))
			if err := u.plain(ctx, at, place); err != nil {
				return err
			}
			has := make([]byte, len(u.prefix))
			if _, err := u.file.ReadAt(has, place); err != nil {
				return err
			}
			if string(has) != u.prefix {
				u.state = u.state.worse(relocOther)
			}
			at = place + int64(len(has))
			continue
		}
		if err := u.plain(ctx, at, min(r.Offset, u.size)); err != nil {
			return err
		}
		if at = r.Offset; at >= u.size {
			return nil
		}
		has := make([]byte, min(int64(r.Room), u.size-at))
		if _, err := u.file.ReadAt(has, at); err != nil {
			return err
		}
		if len(has) == r.Room {
			u.state = u.state.worse(slotState(r, u.prefix, has))
		}
		clear(has)
		u.h.Write(has)
		at += int64(len(has))
	}
	return u.plain(ctx, at, u.size)
}

// plain hashes the bytes from..to.
func (u *unrelocated) plain(ctx context.Context, from, to int64) error {
	for from < to {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := u.buf[:min(int64(len(u.buf)), to-from)]
		if _, err := u.file.ReadAt(b, from); err != nil {
			return err
		}
		u.h.Write(b)
		from += int64(len(b))
		if u.read != nil {
			u.read(int64(len(b)))
		}
	}
	return nil
}

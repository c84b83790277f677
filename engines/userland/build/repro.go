package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"keva/agent/event"
)

// Reproduce builds the pack again in another folder, under another umask, without the remembered frames, and compares it
// with the one at o.Output. It changes the umask of the process while it works. The error says that they differ, or why
// there is no second one.
func Reproduce(ctx context.Context, in Inputs, o Options) (r Report, err error) {
	dir, err := os.MkdirTemp(filepath.Dir(o.Output), ".again-")
	if err != nil {
		return r, diskError(o.Output, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	first := o.Output
	o.Output = filepath.Join(dir, "again", "other-name")
	o.frames = filepath.Join(dir, "frames")
	defer unix.Umask(unix.Umask(0o077))
	if r, err = Pack(ctx, in, o); err != nil {
		return r, err
	}
	same, err := sameBytes(first, o.Output)
	if err != nil {
		return r, diskError(first, err)
	}
	if !same {
		return r, &event.Error{
			Class:   event.ClassEngine,
			Message: "Two builds from the same pins gave different packs: the builder lets something of this machine or of the moment in.",
			Detail:  fmt.Sprintf("%s and a second build with ID %s", first, r.ID),
		}
	}
	return r, nil
}

func sameBytes(a, b string) (bool, error) {
	one, err := os.ReadFile(a)
	if err != nil {
		return false, err
	}
	two, err := os.ReadFile(b)
	return bytes.Equal(one, two), err
}

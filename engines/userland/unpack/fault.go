package unpack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"keva/engines/userland/pack"
)

// what is the sentence of an error, without its path.
func what(err error) string {
	var path *os.PathError
	if errors.As(err, &path) {
		return fmt.Sprintf("%s: %v", path.Op, path.Err)
	}
	return err.Error()
}

// writeError says why the tree could not be written. Errors that say it already pass.
func writeError(path string, err error) error {
	var known *pack.Error
	if errors.As(err, &known) {
		return err
	}
	e := &pack.Error{Reason: pack.ReasonWrite, Cause: err}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		e.Reason = pack.ReasonNoSpace
		e.Message = "The device ran full while the userland was unpacked. Free some room and try again: what was unpacked is kept."
	case errors.Is(err, os.ErrPermission), errors.Is(err, syscall.EROFS):
		e.Message = fmt.Sprintf("The userland can't be written at %s: it may not be written there. Check the permissions.", path)
	default:
		e.Message = fmt.Sprintf("The userland can't be written at %s (%s). What was unpacked is kept; try again.", path, what(err))
	}
	return e
}

// stopped turns the end of ctx into what people read, and passes all else to writeError.
func stopped(ctx context.Context, path string, err error) error {
	if cause := ctx.Err(); cause != nil && errors.Is(err, cause) {
		return &pack.Error{
			Reason: pack.ReasonStopped, Cause: cause,
			Message: "Unpacking the userland was stopped. What was unpacked is kept, and the next time goes on from there.",
		}
	}
	return writeError(path, err)
}

// damaged is a tree that is not what it should be although all was done for it.
func damaged(t Tree, list []Problem) error {
	first := list[0]
	return &pack.Error{
		Reason: pack.ReasonDamaged, File: first.Path, Detail: fmt.Sprintf("%d problems in %s, the first: %v", len(list), t.Root, first),
		Message: fmt.Sprintf("The userland is not as it was written: %v, and %d more. Something else changes its files, or the storage is failing. Try again.",
			first, len(list)-1),
	}
}

package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"keva/agent/event"
)

// lock takes the file lock at path, waiting for who has it. waiting is called once if it must wait. The lock ends with
// the process, so a killed one holds nobody up; the file stays, because deleting it would let two have it.
func lock(ctx context.Context, path string, waiting func()) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	poll := time.NewTicker(100 * time.Millisecond)
	defer poll.Stop()
	for first := true; ; first = false {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil // closing gives the lock back
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			return nil, errors.Join(err, f.Close())
		}
		if first {
			waiting()
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		case <-poll.C:
		}
	}
}

// enoughSpace is asked before the download: running out in the middle of it costs minutes and says less.
func enoughSpace(dir string, megabytes int) error {
	var st unix.Statfs_t
	if megabytes == 0 || unix.Statfs(dir, &st) != nil {
		return nil // not known; unpacking will tell
	}
	free := st.Bavail * uint64(st.Bsize) / 1_000_000
	if free >= uint64(megabytes) {
		return nil
	}
	return &event.Error{
		Class: event.ClassEngine,
		Message: fmt.Sprintf("There is not enough room in %s: %d MB are needed, %d MB are free. Free some, or set %s to another folder, then run `make engines` again.",
			dir, megabytes, free, CacheEnv),
	}
}

// storeError says why the cache could not be written or read.
func storeError(path string, err error) error {
	e := &event.Error{Class: event.ClassEngine, Detail: err.Error()}
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		e.Class, e.Message = event.ClassInterrupted, "The installation was stopped. Run `make engines` to go on."
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		e.Message = fmt.Sprintf("The disk is full at %s. Free 1 GB, or set %s to another folder, then run `make engines` again.", path, CacheEnv)
	case errors.Is(err, os.ErrPermission), errors.Is(err, syscall.EROFS), errors.Is(err, syscall.ENOTDIR):
		e.Message = fmt.Sprintf("The engines can't be kept at %s: it may not be written. Check its permissions, or set %s to another folder.", path, CacheEnv)
	default:
		e.Message = fmt.Sprintf("The engine could not be put at %s. The detail says why; then run `make engines` again.", path)
	}
	return e
}

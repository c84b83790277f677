package unpack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"keva/engines/userland/pack"
)

// writeDurable replaces a file: when it returns, the new content is on the disk; before, the old one is.
func writeDurable(path string, data []byte) error {
	part := path + ".new" // the lock keeps others away, so the name may be the same each time
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(part, path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// ensure is writeDurable for a file that an earlier run may have written: on a full disk it could not be written again.
func ensure(path string, data []byte) error {
	if has, err := os.ReadFile(path); err == nil && bytes.Equal(has, data) {
		return nil
	}
	return writeDurable(path, data)
}

// syncDir makes names in dir durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// syncAll makes everything on the file system of dir durable.
func syncAll(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(os.NewSyscallError("syncfs", unix.Syncfs(int(d.Fd()))), d.Close())
}

// setTime gives a file the packs' modification time. It is futimens(3): Go has only the form with a path, which would
// look every file up once more.
func setTime(f *os.File) error {
	at := [2]unix.Timespec{{Sec: pack.ModTime}, {Sec: pack.ModTime}}
	_, _, errno := unix.Syscall6(unix.SYS_UTIMENSAT, f.Fd(), 0, uintptr(unsafe.Pointer(&at)), 0, 0, 0)
	if errno != 0 {
		return os.NewSyscallError("utimensat", errno)
	}
	return nil
}

// lock takes the lock of a root. It ends with the process, so a killed one holds nobody up; the file stays, because
// deleting it would let two have it.
func lock(ctx context.Context, path string, waiting func()) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, writeError(path, err)
	}
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for told := false; ; {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil // closing gives the lock back
		}
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return nil, writeError(path, errors.Join(fmt.Errorf("flock: %w", err), f.Close()))
		}
		if waiting == nil {
			return nil, &pack.Error{
				Reason: pack.ReasonBusy, Cause: errors.Join(err, f.Close()),
				Message: "Another installation of the userland is at work. Wait until it is done.",
			}
		}
		if !told {
			told = true
			waiting()
		}
		select {
		case <-ctx.Done():
			return nil, stopped(ctx, path, errors.Join(ctx.Err(), f.Close()))
		case <-poll.C:
		}
	}
}

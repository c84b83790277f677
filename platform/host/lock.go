package host

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"keva/agent/event"
)

// Lock is the right to use a data folder. The system drops it when the process ends, however it ends, so no stale lock
// can remain.
type Lock struct{ f *os.File }

// HeldError says that another process uses the data folder.
type HeldError struct {
	Reason *event.Error
	PID    string // as the holder wrote it; "" when unknown. For the sentence only, never to act on.
}

func (e *HeldError) Error() string { return e.Reason.Message }
func (e *HeldError) Unwrap() error { return e.Reason }

// LockData takes the data folder dir, which must exist. It fails with a *HeldError while another instance has it, and
// with a *event.Error when the folder can't be written: then there is nothing to protect.
func LockData(dir string) (*Lock, error) {
	path := filepath.Join(dir, "keva.lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, cannotLock(dir, err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer func() { _ = f.Close() }() // only read
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, held(dir, f)
		}
		return nil, cannotLock(dir, err)
	}
	// The pid helps a person to find the other window. The lock does not need it, and a full disk must not prevent a start.
	if err := f.Truncate(0); err == nil {
		_, _ = f.WriteAt([]byte(fmt.Sprintln(os.Getpid())), 0)
	}
	return &Lock{f}, nil
}

// Release gives the folder back. The file stays: removing it would let two processes lock two files of the same name.
func (l *Lock) Release() error {
	if l == nil || l.f == nil {
		return nil
	}
	err := l.f.Close()
	l.f = nil
	return err
}

func held(dir string, f io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(f, 32))
	pid := ""
	if err == nil {
		pid = strings.TrimSpace(string(data))
	}
	who := ""
	if pid != "" {
		who = " (process " + pid + ")"
	}
	return &HeldError{PID: pid, Reason: &event.Error{
		Class: event.ClassConfig,
		Message: "Keva is already running with this data folder" + who +
			". Use that window, or set KEVA_HOME to another folder for a second one.",
		Detail: dir,
	}}
}

func cannotLock(dir string, err error) error {
	return &event.Error{
		Class:   event.ClassConfig,
		Message: "Keva can't reserve its data folder " + dir + ". Check that it can be written, or set KEVA_HOME to another folder.",
		Detail:  err.Error(),
	}
}

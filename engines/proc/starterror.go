package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"keva/agent/event"
)

// DeathOf is the class of a start that failed in proc, event.ExitUnknown for another error: a program that never ran has
// no EngineExited, but its death has a class all the same.
func DeathOf(err error) event.ExitClass {
	if e := (*startFailure)(nil); errors.As(err, &e) {
		return e.class
	}
	return event.ExitUnknown
}

// startFailure is an *event.Error with the class of death.
type startFailure struct {
	err   *event.Error
	class event.ExitClass
}

func (e *startFailure) Error() string { return e.err.Error() }
func (e *startFailure) Unwrap() error { return e.err }

// checkDir is done before the start: the kernel reports a missing directory and a missing program with the same word.
func checkDir(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return failed(err, "The project folder %s does not exist any more. Choose another folder, or put it back.", dir)
	case err != nil:
		return failed(err, "The project folder %s can't be opened. Check its permissions, or choose another folder.", dir)
	case !info.IsDir():
		return failed(syscall.ENOTDIR, "%s is a file, not a folder. Choose the project's folder.", dir)
	}
	return nil
}

// startError says why path did not start in dir. The kernel's word alone misleads: "no such file" may mean the loader.
func startError(path, dir string, err error) error {
	if path == "" {
		return dead(event.ExitNotFound, err, "No engine program is set. Choose one in the settings.")
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missing(path, err)
	case errors.Is(err, fs.ErrPermission):
		return notAllowed(path, dir, err)
	case errors.Is(err, syscall.ENOEXEC):
		return wrongFormat(path, err)
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP):
		return dead(event.ExitNotFound, err, "The engine's path %s leads nowhere. Install the engine again.", path)
	case errors.Is(err, syscall.ETXTBSY):
		return failed(err, "The engine's program %s is being written right now. Wait for the installation to end, then try again.", path)
	case errors.Is(err, syscall.E2BIG):
		return failed(err, "The engine's start settings are too long for the system. Shorten the project's instructions, then try again.")
	case errors.Is(err, syscall.ENOMEM), errors.Is(err, syscall.EAGAIN):
		return failed(err, "The system has no room for one more process. Close other apps, then try again.")
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return failed(err, "Too many files are open. Close other sessions, then try again.")
	}
	return failed(err, "The engine's program %s could not be started. Install the engine again; if that does not help, report the detail.", path)
}

func missing(path string, err error) error {
	info, statErr := os.Stat(path)
	switch {
	case errors.Is(statErr, fs.ErrNotExist):
		return dead(event.ExitNotFound, err, "The engine's program %s is not there. Install the engine again, or correct its path in the settings.", path)
	case statErr != nil:
		return failed(errors.Join(err, statErr), "The engine's program %s can't be looked at. Check the permissions of its folder.", path)
	case info.IsDir():
		return failed(err, "%s is a folder, not an engine's program. Correct the path in the settings.", path)
	}
	if loader := Interpreter(path); loader != "" {
		return dead(event.ExitNoLoader, err, "The engine's program %s is there, but the loader %s that it needs is not. Install the engine's build for this system, or the package that brings this loader.", path, loader)
	}
	return dead(event.ExitNoLoader, err, "The engine's program %s is there, but something that it needs to start is not. Install the engine's build for this system.", path)
}

func notAllowed(path, dir string, err error) error {
	info, statErr := os.Stat(path)
	switch {
	case statErr != nil:
		return dead(event.ExitNotAllowed, errors.Join(err, statErr), "The engine's program %s can't be reached. Check the permissions of its folder.", path)
	case info.IsDir():
		return failed(err, "%s is a folder, not an engine's program. Correct the path in the settings.", path)
	case info.Mode()&0o111 == 0:
		return dead(event.ExitNotAllowed, err, "The engine's program %s is not marked as executable. Install the engine again, or run: chmod +x %[1]s", path)
	case dir != "" && !enterable(dir):
		return failed(err, "The project folder %s can't be entered. Check its permissions, or choose another folder.", dir)
	}
	return dead(event.ExitNotAllowed, err, "The system does not allow %s to run: its folder forbids programs (noexec), or belongs to another user. Move the engine to another folder, or install it again.", path)
}

func wrongFormat(path string, err error) error {
	info, statErr := os.Stat(path)
	if statErr == nil && info.Size() == 0 {
		return failed(err, "The engine's program %s is empty: its download broke. Install the engine again.", path)
	}
	if machine := ForeignMachine(path); machine != "" {
		return failed(err, "The engine's program %s is made for another kind of processor (%s). Install the engine's build for this device.", path, machine)
	}
	return failed(err, "The engine's program %s is not a program for this system, or it is damaged. Install the engine again.", path)
}

func failed(cause error, format string, args ...any) error {
	return dead(event.ExitUnknown, cause, format, args...)
}

func dead(class event.ExitClass, cause error, format string, args ...any) error {
	return &startFailure{&event.Error{Class: event.ClassEngine, Message: fmt.Sprintf(format, args...), Detail: cause.Error()}, class}
}

//go:build linux && amd64

package box

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// last gives up everything and becomes the command.
func (c Config) last() error {
	for _, l := range []struct {
		resource int
		value    uint64
	}{{unix.RLIMIT_NOFILE, 32768}, {unix.RLIMIT_CORE, 0}} {
		var now unix.Rlimit
		if err := unix.Getrlimit(l.resource, &now); err != nil {
			return err
		}
		value := min(l.value, now.Max) // more than the outside has needs a capability that a container may lack
		if err := unix.Setrlimit(l.resource, &unix.Rlimit{Cur: value, Max: value}); err != nil {
			return fmt.Errorf("rlimit: %w", err)
		}
	}
	dir := c.Dir
	if dir == "" {
		dir = FilesDir
	}
	if err := c.becomeApp(); err != nil {
		return fmt.Errorf("becoming the app: %w", err)
	}
	if err := unix.Chdir(dir); err != nil { // as the app: it must be allowed to
		return fmt.Errorf("%s: %w", dir, err)
	}
	unix.Umask(0o077)
	for s := syscall.Signal(1); s < 65; s++ {
		signal.Reset(s)
	}
	if err := c.confine(); err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	err := unix.Exec(c.Args[0], c.Args, c.Env)
	fmt.Fprintf(os.Stderr, "box: %s: %v\n", c.Args[0], err)
	os.Exit(NotFound)
	return nil
}

// becomeApp takes the app's ids and keeps no capability. In a user namespace the id is the app's already, and groups can't
// be set.
func (c Config) becomeApp() error {
	if !rootless() {
		if err := syscall.Setgroups(groups); err != nil {
			return err
		}
		if err := syscall.Setresgid(AppUID, AppUID, AppUID); err != nil {
			return err
		}
		if err := syscall.Setresuid(AppUID, AppUID, AppUID); err != nil {
			return err
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&head, &none[0]); err != nil {
		return err
	}
	return errors.Join(
		unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
		unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0)) // else /proc/self is root's
}

// confine puts both filters on this thread. After the policy nothing may be called that it does not allow.
func (c Config) confine() error {
	if c.Free {
		return unix.Close(handed)
	}
	if _, err := install(refuse(c.denials()), 0); err != nil {
		return err
	}
	switch c.Mode {
	case ModeOff:
	case ModeTrap:
		if _, err := install(c.Policy.filter(unix.SECCOMP_RET_TRAP), 0); err != nil {
			return err
		}
	case ModeRecord:
		return c.listen()
	default:
		return fmt.Errorf("no such mode: %q", c.Mode)
	}
	return unix.Close(handed)
}

// listen puts the policy on as a question to process 1, and waits until that one listens.
func (c Config) listen() error {
	fd, err := install(c.Policy.filter(unix.SECCOMP_RET_USER_NOTIF), unix.SECCOMP_FILTER_FLAG_NEW_LISTENER)
	if err != nil {
		return err
	}
	sock := os.NewFile(handed, "first")
	if err := sendFiles(sock, []int{fd}); err != nil {
		return err
	}
	var b [1]byte
	if _, err := unix.Read(handed, b[:]); err != nil {
		return err
	}
	return errors.Join(unix.Close(fd), unix.Close(handed))
}

//go:build linux && amd64

package box

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Exit codes of the box itself, as env(1) and others have them.
const (
	Failed   = 125 // it could not be made
	NotFound = 127 // it was made, and the command could not be executed in it
)

// Stage is called first by a program that is used as a box. It returns at once in any other program, and never in a stage.
func Stage() {
	stage := os.Getenv(stageEnv)
	if stage == "" {
		return
	}
	runtime.LockOSThread() // ids and filters belong to threads
	var c Config
	err := json.Unmarshal([]byte(os.Getenv(configEnv)), &c)
	if err == nil {
		switch stage {
		case "init":
			var code int
			if code, err = c.first(); err == nil {
				os.Exit(code)
			}
		case "last":
			err = c.last()
		default:
			err = fmt.Errorf("no such stage: %q", stage)
		}
	}
	fmt.Fprintln(os.Stderr, "box:", err)
	os.Exit(Failed)
}

// handed is the descriptor of the socket to the stage before.
const handed = 3

// first is process 1 of the box: it makes the root and the network, starts the command, and buries what is left to it.
func (c Config) first() (int, error) {
	outside := os.NewFile(handed, "outside")
	listeners, err := c.network()
	if err != nil {
		return 0, fmt.Errorf("network: %w", err)
	}
	log := os.Stderr
	if c.Mode == ModeRecord && c.Log != "" { // opened before the world is gone
		if log, err = os.Create(c.Log); err != nil {
			return 0, err
		}
	}
	if err := c.enter(); err != nil {
		return 0, fmt.Errorf("root: %w", err)
	}
	var fds []int
	for _, l := range listeners {
		fds = append(fds, int(l.Fd()))
	}
	if err := sendFiles(outside, fds); err != nil {
		return 0, err
	}
	for _, f := range append(listeners, outside) {
		_ = f.Close() // a copy is with the outside
	}

	ours, theirs, err := socketpair()
	if err != nil {
		return 0, err
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{configEnv + "=" + os.Getenv(configEnv), stageEnv + "=last"}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{theirs}
	if rootless() { // capabilities go on until the last stage drops them
		cmd.SysProcAttr = &syscall.SysProcAttr{AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_DAC_OVERRIDE}}
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	_ = theirs.Close() // it is the command's
	recorded := newRecord()
	if c.Mode == ModeRecord {
		go recorded.watch(ours)
	}
	forward(cmd.Process.Pid)
	code, err := bury(cmd.Process.Pid)
	if err == nil && c.Mode == ModeRecord {
		err = recorded.write(log)
	}
	return code, err
}

// network brings loopback up and listens there for the outside.
func (c Config) network() ([]*os.File, error) {
	if !c.Host {
		if err := loopback(); err != nil {
			return nil, err
		}
	}
	var files []*os.File
	for _, address := range c.Listen {
		l, err := net.Listen("tcp4", address)
		if err != nil {
			return nil, err
		}
		f, err := l.(*net.TCPListener).File()
		if err = errors.Join(err, l.Close()); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

func loopback() error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(s) }()
	req, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	req.SetUint16(unix.IFF_UP)
	return unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, req)
}

func forward(pid int) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
	go func() {
		for s := range signals {
			_ = unix.Kill(pid, s.(syscall.Signal)) // it may be gone
		}
	}()
}

// bury waits for pid and for every orphan until then. What still runs is killed with the pid namespace.
func bury(pid int) (int, error) {
	for {
		var ws unix.WaitStatus
		p, err := unix.Wait4(-1, &ws, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, err
		case p == pid && ws.Signaled():
			return 128 + int(ws.Signal()), nil
		case p == pid:
			return ws.ExitStatus(), nil
		}
	}
}

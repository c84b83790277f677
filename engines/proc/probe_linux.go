package proc

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// probe is all that this package asks the system about processes, and the only way by which it signals one outside of
// the ladder. Tests put another in its place to force what a machine does not show on request: a recycled pid, an
// unreadable fact, another owner.
type probe interface {
	self() (pid int, uid uint32)
	bootID() (string, error) // differs after each boot
	pids() ([]int, error)
	stat(pid int) ([]byte, error) // the line of /proc/PID/stat
	owner(pid int) (uint32, error)
	cmdline(pid int) ([]byte, error) // with a NUL after each argument
	environ(pid int) ([]byte, error)
	open(pid int) (handle, error)
}

// handle is one process. Where the kernel has process handles (5.3) a signal through it never reaches a later owner of
// the pid.
type handle interface {
	signal(s syscall.Signal)
	close()
}

// system is the machine that we run on.
type system struct{}

func (system) self() (int, uint32) { return os.Getpid(), uint32(os.Getuid()) }

func (system) bootID() (string, error) {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(string(b))
	if id == "" {
		return "", errors.New("the boot id is empty")
	}
	return id, nil
}

func (system) pids() ([]int, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var out []int
	for _, n := range names {
		if pid, err := strconv.Atoi(n); err == nil {
			out = append(out, pid)
		}
	}
	return out, nil
}

func (system) stat(pid int) ([]byte, error)    { return readProc(pid, "/stat") }
func (system) cmdline(pid int) ([]byte, error) { return readProc(pid, "/cmdline") }
func (system) environ(pid int) ([]byte, error) { return readProc(pid, "/environ") }

func (system) owner(pid int) (uint32, error) {
	var st syscall.Stat_t
	if err := syscall.Stat(procPath(pid), &st); err != nil {
		return 0, err
	}
	return st.Uid, nil
}

func (system) open(pid int) (handle, error) {
	p, err := os.FindProcess(pid)
	if err != nil {
		return nil, err
	}
	return osHandle{p}, nil
}

// readProc reads a file of /proc without what package os does for files that may block: a look at all processes takes half
// the time.
func readProc(pid int, name string) ([]byte, error) {
	path := procPath(pid) + name
	var fd int
	var err error
	for fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0); err == syscall.EINTR; {
		fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer func() { _ = syscall.Close(fd) }() // only read
	buf := make([]byte, 0, 512)
	for {
		n, err := syscall.Read(fd, buf[len(buf):cap(buf)])
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return nil, &fs.PathError{Op: "read", Path: path, Err: err}
		case n <= 0:
			return buf, nil
		}
		buf = buf[:len(buf)+n]
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
	}
}

func procPath(pid int) string { return "/proc/" + strconv.Itoa(pid) }

type osHandle struct{ p *os.Process }

// signal ignores the error: it means that the process is gone, or that the next round tries again.
func (h osHandle) signal(s syscall.Signal) { _ = h.p.Signal(s) }
func (h osHandle) close()                  { _ = h.p.Release() }

// gone reports whether err says that there is no such process, as opposed to one that can't be read.
func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) }

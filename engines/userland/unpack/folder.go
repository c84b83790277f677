package unpack

import (
	"errors"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// folder opens what is in one folder of a tree after the other. It goes to a folder step by step and through no link,
// once for all entries in it that come together: os.Root goes the whole way for each entry, which is three times as many
// openat calls. It is for one goroutine.
type folder struct {
	top  *os.File
	path string // "" before the first
	fd   int
}

// enter makes dir, relative to the top, the folder.
func (d *folder) enter(dir string) error {
	if d.path == dir {
		return nil
	}
	d.leave()
	fd, err := openat(int(d.top.Fd()), ".", unix.O_DIRECTORY|unix.O_RDONLY, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: dir, Err: err}
	}
	if dir != "." {
		for name := range strings.SplitSeq(dir, "/") {
			next, err := openat(fd, name, unix.O_DIRECTORY|unix.O_RDONLY|unix.O_NOFOLLOW, 0)
			_ = unix.Close(fd) // only read
			if err != nil {
				return &os.PathError{Op: "open", Path: dir, Err: err}
			}
			fd = next
		}
	}
	d.path, d.fd = dir, fd
	return nil
}

func (d *folder) leave() {
	if d.path != "" {
		_ = unix.Close(d.fd) // only read
		d.path = ""
	}
}

// in enters the folder of name and does something there. Interrupted calls are repeated.
func (d *folder) in(op, name string, do func(fd int, base string) error) error {
	if err := d.enter(path.Dir(name)); err != nil {
		return err
	}
	for {
		err := do(d.fd, path.Base(name))
		if err == nil {
			return nil
		}
		if !errors.Is(err, unix.EINTR) {
			return &os.PathError{Op: op, Path: name, Err: err}
		}
	}
}

// open opens a file, never through a link.
func (d *folder) open(name string, flags int) (f *os.File, err error) {
	err = d.in("open", name, func(fd int, base string) error {
		n, err := openat(fd, base, flags|unix.O_NOFOLLOW, 0o600)
		if err == nil {
			f = os.NewFile(uintptr(n), name)
		}
		return err
	})
	return f, err
}

func (d *folder) symlink(target, name string) error {
	return d.in("symlink", name, func(fd int, base string) error { return unix.Symlinkat(target, fd, base) })
}

// mkdir makes a folder with a mode that the umask can't change. The mode is set without a flag: with one it is the call
// fchmodat2, for which Android kills the app.
func (d *folder) mkdir(name string, mode uint32) error {
	return d.in("mkdir", name, func(fd int, base string) error {
		if err := unix.Mkdirat(fd, base, mode); err != nil {
			return err
		}
		return unix.Fchmodat(fd, base, mode, 0)
	})
}

func openat(fd int, name string, flags int, mode uint32) (int, error) {
	for {
		n, err := unix.Openat(fd, name, flags|unix.O_CLOEXEC, mode)
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

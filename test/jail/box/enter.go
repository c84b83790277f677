//go:build linux && amd64

package box

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// unreadable are the files of /proc that SELinux keeps from apps.
var unreadable = []string{
	"stat", "loadavg", "uptime", "version", "vmstat", "diskstats", "interrupts", "modules", "partitions", "swaps", "zoneinfo",
	"buddyinfo", "slabinfo", "kallsyms", "cmdline",
	"net/tcp", "net/tcp6", "net/udp", "net/udp6", "net/unix", "net/dev", "net/route",
}

// enter makes c.Root the root of this mount namespace, with /proc and /dev as an app sees them.
func (c Config) enter() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := unix.Mount(c.Root, c.Root, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("bind %s: %w", c.Root, err)
	}
	in := func(p string) string { return filepath.Join(c.Root, p) }
	if err := unix.Mount("proc", in("proc"), "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "hidepid=2"); err != nil {
		return fmt.Errorf("proc: %w", err)
	}
	if c.Qemu != "" {
		if err := emulate(c.Qemu, in("proc/sys/fs/binfmt_misc")); err != nil {
			return fmt.Errorf("arm64 programs (this takes Linux 6.7): %w", err)
		}
	}
	if err := devices(in("dev")); err != nil {
		return fmt.Errorf("dev: %w", err)
	}
	no := in("dev/.no")
	if err := os.WriteFile(no, nil, 0); err != nil {
		return err
	}
	for _, name := range unreadable {
		if err := unix.Mount(no, in("proc/"+name), "", unix.MS_BIND, ""); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("hiding /proc/%s: %w", name, err)
		}
	}
	if !c.Free {
		if err := freeze(c.Root, in(DataDir), in("storage/emulated/0")); err != nil {
			return fmt.Errorf("making the system read-only: %w", err)
		}
	}
	if err := unix.Chdir(c.Root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("pivot: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil { // the old root
		return err
	}
	return unix.Chdir("/")
}

// freeze makes the mount at root read-only but for some folders. Without root everything there belongs to the app.
func freeze(root string, but ...string) error {
	for _, dir := range but {
		if err := unix.Mount(dir, dir, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	var st unix.Statfs_t
	if err := unix.Statfs(root, &st); err != nil {
		return err
	}
	// In a user namespace what the outside has forbidden must stay forbidden. These flags have the same numbers in both calls.
	flags := uintptr(st.Flags) & (unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC | unix.MS_NOATIME | unix.MS_NODIRATIME)
	if st.Flags&unix.ST_RELATIME != 0 {
		flags |= unix.MS_RELATIME
	}
	return unix.Mount("", root, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY|flags, "")
}

// nodes are the devices that an app may open.
var nodes = map[string][2]uint32{
	"null": {1, 3}, "zero": {1, 5}, "full": {1, 7}, "random": {1, 8}, "urandom": {1, 9}, "tty": {5, 0},
}

// devices fills dir, an empty folder, as Android's /dev. Where nodes can't be made, the host's are bound.
func devices(dir string) error {
	if err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_NOSUID, "mode=755,size=1m"); err != nil {
		return err
	}
	unix.Umask(0)
	for name, d := range nodes {
		path := filepath.Join(dir, name)
		err := unix.Mknod(path, unix.S_IFCHR|0o666, int(unix.Mkdev(d[0], d[1])))
		if errors.Is(err, unix.EPERM) {
			if err = os.WriteFile(path, nil, 0o666); err == nil {
				err = unix.Mount("/dev/"+name, path, "", unix.MS_BIND, "")
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	pts := filepath.Join(dir, "pts")
	if err := os.Mkdir(pts, 0o755); err != nil {
		return err
	}
	if err := unix.Mount("devpts", pts, "devpts", 0, "newinstance,ptmxmode=0666,mode=600"); err != nil {
		return err
	}
	for name, target := range map[string]string{
		"ptmx": "pts/ptmx", "fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// emulate lets the kernel run arm64 programs by qemu, in this user namespace only. The flags: keep argv[0] (P), open the
// program for qemu (O), with its credentials (C), and open qemu now, since it is not in the new root (F).
//
// The table lives as long as it is mounted, so that is done below the new root.
func emulate(qemu, table string) error {
	if err := unix.Mount("binfmt_misc", table, "binfmt_misc", 0, ""); err != nil {
		return err
	}
	const (
		magic = `\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00`
		mask  = `\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff`
	)
	return os.WriteFile(table+"/register", []byte(":keva-arm64:M::"+magic+":"+mask+":"+qemu+":POCF"), 0)
}

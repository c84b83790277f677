//go:build linux && amd64

package box

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data.
const (
	offNumber = 0
	offArch   = 4
)

func load(off uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: off}
}

func jump(op uint16, k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_K | op, Jt: yes, Jf: no, K: k}
}

func ret(action uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
}

// filter lets the calls of p pass and gives action to the rest. A call of another architecture traps, as on Android.
func (p Policy) filter(action uint32) []unix.SockFilter {
	f := []unix.SockFilter{
		load(offArch), jump(unix.BPF_JEQ, unix.AUDIT_ARCH_X86_64, 1, 0), ret(unix.SECCOMP_RET_TRAP), load(offNumber),
	}
	for i := 0; i < len(p.Calls); {
		j := i
		for j+1 < len(p.Calls) && p.Calls[j+1] == p.Calls[j]+1 {
			j++
		}
		f = append(f,
			jump(unix.BPF_JGE, uint32(p.Calls[j]+1), 2, 0), jump(unix.BPF_JGE, uint32(p.Calls[i]), 0, 1),
			ret(unix.SECCOMP_RET_ALLOW))
		i = j + 1
	}
	return append(f, ret(action))
}

// denial is a call that SELinux, or the filesystem, does not do; errno 0 says that it was done.
type denial struct {
	call  uint32
	errno unix.Errno
}

// denials are the refusals of c. Where the policy traps the same call, the trap counts: it is the stronger action.
func (c Config) denials() []denial {
	list := []denial{
		{unix.SYS_LINK, unix.EACCES},
		{unix.SYS_LINKAT, unix.EACCES},
		{unix.SYS_UNSHARE, unix.EPERM},
		{unix.SYS_SETNS, unix.EPERM},
	}
	if !c.Ptrace {
		list = append(list, denial{unix.SYS_PTRACE, unix.EPERM})
	}
	if c.Flat {
		for _, call := range []uint32{
			unix.SYS_CHOWN, unix.SYS_FCHOWN, unix.SYS_LCHOWN, unix.SYS_FCHOWNAT, unix.SYS_SYMLINK, unix.SYS_SYMLINKAT,
		} {
			list = append(list, denial{call, unix.EPERM})
		}
		// vfat takes a mode that it can't keep, and says nothing.
		for _, call := range []uint32{unix.SYS_CHMOD, unix.SYS_FCHMOD, unix.SYS_FCHMODAT} {
			list = append(list, denial{call, 0})
		}
	}
	return list
}

func refuse(list []denial) []unix.SockFilter {
	f := []unix.SockFilter{load(offNumber)}
	for _, d := range list {
		f = append(f, jump(unix.BPF_JEQ, d.call, 0, 1), ret(unix.SECCOMP_RET_ERRNO|uint32(d.errno)))
	}
	return append(f, ret(unix.SECCOMP_RET_ALLOW))
}

// install puts f on this thread, which is the one that will exec. With SECCOMP_FILTER_FLAG_NEW_LISTENER it returns the
// listener.
func install(f []unix.SockFilter, flags uintptr) (int, error) {
	p := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	n, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&p)))
	if errno != 0 {
		return -1, errno
	}
	return int(n), nil
}

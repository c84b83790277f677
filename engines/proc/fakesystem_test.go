package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"
)

// fakeProc is a process of a fakeSystem.
type fakeProc struct {
	start    uint64
	parent   int
	session  int
	uid      uint32
	cmdline  string
	environ  string
	zombie   bool
	stubborn bool // ignores SIGTERM
	stuck    bool // ignores SIGKILL too
	ticks    int
}

// fakeSystem is a machine on which anything can be forced: recycled pids, unreadable facts, other owners.
type fakeSystem struct {
	boot   string
	me     int
	uid    uint32
	procs  map[int]*fakeProc
	broken map[string]bool // "boot", "pids", "stat 7", "owner 7", "cmdline 7", "environ 7": can't be read
	// before is called before a handle is taken: the last moment at which a pid may change its owner.
	before func(pid int)
	// asked is called before a fact is told, with "stat 7" and the like.
	asked func(what string)
	sent  []string // "TERM 7"
}

var errForced = errors.New("forced: permission denied")

func (f *fakeSystem) fails(what string) error {
	if f.broken[what] {
		return errForced
	}
	return nil
}

func (f *fakeSystem) proc(what string, pid int) (*fakeProc, error) {
	if f.asked != nil {
		f.asked(fmt.Sprintf("%s %d", what, pid))
	}
	if err := f.fails(fmt.Sprintf("%s %d", what, pid)); err != nil {
		return nil, err
	}
	if p := f.procs[pid]; p != nil {
		return p, nil
	}
	return nil, fs.ErrNotExist
}

func (f *fakeSystem) self() (int, uint32)     { return f.me, f.uid }
func (f *fakeSystem) bootID() (string, error) { return f.boot, f.fails("boot") }

func (f *fakeSystem) pids() ([]int, error) {
	var out []int
	for pid := range f.procs {
		out = append(out, pid)
	}
	return out, f.fails("pids")
}

func (f *fakeSystem) stat(pid int) ([]byte, error) {
	p, err := f.proc("stat", pid)
	if err != nil {
		return nil, err
	}
	state := "S"
	if p.zombie {
		state = "Z"
	}
	return fmt.Appendf(nil, "%d (a) S 1 (b) %s %d 0 %d 0 -1 0 0 0 0 0 %d 0 0 0 20 0 1 0 %d 0", pid, state, p.parent, p.session, p.ticks, p.start), nil
}

func (f *fakeSystem) owner(pid int) (uint32, error) {
	p, err := f.proc("owner", pid)
	if err != nil {
		return 0, err
	}
	return p.uid, nil
}

func (f *fakeSystem) cmdline(pid int) ([]byte, error) {
	p, err := f.proc("cmdline", pid)
	if err != nil {
		return nil, err
	}
	return []byte(p.cmdline), nil
}

func (f *fakeSystem) environ(pid int) ([]byte, error) {
	p, err := f.proc("environ", pid)
	if err != nil {
		return nil, err
	}
	return []byte(p.environ), nil
}

func (f *fakeSystem) open(pid int) (handle, error) {
	if f.before != nil {
		f.before(pid)
	}
	if f.procs[pid] == nil {
		return nil, syscall.ESRCH
	}
	return fakeHandle{f, pid}, nil
}

type fakeHandle struct {
	f   *fakeSystem
	pid int
}

func (h fakeHandle) signal(s syscall.Signal) {
	word := "TERM"
	if s == syscall.SIGKILL {
		word = "KILL"
	}
	h.f.sent = append(h.f.sent, fmt.Sprintf("%s %d", word, h.pid))
	p := h.f.procs[h.pid]
	if p == nil || p.stuck || p.stubborn && s == syscall.SIGTERM {
		return
	}
	for _, other := range h.f.procs {
		if other.parent == h.pid {
			other.parent = 1
		}
	}
	delete(h.f.procs, h.pid)
}

func (fakeHandle) close() {}

// signalled are the pids that got a signal, each once.
func (f *fakeSystem) signalled() []int {
	var out []int
	for _, s := range f.sent {
		pid, word := 0, ""
		_, _ = fmt.Sscan(s, &word, &pid)
		if !slices.Contains(out, pid) {
			out = append(out, pid)
		}
	}
	slices.Sort(out)
	return out
}

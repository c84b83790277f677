package proc

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"time"
)

// identity is what makes a process the one that we mean: a pid alone may have a new owner.
type identity struct {
	pid     int
	start   uint64 // clock ticks since boot, field 22 of /proc/PID/stat
	uid     uint32
	parent  int
	session int
	dead    bool   // a zombie: it can't run any more, its parent has not looked yet
	kernel  bool   // a thread of the kernel
	ticks   uint64 // of CPU time, with those of the children that it waited for
}

// tick is the unit of times in /proc: USER_HZ is 100 on every Linux that Go runs on.
const tick = 10 * time.Millisecond

// kernelThread is PF_KTHREAD of the kernel, a bit of field 9.
const kernelThread = 0x00200000

// same reports whether both are the same process.
func (a identity) same(b identity) bool {
	return a.pid == b.pid && a.pid != 0 && a.start == b.start && a.start != 0 && a.uid == b.uid
}

var errStat = errors.New("the process's stat line can't be understood")

// identify reads who pid is now. What can't be read is the zero identity, which is never the same as another: rather
// miss one of ours than kill a stranger.
func identify(pr probe, pid int) (identity, error) {
	id, err := statOf(pr, pid)
	if err != nil {
		return identity{pid: pid}, err
	}
	if id.uid, err = pr.owner(pid); err != nil {
		return identity{pid: pid}, err
	}
	return id, nil
}

// statOf is identify without the owner.
func statOf(pr probe, pid int) (identity, error) {
	data, err := pr.stat(pid)
	if err != nil {
		return identity{pid: pid}, err
	}
	id, ok := parseStat(data)
	if !ok || id.pid != pid {
		return identity{pid: pid}, errStat
	}
	return id, nil
}

// parseStat reads a line of /proc/PID/stat. The name may hold anything, ")" and spaces too, so the fields are counted
// after the last ")".
func parseStat(data []byte) (identity, bool) {
	open, closing := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
	if open < 1 || closing < open {
		return identity{}, false
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data[:open])))
	f := strings.Fields(string(data[closing+1:])) // f[0] is field 3
	if err != nil || len(f) < 20 {
		return identity{}, false
	}
	parent, err1 := strconv.Atoi(f[1])
	session, err2 := strconv.Atoi(f[3])
	start, err3 := strconv.ParseUint(f[19], 10, 64)
	if err := errors.Join(err1, err2, err3); err != nil {
		return identity{}, false
	}
	id := identity{pid: pid, parent: parent, session: session, start: start, dead: f[0] == "Z" || f[0] == "X"}
	if flags, err := strconv.ParseUint(f[6], 10, 64); err == nil {
		id.kernel = flags&kernelThread != 0
	}
	for _, s := range f[11:15] { // utime, stime, cutime, cstime
		if n, err := strconv.ParseInt(s, 10, 64); err == nil && n > 0 { // kernels have printed negative ones
			id.ticks += uint64(n)
		}
	}
	return id, true
}

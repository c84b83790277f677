package proc

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// identity is what makes a process the one that we mean: a pid alone may have a new owner.
type identity struct {
	pid     int
	start   uint64 // clock ticks since boot, field 22 of /proc/PID/stat
	uid     uint32
	parent  int
	session int
	dead    bool // a zombie: it can't run any more, its parent has not looked yet
}

// same reports whether both are the same process.
func (a identity) same(b identity) bool {
	return a.pid == b.pid && a.pid != 0 && a.start == b.start && a.start != 0 && a.uid == b.uid
}

// identify reads who pid is now. What can't be read is the zero identity, which is never the same as another: rather
// miss one of ours than kill a stranger.
func identify(pid int) identity {
	dir := "/proc/" + strconv.Itoa(pid)
	data, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return identity{pid: pid}
	}
	id, ok := parseStat(data)
	if !ok || id.pid != pid {
		return identity{pid: pid}
	}
	info, err := os.Stat(dir)
	if err != nil {
		return identity{pid: pid}
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{pid: pid}
	}
	id.uid = st.Uid
	return id
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
	if err1 != nil || err2 != nil || err3 != nil {
		return identity{}, false
	}
	return identity{pid: pid, parent: parent, session: session, start: start, dead: f[0] == "Z" || f[0] == "X"}, true
}

// kin are the processes that were proven to be ours, by pid.
type kin map[int]identity

// extend adds the living descendants of those known, the members of their sessions, and who carries the marker.
func (k kin) extend(mark string) {
	all := processes()
	self, uid := os.Getpid(), uint32(os.Getuid())
	own := identify(self).session
	ours := map[int]bool{}
	sessions := map[int]bool{}
	take := func(id identity) {
		k[id.pid] = id
		ours[id.pid] = true
		// The leader began a session of its own, so a session of a descendant has no strangers in it.
		if id.session > 0 && id.session != own {
			sessions[id.session] = true
		}
	}
	for _, id := range all {
		if id.same(k[id.pid]) {
			take(id)
		}
	}
	for grown := true; grown; {
		grown = false
		for _, id := range all {
			if ours[id.pid] || id.pid == self || id.pid <= 1 || id.uid != uid || id.start == 0 {
				continue
			}
			if ours[id.parent] || sessions[id.session] || carries(id.pid, mark) {
				take(id)
				grown = true
			}
		}
	}
}

// living are those that still run and still are who they were.
func (k kin) living(except int) []identity {
	var out []identity
	for _, id := range k {
		if id.pid == except {
			continue
		}
		if now := identify(id.pid); now.same(id) && !now.dead {
			out = append(out, id)
		}
	}
	return out
}

// end ends the living ones, politely first, with up to wait for each of the two ways. The leader is the ladder's.
func (k kin) end(leader int, mark string, wait time.Duration) {
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		deadline := time.Now().Add(wait)
		asked := map[int]bool{} // once is enough: many programs take a second SIGTERM as "now, without tidying up"
		for {
			left := k.living(leader)
			if len(left) == 0 {
				return
			}
			for _, id := range left {
				if !asked[id.pid] {
					asked[id.pid] = true
					signalVerified(id, s)
				}
			}
			if time.Now().After(deadline) {
				break
			}
			time.Sleep(10 * time.Millisecond)
			k.extend(mark) // a shell that is being ended may have started one more
		}
	}
}

// signalVerified signals id if its pid still means the same process. The handle is taken before the check, so where the
// kernel has process handles (5.3) a recycled pid can't slip in between.
func signalVerified(id identity, s syscall.Signal) {
	h, err := os.FindProcess(id.pid)
	if err != nil {
		return
	}
	defer func() { _ = h.Release() }()
	if !identify(id.pid).same(id) {
		return
	}
	_ = h.Signal(s) // an error means that it is gone, or that the next round tries again
}

// processes lists all processes that can be seen.
func processes() []identity {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1) // what was read before an error is still good
	var out []identity
	for _, n := range names {
		if pid, err := strconv.Atoi(n); err == nil {
			if id := identify(pid); id.start != 0 {
				out = append(out, id)
			}
		}
	}
	return out
}

// carries reports whether the environment of pid holds our marker.
func carries(pid int, mark string) bool {
	if mark == "" {
		return false
	}
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	want := []byte(MarkerEnv + "=" + mark)
	for v := range bytes.SplitSeq(env, []byte{0}) {
		if bytes.Equal(v, want) {
			return true
		}
	}
	return false
}

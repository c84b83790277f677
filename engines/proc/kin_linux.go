package proc

import (
	"bytes"
	"errors"
	"sync"
	"syscall"
	"time"

	"keva/agent/budget"
)

// kin are the processes that were proven to be ours: the leader, its descendants, and what descends from them. A group
// kill would miss tools, which run in sessions of their own, and a child subreaper would prove nothing: whatever loses
// its parent below Keva would come to us, an engine's tool and the browser that xdg-open left behind alike. So each is
// proven by its parent, its session or the marker in its environment, and remembered from then on: a tool may change its
// parent, its session and its environment, but only one that did all three before it was first looked at is missed.
//
// Its methods may be called from any goroutine.
type kin struct {
	probe probe
	mark  string // value of MarkerEnv

	mu    sync.Mutex
	known map[int]identity // by pid
	// strangers are start times, by pid, of processes whose environment was read and holds no marker. It can't come
	// later: it is inherited from the moment of the fork. This keeps a look every two seconds cheap.
	strangers map[int]uint64
	// not are start times, by pid, of processes that are never ours whatever speaks for them.
	not map[int]uint64

	hidden int // how many of the known could not be read at the last look
	// nameless are processes in the middle of an exec, with the time when they were first seen so. The kernel shows neither
	// command line nor environment then, so one whose parent has just ended can't be told from a stranger for a moment.
	nameless map[identity]time.Time
	// unclear counts them at the last look, and whoever ended between the list and a closer look: it may have started
	// somebody who is not in the list.
	unclear int

	ticks, lost uint64 // CPU time at the last look, and what vanished with processes that nobody waited for
}

var errHidden = errors.New("some of the processes can't be looked at")

func newKin(pr probe, mark string, known ...identity) *kin {
	k := &kin{probe: pr, mark: mark, known: map[int]identity{}, strangers: map[int]uint64{}, not: map[int]uint64{}, nameless: map[identity]time.Time{}}
	for _, id := range known {
		k.known[id.pid] = id
	}
	return k
}

// look finds those who came since the last look, and returns who is there, zombies too. It fails when the processes
// can't be listed; what was known stays known.
func (k *kin) look() ([]identity, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.hidden, k.unclear = 0, 0
	all, err := k.list()
	if err != nil {
		return nil, err
	}
	self, uid := k.probe.self()
	own, above := all[self].session, ancestors(all, self)
	var here []identity
	sessions := map[int]bool{}
	taken := map[int]bool{}
	take := func(id identity) {
		if id.dead && !k.known[id.pid].dead {
			k.unclear++
		}
		k.known[id.pid] = id
		taken[id.pid] = true
		here = append(here, id)
		// The leader began a session of its own, so a session of a descendant has no strangers in it.
		if id.session > 0 && id.session != own {
			sessions[id.session] = true
		}
	}
	for pid, old := range k.known {
		id, there := all[pid]
		if !there || id.start != 0 && id.start != old.start {
			delete(k.known, pid)
			continue
		}
		if id.start != 0 {
			id.uid, err = k.probe.owner(pid)
		}
		switch {
		case id.same(old):
			take(id)
		case id.start == 0 || err != nil && !gone(err):
			k.hidden++
		}
	}
	for grown := true; grown; {
		grown = false
		for pid, id := range all {
			if taken[pid] || above[pid] || pid <= 1 || id.start == 0 || k.not[pid] == id.start {
				continue
			}
			born := taken[id.parent] || sessions[id.session]
			if !born && (id.kernel || k.strangers[pid] == id.start) {
				continue
			}
			if id.uid, err = k.probe.owner(pid); gone(err) {
				k.unclear++
			}
			if err != nil || id.uid != uid {
				continue
			}
			if !born && id.dead { // whose it was can't be seen any more, and it does nothing any more
				k.strangers[pid] = id.start
				k.unclear++
				continue
			}
			if born || k.carries(id) {
				take(id)
				grown = true
			}
		}
	}
	k.count(here)
	return here, nil
}

// list reads all processes that can be seen, without their owners. One that is there and can't be read has no start.
func (k *kin) list() (map[int]identity, error) {
	pids, err := k.probe.pids()
	if err != nil {
		return nil, err
	}
	all := make(map[int]identity, len(pids))
	for _, pid := range pids {
		id, err := statOf(k.probe, pid)
		if gone(err) {
			k.unclear++
			continue
		}
		all[pid] = id
	}
	for id := range k.nameless {
		if all[id.pid].start != id.start {
			delete(k.nameless, id)
		}
	}
	for pid, start := range k.strangers {
		if all[pid].start != start {
			delete(k.strangers, pid)
		}
	}
	return all, nil
}

// ancestors are pid and all above it: whoever runs us is nothing that was left behind, even when it began in an engine.
func ancestors(all map[int]identity, pid int) map[int]bool {
	up := map[int]bool{}
	for pid > 0 && !up[pid] {
		up[pid] = true
		pid = all[pid].parent
	}
	return up
}

// carries reports whether the environment of a process holds our marker.
func (k *kin) carries(id identity) bool {
	if k.mark == "" {
		return false
	}
	env, err := k.probe.environ(id.pid)
	if gone(err) {
		k.unclear++
	}
	if err != nil {
		return false
	}
	want := []byte(MarkerEnv + "=" + k.mark)
	for v := range bytes.SplitSeq(env, []byte{0}) {
		if bytes.Equal(v, want) {
			return true
		}
	}
	if len(env) == 0 && k.inExec(id) {
		return false
	}
	k.strangers[id.pid] = id.start
	return false
}

// inExec reports whether a process without an environment may be in the middle of an exec. The arguments appear a little
// before the environment. One that stays without has none, and is a stranger.
func (k *kin) inExec(id identity) bool {
	cmdline, err := k.probe.cmdline(id.pid)
	if err != nil {
		k.unclear++
		return true
	}
	grace := budget.Exec.Time
	if len(cmdline) > 0 {
		grace = budget.Fork.Time
	}
	key := identity{pid: id.pid, start: id.start}
	since, seen := k.nameless[key]
	if !seen {
		since = time.Now()
		k.nameless[key] = since
	}
	if time.Since(since) > grace {
		return false
	}
	k.unclear++
	return true
}

// living are those of ids that still run and still are who they were.
func (k *kin) living(ids []identity, except int) []identity {
	var out []identity
	for _, id := range ids {
		if id.pid == except {
			continue
		}
		if now, err := identify(k.probe, id.pid); err == nil && now.same(id) && !now.dead {
			out = append(out, id)
		}
	}
	return out
}

// end ends the living ones: SIGTERM and up to polite, then SIGKILL and up to hard for the kernel. It returns who was asked.
// The leader is left to the ladder; 0 spares nobody. What is left, or an error, means that nobody can say that all are gone.
func (k *kin) end(leader int, polite, hard time.Duration) (asked map[int]bool, left []identity, err error) {
	asked = map[int]bool{}
	for _, way := range []struct {
		signal syscall.Signal
		wait   time.Duration
	}{{syscall.SIGTERM, polite}, {syscall.SIGKILL, hard}} {
		deadline := time.Now().Add(way.wait)
		round := map[int]bool{} // once is enough: many programs take a second SIGTERM as "now, without tidying up"
		for {
			here, err := k.look() // each time: a shell that is being ended may have started one more
			if err != nil {
				return asked, nil, err
			}
			left = k.living(here, leader)
			if len(left) == 0 && quiet(here, leader) && k.clear() {
				return asked, nil, k.unsure()
			}
			for _, id := range left {
				if !round[id.pid] {
					round[id.pid], asked[id.pid] = true, true
					k.signal(id, way.signal)
				}
			}
			if time.Now().After(deadline) {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	return asked, left, k.unsure()
}

// quiet reports whether nobody of ours lived when we looked: one that has ended since may have started another.
func quiet(here []identity, leader int) bool {
	for _, id := range here {
		if id.pid != leader && !id.dead {
			return false
		}
	}
	return true
}

// clear reports whether the last look could tell of everybody whether it is ours.
func (k *kin) clear() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.unclear == 0
}

func (k *kin) unsure() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.hidden+k.unclear > 0 {
		return errHidden
	}
	return nil
}

// signal signals id if its pid still means the same process. The handle is taken before the check, so that a recycled
// pid can't slip in between.
func (k *kin) signal(id identity, s syscall.Signal) {
	h, err := k.probe.open(id.pid)
	if err != nil {
		return
	}
	defer h.close()
	if now, err := identify(k.probe, id.pid); err != nil || !now.same(id) {
		return
	}
	h.signal(s)
}

package proc

import (
	"os"
	"testing"
	"time"
)

// CPU of the tree is evidence that somebody works (§4): of the engine, of its tools, of tools that ended meanwhile.
func TestVitalsOfTheTree(t *testing.T) {
	f, _ := scene()
	p := &Process{id: identity{pid: leader, start: 5000, uid: 1000}, reaped: make(chan struct{})}
	p.kin = newKin(f, mark, p.id)
	see := func(what string, cpu time.Duration, children int) {
		t.Helper()
		c, n, ok := p.Vitals()
		if !ok || c != cpu || n != children {
			t.Errorf("%s: %v, %d children, %v; want %v, %d", what, c, n, ok, cpu, children)
		}
	}
	f.procs[leader].ticks = 100
	f.procs[200].ticks = 7777
	see("the engine alone; a stranger's time does not count", time.Second, 0)
	f.procs[110] = &fakeProc{start: 6500, parent: leader, session: 110, uid: 1000, ticks: 50}
	f.procs[111] = &fakeProc{start: 6501, parent: 110, session: 110, uid: 1000, ticks: 25}
	see("with tools", 1750*time.Millisecond, 2)
	f.procs[111].zombie = true
	see("a zombie's time counts, it does not", 1750*time.Millisecond, 1)
	delete(f.procs, 111)
	f.procs[110].ticks += 25
	see("it was waited for: its time is its parent's", 1750*time.Millisecond, 1)
	delete(f.procs, 110)
	see("nobody waited for it: the time does not fall", 1750*time.Millisecond, 0)
	f.procs[leader].ticks += 10
	see("and growth is seen at once", 1850*time.Millisecond, 0)
	f.broken["pids"] = true
	if _, _, ok := p.Vitals(); ok {
		t.Error("something is told though nothing can be seen")
	}
	delete(f.broken, "pids")
	f.procs[leader] = &fakeProc{start: 9999, uid: 1000, ticks: 5}
	if _, _, ok := p.Vitals(); ok {
		t.Error("the vitals are those of a stranger with the same pid")
	}
}

// A stranger's environment is read once, not at each look, and a process that was seen in the middle of its exec, when it
// has none, is not taken for a stranger.
func TestStrangersAreLookedAtOnce(t *testing.T) {
	f, _ := scene()
	f.procs[300] = &fakeProc{start: 6600, parent: 1, session: 300, uid: 1000}
	c := &countingSystem{fakeSystem: f, environs: map[int]int{}}
	k := newKin(c, mark, identity{pid: leader, start: 5000, uid: 1000})
	for range 5 {
		if _, err := k.look(); err != nil {
			t.Fatal(err)
		}
	}
	if n := c.environs[200]; n != 1 {
		t.Errorf("the environment of a stranger was read %d times", n)
	}
	f.procs[300].environ = MarkerEnv + "=" + mark + "\x00"
	if _, err := k.look(); err != nil {
		t.Fatal(err)
	}
	if k.known[300].pid == 0 {
		t.Error("one of ours that was in its exec is taken for a stranger")
	}
}

// A tool that is in its exec while its parent is ended shows nothing of itself for a moment (seen when apps were killed at
// random). Nobody is said to be the last before it is known who it is.
func TestEndWaitsForAnExec(t *testing.T) {
	f, _ := scene()
	delete(f.procs, leader)
	f.procs[113] = &fakeProc{start: 6500, parent: 1, session: 113, uid: 1000}
	c := &countingSystem{fakeSystem: f, environs: map[int]int{}}
	c.on = func(pid int) {
		if pid == 113 && c.environs[pid] == 3 {
			f.procs[113].cmdline, f.procs[113].environ = "tool\x00", MarkerEnv+"="+mark+"\x00"
		}
	}
	k := newKin(c, mark)
	if _, left, err := k.end(0, time.Second, time.Second); err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
	if f.procs[113] != nil {
		t.Error("a tool in its exec was overlooked")
	}
}

// A tool that starts another and ends at once, as in a double fork, may do both between the list of processes and the look
// at it (seen when apps were killed at random). Then neither is there to see, and it must be looked again.
func TestEndSeesWhoWasStartedMeanwhile(t *testing.T) {
	env := MarkerEnv + "=" + mark + "\x00"
	for name, at := range map[string]string{"before its stat is read": "stat 113", "before its environment is read": "environ 113", "as a zombie": "zombie"} {
		f, _ := scene()
		delete(f.procs, leader)
		f.procs[113] = &fakeProc{start: 6500, parent: 1, session: 113, uid: 1000, cmdline: "tool\x00", environ: env}
		f.asked = func(what string) {
			if f.procs[113] == nil || f.procs[113].zombie || what != at && (at != "zombie" || what != "stat 113") {
				return
			}
			if delete(f.procs, 113); at == "zombie" {
				f.procs[113] = &fakeProc{start: 6500, parent: 1, session: 113, uid: 1000, zombie: true}
			}
			f.procs[114] = &fakeProc{start: 6501, parent: 1, session: 114, uid: 1000, cmdline: "tool\x00", environ: env}
		}
		if _, left, err := newKin(f, mark).end(0, time.Second, time.Second); err != nil || len(left) != 0 {
			t.Errorf("%s: left %v, %v", name, left, err)
		}
		if f.procs[114] != nil {
			t.Errorf("%s: a tool that was started meanwhile was overlooked", name)
		}
	}
}

// A process that really has no environment is a stranger, and does not hold up an end for long.
func TestEndDoesNotWaitForTheNameless(t *testing.T) {
	f, _ := scene()
	delete(f.procs, leader)
	f.procs[300] = &fakeProc{start: 6600, parent: 1, session: 300, uid: 1000, cmdline: "bare\x00"}
	f.procs[301] = &fakeProc{start: 6600, parent: 1, session: 300, uid: 1000, zombie: true}
	k := newKin(f, mark)
	if asked, left, err := k.end(0, 10*time.Second, 10*time.Second); err != nil || len(left)+len(asked) != 0 {
		t.Errorf("asked %v, left %v, %v", asked, left, err)
	}
	if len(k.nameless) > 1 {
		t.Errorf("%d processes looked as if they were in an exec, want one", len(k.nameless))
	}
}

type countingSystem struct {
	*fakeSystem
	environs map[int]int
	on       func(pid int)
}

func (c *countingSystem) environ(pid int) ([]byte, error) {
	c.environs[pid]++
	if c.on != nil {
		c.on(pid)
	}
	return c.fakeSystem.environ(pid)
}

// The real thing: a child that computes is seen computing, and after its end nothing is known.
func TestVitalsOfALivingProcess(t *testing.T) {
	c := startFake(t, "spin")
	for l := c.line(); l != "spinning"; l = c.line() {
	}
	first, children, ok := c.Vitals()
	if !ok || children != 1 {
		t.Fatalf("%d children, %v; want one", children, ok)
	}
	for end := time.Now().Add(20 * time.Second); ; {
		if cpu, _, _ := c.Vitals(); cpu > first+50*time.Millisecond {
			break
		}
		if time.Now().After(end) {
			t.Fatal("a child that computes uses no CPU time")
		}
	}
	c.Stop()
	if _, _, ok := c.Vitals(); ok {
		t.Error("a process that is gone has vitals")
	}
}

// Vitals are taken every two seconds: this must be small against that.
func BenchmarkVitals(b *testing.B) {
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	p, err := Start(Spec{Path: exe, Env: []string{fakeEnv + "=silent"}})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Stop()
	pids, err := system{}.pids()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, ok := p.Vitals(); !ok {
			b.Fatal("not ok")
		}
	}
	b.ReportMetric(float64(len(pids)), "processes")
}

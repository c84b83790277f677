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

type countingSystem struct {
	*fakeSystem
	environs map[int]int
}

func (c *countingSystem) environ(pid int) ([]byte, error) {
	c.environs[pid]++
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

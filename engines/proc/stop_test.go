package proc

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"keva/agent/event"
)

// quick makes the ladder's own rungs short, for children that ignore them.
func (c child) quick() child {
	c.stopping.Lock()
	defer c.stopping.Unlock()
	c.budgets = budgets{
		stdin: 10 * time.Millisecond, sigint: 10 * time.Millisecond, sigterm: 10 * time.Millisecond,
		sigkill: 10 * time.Second, kin: 100 * time.Millisecond,
	}
	return c
}

// Each rung is tried before the next, harder one, and the one that worked is told.
func TestLadder(t *testing.T) {
	t.Run("a rung of the engine's own", func(t *testing.T) {
		c := startFake(t, "obey")
		climbed := 0
		c.Stop(
			Rung{"in vain", func() { climbed++ }, time.Millisecond},
			Rung{"quit", func() { climbed++; _ = c.Write(t.Context(), []byte("quit")) }, 20 * time.Second},
			Rung{"too much", func() { climbed++ }, 20 * time.Second},
		)
		if e := c.Exit(); e.Class != event.ExitStopped || e.Rung != "quit" || climbed != 2 {
			t.Errorf("exit %+v after %d rungs, want stopped by quit after 2", e, climbed)
		}
	})
	t.Run("stdin", func(t *testing.T) {
		c := startFake(t, "echo")
		c.Stop()
		if e := c.Exit(); e.Class != event.ExitStopped || e.Rung != "stdin" || e.Code != 0 {
			t.Errorf("exit %+v, want stopped by stdin", e)
		}
	})
	t.Run("a signal", func(t *testing.T) {
		c := startFake(t, "silent").quick()
		c.budgets.sigint = 20 * time.Second
		c.Stop()
		if e := c.Exit(); e.Class != event.ExitStopped || e.Rung != "SIGINT" || e.Signal != "SIGINT" {
			t.Errorf("exit %+v, want stopped by SIGINT", e)
		}
	})
	t.Run("force", func(t *testing.T) {
		c := startFake(t, "stubborn").quick()
		if l := c.line(); l != "ready" {
			t.Fatal(l)
		}
		c.Stop()
		if e := c.Exit(); e.Class != event.ExitStopped || e.Rung != "SIGKILL" {
			t.Errorf("exit %+v, want stopped by SIGKILL", e)
		}
	})
}

// A SIGKILL that is not ours stays "killed by the system", also when it comes while we climb: it would hide the
// shortage of memory.
func TestForeignKillDuringStop(t *testing.T) {
	c := startFake(t, "stubborn")
	if l := c.line(); l != "ready" {
		t.Fatal(l)
	}
	c.Stop(Rung{"interrupt", func() { _ = syscall.Kill(c.PID(), syscall.SIGKILL) }, 20 * time.Second})
	if e := c.Exit(); e.Class != event.ExitKilled || e.Rung != "" {
		t.Errorf("exit %+v, want killed", e)
	}
}

func TestStopTwiceAndAtOnce(t *testing.T) {
	c := startFake(t, "echo")
	both := make(chan struct{})
	go func() { c.Stop(); close(both) }()
	c.Stop()
	<-both
	c.Stop()
	if e := c.Exit(); e.Class != event.ExitStopped {
		t.Errorf("exit %+v", e)
	}
}

func TestStopAfterTheEndKeepsTheClass(t *testing.T) {
	c := startFake(t, "exit 3")
	c.ended()
	c.Stop()
	if e := c.Exit(); e.Class != event.ExitCode || e.Code != 3 || e.Rung != "" {
		t.Errorf("exit %+v, want code 3", e)
	}
}

// I-14: tools run in sessions of their own and may have lost their parent, so a group kill misses them. After a stop none
// is left, and no stranger was touched.
func TestStopEndsDescendants(t *testing.T) {
	stranger := startStranger(t)
	c := startFake(t, "family").quick()
	var tools []identity
	for {
		l := c.line()
		if l == "complete" {
			break
		}
		pid := 0
		if _, err := fmt.Sscanf(l, "pid %d", &pid); err == nil {
			id := who(pid)
			if id.start == 0 || id.session != pid {
				t.Fatalf("tool %d is not a session leader: %+v", pid, id)
			}
			tools = append(tools, id)
		}
	}
	if len(tools) != 2 {
		t.Fatalf("%d tools, want 2", len(tools))
	}
	c.Stop()
	for _, id := range tools {
		if now := who(id.pid); now.same(id) && !now.dead {
			t.Errorf("tool %d is alive", id.pid)
		}
	}
	stranger.mustLive(t)
}

// An engine that died by itself leaves its tools behind too. Nobody stops it any more, so they are ended at its end.
func TestDescendantsEndWithTheirEngine(t *testing.T) {
	c := startFake(t, "widow")
	c.ended()
	pid := 0
	if _, err := fmt.Sscanf(c.line(), "pid %d", &pid); err != nil {
		t.Fatal(err)
	}
	waitGone(t, pid)
}

// waitGone waits until pid, which a test's child has named, can't run any more.
func waitGone(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if id := who(pid); id.start == 0 || id.dead {
			return
		}
	}
	t.Errorf("process %d is alive", pid)
}

// who is identify without a reason.
func who(pid int) identity {
	id, _ := identify(system{}, pid)
	return id
}

// J5: a pid alone proves nothing. A remembered process whose pid has a new owner is left alone.
func TestRecycledPidIsNotKilled(t *testing.T) {
	for name, change := range map[string]func(*identity){
		"another start time": func(id *identity) { id.start-- },
		"another owner":      func(id *identity) { id.uid++ },
		"nothing known":      func(id *identity) { *id = identity{pid: id.pid} },
	} {
		t.Run(name, func(t *testing.T) {
			stranger := startStranger(t)
			old := stranger.identity
			change(&old)
			k := newKin(system{}, "no such mark", old)
			if _, _, err := k.end(0, 50*time.Millisecond, 50*time.Millisecond); err != nil {
				t.Error(err)
			}
			k.signal(old, syscall.SIGKILL)
			stranger.mustLive(t)
		})
	}
}

// stranger is a child of the test that was never proc's.
type stranger struct {
	identity
	ask   io.Writer
	reply *bufio.Reader
}

func startStranger(t *testing.T) stranger {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{fakeEnv + "=echo", MarkerEnv + "=another"}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	s := stranger{who(cmd.Process.Pid), in, bufio.NewReader(out)}
	s.mustLive(t)
	return s
}

// mustLive asks for an answer: a signal that was sent before the question would prevent it.
func (s stranger) mustLive(t *testing.T) {
	t.Helper()
	if _, err := io.WriteString(s.ask, "alive?\n"); err != nil {
		t.Errorf("the stranger was killed: %v", err)
		return
	}
	if l, err := s.reply.ReadString('\n'); err != nil || l != "alive?\n" {
		t.Errorf("the stranger was killed: %q, %v", l, err)
	}
}

func TestParseStat(t *testing.T) {
	fields := " S 7 8 9 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 123456 99 88"
	for _, c := range []struct {
		line string
		ok   bool
	}{
		{"42 (plain)" + fields, true},
		{"42 (a) S 1 (b)" + fields, true},
		{"42 ())" + fields, true},
		{"42 (new\nline)" + fields, true},
		{"42 (short) S 7 8 9", false},
		{"42 plain" + fields, false},
		{"x (plain)" + fields, false},
		{"", false},
		{")(", false},
	} {
		id, ok := parseStat([]byte(c.line))
		if ok != c.ok {
			t.Errorf("%q: ok %v, want %v", c.line, ok, c.ok)
		}
		if want := (identity{pid: 42, parent: 7, session: 9, start: 123456, ticks: 26}); ok && id != want {
			t.Errorf("%q: %+v, want %+v", c.line, id, want)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("42 (a) S 1 (b) S 7 8 9 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 123456 99 88"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if id, ok := parseStat(data); ok && !bytes.Contains(data, []byte(")")) {
			t.Errorf("%q gives %+v", data, id)
		}
	})
}

func writeProgram(t *testing.T, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, data, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// The ladder must not be able to name what it kills: only pids that were proven.
func TestNoKillByName(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"p" + "kill", "kill" + "all", "Kill(" + "-"} {
			if strings.Contains(string(data), word) {
				t.Errorf("%s contains %q", f, word)
			}
		}
	}
}

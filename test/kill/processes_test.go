package kill

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// ours lists the living processes that name home in their environment: an engine has its folders there, and what it starts
// inherits that. It is another proof than the marker by which the product knows them.
func ours(t *testing.T, home string) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var list []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if err == nil && bytes.Contains(env, []byte(home)) {
			list = append(list, pid)
		}
	}
	return list
}

// describe is for the message of a failed test.
func describe(pids []int) string {
	var b strings.Builder
	for _, pid := range pids {
		cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // it may be gone by now
		fmt.Fprintf(&b, "\n  %d %s", pid, bytes.ReplaceAll(cmdline, []byte{0}, []byte(" ")))
	}
	return b.String()
}

// stranger is a process that looks like one of ours in all but the proof: the same program, the same role, a marker of
// another Keva. Nobody may touch it.
type stranger struct {
	cmd  *exec.Cmd
	done chan struct{}
}

func newStranger(t *testing.T) *stranger {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+roleTool, sessionEnv+"=another", "KEVA_CHILD=1.another.1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &stranger{cmd, make(chan struct{})}
	go func() {
		_ = cmd.Wait() // how it ended is told by done
		close(s.done)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-s.done
	})
	return s
}

// check fails when somebody has ended it.
func (s *stranger) check(t *testing.T) {
	t.Helper()
	select {
	case <-s.done:
		t.Fatalf("a stranger (pid %d) was ended: %v", s.cmd.Process.Pid, s.cmd.ProcessState)
	default:
	}
}

// none waits until nothing of ours is left, for as long as the system may take to bury what was killed.
func none(t *testing.T, home string) {
	t.Helper()
	var left []int
	for deadline := time.Now().Add(2 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if left = ours(t, home); len(left) == 0 {
			return
		}
	}
	t.Fatalf("%d processes of ours are left:%s", len(left), describe(left))
}

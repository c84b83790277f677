package catalog

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/slot"
	"keva/engines/install"
	"keva/engines/proc"
)

// appEnv makes the test binary an app that starts the named engine and lives: "claude <state> <project>".
const appEnv = "KEVA_FAKE_APP"

func TestMain(m *testing.M) {
	if what := os.Getenv(appEnv); what != "" {
		if err := app(strings.Fields(what)); err != nil {
			fmt.Println("error", err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func app(args []string) error {
	cache, err := install.CacheDir()
	if err != nil {
		return err
	}
	lease, err := new(slot.Slot).Acquire(context.Background(), slot.Holder{Who: "test"}, nil)
	if err != nil {
		return err
	}
	find := func(id string) (install.Paths, error) { return install.Find(install.Default(), id, cache) }
	for _, f := range Factories(Options{Find: find, StateDir: args[1], Version: "0"}) {
		if f.ID() != args[0] {
			continue
		}
		rt, err := f.Start(context.Background(), lease, runtime.Start{
			Session: "s-1", Dir: args[2],
			Provider: runtime.Provider{BaseURL: "http://127.0.0.1:9", Key: "none"}, // nobody is asked before a prompt
		}, func(event.Event) {})
		if err != nil {
			return err
		}
		v := rt.(runtime.Witness).Vitals()
		fmt.Println("engine", v.PID, v.CPU > 0)
		time.Sleep(2 * time.Minute)
	}
	return nil
}

// The facts that the orphan guard compares must still be true of a real engine that has long been running: one that
// changes its command line, as many programs do, would never be reclaimed. It is frozen before its app is killed, so
// that it can't end by itself when its input closes.
func TestRealEnginesAreReclaimed(t *testing.T) {
	if testing.Short() {
		t.Skip("real engines are started")
	}
	cache, err := install.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		t.Run(e.id, func(t *testing.T) {
			if _, err := install.Find(install.Default(), e.id, cache); err != nil {
				t.Skip(err)
			}
			state := t.TempDir()
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), appEnv+"="+strings.Join([]string{e.id, state, t.TempDir()}, " "))
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, _ := bufio.NewReader(out).ReadString('\n')
			pid, worked := 0, false
			if _, err := fmt.Sscanf(line, "engine %d %t", &pid, &worked); err != nil || !worked {
				_ = cmd.Process.Kill()
				t.Fatalf("the app says %q", line)
			}
			if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil { // a pid that our own child has just told
				t.Error(err)
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			got := Reclaim(state)
			if len(got) != 1 || got[0].Found != proc.FoundReclaimed || !slices.Contains(got[0].Ended, pid) || got[0].Engine != e.id || got[0].Session != "s-1" {
				t.Errorf("%+v, want engine %d reclaimed", got, pid)
			}
			if left, _ := filepath.Glob(filepath.Join(runs(state), "*")); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

package proc

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Pid reuse for real: in a pid namespace the next pid can be chosen, so a stranger with the very command line of the
// engine gets the engine's old pid.
func TestRecycledPidIsNotReclaimed(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{fakeEnv + "=pidns", "FAKE_DIR=" + t.TempDir()}
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	text := strings.TrimSpace(string(out))
	if reason, ok := strings.CutPrefix(text, "skip: "); ok || text == "" && err != nil {
		t.Skipf("no pid namespace here (%v %s); the table test forces the same by the probe", err, reason)
	}
	if err != nil || text != "ok" {
		t.Errorf("%v: %s", err, text)
	}
}

// pidns is process 1 of a pid namespace. It prints what went wrong, or ok.
func pidns(string) {
	if err := inPidns(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("ok")
}

func inPidns() error {
	if err := unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("skip: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		return fmt.Errorf("skip: %w", err)
	}
	start := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = []string{fakeEnv + "=silent"}
		if err := cmd.Start(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return cmd
	}
	end := func(cmd *exec.Cmd) {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	engine := start()
	old := who(engine.Process.Pid)
	boot, err := system{}.bootID()
	if err != nil {
		return err
	}
	cmdline, err := settledCmdline(system{}, old)
	if err != nil {
		return err
	}
	rec := record{
		Format: recordFormat, Marker: "9.x.1", Boot: boot, UID: &old.uid, Keva: instance{2, 1}, Begun: time.Now(),
		Child: &instance{old.pid, old.start}, Cmdline: cmdline,
	}
	end(engine)
	var stranger *exec.Cmd
	for try := 0; ; try++ {
		if try == 200 {
			return fmt.Errorf("skip: pid %d did not come again", old.pid)
		}
		if err := os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte(strconv.Itoa(old.pid-1)), 0); err != nil {
			return fmt.Errorf("skip: %w", err)
		}
		stranger = start()
		if now := who(stranger.Process.Pid); now.pid == old.pid && now.start != old.start {
			break
		}
		end(stranger) // a thread of ours took the pid, or the clock has not ticked yet
	}
	now := who(old.pid)
	if same, err := settledCmdline(system{}, now); err != nil || string(same) != string(cmdline) {
		return fmt.Errorf("the stranger's command line is %q (%v), want the engine's", same, err)
	}
	if err := expect(rec, FoundNotOurs); err != nil {
		return err
	}
	if alive := who(old.pid); !alive.same(now) || alive.dead {
		return fmt.Errorf("the stranger with the recycled pid was killed")
	}
	rec.Child.Start = now.start // the control: with its true start time it is ours
	if err := expect(rec, FoundReclaimed); err != nil {
		return err
	}
	_ = stranger.Wait()
	return nil
}

func expect(rec record, want Found) error {
	n := run{dir: os.Getenv("FAKE_DIR"), rec: rec}
	if err := n.write(); err != nil {
		return err
	}
	got := Reclaim(n.dir)
	if len(got) != 1 || got[0].Found != want {
		return fmt.Errorf("got %+v, want %q", got, want)
	}
	return nil
}

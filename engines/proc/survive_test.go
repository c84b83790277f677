package proc

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The apps of these tests are helper processes that start an engine as Keva does and are then killed.

// app starts the fake arg with a run record, passes its lines on, and lives.
func app(arg string) {
	exe, _ := os.Executable()
	p, err := Start(Spec{
		Path: exe, Env: []string{fakeEnv + "=" + arg, "FAKE_DIR=" + os.Getenv("FAKE_DIR")},
		Record: RecordSpec{Dir: os.Getenv("FAKE_RUN"), Engine: "claude", Session: "s-1"},
		OnLine: func(b []byte) { fmt.Println(string(b)) },
	})
	if err != nil {
		fmt.Println("error", err)
		return
	}
	_ = p
	live()
}

// churn starts, uses and stops engines one after the other until it is killed.
func churn(string) {
	exe, _ := os.Executable()
	fmt.Println("ready")
	for {
		p, err := Start(Spec{
			Path: exe, Env: []string{fakeEnv + "=tree 1", "FAKE_DIR=" + os.Getenv("FAKE_DIR")},
			Record: RecordSpec{Dir: os.Getenv("FAKE_RUN")},
		})
		if err != nil {
			fmt.Println("error", err)
			return
		}
		p.budgets = budgets{sigkill: 10 * time.Second, kin: 50 * time.Millisecond}
		p.Stop()
	}
}

// tree is an engine with arg levels of tools below it. Each has an ugly name and a session of its own, loses its parent by
// a double fork when its level is odd, and ignores every request to end. All print their pid first, the last says complete.
func tree(arg string) {
	depth, _ := strconv.Atoi(arg)
	ignoreRequests()
	fmt.Println("pid", os.Getpid())
	if depth == 0 {
		fmt.Println("complete")
		live()
	}
	mode := fmt.Sprintf("tree %d", depth-1)
	if depth%2 == 1 {
		mode = "middle " + strconv.Itoa(depth-1)
	}
	startTool(mode)
	live()
}

// startTool starts the fake mode in a session of its own, under a name with a parenthesis and spaces, with our environment.
func startTool(mode string) *exec.Cmd {
	dir, _ := os.MkdirTemp(os.Getenv("FAKE_DIR"), "tool")
	name := filepath.Join(dir, "a) S 1 (b")
	_ = os.Symlink(os.Args[0], name)
	cmd := exec.Command(name)
	cmd.Env = append(os.Environ(), fakeEnv+"="+mode)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		fmt.Println("error", err)
	}
	return cmd
}

// killedApp is an app that was killed, and the processes that its engine named.
type killedApp struct {
	run  string
	pids []identity
}

// killApp runs an app with an engine of three levels until all are there, and kills it.
func killApp(t *testing.T) killedApp {
	t.Helper()
	a := killedApp{run: filepath.Join(t.TempDir(), "run")}
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{fakeEnv + "=app tree 3", "FAKE_DIR=" + t.TempDir(), "FAKE_RUN=" + a.run}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // by pid and start time, also when the test failed in the middle
		k := newKin(system{}, "")
		for _, id := range a.pids {
			k.signal(id, syscall.SIGKILL)
		}
	})
	in := bufio.NewScanner(out)
	for in.Scan() && in.Text() != "complete" {
		pid := 0
		if _, err := fmt.Sscanf(in.Text(), "pid %d", &pid); err != nil {
			t.Fatalf("the engine says %q", in.Text())
		}
		id := who(pid)
		if id.start == 0 || id.session != pid {
			t.Fatalf("%d leads no session: %+v", pid, id)
		}
		a.pids = append(a.pids, id)
	}
	_ = cmd.Process.Kill()
	_, _ = cmd.Process.Wait()
	if len(a.pids) != 4 {
		t.Fatalf("%d processes, want an engine and three tools", len(a.pids))
	}
	for _, id := range a.pids {
		if now := who(id.pid); !now.same(id) || now.dead {
			t.Fatalf("%d did not outlive the app: there is nothing to reclaim", id.pid)
		}
	}
	return a
}

// allIn reports whether the processes are all in pids, where the short-lived halves of double forks may be too.
func (a killedApp) allIn(pids []int) bool {
	for _, id := range a.pids {
		if !slices.Contains(pids, id.pid) {
			return false
		}
	}
	return true
}

func (a killedApp) alive() (n int) {
	for _, id := range a.pids {
		if now := who(id.pid); now.same(id) && !now.dead {
			n++
		}
	}
	return n
}

// I-14: after the app was killed, the next start leaves nothing that was provably ours, and touches no stranger.
func TestReclaimAfterTheAppWasKilled(t *testing.T) {
	stranger := startStranger(t)
	a := killApp(t)
	got := Reclaim(a.run)
	if n := a.alive(); n != 0 {
		t.Errorf("%d processes of ours are left", n)
	}
	if len(got) != 1 || got[0].Found != FoundReclaimed || got[0].PID != a.pids[0].pid || !a.allIn(got[0].Ended) {
		t.Errorf("%+v, want the engine and its three tools reclaimed", got)
	}
	if n := files(t, a.run); len(n) != 0 {
		t.Errorf("left behind: %v", n)
	}
	if again := Reclaim(a.run); len(again) != 0 {
		t.Errorf("reclaimed twice: %+v", again)
	}
	stranger.mustLive(t)
}

// The system may kill the engine with the app. Its tools live on, and their marker proves them.
func TestReclaimToolsOfAnEngineThatIsGone(t *testing.T) {
	stranger := startStranger(t)
	a := killApp(t)
	newKin(system{}, "").signal(a.pids[0], syscall.SIGKILL)
	waitGone(t, a.pids[0].pid)
	got := Reclaim(a.run)
	if n := a.alive(); n != 0 {
		t.Errorf("%d tools are left", n)
	}
	gone := a.pids[0].pid
	a.pids = a.pids[1:]
	if len(got) != 1 || got[0].Found != FoundReclaimed || !a.allIn(got[0].Ended) || slices.Contains(got[0].Ended, gone) {
		t.Errorf("%+v, want the three tools", got)
	}
	stranger.mustLive(t)
}

// Wherever the app is killed in the life of an engine, before the fork, in it, before the record is complete, in the stop:
// the next start finds what is left.
func TestAppKilledAtAnyMoment(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rnd := rand.New(rand.NewPCG(seed, 1))
	kills := 40
	if testing.Short() {
		kills = 8
	}
	reclaimed, gone := 0, 0
	for range kills {
		dir := filepath.Join(t.TempDir(), "run")
		cmd := exec.Command(os.Args[0])
		cmd.Env = []string{fakeEnv + "=churn", "FAKE_DIR=" + t.TempDir(), "FAKE_RUN=" + dir}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		_, _ = bufio.NewReader(out).ReadString('\n')
		time.Sleep(time.Duration(rnd.IntN(60_000)) * time.Microsecond) // the moment of the kill, not a wait
		_ = cmd.Process.Kill()
		_, _ = cmd.Process.Wait()
		g := guard{probe: system{}, polite: 50 * time.Millisecond, hard: 10 * time.Second, exec: 100 * time.Millisecond} // the tools obey SIGKILL only
		for _, r := range g.reclaim(dir) {
			switch r.Found {
			case FoundReclaimed:
				reclaimed++
			case FoundGone, FoundNotOurs:
				gone++
			case FoundSurvived, FoundUnverified, FoundInUse, FoundTorn:
				t.Errorf("seed %d: %+v", seed, r)
			}
		}
		if left := carriers(t, fmt.Sprintf("%s=%d.", MarkerEnv, cmd.Process.Pid)); len(left) != 0 {
			t.Fatalf("seed %d: %v carry the marker of the killed app", seed, left)
		}
	}
	t.Logf("%d kills: %d engines reclaimed, %d gone before", kills, reclaimed, gone)
	if reclaimed == 0 {
		t.Error("no kill left an engine behind: this tests nothing")
	}
}

// carriers are the living processes whose environment has a variable that begins so.
func carriers(t *testing.T, prefix string) (out []int) {
	t.Helper()
	pids, err := system{}.pids()
	if err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		env, _ := system{}.environ(pid) // of another user, or gone
		for v := range strings.SplitSeq(string(env), "\x00") {
			if id := who(pid); strings.HasPrefix(v, prefix) && id.start != 0 && !id.dead {
				out = append(out, pid)
			}
		}
	}
	return out
}

// recordOf is a true record of a living process, started by a Keva that is gone.
func recordOf(t *testing.T, id identity) record {
	t.Helper()
	boot, err := system{}.bootID()
	if err != nil {
		t.Fatal(err)
	}
	cmdline, err := system{}.cmdline(id.pid)
	if err != nil {
		t.Fatal(err)
	}
	return record{
		Format: recordFormat, Marker: "1.test.1", Boot: boot, UID: &id.uid, Keva: instance{os.Getpid(), 1},
		Begun: time.Now(), Child: &instance{id.pid, id.start}, Cmdline: cmdline,
	}
}

func reclaimReal(t *testing.T, r record) Reclaimed {
	t.Helper()
	n := run{dir: t.TempDir(), rec: r}
	if err := n.write(); err != nil {
		t.Fatal(err)
	}
	got := Reclaim(n.dir)
	if len(got) != 1 {
		t.Fatalf("%+v, want one result", got)
	}
	return got[0]
}

// On this machine, not on a fake one: a stranger that differs from the record in one fact lives on. The last case shows
// that nothing but that fact saved it.
func TestStrangerSurvivesReclaim(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*record)
		found  Found
	}{
		{"start time", func(r *record) { r.Child.Start-- }, FoundNotOurs},
		{"command line", func(r *record) { r.Cmdline = append(r.Cmdline, "-x\x00"...) }, FoundNotOurs},
		{"owner", func(r *record) { uid := *r.UID + 1; r.UID = &uid }, FoundNotOurs},
		{"boot", func(r *record) { r.Boot = "another" }, FoundGone},
		{"nothing", func(*record) {}, FoundReclaimed},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := startStranger(t)
			r := recordOf(t, s.identity)
			c.change(&r)
			got := reclaimReal(t, r)
			if got.Found != c.found {
				t.Errorf("%+v, want %q", got, c.found)
			}
			if c.found == FoundReclaimed {
				if now := who(s.pid); now.same(s.identity) && !now.dead {
					t.Error("the control lives: the other cases prove nothing")
				}
				return
			}
			s.mustLive(t)
		})
	}
}

// A zombie has pid and start time still, but nothing of it runs and nothing can end it.
func TestZombieIsGone(t *testing.T) {
	s := startStranger(t)
	r := recordOf(t, s.identity)
	if err := syscall.Kill(s.pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	waitGone(t, s.pid) // it is not waited for before the test ends
	if !who(s.pid).dead {
		t.Fatal("no zombie")
	}
	if got := reclaimReal(t, r); got.Found != FoundGone {
		t.Errorf("%+v, want gone", got)
	}
}

// A process of another user is a stranger even when it carries our marker.
func TestOtherUserIsAStranger(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can start a process as somebody else; the table test covers it")
	}
	const marker = "1.other.1"
	cmd := exec.Command("/bin/cat")
	cmd.Env = []string{MarkerEnv + "=" + marker}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	r := recordOf(t, who(os.Getpid()))
	r.Marker, r.Child, r.Cmdline = marker, nil, nil
	got := reclaimReal(t, r)
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the other user's process did not end by itself: %v", err)
	}
	if got.Found != FoundGone {
		t.Errorf("%+v, want gone", got)
	}
}

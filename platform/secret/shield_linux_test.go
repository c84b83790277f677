package secret

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// shieldEnv makes the test's own program hold a secret, shielded or not, and say so.
const (
	shieldEnv = "KEVA_SHIELD_PLAY"
	heldEnv   = "KEVA_SHIELD_SECRET"
)

func TestMain(m *testing.M) {
	switch os.Getenv(shieldEnv) {
	case "":
		if passphraseRounds < 600_000 {
			fmt.Println("a passphrase is guessed too cheaply")
			os.Exit(1)
		}
		passphraseRounds = 1000
		os.Exit(m.Run())
	case "shielded":
		if err := Shield(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	var core unix.Rlimit
	_ = unix.Getrlimit(unix.RLIMIT_CORE, &core) // 0 then
	fmt.Println("ready", core.Cur)
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test is done
}

// A command that the model runs is the same user as Keva. Without the shield it reads Keva's memory; the control shows it.
func TestShield(t *testing.T) {
	dir, err := os.MkdirTemp("", "shield")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { //nolint:gosec // another user runs the program in it
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "keva")
	if err := os.WriteFile(program, raw, 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	for mode, readable := range map[string]bool{"bare": true, "shielded": false} {
		cmd := exec.Command(program)
		cmd.Dir, cmd.Env = "/", []string{shieldEnv + "=" + mode, heldEnv + "=" + key}
		ordinary(cmd)
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
		said, err := bufio.NewReader(out).ReadString('\n')
		if err != nil || !strings.HasPrefix(said, "ready") {
			t.Fatalf("%s: %q %v", mode, said, err)
		}
		if !readable && said != "ready 0\n" {
			t.Errorf("core dumps of engines are allowed: %s", said)
		}
		proc := "/proc/" + strconv.Itoa(cmd.Process.Pid)
		look := exec.Command("sh", "-c", `tr '\0' '\n' < `+proc+`/environ | grep -c `+key+`; head -c 0 `+proc+`/mem && echo READ-MEM; cat `+proc+`/maps > /dev/null && echo READ-MAPS`)
		look.Dir = "/"
		ordinary(look)
		found, _ := look.CombinedOutput() // its exit tells nothing
		for _, what := range []string{"1\n", "READ-MEM", "READ-MAPS"} {
			if got := strings.Contains(string(found), what); got != readable {
				t.Errorf("%s: %q readable: %v\n%s", mode, what, got, found)
			}
		}
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
}

// ordinary makes cmd that of an ordinary user: the administrator may read everything.
func ordinary(cmd *exec.Cmd) {
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
}

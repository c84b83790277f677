package kill

import (
	"bufio"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/engines/install"
	"keva/platform/host"
	"keva/platform/store"
)

// buildKeva builds Keva itself.
func buildKeva(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keva")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-tags", "sqlite_fts5 migrated_fynedo", "-o", path, "keva")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// The very program that users run: `keva run -json`, killed, and started again. The start ends what is left, and says so in
// the session of the dead run.
func TestKillTheProgram(t *testing.T) {
	path := buildKeva(t)
	cache, err := install.CacheDir()
	if err != nil {
		t.Fatal(err)
	}
	user := t.TempDir()
	survived, orphans, compared, told := 0, 0, 0, 0
	for i := range kills(4) {
		engine := []string{"claude", "codex"}[i%2]
		home := t.TempDir()
		run := func(prompt string) *exec.Cmd {
			cmd := exec.Command(path, "run", "-json", "-demo", "-engine", engine, "-allow", "all", "-timeout", "2m", prompt)
			cmd.Env = append(os.Environ(), host.HomeVariable+"="+home, install.CacheEnv+"="+cache, "HOME="+user)
			return cmd
		}
		cmd := run("Start the tour")
		var complaints strings.Builder
		cmd.Stderr = &complaints
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var shown []event.Event
		n := 1 + rand.IntN(100)
		in := bufio.NewReaderSize(out, 1<<20)
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				break // a line that the kill cut was not shown
			}
			var e event.Event
			if err := json.Unmarshal(line, &e); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			if shown = append(shown, e); len(shown) == n {
				_ = cmd.Process.Kill() // it is there: it has just spoken
			}
		}
		if err := cmd.Wait(); cmd.ProcessState.ExitCode() != -1 {
			t.Fatalf("it ended by itself after %d events: %v\n%s", len(shown), err, complaints.String())
		}
		left := len(ours(t, home))
		if out, err := run(hello).CombinedOutput(); err != nil {
			t.Fatalf("the next start: %v\n%s", err, out)
		}
		none(t, home)

		st, notices, err := store.Open(t.Context(), dataDir(home))
		if err != nil || len(notices) > 0 {
			t.Fatal(err, notices)
		}
		evs, err := st.Events(t.Context(), shown[0].Session, 0, 0)
		if err != nil || len(evs) < len(shown) || !reflect.DeepEqual(evs[:len(shown)], shown) {
			t.Fatalf("shown %d events, stored %d, %v: they differ", len(shown), len(evs), err)
		}
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
		for _, e := range evs[len(shown):] {
			if b, ok := e.Body.(event.Notice); ok && b.Class == event.ClassEngineGone {
				told++
			}
		}
		survived, orphans, compared = survived+1, orphans+left, compared+len(shown)
	}
	t.Logf("the program: %d kills survived, %d events compared, %d processes left behind and ended, told in %d sessions",
		survived, compared, orphans, told)
}

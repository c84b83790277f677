package lifecycle

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/agent/onboarding"
	"keva/agent/session"
	"keva/agent/signin"
	"keva/agent/turn"
	"keva/engines/core"
	"keva/engines/userland/unpack"
)

// kill runs Keva until it has left everything half done, and kills it as Android does.
func kill(t *testing.T) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+roleApp)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	for in := bufio.NewScanner(out); in.Scan(); {
		if strings.HasPrefix(in.Text(), "half") {
			return
		}
		t.Log(in.Text())
	}
	t.Fatal("it ended before it could be killed")
}

// The next start after SIGKILL finds all that was there, calls nothing that was open done or running, and goes on where the
// unpacking was (I-15). Twice: the second start after a kill is not worse off than the first.
func TestRestoreAfterKill(t *testing.T) {
	t.Setenv("KEVA_HOME", t.TempDir())
	t.Setenv("KEVA_PACK", writePack(t, "one", 48))
	kill(t)
	for range 2 {
		c := reopen(t)
		restored(t, c)
		if got := c.Tools(t.Context()); got != onboarding.ToolsPartly {
			t.Errorf("the tools are %q", got)
		}
		c.Close()
	}
	c := reopen(t)
	first := int64(-1)
	if err := c.Unpack(t.Context(), func(p onboarding.Progress) {
		if p.Done > 0 && first < 0 {
			first = p.Done
		}
	}); err != nil {
		t.Fatal(err)
	}
	if first < 2<<20 {
		t.Errorf("it began anew: the first that was told is %d bytes", first)
	}
	if got := c.Tools(t.Context()); got != onboarding.ToolsReady || word() != "one" {
		t.Errorf("the tools are %q and say %q", got, word())
	}
}

func restored(t *testing.T, c *core.Core) {
	t.Helper()
	list, err := c.Service.Sessions(t.Context())
	if err != nil || len(list) != 3 {
		t.Fatalf("%+v, %v", list, err)
	}
	want := map[string]session.Badge{"s-done": session.BadgeDone, "s-running": session.BadgeUnknown, "s-needs_you": session.BadgeUnknown}
	for _, m := range list {
		badge, known := want[m.ID]
		if !known || m.Badge != badge || m.Title == "" {
			t.Errorf("%s is %q, want %q", m.ID, m.Badge, badge)
		}
		if m.Badge == session.BadgeUnknown && !strings.Contains(m.Line, "closed") {
			t.Errorf("%s does not say why: %q", m.ID, m.Line)
		}
	}
	for id := range want {
		s, err := c.Service.Open(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		v := s.View()
		if id == "s-done" {
			if v.Meta.Draft != "half a thought" {
				t.Errorf("the draft is %q", v.Meta.Draft)
			}
			continue
		}
		if v.Phase != turn.PhaseSettled || v.Turn.Outcome == event.Success || len(v.Pending) != 0 {
			t.Errorf("%s: phase %q, outcome %q, %d requests", id, v.Phase, v.Turn.Outcome, len(v.Pending))
		}
		if evs, err := c.Store.Events(t.Context(), id, 0, 0); err != nil || len(evs) < 2 {
			t.Errorf("%s: %d events, %v", id, len(evs), err)
		}
	}
	v := c.SignIn.View()
	if u, ok := v.State.(signin.Unknown); !ok || v.Method.Engine != "codex" || !strings.Contains(u.Text, "Keva was closed") {
		t.Errorf("the open sign-in is %T (%+v)", v.State, v.State)
	}
}

// Another user of the phone, or a restored backup, has another path: what is half there goes on there, and runs from there.
func TestRestoreElsewhere(t *testing.T) {
	t.Setenv("KEVA_HOME", t.TempDir())
	t.Setenv("KEVA_PACK", writePack(t, "one", 16))
	kill(t)
	moved := filepath.Join(t.TempDir(), "10", "app.keva")
	if err := errors.Join(os.Mkdir(filepath.Dir(moved), 0o700), os.Rename(os.Getenv("KEVA_HOME"), moved)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KEVA_HOME", moved)
	c := reopen(t)
	restored(t, c)
	if err := c.Unpack(t.Context(), func(onboarding.Progress) {}); err != nil {
		t.Fatal(err)
	}
	tree, err := unpack.Current(userland())
	if got := c.Tools(t.Context()); got != onboarding.ToolsReady || err != nil || tree.Moved() || !strings.HasPrefix(tree.Root, moved) || word() != "one" {
		t.Errorf("the tools are %q at %s (%v) and say %q", got, tree.Root, err, word())
	}
}

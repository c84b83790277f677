package core

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"keva/agent/onboarding"
	"keva/agent/slot"
	"keva/engines/catalog"
	"keva/engines/userland/pack/packtest"
	"keva/engines/userland/plan"
	"keva/engines/userland/unpack"
)

// An engine that has nothing to do is asked once to make room for the update, and the tools change only after it has gone.
func TestUpdateAsksAnIdleEngine(t *testing.T) {
	c, m := world(t, plan.KindPack)
	m.pack = packOf(t, "one")
	if err := c.Unpack(t.Context(), func(onboarding.Progress) {}); err != nil {
		t.Fatal(err)
	}
	c.Close()
	m.pack = packOf(t, "two")
	c = reopen(t, m, plan.KindPack)
	var asked atomic.Int32
	var before string
	var lease *slot.Lease
	held := make(chan struct{})
	lease, err := c.slot.Acquire(t.Context(), slot.Holder{Who: "chat", What: "an idle session"}, func() {
		<-held
		asked.Add(1)
		before = c.word(t)
		lease.Release()
	})
	if err != nil {
		t.Fatal(err)
	}
	close(held)
	if err := c.Unpack(t.Context(), func(onboarding.Progress) {
		if _, busy := c.slot.Current(); asked.Load() != 1 || !busy {
			t.Errorf("unpacking while the engine was asked %d times; the slot is taken: %v", asked.Load(), busy)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if before != "one" || c.word(t) != "two" {
		t.Errorf("%q before the engine went, %q after", before, c.word(t))
	}
	if h, busy := c.slot.Current(); busy {
		t.Errorf("%+v still holds the slot", h)
	}
}

// A program of the old tools that outlives its engine keeps them until it ends; the next start removes what is left then.
func TestUpdateKeepsWhatStillRuns(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal("sleep is missing: install the package coreutils")
	}
	program, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	c, m := world(t, plan.KindPack)
	m.pack = filepath.Join(t.TempDir(), "pack.tar.zst")
	data := packtest.Pack(t, packtest.Spec(runtime.GOARCH), packtest.Folder("usr"), packtest.Text("usr/word", 0o644, "one"), packtest.Bytes("usr/prog", 0o755, program))
	if err := os.WriteFile(m.pack, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.Unpack(t.Context(), func(onboarding.Progress) {}); err != nil {
		t.Fatal(err)
	}
	old, err := unpack.Current(catalog.UserlandDir(c.data))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(old.Root, "usr", "prog"), "600")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop := func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	defer stop()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if used, err := unpack.Running(old.Root); err == nil && used {
			break
		} else if time.Now().After(end) {
			t.Fatalf("the program is not seen: %v", err)
		}
	}
	c.Close()
	m.pack = packOf(t, "two")
	c = reopen(t, m, plan.KindPack)
	if err := c.Unpack(t.Context(), func(onboarding.Progress) {}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(old.Root, "usr", "prog")); err != nil || c.word(t) != "two" {
		t.Errorf("deleted while it runs (%v), or not updated: %q", err, c.word(t))
	}
	stop()
	c.Close()
	c = reopen(t, m, plan.KindPack)
	if got := c.Tools(t.Context()); got != onboarding.ToolsReady {
		t.Errorf("the tools are %q", got)
	}
	if _, err := os.Stat(old.Root); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the old tools stay for ever: %v", err)
	}
}

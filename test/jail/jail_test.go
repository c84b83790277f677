//go:build jail

// Package jail runs the userland, as it is packed, in the Android jail: the battery of what agents' commands need, complete
// tours of both real engines by Keva's own adapters, kills and orphans. It needs a machine that makes namespaces, and fails
// where there is none: see docs/userland.md.
package jail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"keva/test/jail/box"
	"keva/test/jail/lab"
)

var jail *lab.Lab

func TestMain(m *testing.M) {
	l, err := lab.New(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	jail = l
	work := l.Root + box.FilesDir + "/work"
	if err := errors.Join(os.MkdirAll(work, 0o700), box.Own(work)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	l.Close()
	os.Exit(code)
}

// emulated says that the pack is a phone's own, under qemu: there are no policies, and everything is slow.
func emulated() bool { return jail.Arch == "arm64" }

// policies are those that tests run under.
func policies(some ...string) []string {
	switch {
	case emulated():
		return []string{"qemu"}
	case len(some) > 0 && !full():
		return some
	}
	return slices.Concat(lab.Policies, lab.EmulatorPolicies)
}

// full asks for everything under every policy.
func full() bool { return os.Getenv("KEVA_JAIL_FULL") != "" }

// config is a box under a policy, trapping.
func config(t *testing.T, policy string, args ...string) box.Config {
	t.Helper()
	c, err := jail.Config(policy, args...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// app is a box around Keva itself, whose environment is that of an Android app: nothing of the userland is in it.
func app(t *testing.T, policy string, args ...string) box.Config {
	t.Helper()
	c := config(t, policy, args...)
	c.Env = []string{"PATH=/system/bin", "HOME=/", "TMPDIR=" + box.CacheDir, "ANDROID_ROOT=/system", "ANDROID_DATA=/data"}
	return c
}

// patience bounds one command. The machine may be busy with other things.
const patience = 8 * time.Minute

// run runs a box to its end and returns both outputs as one. What is killed for being late says so.
func run(t *testing.T, c box.Config) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	b, err := c.Command(ctx, jail.Box)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	b.Stdout, b.Stderr = &out, &out
	err = b.Run()
	if exit := (*exec.ExitError)(nil); ctx.Err() != nil {
		err = fmt.Errorf("not done after %s", patience)
	} else if err != nil && (!errors.As(err, &exit) || exit.ExitCode() == box.Failed) {
		t.Fatalf("%v\n%s", err, out.String())
	}
	return out.String(), err
}

// folder makes a fresh folder of the app and returns its path in the box.
func folder(t *testing.T, name string) string {
	t.Helper()
	dir := box.FilesDir + "/work/" + name
	outside := jail.Root + dir
	if err := os.RemoveAll(outside); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(outside, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := box.Own(outside); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(outside); err != nil {
			t.Error(err)
		}
	})
	return dir
}

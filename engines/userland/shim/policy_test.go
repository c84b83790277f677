package shim

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Under the policies of phones (arm64eq) and of emulators (amd64) nothing that a program does with signals, threads and
// children lets a refused call kill it.
func TestRefusedCalls(t *testing.T) {
	tr := newTree(t, "amd64")
	refuse := filepath.Join(t.TempDir(), "refuse")
	build(t, "amd64", refuse, "-static", "unit/refuse.c")
	static := filepath.Join(t.TempDir(), "static")
	build(t, "amd64", static, "-static", "unit/probe.c", "-w")
	tr.program(t, "usr/bin/static", read(t, static))
	plain := filepath.Join(outside(t), "plain") // for an ordinary system
	build(t, "amd64", plain, "unit/probe.c")
	for _, policy := range []string{"android10-release.arm64eq", "android10-release.amd64", "main.amd64"} {
		before := []string{refuse, filepath.Join(tr.policies, policy+".policy")}
		run := func(name string, args ...string) {
			cmd := tr.command(before, name, args...)
			cmd.Env = append(cmd.Env, "REFUSES=1")
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.HasSuffix(string(out), "ok\n") && string(out) != "child\n" {
				t.Errorf("%s under %s: %v\n%s", strings.Join(args, " "), policy, err, out)
			}
		}
		for _, p := range append([]string{"signals", "threads", "spawned", "vforked", "inherited", "legacy"}, parts...) {
			run("usr/bin/probe", p)
		}
		run("usr/bin/static", "child")
		cmd := tr.command(before, "usr/bin/probe", "exec", filepath.Join(tr.root, "usr/bin/static"), "child")
		cmd.Env = append(cmd.Env, "REFUSES=1")
		says(t, cmd, "child\n")
		cmd = tr.command(before, "usr/bin/probe", "exec", plain, "child")
		cmd.Env = append(cmd.Env, "REFUSES=1")
		says(t, cmd, "child\n")
	}
}

// A damaged or missing linker is said, not crashed over.
func TestLinkerMissing(t *testing.T) {
	tr := newTree(t, "amd64")
	linker := filepath.Join(tr.root, machines["amd64"].linker)
	for _, c := range []struct {
		want   string
		change func() error
	}{
		{"errno 008", func() error { return os.WriteFile(linker, []byte("\x7fELF no more"), 0o600) }},
		{"errno 002", func() error { return os.Remove(linker) }},
	} {
		if err := c.change(); err != nil {
			t.Fatal(err)
		}
		out, err := tr.command(nil, "usr/bin/probe", "accounts").CombinedOutput()
		if err == nil || string(out) != "ldk: the linker can't be loaded: "+linker+": "+c.want+"\n" {
			t.Errorf("%v, %q; want %s", err, out, c.want)
		}
	}
}

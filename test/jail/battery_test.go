//go:build jail

package jail

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"keva/engines/claude"
	"keva/engines/codex"
	"keva/test/jail/box"
	"keva/test/jail/lab"
)

// What agents' commands need works under the policies of all releases: everything under some of them, a short set
// under the others.
func TestBattery(t *testing.T) {
	checks, err := jail.Battery()
	if err != nil {
		t.Fatal(err)
	}
	foreign := foreignProgram(t)
	for _, policy := range policies() {
		t.Run(policy, func(t *testing.T) {
			whole := full() || !emulated() && slices.Contains(lab.Whole, policy)
			if !whole && strings.HasSuffix(policy, ".amd64") && policy != lab.EmulatorNewest {
				return // tours and versions are run under these as well
			}
			battery(t, policy, checks, whole, foreign)
		})
	}
}

// A check may use what an earlier one of its group has made, so a group runs in one folder. Groups run beside each other.
func battery(t *testing.T, policy string, checks []lab.Check, whole bool, foreign string) {
	groups := map[string][]lab.Check{}
	for _, c := range checks {
		groups[c.Group] = append(groups[c.Group], c)
	}
	if strings.HasSuffix(policy, ".amd64") {
		// The stand-in of /system/bin makes calls that an emulator's own shell, which is bionic's, does not make.
		delete(groups, "android")
	}
	for name, group := range groups {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t, policy+"-"+name)
			for _, c := range group {
				if !whole && !c.Core {
					continue
				}
				t.Run(c.Name, func(t *testing.T) {
					x := config(t, policy, jail.Tree+"/usr/bin/bash", "-e", "-o", "pipefail", "-c", c.Script)
					x.Dir, x.Flat = dir, name == "flat"
					x.Env = append(x.Env, "TREE="+jail.Tree, "FOREIGN="+foreign)
					out, err := run(t, x)
					if p := c.Problem(err, out); p != "" {
						t.Errorf("%s\n%s\noutput:\n%s", p, c.Script, tail(out))
					}
				})
			}
		})
	}
}

func tail(s string) string {
	const most = 3000
	if len(s) > most {
		return "…" + s[len(s)-most:]
	}
	return s
}

// foreignProgram is a program of an ordinary Linux, as packages of npm and pip bring them: its interpreter is a path that
// a phone does not have.
func foreignProgram(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	source, program := filepath.Join(dir, "f.c"), filepath.Join(dir, "foreign")
	if err := os.WriteFile(source, []byte("int puts(const char *);\nint main(void) { return puts(\"foreign\") < 0; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cc := "gcc"
	if emulated() {
		cc = "aarch64-linux-gnu-gcc"
	}
	if out, err := exec.CommandContext(t.Context(), cc, "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cc, err, out)
	}
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Section(".interp") == nil {
		t.Fatal("the compiler links statically here: the check would prove nothing")
	}
	data, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	inside := box.AppDir + "/foreign"
	if err := os.WriteFile(jail.Root+inside, data, 0o755); err != nil {
		t.Fatal(err)
	}
	return inside
}

// Both engines are the versions that the pack names, and start under every policy.
func TestVersions(t *testing.T) {
	for _, policy := range policies() {
		for path, want := range map[string]string{"opt/claude/claude": claude.Version, "opt/codex/bin/codex": codex.Version} {
			out, err := run(t, app(t, policy, jail.Tree+"/"+path, "--version"))
			if err != nil || !strings.Contains(out, want) {
				t.Errorf("%s, %s: %v, %q; want %s", policy, path, err, out, want)
			}
		}
	}
}

// The jail is a jail: what it is to deny is denied, and a program that Android would kill is killed.
func TestJailDenies(t *testing.T) {
	if emulated() {
		t.Log("under qemu there is no policy; `make jail` proves what is denied")
		return
	}
	for _, policy := range []string{lab.Oldest, lab.Newest} {
		foreign := foreignProgram(t)
		if out, err := run(t, config(t, policy, foreign)); err == nil {
			t.Errorf("%s: a program for /lib64/ld-linux runs: there is a glibc outside\n%s", policy, out)
		}
		for _, path := range []string{"/tmp", "/usr", "/etc/passwd", "/etc/resolv.conf", "/lib64", "/dev/shm"} {
			if out, err := run(t, config(t, policy, "/system/bin/ls", path)); err == nil {
				t.Errorf("%s: %s exists\n%s", policy, path, out)
			}
		}
		for _, path := range []string{"/system/x", "/data/x", box.AppDir + "/x"} {
			if out, err := run(t, config(t, policy, "/system/bin/sh", "-c", "echo x > "+path)); err == nil {
				t.Errorf("%s: the app may write %s\n%s", policy, path, out)
			}
		}
		if out, err := run(t, config(t, policy, "/system/bin/sh", "-c", "echo x > "+box.TempDir+"/x && rm "+box.TempDir+"/x")); err != nil {
			t.Errorf("%s: the app can't write its own folder, so the above proves nothing: %v\n%s", policy, err, out)
		}
		if out, err := run(t, config(t, policy, "/system/bin/cat", "/proc/stat")); err == nil {
			t.Errorf("%s: /proc/stat is readable\n%s", policy, out)
		}
	}
	// Debian's own busybox makes a call that no policy has, before its first line.
	data, err := os.ReadFile(lab.Busybox)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(jail.Root+box.AppDir+"/busybox", data, 0o755); err != nil {
		t.Fatal(err)
	}
	c := config(t, lab.Newest, box.AppDir+"/busybox", "true")
	if _, err := run(t, c); err == nil || c.Mode != box.ModeTrap {
		t.Error("an unedited glibc program survived the policy")
	}
	c.Mode = box.ModeOff
	if out, err := run(t, c); err != nil {
		t.Errorf("without a policy it must run, or the test above proves nothing: %v\n%s", err, out)
	}
}

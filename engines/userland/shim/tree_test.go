package shim

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"keva/engines/userland/elfedit"
	"keva/engines/userland/pack"
)

// tree is a very small userland, made and installed as a pack is: libc without refused calls, k.so, ldk, one program.
type tree struct {
	root, arch, temp string
	policies         string   // folder with policy files
	run              []string // what starts its programs: nothing, or an emulator
}

func compiler(t *testing.T, arch string) string {
	t.Helper()
	m := machines[arch]
	path, err := exec.LookPath(m.compiler)
	if err != nil {
		t.Fatalf("%s is missing; install %s", m.compiler, m.packages)
	}
	return path
}

// build compiles C files of unit/ and src/ into a file.
func build(t *testing.T, arch, out string, args ...string) {
	t.Helper()
	all := append([]string{"-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-g", "-O1", "-o", out}, args...)
	cmd := exec.Command(compiler(t, arch), all...)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// put writes a file of the tree, with its relocations filled in.
func (tr *tree) put(t *testing.T, name string, b []byte, relocs []pack.Reloc) string {
	t.Helper()
	path := filepath.Join(tr.root, name)
	for _, r := range relocs {
		copy(b[r.Offset:], r.Fill(tr.root))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// program puts a program in, prepared.
func (tr *tree) program(t *testing.T, name string, b []byte) string {
	t.Helper()
	o, err := Options(tr.arch, name)
	if err != nil {
		t.Fatal(err)
	}
	b, relocs, err := elfedit.Prepare(b, o)
	if err != nil || len(relocs) != 1 {
		t.Fatalf("%s: %v, %v", name, relocs, err)
	}
	return tr.put(t, name, b, relocs)
}

// libraries of the compiler, which are those that its programs are made for.
var libraries = map[string]struct{ libc, linker, run, policy string }{
	"amd64": {"/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2", "", "android10-release.arm64eq"},
	"arm64": {"/usr/aarch64-linux-gnu/lib/libc.so.6", "/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1", "qemu-aarch64-static", "android10-release.arm64"},
}

// outside gives a folder that is not in /tmp: what lies there is mapped to $TMPDIR, and so would the tree be.
func outside(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(cache, "shim-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(dir, "/tmp/") || strings.HasPrefix(dir, "/var/tmp/") {
		t.Fatalf("the cache folder %s is in /tmp; set XDG_CACHE_HOME to another one for this test", cache)
	}
	return dir
}

func newTree(t *testing.T, arch string) *tree {
	t.Helper()
	base := outside(t)
	source, err := filepath.Abs("../../../test/jail/policies")
	if err != nil {
		t.Fatal(err)
	}
	l := libraries[arch]
	tr := &tree{root: filepath.Join(base, "tree"), arch: arch, temp: filepath.Join(base, "temp"), policies: source}
	if l.run != "" {
		path, err := exec.LookPath(l.run)
		if err != nil {
			t.Fatalf("%s is missing; install qemu-user-static", l.run)
		}
		tr.run = []string{path}
	}
	if err := os.Mkdir(tr.temp, 0o700); err != nil {
		t.Fatal(err)
	}
	policy, err := elfedit.ParsePolicy(l.policy, read(t, filepath.Join(source, l.policy+".policy")))
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{"l/libc.so.6": l.libc, machines[arch].linker[1:]: l.linker} {
		b, _, err := elfedit.NopAll(read(t, file), policy)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		tr.put(t, name, b, nil)
	}
	// libc.so.6 needs the linker by its bare name, which the linker itself answers.
	for name, b := range compiled(t, arch) {
		relocs, err := Slots(arch, name, b)
		if err != nil {
			t.Fatal(err)
		}
		tr.put(t, Library+"/"+name, b, relocs)
	}
	probe := filepath.Join(t.TempDir(), "probe")
	build(t, arch, probe, "unit/probe.c")
	tr.program(t, "usr/bin/probe", read(t, probe))
	tr.program(t, "usr/bin/sh", read(t, probe))
	if err := os.Symlink("usr/bin", filepath.Join(tr.root, "bin")); err != nil {
		t.Fatal(err)
	}
	return tr
}

// command starts a program of the tree in the folder for temporary files.
func (tr *tree) command(before []string, name string, args ...string) *exec.Cmd {
	path := filepath.Join(tr.root, name)
	all := append(append(append([]string{}, before...), path), args...)
	cmd := exec.Command(all[0], all[1:]...)
	cmd.Dir = tr.temp
	cmd.Env = []string{"TMPDIR=" + tr.temp, "PATH=" + tr.root + "/usr/bin", "PROBE=" + filepath.Join(tr.root, "usr/bin/probe")}
	return cmd
}

// says runs a program and compares its output.
func says(t *testing.T, cmd *exec.Cmd, want string) {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != want {
		t.Errorf("%s: %v\ngot  %q\nwant %q", strings.Join(cmd.Args, " "), err, out, want)
	}
}

package plan

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"keva/engines/proc"
)

// engineSource is an engine that tells how it was launched, or ends as the file beside it says.
const engineSource = `
#include <stdio.h>
#include <string.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
extern char **environ;
int main(int argc, char **argv) {
	char buf[4096], *slash;
	ssize_t n = readlink("/proc/self/exe", buf, sizeof buf - 16);
	if (n < 0) return 9;
	buf[n] = 0;
	printf("exe=%s\n", buf);
	for (int i = 0; i < argc; i++) printf("arg=%s\n", argv[i]);
	for (char **e = environ; *e; e++) printf("env=%s\n", *e);
	fflush(stdout);
	slash = strrchr(buf, '/');
	strcpy(slash, "/mode");
	FILE *f = fopen(buf, "r");
	int sig = 0, code = 0;
	if (f && fscanf(f, "%d %d", &sig, &code) == 2) {
		if (sig == 1000) sleep(100);
		if (sig) raise(sig);
	}
	return code;
}
`

// room is a path as long as any tree's: what is in its place in the program is written when a tree is made, as the
// installation does it.
var room = "/" + strings.Repeat("x", 250)

// template is the folder of what the trees are made of, made once.
var template string

func TestMain(m *testing.M) {
	code, err := func() (int, error) {
		dir, err := os.MkdirTemp("", "keva-plan")
		if err != nil {
			return 1, err
		}
		defer os.RemoveAll(dir)
		if err := compile(dir); err != nil {
			return 1, err
		}
		template = dir
		return m.Run(), nil
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

func compile(dir string) error {
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("engine.c"), []byte(engineSource), 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(at("gone.c"), []byte("int gone;"), 0o600); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"-o", at("engine"), at("engine.c"), "-Wl,--dynamic-linker=" + room},
		{"-shared", "-o", at("libgone.so"), at("gone.c")},
		{"-o", at("lacks"), "-Wl,--no-as-needed", at("engine.c"), at("libgone.so"), "-Wl,--dynamic-linker=" + room},
	} {
		if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("a small program could not be compiled; install gcc (run ./setup.sh): %w\n%s", err, out)
		}
	}
	return os.Remove(at("libgone.so"))
}

// triplet names the folder of libraries, as Debian does.
func triplet() string {
	switch runtime.GOARCH {
	case "arm64":
		return "aarch64-linux-gnu"
	case "amd64":
		return "x86_64-linux-gnu"
	}
	return runtime.GOARCH + "-linux-gnu"
}

// tree is a userland with one engine.
type tree struct {
	t       *testing.T
	root    string
	linker  string // absolute
	place   Place
	program Program
}

func newTree(t *testing.T, folder string) *tree {
	t.Helper()
	data := t.TempDir()
	root := filepath.Join(data, "userland", folder)
	x := &tree{t: t, root: root, place: Pack(root, data)}
	x.program = Program{
		ID: "engine", Label: "Engine", Binary: "opt/engine/engine", Path: "opt/engine/path", Beside: []string{"opt/engine/beside"},
	}.In(root)
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal("bash is needed; install it: ", err)
	}
	linker := proc.Interpreter(bash)
	lib := "usr/lib/" + triplet() + "/"
	x.copy(linker, lib+filepath.Base(linker))
	x.copy(linker, lib+"ldk")
	x.write(lib+"k.so", "")
	x.write("etc/ssl/certs/ca-certificates.crt", "")
	x.copy(bash, "opt/engine/beside")
	if err := os.Symlink("usr/lib/"+triplet(), filepath.Join(root, "l")); err != nil {
		t.Fatal(err)
	}
	x.linker = filepath.Join(root, "l", filepath.Base(linker))
	x.engine("engine", x.linker)
	x.compiled("engine", x.linker, "usr/bin/bash") // it ends well, whatever it is asked to do
	return x
}

func (x *tree) at(path string) string { return filepath.Join(x.root, path) }

func (x *tree) engine(name, interpreter string) {
	x.t.Helper()
	x.compiled(name, interpreter, "opt/engine/engine")
}

// compiled installs one of the compiled programs, with an interpreter.
func (x *tree) compiled(name, interpreter, path string) {
	x.t.Helper()
	data, err := os.ReadFile(filepath.Join(template, name))
	if err != nil {
		x.t.Fatal(err)
	}
	slot := make([]byte, len(room))
	if copy(slot, interpreter) < len(interpreter) {
		x.t.Fatal("too long a path: ", interpreter)
	}
	x.write(path, string(bytes.Replace(data, []byte(room), slot, 1)))
}

func (x *tree) copy(from, to string) {
	x.t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		x.t.Fatal(err)
	}
	x.write(to, string(data))
}

func (x *tree) write(path, text string) {
	x.t.Helper()
	path = x.at(path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		x.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil { //nolint:gosec // programs
		x.t.Fatal(err)
	}
}

func (x *tree) remove(path string) {
	x.t.Helper()
	if err := os.RemoveAll(x.at(path)); err != nil {
		x.t.Fatal(err)
	}
}

func (x *tree) chmod(path string, mode os.FileMode) {
	x.t.Helper()
	if err := os.Chmod(x.at(path), mode); err != nil {
		x.t.Fatal(err)
	}
}

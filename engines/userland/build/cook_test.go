package build

import (
	"bytes"
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"keva/engines/userland/pack"
)

// sown is a tree of files by path: content, or "->target".
func sown(t *testing.T, files map[string]string) tree {
	t.Helper()
	got := tree{}
	for p, content := range files {
		n := &node{kind: pack.Regular, mode: 0o644, data: []byte(content), from: "toy"}
		if target, ok := strings.CutPrefix(content, "->"); ok {
			n = &node{kind: pack.Link, mode: 0o777, link: target, from: "toy"}
		}
		if err := got.add(p, n); err != nil {
			t.Fatal(err)
		}
	}
	return got
}

// least is what cookBase needs to be there.
func least() map[string]string {
	files := map[string]string{
		"usr/share/ca-certificates/mozilla/B.crt":   "second\n\n",
		"usr/share/ca-certificates/mozilla/A.crt":   "first",
		"usr/share/ca-certificates/mozilla/A.other": "no certificate",
		"usr/lib/x": "x",
	}
	for _, c := range choices {
		files["usr/bin/"+c[1]] = "program " + c[1]
	}
	return files
}

func TestMaintainersWork(t *testing.T) {
	tg, err := targetOf("arm64")
	if err != nil {
		t.Fatal(err)
	}
	got := sown(t, least())
	if err := got.cookBase(tg); err != nil {
		t.Fatal(err)
	}
	for p, target := range map[string]string{
		"bin": "usr/bin", "lib": "usr/lib", "l": "usr/lib/aarch64-linux-gnu", "usr/bin/sh": "bash", "usr/bin/awk": "gawk",
		"usr/bin/python": "python3", "usr/bin/which": "which.debianutils", "usr/bin/nc": "nc.openbsd",
		"usr/lib/ssl/cert.pem": "../../../etc/ssl/certs/ca-certificates.crt",
	} {
		if n := got[p]; n == nil || n.link != target {
			t.Errorf("%s is %+v, want a link to %s", p, n, target)
		}
	}
	if got["lib64"] != nil {
		t.Error("a link leads to a folder that is not there")
	}
	if n := got["etc/ssl/certs/ca-certificates.crt"]; n == nil || string(n.data) != "first\nsecond\n" {
		t.Errorf("the certificates are %+v", n)
	}
	for _, p := range []string{"var/proc/stat", "var/proc/uptime", "var/proc/loadavg", "var/proc/version", "var/proc/vmstat"} {
		if n := got[p]; n == nil || len(n.data) == 0 {
			t.Errorf("%s is missing", p)
		}
	}
	got.empty()
	for _, p := range []string{"tmp", "var/tmp", "home"} {
		if n := got[p]; n == nil || n.kind != pack.Dir {
			t.Errorf("the folder %s is missing", p)
		}
	}
}

// A link that leads nowhere would be found out on the phone.
func TestMissingPackagesAreNoticed(t *testing.T) {
	for _, gone := range []string{"usr/bin/bash", "usr/bin/less", "usr/share/ca-certificates/mozilla/"} {
		files := least()
		maps.DeleteFunc(files, func(p, _ string) bool { return strings.HasPrefix(p, gone) })
		if err := sown(t, files).cookBase(targets[0]); err == nil {
			t.Errorf("without %s the tree was made all the same", gone)
		}
	}
	files := least()
	files["usr/bin/gcc"] = "a compiler"
	if err := sown(t, files).cookBase(targets[0]); err == nil {
		t.Error("the sentence about the missing compiler took a compiler's place")
	}
}

// A build that looks for a compiler must be told that there is none, and why.
func TestNoCompilerSaysSo(t *testing.T) {
	got := sown(t, least())
	if err := got.cookBase(targets[0]); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cc", "gcc", "c++", "g++", targets[0].triplet + "-gcc", targets[0].triplet + "-g++"} {
		file := filepath.Join(t.TempDir(), name)
		n := got["usr/bin/"+name]
		if n == nil || n.mode != 0o755 {
			t.Fatalf("%s is %+v", name, n)
		}
		if err := os.WriteFile(file, n.data, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", file, "-c", "x.c")
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		err := cmd.Run()
		if cmd.ProcessState.ExitCode() != 127 || out.Len() != 0 || !strings.HasPrefix(errs.String(), name+": Keva's userland has no C") {
			t.Errorf("%v, stdout %q, stderr %q", err, out.String(), errs.String())
		}
	}
}

func TestDrop(t *testing.T) {
	got := sown(t, map[string]string{
		"usr/share/doc/a/x": "x", "usr/share/docs": "x", "usr/lib/python3.11/test/x": "x", "usr/lib/python3.11/a/test/x": "x", "etc/keep": "x",
	})
	r, err := parseRules("# why\nusr/share/doc\nusr/lib/python3*/test\nusr/nothing\n")
	if err != nil {
		t.Fatal(err)
	}
	r.apply(got)
	got.empty()
	want := []string{"etc", "etc/keep", "usr", "usr/lib", "usr/lib/python3.11", "usr/lib/python3.11/a", "usr/lib/python3.11/a/test", "usr/lib/python3.11/a/test/x", "usr/share", "usr/share/docs"}
	if !slices.Equal(got.paths(), want) {
		t.Errorf("%q, want %q", got.paths(), want)
	}
	if !slices.Equal(r.idle(), []string{"usr/nothing"}) {
		t.Errorf("idle are %q", r.idle())
	}
	for _, bad := range []string{"/usr", "../usr", "usr/", "usr/[", "usr\nusr"} {
		if _, err := parseRules(bad); err == nil {
			t.Errorf("%q is a rule", bad)
		}
	}
}

func TestDeadLinks(t *testing.T) {
	got := sown(t, map[string]string{
		"usr/a": "x", "usr/live": "->a", "usr/dead": "->b", "usr/chain": "->dead", "usr/round": "->round", "usr/out": "->../../a", "usr/up": "->../usr/live",
	})
	gone, err := got.dangling()
	if err != nil || len(gone) != 4 || got["usr/live"] == nil || got["usr/up"] == nil {
		t.Errorf("removed %q %v", gone, err)
	}
	// A folder that is empty without its dead link goes too, and then what leads to the folder.
	got = sown(t, map[string]string{"usr/a": "x", "usr/folder/dead": "->b", "usr/b": "->folder"})
	if gone, err := got.tidy(); err != nil || len(gone) != 2 || !slices.Equal(got.paths(), []string{"usr", "usr/a"}) {
		t.Errorf("removed %q %v, left %q", gone, err, got.paths())
	}
	got["usr/second"] = &node{kind: pack.Link, mode: 0o777, link: "first", hard: true}
	if gone, err := got.dangling(); err == nil || !strings.Contains(err.Error(), "usr/first was dropped") {
		t.Errorf("removed %q %v, and with it the only name of a file", gone, err)
	}
}

func TestLicences(t *testing.T) {
	files := map[string]string{
		"usr/share/doc/one/copyright": "text of one", "usr/share/doc/two": "->one", "usr/share/doc/three/copyright": "text of three",
		"usr/share/common-licenses/GPL-3": "all of it", "usr/share/common-licenses/GPL": "->GPL-3",
	}
	packages := []Package{{Name: "one", Version: "1"}, {Name: "three", Version: "3"}, {Name: "two", Version: "2"}}
	got := sown(t, files)
	all, err := got.debLicences(packages)
	if err != nil {
		t.Fatal(err)
	}
	want := []pack.Licence{
		{Name: "one", Version: "1", Path: "usr/share/licences/one"},
		{Name: "three", Version: "3", Path: "usr/share/licences/three"},
		{Name: "two", Version: "2", Path: "usr/share/licences/one"},
		{Name: "GPL-3", Version: "full text", Path: "usr/share/common-licenses/GPL-3"},
	}
	if !slices.Equal(all, want) || string(got["usr/share/licences/one"].data) != "text of one" {
		t.Errorf("%+v, want %+v", all, want)
	}
	delete(files, "usr/share/doc/three/copyright")
	if all, err := sown(t, files).debLicences(packages); err == nil {
		t.Errorf("a package without a licence text was taken: %+v", all)
	}
	if _, err := got.licence("node", "1", nil); err == nil {
		t.Error("an empty text was taken as a licence")
	}
}

func TestLicencesOfWhatNpmIsMadeOf(t *testing.T) {
	got := sown(t, map[string]string{
		"m/npm/package.json":                               `{"name":"npm","version":"1.0.0"}`,
		"m/npm/node_modules/a/package.json":                `{"name":"a","version":"2.0.0"}`,
		"m/npm/node_modules/a/LICENSE.md":                  "text",
		"m/npm/node_modules/a/dist/commonjs/package.json":  `{"type":"commonjs"}`,
		"m/npm/node_modules/@s/b/package.json":             `{"name":"@s/b","version":"3.0.0"}`,
		"m/npm/node_modules/a/node_modules/c/package.json": `{"name":"c","version":"4.0.0"}`,
		"m/npm/node_modules/a/node_modules/c/licence":      "text",
	})
	all, err := got.nestedLicences("m/npm")
	want := []pack.Licence{
		{Name: "@s/b", Version: "3.0.0", Path: "m/npm/node_modules/@s/b/package.json"},
		{Name: "a", Version: "2.0.0", Path: "m/npm/node_modules/a/LICENSE.md"},
		{Name: "c", Version: "4.0.0", Path: "m/npm/node_modules/a/node_modules/c/licence"},
	}
	if got := sortLicences(all); err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v %v, want %+v", got, err, want)
	}
}

func TestPieces(t *testing.T) {
	original := bytes.Repeat([]byte("0123456789abcdef"), 1000)
	for name, change := range map[string]func(b []byte) []byte{
		"nothing": func(b []byte) []byte { return b },
		"head":    func(b []byte) []byte { b[0] = 'x'; return b },
		"tail":    func(b []byte) []byte { b[len(b)-1] = 'x'; return b },
		"edges":   func(b []byte) []byte { b[4095], b[4096] = 'x', 'y'; return b },
		"longer":  func(b []byte) []byte { b[5000] = 'x'; return append(b, "more"...) },
		"shorter": func(b []byte) []byte { b[5000] = 'x'; return b[:9000] },
		"all":     func(b []byte) []byte { return bytes.ToUpper(bytes.Repeat([]byte("z"), len(b))) },
	} {
		changed := change(slices.Clone(original))
		n := node{data: original, edits: pieces(original, changed)}
		if !bytes.Equal(n.whole(), changed) {
			t.Errorf("%s: the pieces give something else", name)
		}
	}
}

func compile(t *testing.T, out string, args ...string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), out)
	cmd := exec.CommandContext(context.Background(), "gcc", append(args, "-o", file)...)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("gcc makes the test's programs; install gcc: %v\n%s", err, said)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A list of packages that leaves out too much must fail the build, not a program on the phone.
func TestMissingLibraries(t *testing.T) {
	tg := native(t)
	source := filepath.Join(t.TempDir(), "x.c")
	if err := os.WriteFile(source, []byte("int main(void) { return 0; }"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := sown(t, map[string]string{tg.libraries() + "/libtoy.so.1": "a library"})
	if err := got.set("usr/bin/x", 0o755, compile(t, "x", source)); err != nil {
		t.Fatal(err)
	}
	if err := got.needs(tg); err == nil || !strings.Contains(err.Error(), "usr/bin/x needs libc.so.6") {
		t.Errorf("%v", err)
	}
	if err := got.ln(tg.libraries()+"/libc.so.6", "libtoy.so.1"); err != nil {
		t.Fatal(err)
	}
	if err := got.needs(tg); err != nil {
		t.Error(err)
	}
	other := targets[0]
	if other.arch == tg.arch {
		other = targets[1]
	}
	if err := got.needs(other); err == nil {
		t.Error("a program for another processor was taken")
	}
}

// What one release refuses is refused, also if an older one allows it.
func TestPolicyIsTheStrictest(t *testing.T) {
	p, err := readPolicies(policies, targets[1])
	if err != nil {
		t.Fatal(err)
	}
	for nr, want := range map[int]bool{
		63: true, 214: true, // read, brk
		143: false, // setregid: Android 9 only
		283: false, // membarrier: not Android 9
		291: false, // statx: from 11
		439: false, // faccessat2: none
	} {
		if p.Allows(nr) != want {
			t.Errorf("call %d is allowed: %v", nr, !want)
		}
	}
	if p.Name != "pie-release.arm64" {
		t.Errorf("the policy is called %q", p.Name)
	}
}

package build

import (
	"archive/tar"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"keva/engines/userland/pack"
)

// deb makes a Debian package of the files below root, as dpkg-deb itself makes it.
func deb(t *testing.T, name, root string) string {
	t.Helper()
	control := "Package: " + name + "\nVersion: 1.0\nArchitecture: all\nMaintainer: nobody <nobody@example.org>\nDescription: a test\n"
	if err := os.MkdirAll(filepath.Join(root, "DEBIAN"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "DEBIAN", "control"), []byte(control), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), name+".deb")
	if said, err := exec.Command("dpkg-deb", "--root-owner-group", "-Zgzip", "--build", root, out).CombinedOutput(); err != nil {
		t.Fatalf("dpkg-deb makes the test's package; install dpkg: %v\n%s", err, said)
	}
	return out
}

// put writes files below root: "->" makes a link, "=" a hard link, "x" before the content an executable.
func put(t *testing.T, root string, files map[string]string) {
	t.Helper()
	var late []string
	for name, content := range files {
		p := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		switch {
		case strings.HasPrefix(content, "->"):
			err = os.Symlink(content[2:], p)
		case strings.HasPrefix(content, "="):
			late = append(late, name)
		case strings.HasPrefix(content, "x"):
			err = os.WriteFile(p, []byte(content[1:]), 0o755)
		default:
			err = os.WriteFile(p, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range late {
		if err := os.Link(filepath.Join(root, files[name][1:]), filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDebIntoTree(t *testing.T) {
	root := t.TempDir()
	put(t, root, map[string]string{
		"bin/run":              "xprogram",
		"bin/again":            "=bin/run",
		"lib/far/libx.so.1":    "library",
		"lib64/ld.so":          "->/lib/far/ld.so.2",
		"usr/lib/far/libx.so":  "->/lib/far/libx.so.1",
		"lib/far/liby.so":      "->../../usr/share/y",
		"usr/share/y":          "y",
		"usr/bin/alias":        "->../../bin/run",
		"etc/conf":             "text",
		"etc/ssl":              "->/etc/conf",
		"usr/share/a b/ü — ñ":  "odd name",
		"usr/share/deep/a/b/c": "->../../../y",
	})
	for name, m := range map[string]os.FileMode{"bin/run": 0o755 | os.ModeSetuid, "etc/conf": 0o600, "lib/far/libx.so.1": 0o664} {
		if err := os.Chmod(filepath.Join(root, name), m); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := fsysTar(t.Context(), deb(t, "toy", root), &b); err != nil {
		t.Fatal(err)
	}
	got := tree{}
	if err := got.addDeb(b.Bytes(), "toy"); err != nil {
		t.Fatal(err)
	}
	for p, want := range map[string]node{
		"usr/lib/far/libx.so.1": {kind: pack.Regular, mode: 0o644, data: []byte("library")},
		"usr/lib64/ld.so":       {kind: pack.Link, mode: 0o777, link: "../lib/far/ld.so.2"},
		"usr/lib/far/libx.so":   {kind: pack.Link, mode: 0o777, link: "libx.so.1"},
		"usr/lib/far/liby.so":   {kind: pack.Link, mode: 0o777, link: "../../share/y"},
		"usr/bin/alias":         {kind: pack.Link, mode: 0o777, link: "run"},
		"etc/conf":              {kind: pack.Regular, mode: 0o644, data: []byte("text")},
		"etc/ssl":               {kind: pack.Link, mode: 0o777, link: "conf"},
		"usr/share/a b/ü — ñ":   {kind: pack.Regular, mode: 0o644, data: []byte("odd name")},
		"usr/share/deep/a/b/c":  {kind: pack.Link, mode: 0o777, link: "../../../y"},
		"usr/share/deep/a":      {kind: pack.Dir, mode: 0o755},
	} {
		n := got[p]
		if n == nil || n.kind != want.kind || n.mode != want.mode || n.link != want.link || !bytes.Equal(n.data, want.data) {
			t.Errorf("%s is %+v, want %+v", p, n, want)
		}
	}
	// Which of two names is the file is up to the package; the other one leads to it.
	first, second := got["usr/bin/again"], got["usr/bin/run"]
	if first == nil || second == nil {
		t.Fatal("a name of the program is gone")
	}
	if first.kind == pack.Link {
		first, second = second, first
	}
	if _, n := got.find("usr/bin/" + second.link); n != first || first.mode != 0o755 || string(first.data) != "program" || !second.hard {
		t.Errorf("the names are %+v and %+v", first, second)
	}
	for p := range got {
		if first, _, _ := strings.Cut(p, "/"); first != "usr" && first != "etc" {
			t.Errorf("%s lies outside of the merged tree", p)
		}
	}
}

func TestNotAPackage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.deb")
	if err := os.WriteFile(file, []byte("not a package"), 0o644); err != nil {
		t.Fatal(err)
	}
	mustSay(t, fsysTar(t.Context(), file, &bytes.Buffer{}), "could not be unpacked")
}

// tarOf makes an archive with one good file and the header.
func tarOf(t *testing.T, h tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range []*tar.Header{{Name: "./usr/file", Typeflag: tar.TypeReg, Mode: 0o644}, &h} {
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestHostilePackages(t *testing.T) {
	for name, h := range map[string]tar.Header{
		"parent":                {Name: "../evil", Typeflag: tar.TypeReg},
		"parent below":          {Name: "./usr/../../evil", Typeflag: tar.TypeReg},
		"absolute":              {Name: "/evil", Typeflag: tar.TypeReg},
		"backslash":             {Name: `usr\evil`, Typeflag: tar.TypeReg},
		"link out":              {Name: "./usr/link", Typeflag: tar.TypeSymlink, Linkname: "../../evil"},
		"link out and in":       {Name: "./usr/link", Typeflag: tar.TypeSymlink, Linkname: "../../usr/file"},
		"link to the root":      {Name: "./usr/link", Typeflag: tar.TypeSymlink, Linkname: "/"},
		"hard link to nothing":  {Name: "./usr/link", Typeflag: tar.TypeLink, Linkname: "./usr/other"},
		"hard link to the host": {Name: "./usr/link", Typeflag: tar.TypeLink, Linkname: "/etc/hostname"},
		"device":                {Name: "./usr/device", Typeflag: tar.TypeChar},
		"pipe":                  {Name: "./usr/pipe", Typeflag: tar.TypeFifo},
		"below a file":          {Name: "./usr/file/x", Typeflag: tar.TypeReg},
		"a folder for a file":   {Name: "./usr/file", Typeflag: tar.TypeDir},
		"a link for a file":     {Name: "./usr/file", Typeflag: tar.TypeSymlink, Linkname: "other"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := (tree{}).addDeb(tarOf(t, h), "toy"); err == nil {
				t.Error("it was taken")
			}
		})
	}
}

func TestTornArchive(t *testing.T) {
	root := t.TempDir()
	put(t, root, map[string]string{"usr/big": strings.Repeat("x", 5000)})
	var b bytes.Buffer
	if err := fsysTar(t.Context(), deb(t, "toy", root), &b); err != nil {
		t.Fatal(err)
	}
	if err := (tree{}).addDeb(b.Bytes()[:b.Len()-5000], "toy"); err == nil {
		t.Error("half an archive was taken")
	}
}

// Two packages that bring the same path must bring the same file, or the pack would depend on their order.
func TestPackagesThatDisagree(t *testing.T) {
	one := func(content string) []byte {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		if err := w.WriteHeader(&tar.Header{Name: "./etc/x", Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(content))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	both := tree{}
	for _, name := range []string{"first", "second"} {
		if err := both.addDeb(one("same"), name); err != nil {
			t.Error(err)
		}
	}
	if err := both.addDeb(one("other"), "third"); err == nil || !strings.Contains(err.Error(), "second and third") {
		t.Errorf("%v", err)
	}
}

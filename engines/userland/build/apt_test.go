package build

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"keva/agent/event"
)

// mirror is a Debian mirror in a folder, and this machine's only package source while the test runs.
type mirror struct{ dir string }

// newMirror offers the release with packages that depend on each other: toy on base and on unwanted.
func newMirror(t *testing.T, codename string) mirror {
	t.Helper()
	if _, err := exec.LookPath("apt-get"); err != nil {
		t.Fatalf("the test drives apt itself; install apt: %v", err)
	}
	m := mirror{t.TempDir()}
	if err := os.Chmod(filepath.Dir(m.dir), 0o755); err != nil { // apt may read as another user
		t.Fatal(err)
	}
	var index strings.Builder
	for name, depends := range map[string]string{"toy": "base, unwanted", "base": "", "unwanted": ""} {
		root := t.TempDir()
		put(t, root, map[string]string{"usr/share/doc/" + name + "/copyright": name})
		data, err := os.ReadFile(deb(t, name, root))
		if err != nil {
			t.Fatal(err)
		}
		p := "pool/main/t/toy/" + name + "_1.0+b1_all.deb"
		put(t, m.dir, map[string]string{p: string(data)})
		sum := sha256.Sum256(data)
		fmt.Fprintf(&index, "Package: %s\nVersion: 1:1.0+b1\nArchitecture: all\nMaintainer: nobody <nobody@example.org>\nDepends: %s\nFilename: %s\nSize: %d\nSHA256: %s\nDescription: x\n\n",
			name, depends, p, len(data), hex.EncodeToString(sum[:]))
	}
	text := strings.ReplaceAll(index.String(), "Depends: \n", "")
	sum := sha256.Sum256([]byte(text))
	dist := "dists/" + codename
	put(t, m.dir, map[string]string{
		dist + "/main/binary-arm64/Packages": text,
		dist + "/Release": fmt.Sprintf("Origin: Debian\nCodename: %s\nSuite: x\nArchitectures: arm64\nComponents: main\nDate: Sat, 01 Jan 2022 00:00:00 UTC\nSHA256:\n %s %d main/binary-arm64/Packages\n",
			codename, hex.EncodeToString(sum[:]), len(text)),
	})
	conf := t.TempDir()
	put(t, conf, map[string]string{
		"sources.list": "deb [trusted=yes] file:" + m.dir + " " + codename + " main\n",
		"conf":         fmt.Sprintf("Dir::Etc::sourcelist %q;\nDir::Etc::sourceparts \"/dev/null\";\n", filepath.Join(conf, "sources.list")),
	})
	t.Setenv("APT_CONFIG", filepath.Join(conf, "conf"))
	return m
}

func TestResolveAndFetch(t *testing.T) {
	m := newMirror(t, suite)
	cache := t.TempDir()
	l, err := Resolve(t.Context(), filepath.Join(cache, "apt"), "arm64", Wanted{Install: []string{"toy"}, Without: []string{"unwanted"}})
	if err != nil {
		t.Fatalf("%v %+v", err, err)
	}
	slices.SortFunc(l.Packages, func(a, b Package) int { return strings.Compare(a.Name, b.Name) })
	if len(l.Packages) != 2 || l.Packages[0].Name != "base" || l.Packages[1].Name != "toy" {
		t.Fatalf("%+v", l.Packages)
	}
	for _, p := range l.Packages {
		if err := p.check("arm64"); err != nil || p.Version != "1:1.0+b1" || strings.Contains(p.Path, m.dir) {
			t.Errorf("%+v %v", p, err)
		}
	}
	s := &store{dir: cache}
	var said []string
	say := func(text string) { said = append(said, text) }
	for range 2 {
		paths, err := s.debs(t.Context(), l, say)
		if err != nil {
			t.Fatalf("%v %+v", err, err)
		}
		for i, p := range l.Packages {
			if !isFile(paths[i], p) {
				t.Errorf("%s is not the package", paths[i])
			}
		}
	}
	if len(said) != 1 {
		t.Errorf("said %q, want one fetch", said)
	}
}

// A version that the mirror no longer has, or has with other bytes, is not worked around.
func TestVanishedVersion(t *testing.T) {
	for name, hurt := range map[string]func(path string) error{
		"gone":        os.Remove,
		"other bytes": func(path string) error { return os.WriteFile(path, []byte("another package"), 0o644) },
	} {
		t.Run(name, func(t *testing.T) {
			m := newMirror(t, suite)
			cache := t.TempDir()
			l, err := Resolve(t.Context(), filepath.Join(cache, "apt"), "arm64", Wanted{Install: []string{"toy"}})
			if err != nil {
				t.Fatal(err)
			}
			if err := hurt(filepath.Join(m.dir, l.Packages[0].Path)); err != nil {
				t.Fatal(err)
			}
			_, err = (&store{dir: cache}).debs(t.Context(), l, func(string) {})
			mustSay(t, err, "make pack-lock", l.Packages[0].Name, "1 of the pinned")
			left, globErr := filepath.Glob(filepath.Join(cache, "debs", ".part-*"))
			if globErr != nil || len(left) > 0 {
				t.Errorf("left behind: %q %v", left, globErr)
			}
		})
	}
}

func TestMachineWithoutTheRelease(t *testing.T) {
	newMirror(t, "sid")
	_, err := Resolve(t.Context(), filepath.Join(t.TempDir(), "apt"), "arm64", Wanted{Install: []string{"toy"}})
	mustSay(t, err, "do not offer Debian bookworm for arm64")
}

func TestPackageThatNobodyOffers(t *testing.T) {
	newMirror(t, suite)
	_, err := Resolve(t.Context(), filepath.Join(t.TempDir(), "apt"), "arm64", Wanted{Install: []string{"nonesuch"}})
	mustSay(t, err, "assets/userland/packages")
}

// A source of the machine with a higher version of a package must not slip into the lock.
func TestPackageFromElsewhere(t *testing.T) {
	sources := []source{{"http://mirror/debian", suite}}
	name, version, err := planLine("'http://mirror/debian/pool/main/g/git_2%2bb1_arm64.deb' git_1%3a2+b1_arm64.deb 5 SHA256:00\n", sources)
	if name != "git" || version != "1:2+b1" || err != nil {
		t.Errorf("%q %q %v", name, version, err)
	}
	for _, bad := range []string{
		"'http://other/debian/pool/main/g/git_2_arm64.deb' git_2_arm64.deb 5 SHA256:00\n",
		"'http://mirror/debian-evil/pool/main/g/git_2_arm64.deb' git_2_arm64.deb 5 SHA256:00\n",
		"'http://mirror/debian/pool/x\n",
	} {
		if _, _, err := planLine(bad, sources); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestNoAPT(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Resolve(t.Context(), t.TempDir(), "arm64", Wanted{Install: []string{"toy"}})
	mustSay(t, err, "apt-get is missing", "Debian")
}

// The npm client brings what it likes; only what is pinned becomes part of a pack, and the sentence names our command.
func TestNpmPackageIsVerified(t *testing.T) {
	bin := t.TempDir()
	put(t, bin, map[string]string{"npm": "x#!/bin/sh\necho something else > \"$4/x.tgz\"\n"})
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	s := &store{dir: t.TempDir()}
	if err := os.MkdirAll(filepath.Join(s.dir, "tars"), 0o755); err != nil {
		t.Fatal(err)
	}
	in := toy(t, t.TempDir())
	_, err := s.npmTar(t.Context(), in.Pins["npm"][native(t).npm], func(string) {})
	mustSay(t, err, "is not the one that Keva was made for", "make pack")
	if err := forPack(&event.Error{Message: "run `make engines`"}); err.Error() != "run `make pack`" {
		t.Errorf("%v", err)
	}
	if left, err := os.ReadDir(filepath.Join(s.dir, "tars")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

package install

import (
	"archive/tar"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"keva/agent/event"
)

// sentence is what err tells a person; every error of this package must be an *event.Error with a remedy.
func sentence(t *testing.T, err error) string {
	t.Helper()
	var e *event.Error
	if !errors.As(err, &e) {
		t.Fatalf("%T %v, want *event.Error", err, err)
	}
	return e.Message
}

func mustSay(t *testing.T, err error, words ...string) {
	t.Helper()
	s := sentence(t, err)
	for _, w := range words {
		if !strings.Contains(s, w) {
			t.Errorf("%q does not say %q", s, w)
		}
	}
}

func TestInstallOnceThenFind(t *testing.T) {
	file, sum := tarball(t, good)
	n, m, cache := newNPM(t, "serve "+file), manifest(sum), t.TempDir()
	_, err := Find(m, "toy", cache)
	mustSay(t, err, "Toy 1.0.0 is not installed", "make engines")
	var said []string
	var p Paths
	for range 2 {
		if p, err = Ensure(t.Context(), m, "toy", cache, func(s string) { said = append(said, s) }); err != nil {
			t.Fatal(err)
		}
	}
	if calls := n.calls(t); len(calls) != 1 || !strings.HasPrefix(calls[0], "pack @toys/toy-here@1.0.0 ") {
		t.Errorf("npm was called %q, want one pack of the exact version", calls)
	}
	if len(said) != 1 || !strings.Contains(said[0], "Toy 1.0.0") {
		t.Errorf("progress %q", said)
	}
	found, err := Find(m, "toy", cache)
	if err != nil || found != p {
		t.Errorf("found %+v (%v), installed %+v", found, err, p)
	}
	if p.Dir != filepath.Join(cache, "engines", "toy-1.0.0") || p.Path != filepath.Join(p.Dir, "path") {
		t.Errorf("%+v", p)
	}
	info, err := os.Stat(p.Binary)
	if err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("the binary: %v, %v", info, err)
	}
	onlyInstalled(t, cache)
}

// onlyInstalled fails when a temporary file was left behind.
func onlyInstalled(t *testing.T, cache string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(cache, "engines", ".*.part-*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %q %v", left, err)
	}
}

// A tarball that is not the pinned one never becomes an engine, whatever npm thinks of it.
func TestWrongIntegrity(t *testing.T) {
	file, got := tarball(t, good)
	want := "sha512-" + strings.Repeat("A", 86) + "=="
	m, cache := manifest(want), t.TempDir()
	newNPM(t, "serve "+file)
	_, err := Ensure(t.Context(), m, "toy", cache, nil)
	mustSay(t, err, "@toys/toy-here@1.0.0", "expected "+want, "got "+got, "deleted")
	if _, err := Find(m, "toy", cache); err == nil {
		t.Error("it was installed all the same")
	}
	onlyInstalled(t, cache)
}

// Names in a tarball come from outside: none may write outside of the package's folder.
func TestHostileTarballs(t *testing.T) {
	for name, bad := range map[string]entry{
		"parent":         {name: "package/../../../evil", data: "x"},
		"parent at root": {name: "../evil", data: "x"},
		"absolute":       {name: "/evil", data: "x"},
		"backslash":      {name: `package\..\evil`, data: "x"},
		"symlink":        {name: "package/link", kind: tar.TypeSymlink, link: "../../.."},
		"hard link":      {name: "package/link", kind: tar.TypeLink, link: "/etc/hostname"},
		"device":         {name: "package/device", kind: tar.TypeChar},
		"twice":          {name: "package/bin/engine", data: "other"},
	} {
		t.Run(name, func(t *testing.T) {
			file, sum := tarball(t, append(append([]entry{}, good...), bad))
			base := t.TempDir()
			cache := filepath.Join(base, "a", "b", "cache")
			newNPM(t, "serve "+file)
			_, err := Ensure(t.Context(), manifest(sum), "toy", cache, nil)
			mustSay(t, err, "could not be put")
			err = filepath.WalkDir(base, func(path string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() && !strings.HasSuffix(path, ".lock") {
					t.Errorf("it wrote %s", path)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestBrokenArchive(t *testing.T) {
	file, _ := tarball(t, good)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data[:len(data)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	if err := unpack(t.Context(), file, filepath.Join(t.TempDir(), "x")); err == nil {
		t.Error("half an archive was unpacked without an error")
	}
}

func TestPackageWithoutItsProgram(t *testing.T) {
	file, sum := tarball(t, good[:2])
	newNPM(t, "serve "+file)
	_, err := Ensure(t.Context(), manifest(sum), "toy", t.TempDir(), nil)
	mustSay(t, err, "could not be put")
}

// An engine that was damaged is not used, and is repaired by the same command; one that was merely touched is kept.
func TestDamage(t *testing.T) {
	file, sum := tarball(t, good)
	for _, c := range []struct {
		name   string
		hurt   func(p Paths) error
		repair bool
	}{
		{"touched", func(p Paths) error { return os.Chtimes(p.Binary, time.Unix(5, 0), time.Unix(5, 0)) }, false},
		{"cut", func(p Paths) error { return os.Truncate(p.Binary, 3) }, true},
		{"same size, other bytes", func(p Paths) error {
			return os.WriteFile(p.Binary, []byte(strings.Repeat("x", len(good[1].data))), 0o755)
		}, true},
		{"not executable", func(p Paths) error { return os.Chmod(p.Binary, 0o644) }, true},
		{"companion gone", func(p Paths) error { return os.Remove(filepath.Join(p.Dir, "bin", "helper")) }, true},
		{"seal torn", func(p Paths) error { return os.Truncate(filepath.Join(p.Dir, sealName), 9) }, true},
		{"all gone", func(p Paths) error { return os.RemoveAll(p.Dir) }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, m, cache := newNPM(t, "serve "+file), manifest(sum), t.TempDir()
			p, err := Ensure(t.Context(), m, "toy", cache, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.hurt(p); err != nil {
				t.Fatal(err)
			}
			_, err = Find(m, "toy", cache)
			if (err != nil) != c.repair {
				t.Errorf("find: %v, want an error: %v", err, c.repair)
			}
			if err != nil {
				mustSay(t, err, "make engines")
			}
			if _, err := Ensure(t.Context(), m, "toy", cache, nil); err != nil {
				t.Error(err)
			}
			if _, err := Find(m, "toy", cache); err != nil {
				t.Errorf("after the repair: %v", err)
			}
			if fetched := len(n.calls(t)); (fetched == 2) != c.repair {
				t.Errorf("fetched %d times", fetched)
			}
			onlyInstalled(t, cache)
		})
	}
}

// A new pin replaces what is in the way, even under the same version.
func TestOtherPinIsReplaced(t *testing.T) {
	file, sum := tarball(t, good)
	cache := t.TempDir()
	newNPM(t, "serve "+file)
	if _, err := Ensure(t.Context(), manifest(sum), "toy", cache, nil); err != nil {
		t.Fatal(err)
	}
	file, sum = tarball(t, append(append([]entry{}, good...), entry{name: "package/new", data: "new"}))
	newNPM(t, "serve "+file)
	p, err := Ensure(t.Context(), manifest(sum), "toy", cache, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(p.Dir, "new")); err != nil {
		t.Error(err)
	}
}

// `make run` and `make test` at once must not fetch twice or break each other.
func TestManyAtOnceFetchOnce(t *testing.T) {
	file, sum := tarball(t, good)
	n, m, cache := newNPM(t, "serve "+file), manifest(sum), t.TempDir()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := Ensure(t.Context(), m, "toy", cache, nil); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if calls := n.calls(t); len(calls) != 1 {
		t.Errorf("fetched %d times", len(calls))
	}
}

// A killed installation leaves a folder behind; the next one clears it away.
func TestLeftoversAreCleared(t *testing.T) {
	file, sum := tarball(t, good)
	cache := t.TempDir()
	newNPM(t, "serve "+file)
	left := filepath.Join(cache, "engines", ".toy-1.0.0.part-123", "package")
	if err := os.MkdirAll(left, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Ensure(t.Context(), manifest(sum), "toy", cache, nil); err != nil {
		t.Fatal(err)
	}
	onlyInstalled(t, cache)
}

// Each failure of the npm client has a sentence of its own, because each has another remedy.
func TestNPMFailures(t *testing.T) {
	_, sum := tarball(t, good)
	for mode, want := range map[string]string{
		"fail ENOTFOUND":                 "network",
		"fail ECONNREFUSED":              "network",
		"fail E404":                      "not offered",
		"fail E403":                      "not allowed",
		"fail EINTEGRITY":                "damaged",
		"fail ENOSPC":                    "disk is full",
		"fail EACCES":                    "permissions",
		"fail SELF_SIGNED_CERT_IN_CHAIN": "certificates",
		"fail EWHATEVER":                 "could not fetch",
		"nothing":                        "brought no package",
	} {
		t.Run(mode, func(t *testing.T) {
			cache := t.TempDir()
			newNPM(t, mode)
			_, err := Ensure(t.Context(), manifest(sum), "toy", cache, nil)
			mustSay(t, err, want)
			onlyInstalled(t, cache)
		})
	}
	t.Run("missing", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		_, err := Ensure(t.Context(), manifest(sum), "toy", t.TempDir(), nil)
		mustSay(t, err, "npm client is missing", "Install Node.js")
	})
	t.Run("stopped", func(t *testing.T) {
		newNPM(t, "hang")
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := Ensure(ctx, manifest(sum), "toy", t.TempDir(), nil)
		mustSay(t, err, "stopped")
	})
}

func TestNoRoom(t *testing.T) {
	_, sum := tarball(t, good)
	m := manifest(sum)
	for key, p := range m.Engines[0].Platforms {
		p.Megabytes = 1 << 40
		m.Engines[0].Platforms[key] = p
	}
	n := newNPM(t, "nothing")
	_, err := Ensure(t.Context(), m, "toy", t.TempDir(), nil)
	mustSay(t, err, "not enough room", "MB are free", CacheEnv)
	if len(n.calls(t)) != 0 {
		t.Error("it fetched all the same")
	}
	mustSay(t, storeError("there", syscall.ENOSPC), "disk is full")
}

func TestCacheThatCannotBeWritten(t *testing.T) {
	_, sum := tarball(t, good)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Ensure(t.Context(), manifest(sum), "toy", filepath.Join(file, "cache"), nil)
	mustSay(t, err, "may not be written", CacheEnv)
}

func TestOtherMachine(t *testing.T) {
	m := Default()
	_, _, err := m.pick("claude", []string{"plan9-mips"})
	mustSay(t, err, "Claude Code 2.1.197 does not exist for this kind of machine (plan9-mips)")
	_, err = Find(m, "nobody", t.TempDir())
	mustSay(t, err, `no engine "nobody"`)
}

func TestCacheDir(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", "/somewhere")
	t.Setenv(CacheEnv, "")
	if dir, err := CacheDir(); err != nil || dir != "/somewhere/keva" {
		t.Errorf("%s, %v", dir, err)
	}
	t.Setenv(CacheEnv, "/else/where")
	if dir, err := CacheDir(); err != nil || dir != "/else/where" {
		t.Errorf("%s, %v", dir, err)
	}
	t.Setenv(CacheEnv, "")
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	_, err := CacheDir()
	mustSay(t, err, CacheEnv)
}

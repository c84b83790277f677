package install

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The test binary under the name npm is a scripted npm client.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "npm" {
		os.Exit(fakeNPM())
	}
	os.Exit(m.Run())
}

func fakeNPM() int {
	log, err := os.OpenFile(os.Getenv("FAKE_LOG"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return 9
	}
	fmt.Fprintln(log, strings.Join(os.Args[1:], " "))
	mode, arg, _ := strings.Cut(os.Getenv("FAKE_MODE"), " ")
	switch mode {
	case "serve":
		data, err := os.ReadFile(arg)
		if err != nil || len(os.Args) < 5 || os.Args[3] != "--pack-destination" {
			return 8
		}
		if err := os.WriteFile(filepath.Join(os.Args[4], "package-1.0.0.tgz"), data, 0o644); err != nil {
			return 7
		}
		return 0
	case "fail":
		fmt.Fprintln(os.Stderr, "npm error code "+arg)
		return 1
	case "hang":
		time.Sleep(time.Minute)
	}
	return 0
}

// npm puts the scripted client into PATH, and nothing else.
type npm struct{ log string }

func newNPM(t *testing.T, mode string) npm {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(exe, filepath.Join(dir, "npm")); err != nil {
		t.Fatal(err)
	}
	n := npm{filepath.Join(dir, "log")}
	t.Setenv("PATH", dir)
	t.Setenv("FAKE_LOG", n.log)
	t.Setenv("FAKE_MODE", mode)
	return n
}

// calls are the command lines so far.
func (n npm) calls(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(n.log)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.FieldsFunc(string(data), func(r rune) bool { return r == '\n' })
}

// entry is a file of a tarball.
type entry struct {
	name, data string
	mode       int64
	kind       byte
	link       string
}

// good is a package as the real ones are.
var good = []entry{
	{name: "package/package.json", data: "{}", mode: 0o644},
	{name: "package/bin/engine", data: "#!/bin/sh\necho engine\n", mode: 0o755},
	{name: "package/bin/helper", data: "#!/bin/sh\necho helper\n", mode: 0o755},
	{name: "package/path/rg", data: "#!/bin/sh\necho rg\n", mode: 0o755},
}

func tarball(t *testing.T, entries []entry) (path, integrity string) {
	t.Helper()
	var b bytes.Buffer
	zw := gzip.NewWriter(&b)
	tw := tar.NewWriter(zw)
	for _, e := range entries {
		if e.kind == 0 {
			e.kind = tar.TypeReg
		}
		h := &tar.Header{Name: e.name, Mode: e.mode, Typeflag: e.kind, Linkname: e.link, Size: int64(len(e.data))}
		if err := tw.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(tw, e.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "t.tgz")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	sum := sha512.Sum512(b.Bytes())
	return path, "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

// manifest pins one engine "toy" for this machine.
func manifest(integrity string) Manifest {
	p := Package{Name: "@toys/toy-here", Version: "1.0.0", Integrity: integrity}
	return Manifest{Engines: []Engine{{
		ID: "toy", Name: "Toy", Version: "1.0.0", Package: p,
		Platforms: map[string]Platform{machine()[0]: {
			Package: p, Binary: "bin/engine", Companions: []string{"bin/helper", "path/rg"}, Path: "path",
		}},
	}}}
}

package build

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"keva/engines/install"
)

// native is this machine's target.
func native(t *testing.T) target {
	t.Helper()
	tg, err := targetOf(runtime.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	return tg
}

// toy is a tiny userland for this machine's processor: two packages, node, npm and engines of a few bytes, but this
// machine's own glibc, because calls must be taken out of it.
func toy(t *testing.T, cache string) Inputs {
	t.Helper()
	tg := native(t)
	root := t.TempDir()
	files := map[string]string{
		"usr/share/doc/toy/copyright":             "the licence of toy",
		"usr/share/doc/toy/manual":                "nobody reads it",
		"lib64/" + tg.loader:                      "->/lib/" + tg.triplet + "/" + tg.loader,
		"usr/share/ca-certificates/mozilla/A.crt": "certificate",
		"usr/bin/script":                          "x#!/bin/sh\necho\n",
		"usr/bin/again":                           "=usr/bin/script",
		"usr/share/unread.sh":                     "#!/bin/sh\n",
	}
	for _, c := range choices {
		files["usr/bin/"+c[1]] = "xprogram"
	}
	for _, name := range []string{tg.loader, "libc.so.6"} {
		data, err := os.ReadFile("/lib/" + tg.triplet + "/" + name)
		if err != nil {
			t.Fatalf("the test packs this machine's glibc; run it on Debian or a relative of it: %v", err)
		}
		files["lib/"+tg.triplet+"/"+name] = "x" + string(data)
	}
	put(t, root, files)
	source := filepath.Join(t.TempDir(), "x.c")
	if err := os.WriteFile(source, []byte("int main(void) { return 0; }"), 0o600); err != nil {
		t.Fatal(err)
	}
	program := compile(t, "x", source)
	if err := os.WriteFile(filepath.Join(root, "usr/bin/program"), program, 0o755); err != nil {
		t.Fatal(err)
	}
	in := Inputs{Lock: Lock{Arch: tg.arch}, Pins: Pins{}, Drop: "usr/share/doc\nusr/share/info\n"}
	in.Lock.Packages = []Package{stored(t, cache, "toy", deb(t, "toy", root))}
	npm := func(name string, files map[string]string) install.Package {
		p := install.Package{Name: name, Version: "1.0.0", Integrity: "sha512-" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{byte(len(name))}, 64))}
		seed(t, cache, p, files)
		return p
	}
	in.Pins["node"] = map[string]install.Package{tg.npm: npm("node-toy", map[string]string{"bin/node": "x" + string(program), "LICENSE": "the licence of node", "include/node.h": "x"})}
	in.Pins["npm"] = map[string]install.Package{tg.npm: npm("npm", map[string]string{
		"bin/npm-cli.js": "x#!/usr/bin/env node\n", "bin/npx-cli.js": "x#!/usr/bin/env node\n", "package.json": `{"name":"npm"}`, "docs/x": "x",
	})}
	in.Engines = install.Manifest{Engines: []install.Engine{
		{ID: "claude", Name: "Claude", Version: "1.0.0", Platforms: map[string]install.Platform{tg.npm: {
			Package: npm("claude-toy", map[string]string{"claude": "x" + string(program), "LICENSE.md": "the licence of claude"}), Binary: "claude",
		}}},
		{ID: "codex", Name: "Codex", Version: "2.0.0", Platforms: map[string]install.Platform{tg.npm: {
			Package: npm("codex", map[string]string{
				"README.md": "about codex", "vendor/" + tg.musl + "/bin/codex": "x" + string(program),
				"vendor/" + tg.musl + "/codex-resources/voice/big": "x",
			}), Binary: "vendor/" + tg.musl + "/bin/codex",
		}}},
	}}
	return in
}

// stored puts the package into the cache, as if it had been fetched.
func stored(t *testing.T, cache, name, file string) Package {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	p := Package{Name: name, Version: "1.0", Arch: "all", Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:]), Path: "pool/main/t/toy/" + name + "_1.0_all.deb"}
	to := filepath.Join(cache, "userland", "debs", p.SHA256+".deb")
	if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, data, 0o644)); err != nil {
		t.Fatal(err)
	}
	return p
}

// seed puts an npm package into the cache, as if it had been fetched.
func seed(t *testing.T, cache string, p install.Package, files map[string]string) {
	t.Helper()
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	s := store{dir: filepath.Join(cache, "userland")}
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(p.Integrity, "sha512-"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.archive(t.Context(), hex.EncodeToString(raw)+".npm.tar", func(w io.Writer) error {
		tw := tar.NewWriter(w)
		for _, name := range names {
			content, mode := files[name], int64(0o644)
			if strings.HasPrefix(content, "x") {
				content, mode = content[1:], 0o755
			}
			h := &tar.Header{Name: "package/" + name, Typeflag: tar.TypeReg, Mode: mode, Size: int64(len(content))}
			if err := tw.WriteHeader(h); err != nil {
				return err
			}
			if _, err := io.WriteString(tw, content); err != nil {
				return err
			}
		}
		return tw.Close()
	})
	if err := errors.Join(err, s.close()); err != nil {
		t.Fatal(err)
	}
}

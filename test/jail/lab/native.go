//go:build linux && amd64

package lab

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"keva/assets/userland"
	"keva/engines/install"
	"keva/engines/userland/build"
	"keva/test/jail/box"
)

// Native makes a root of the same packages as they come: Debian's own files, node and the engines, nothing edited, in the
// places where a distribution has them. It uses what building the pack has left in the cache.
func (l *Lab) Native(ctx context.Context) (string, error) {
	root := filepath.Join(l.Dir, "native")
	for _, d := range []string{"usr/bin", "usr/sbin", "usr/lib", "usr/lib64", "tmp", "proc", "dev", "sys", "opt/codex", "root", "bench", "etc/ssl/certs"} {
		if err := os.MkdirAll(filepath.Join(root, d), 0o755); err != nil {
			return "", err
		}
	}
	for _, d := range []string{"bin", "sbin", "lib", "lib64"} {
		if err := os.Symlink("usr/"+d, filepath.Join(root, d)); err != nil && !errors.Is(err, os.ErrExist) {
			return "", err
		}
	}
	cache, err := install.CacheDir()
	if err != nil {
		return "", err
	}
	tars, err := packages(cache)
	if err != nil {
		return "", err
	}
	for _, t := range tars {
		args := append([]string{"-x", "--keep-directory-symlink", "-C", root, "-f", t.path}, t.args...)
		if out, err := exec.CommandContext(ctx, "tar", args...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("unpacking %s (run `make pack ARCH=amd64` first): %w\n%s", t.path, err, out)
		}
	}
	claude, err := install.Ensure(ctx, install.Default(), "claude", cache, nil)
	if err != nil {
		return "", err
	}
	codex, err := install.Ensure(ctx, install.Default(), "codex", cache, nil)
	if err != nil {
		return "", err
	}
	for from, to := range map[string]string{
		claude.Binary: "usr/bin/claude", codex.Binary: "usr/bin/codex", filepath.Join(l.Dir, "driver"): "opt/driver",
	} {
		if err := copyFile(from, filepath.Join(root, to)); err != nil {
			return "", err
		}
	}
	for name, target := range map[string]string{"usr/bin/sh": "bash", "usr/bin/python": "python3"} {
		path := filepath.Join(root, name)
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		if err := os.Symlink(target, path); err != nil {
			return "", err
		}
	}
	return root, errors.Join(os.Chmod(filepath.Join(root, "tmp"), 0o1777), os.MkdirAll(filepath.Join(root, box.TempDir), 0o700),
		os.MkdirAll(filepath.Join(root, box.HomeDir), 0o700), box.Own(filepath.Join(root, "data")), box.Own(filepath.Join(root, "bench")))
}

// archive is a tar in the builder's cache, and how it is unpacked.
type archive struct {
	path string
	args []string
}

func packages(cache string) ([]archive, error) {
	tars := filepath.Join(cache, "userland", "tars")
	text, err := userland.Files.ReadFile("amd64.lock")
	if err != nil {
		return nil, err
	}
	lock, err := build.ParseLock(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	var list []archive
	for _, p := range lock.Packages {
		list = append(list, archive{filepath.Join(tars, p.SHA256+".deb.tar"), nil})
	}
	if text, err = userland.Files.ReadFile("npm.json"); err != nil {
		return nil, err
	}
	pins, err := build.ParsePins(text)
	if err != nil {
		return nil, err
	}
	sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(pins["node"]["linux-x64"].Integrity, "sha512-"))
	if err != nil {
		return nil, err
	}
	node := filepath.Join(tars, hex.EncodeToString(sum)+".npm.tar")
	return append(list, archive{node, []string{"--transform", "s,^package/bin,usr/bin,", "package/bin/node"}}), nil
}

func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // only read
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

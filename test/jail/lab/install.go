//go:build linux && amd64

package lab

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"keva/test/jail/box"
	"keva/test/jail/drive"
)

// install puts the pack into an APK and lets the product unpack it in the jail, as the app, under the oldest policy. In a
// lab that was kept it is there already.
func (l *Lab) install(ctx context.Context) error {
	files := filepath.Join(box.FilesDir, drive.Userland)
	current, err := os.ReadFile(filepath.Join(l.Root, files, "current"))
	if err == nil {
		l.Tree = filepath.Join(files, "versions", strings.TrimSpace(string(current)))
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	apk, err := l.APK(os.Getenv(PackEnv))
	if err != nil {
		return err
	}
	c, err := l.Config(Oldest, Driver, "install", apk, files)
	if err != nil {
		return err
	}
	c.Env = []string{"TMPDIR=" + box.CacheDir}
	b, err := c.Command(ctx, l.Box)
	if err != nil {
		return err
	}
	var out, complaints bytes.Buffer
	b.Stdout, b.Stderr = &out, &complaints
	if err := b.Run(); err != nil {
		return fmt.Errorf("installing the pack in the jail: %w %s", err, complaints.String())
	}
	var installed drive.Installed
	if err := json.Unmarshal(out.Bytes(), &installed); err != nil {
		return fmt.Errorf("the installation says %q: %w", out.String(), err)
	}
	l.Tree = installed.Tree
	return os.Remove(filepath.Join(l.Root, apk))
}

// APK puts the pack into an APK, and that where the system keeps it. It returns its path in the box.
func (l *Lab) APK(pack string) (string, error) {
	const apk = box.AppDir + "/base.apk"
	return apk, makeAPK(pack, filepath.Join(l.Root, apk))
}

// makeAPK stores the pack as the entry of a zip file.
func makeAPK(pack, path string) (err error) {
	if pack == "" {
		return fmt.Errorf("%s names no pack: run this by `make jail`", PackEnv)
	}
	in, err := os.Open(pack)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // only read
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	z := zip.NewWriter(out)
	entry, err := z.CreateHeader(&zip.FileHeader{Name: drive.PackEntry, Method: zip.Store})
	if err != nil {
		return err
	}
	if _, err := io.Copy(entry, in); err != nil {
		return err
	}
	return errors.Join(z.Close(), out.Chmod(0o644))
}

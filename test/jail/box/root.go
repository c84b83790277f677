//go:build linux && amd64

package box

import (
	"fmt"
	"os"
	"path/filepath"
)

// applets are the programs of /system/bin. They come from a static busybox, which is not bionic's toybox, but as foreign
// to the userland as that is.
var applets = []string{
	"sh", "ls", "cat", "ps", "echo", "mkdir", "rm", "cp", "mv", "sleep", "id", "env", "grep", "sed", "tr", "head", "tail", "wc",
	"kill", "uname", "date", "true", "false", "test",
}

// Make fills dir, which must be empty or missing, with the root of a phone that has one app, as seen by that app: no /tmp,
// no /usr, no /etc/passwd, no libraries. busybox is the content of a static busybox that survives the policies.
func Make(dir string, busybox []byte) error {
	for _, d := range []string{"system/bin", "system/etc", "system/lib64", "data/user", "data/app", "proc", "dev", "sys", "storage/emulated/0", "apex", "vendor"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "system/bin/busybox"), busybox, 0o755); err != nil {
		return err
	}
	for _, a := range applets {
		if err := os.Symlink("busybox", filepath.Join(dir, "system/bin", a)); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "system/etc/hosts"), []byte("127.0.0.1 localhost\n::1 ip6-localhost\n"), 0o644); err != nil {
		return err
	}
	for name, target := range map[string]string{"bin": "/system/bin", "etc": "/system/etc", "data/user/0": "/data/data", "sdcard": "/storage/emulated/0"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	for _, d := range []string{DataDir, FilesDir, CacheDir, HomeDir, TempDir} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			return err
		}
	}
	return os.Chmod(filepath.Join(dir, "data/data"), 0o771)
}

// Own gives a folder of the root to the app, with all that is in it. Without root everything is the app's already.
func Own(path string) error {
	if rootless() {
		return nil
	}
	return filepath.WalkDir(path, func(p string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := os.Lchown(p, AppUID, AppUID); err != nil {
			return fmt.Errorf("owner of %s: %w", p, err)
		}
		return nil
	})
}

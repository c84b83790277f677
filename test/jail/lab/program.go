//go:build linux && amd64

package lab

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// androids are the files of Go's library that take another way on Android, whose policies trap faccessat2 and pidfd_open.
// The app is built for Android and has those ways. A program for Android can't be linked on a desktop without its tools,
// so the driver is built for Linux with exactly these branches turned.
var androids = []string{"os/sys_linux.go", "os/pidfd_linux.go", "internal/syscall/unix/eaccess.go"}

// programs builds the box and the driver, static both.
func (l *Lab) programs(ctx context.Context) error {
	overlay, err := l.overlay(ctx)
	if err != nil {
		return err
	}
	if err := l.build(ctx, "box", runtime.GOARCH); err != nil {
		return err
	}
	return l.build(ctx, "driver", l.Arch, "-overlay", overlay)
}

func (l *Lab) build(ctx context.Context, name, arch string, flags ...string) error {
	args := append([]string{"build", "-o", filepath.Join(l.Dir, name)}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, "./test/jail/cmd/"+name)...)
	cmd.Dir, cmd.Env = l.Source, append(os.Environ(), "CGO_ENABLED=0", "GOARCH="+arch)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", name, err, out)
	}
	return nil
}

// overlay writes the turned files and returns the path of the list that the compiler takes.
func (l *Lab) overlay(ctx context.Context) (string, error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	const test, turned = `runtime.GOOS == "android"`, `runtime.GOOS != "android"`
	replace := map[string]string{}
	for _, name := range androids {
		path := filepath.Join(strings.TrimSpace(string(root)), "src", name)
		text, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		if strings.Count(string(text), test) != 1 {
			return "", fmt.Errorf("%s tests for Android %d times, not once: this Go does it in another way", path, strings.Count(string(text), test))
		}
		copied := filepath.Join(l.Dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(copied, []byte(strings.Replace(string(text), test, turned, 1)), 0o644); err != nil {
			return "", err
		}
		replace[path] = copied
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(l.Dir, "overlay.json")
	return path, os.WriteFile(path, list, 0o644)
}

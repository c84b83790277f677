//go:build linux && amd64

// Package lab builds what the jail's tests and measurements run: the static programs, the root, the installed pack. It must
// never weaken what it was asked for: what is missing is an error that says what to install.
package lab

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"keva/engines/userland/plan"
	"keva/test/jail/box"
)

// RootEnv names a folder to build the lab in and to keep; without it each run makes a new one. A tree that is installed
// there is used again.
const RootEnv = "KEVA_JAIL_DIR"

// PackEnv names the pack to install, and ArchEnv its architecture: amd64, or arm64 to run under qemu.
const (
	PackEnv = "KEVA_JAIL_PACK"
	ArchEnv = "KEVA_JAIL_ARCH"
)

// Qemu is where Debian's emulator lies.
const Qemu = "/usr/bin/qemu-aarch64-static"

// Lab is a root with an installed userland, and the programs to use it.
type Lab struct {
	Source string // folder of this module
	Arch   string // "amd64" or "arm64"
	Dir    string // programs lie here, and the root
	Root   string // what becomes / in the box
	Box    string // the program that is the box
	Tree   string // the installed userland, as a path in the box

	temporary bool
}

// Driver is the driver's path in the box.
const Driver = box.AppDir + "/driver"

// New makes the lab for the architecture that the environment names, amd64 by default. The caller closes it.
func New(ctx context.Context) (*Lab, error) {
	l := &Lab{Dir: os.Getenv(RootEnv), Arch: os.Getenv(ArchEnv)}
	switch l.Arch {
	case "":
		l.Arch = "amd64"
	case "amd64", "arm64":
	default:
		return nil, fmt.Errorf("%s=%s: this runs amd64 packs, and arm64 packs under qemu", ArchEnv, l.Arch)
	}
	if runtime.GOARCH != "amd64" {
		return nil, fmt.Errorf("the jail runs on amd64 machines; this one is %s", runtime.GOARCH)
	}
	mod, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOMOD: %w", err)
	}
	l.Source = filepath.Dir(strings.TrimSpace(string(mod)))
	if l.Dir == "" {
		if l.Dir, err = os.MkdirTemp("", "keva-jail"); err != nil {
			return nil, err
		}
		l.temporary = true
	}
	l.Root, l.Box = filepath.Join(l.Dir, "root"), filepath.Join(l.Dir, "box")
	if err := errors.Join(os.MkdirAll(l.Dir, 0o755), os.Chmod(l.Dir, 0o755)); err != nil { // the app's id passes through
		return nil, err
	}
	for _, step := range []func(context.Context) error{l.programs, l.root, l.works, l.install} {
		if err := step(ctx); err != nil {
			l.Close()
			return nil, err
		}
	}
	return l, nil
}

// Close removes the lab, unless it is to be kept.
func (l *Lab) Close() {
	if l.temporary {
		_ = os.RemoveAll(l.Dir) // what stays is in the system's temporary folder
	}
}

// root makes the Android root, once.
func (l *Lab) root(context.Context) error {
	_, err := os.Stat(filepath.Join(l.Root, box.TempDir))
	if errors.Is(err, fs.ErrNotExist) {
		var shell []byte
		if shell, err = busybox(l.Source); err == nil {
			err = box.Make(l.Root, shell)
		}
		if err == nil {
			err = box.Own(filepath.Join(l.Root, box.DataDir))
		}
	}
	if err != nil {
		return fmt.Errorf("the root: %w", err)
	}
	return l.copyIn(filepath.Join(l.Dir, "driver"), Driver)
}

// copyIn puts a program where an APK would be: readable by the app, not writable.
func (l *Lab) copyIn(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	to = filepath.Join(l.Root, to)
	if err := os.WriteFile(to+".new", data, 0o755); err != nil {
		return err
	}
	return os.Rename(to+".new", to)
}

// works runs the smallest command there is. Where that fails, no test may run, and none may be skipped.
func (l *Lab) works(ctx context.Context) error {
	c, err := l.Config(Oldest, "/system/bin/true")
	if err != nil {
		return err
	}
	b, err := c.Command(ctx, l.Box)
	if err != nil {
		return err
	}
	var said strings.Builder
	b.Stdout, b.Stderr = &said, &said
	if err := b.Run(); err != nil {
		return fmt.Errorf("the jail does not work on this machine, so nothing of the userland can be proven here: %w %s", err, said.String())
	}
	return nil
}

// Config is a box under a policy that traps, with a shell's environment. Under qemu there is no policy: it is the emulator
// that makes the calls.
func (l *Lab) Config(policy string, args ...string) (box.Config, error) {
	c := box.Config{Root: l.Root, Mode: box.ModeTrap, Env: l.Shell(), Args: args}
	if l.Arch == "arm64" {
		c.Mode, c.Qemu = box.ModeOff, Qemu
		return c, nil
	}
	var err error
	c.Policy, err = l.Policy(policy)
	return c, err
}

// Place is the userland as the product's launch plan knows it, in the app's folder.
func (l *Lab) Place() plan.Place {
	p := plan.Pack(l.Tree, box.FilesDir)
	p.Temp = box.TempDir
	if l.Arch == "arm64" { // the plan is made for the machine that it runs on
		for i, kv := range p.Env {
			p.Env[i] = strings.ReplaceAll(kv, "x86_64-linux-gnu", "aarch64-linux-gnu")
		}
	}
	return p
}

// Shell is the environment of a command that an engine runs.
func (l *Lab) Shell() []string {
	p := l.Place()
	return append(p.Env, "PATH="+p.Path, "HOME="+box.HomeDir, "TMPDIR="+p.Temp, "SHELL="+p.Sh, "LANG="+p.Lang, "TERM=dumb",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org")
}

//go:build linux && amd64

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"keva/test/jail/box"
	"keva/test/jail/drive"
	"keva/test/jail/lab"
)

// The surroundings that are compared.
const (
	native  = "native root"
	ours    = "ours, jail"
	unruled = "ours, no policy"
	proot   = "PRoot"
)

var surroundings = []string{native, ours, unruled, proot}

// works are what is measured in each of them. The folder is the repository of 4,000 files.
var works = []drive.Work{
	{Name: "claude --version", Args: []string{"claude", "--version"}, Times: 2},
	{Name: "codex --version", Args: []string{"codex", "--version"}, Times: 2},
	{Name: "git status, 4,000 files", Args: []string{"git", "status", "--porcelain"}, Times: 2},
	{Name: "python3 -c pass", Args: []string{"python3", "-c", "pass"}, Times: 2},
	{Name: "node -e 0", Args: []string{"node", "-e", "0"}, Times: 2},
	{Name: "200 × true", Args: []string{"bash", "-c", "t=$(type -P true); for ((i=0;i<200;i++)); do $t; done"}, Times: 2},
	{Name: "rg in 4,000 files", Args: []string{"rg", "-c", "--no-messages", "-e", "needle 1", "."}, Times: 2},
}

// repository makes what git and rg work on.
const repository = `cd "$0"; git init -q; python3 -c '
import os
for d in range(40):
    os.mkdir("d%d"%d)
    for i in range(100): open("d%d/f%d"%(d,i),"w").write("%d needle %d\n"%(d,i)*20)
'; git add .; git -c user.name=a -c user.email=a@example.org commit -qm one; git status > /dev/null`

func commands(ctx context.Context, l *lab.Lab, rounds int, f *figures) error {
	root, err := l.Native(ctx)
	if err != nil {
		return err
	}
	places := map[string]string{native: "/bench/repository", ours: box.FilesDir + "/bench"}
	for who, dir := range places {
		outside := filepath.Join(l.Root, dir)
		if who == native {
			outside = filepath.Join(root, dir)
		}
		if err := os.RemoveAll(outside); err != nil {
			return err
		}
		if err := os.MkdirAll(outside, 0o700); err != nil {
			return err
		}
		if err := box.Own(outside); err != nil {
			return err
		}
		c, err := surrounding(l, who, root, dir, "bash", "-ec", repository, dir)
		if err != nil {
			return err
		}
		if _, err := c(ctx); err != nil {
			return fmt.Errorf("the repository, %s: %w", who, err)
		}
	}
	text, err := json.Marshal(works)
	if err != nil {
		return err
	}
	for range rounds {
		for _, who := range surroundings {
			dir, driver := places[native], "/opt/driver"
			if who == ours || who == unruled {
				dir, driver = places[ours], lab.Driver
			}
			c, err := surrounding(l, who, root, dir, driver, "measure", string(text))
			if err != nil {
				return err
			}
			out, err := c(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", who, err)
			}
			for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
				var m drive.Measured
				if err := d.Decode(&m); err != nil {
					return err
				}
				f.add(m.Name, who, m.Took...)
			}
		}
	}
	return nil
}

// surrounding is a command in one of the surroundings; a name without a slash is a program of its userland.
func surrounding(l *lab.Lab, who, root, dir string, args ...string) (func(context.Context) ([]byte, error), error) {
	c, err := l.Config(lab.Middle, args...)
	if err != nil {
		return nil, err
	}
	bin := l.Tree + "/usr/bin/"
	switch who {
	case native, proot:
		bin = "/usr/bin/"
		c.Root, c.Free = root, true
		c.Env = []string{"PATH=/usr/bin", "HOME=" + box.HomeDir, "LANG=C.UTF-8", "TERM=dumb", "SHELL=/usr/bin/bash"}
	case unruled:
		c.Free = true
	}
	if filepath.Base(args[0]) == args[0] {
		c.Args = append([]string{bin + args[0]}, args[1:]...)
	}
	c.Dir = dir
	if who == proot {
		return func(ctx context.Context) ([]byte, error) { return runPRoot(ctx, l, c) }, nil
	}
	return func(ctx context.Context) ([]byte, error) {
		b, err := c.Command(ctx, l.Box)
		if err != nil {
			return nil, err
		}
		var out, complaints bytes.Buffer
		b.Stdout, b.Stderr = &out, &complaints
		if err := b.Run(); err != nil {
			return nil, fmt.Errorf("%w: %s", err, complaints.String())
		}
		return out.Bytes(), nil
	}, nil
}

// runPRoot runs c's command over c's root. PRoot traces, which no policy of Android stands in the way of here.
func runPRoot(ctx context.Context, l *lab.Lab, c box.Config) ([]byte, error) {
	temp := filepath.Join(l.Dir, "proot")
	if err := os.MkdirAll(temp, 0o777); err != nil {
		return nil, err
	}
	if err := os.Chmod(temp, 0o777); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "proot", append([]string{"-r", c.Root, "-b", "/proc", "-b", "/dev", "-w", c.Dir}, c.Args...)...)
	cmd.Dir = "/"
	cmd.Env = append(c.Env, "PROOT_TMP_DIR="+temp)
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: box.AppUID, Gid: box.AppUID}}
	}
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, complaints.String())
	}
	return out.Bytes(), nil
}

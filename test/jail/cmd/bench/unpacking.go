//go:build linux && amd64

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"keva/test/jail/box"
	"keva/test/jail/drive"
	"keva/test/jail/lab"
)

// The ways to unpack.
const (
	piped    = "zstd and tar"
	synced   = "zstd and tar, then sync"
	unpacker = "ours: verified, relocated, on the disk"
)

const wholePack = "unpack the pack"

// unpacking measures the product's installation in the jail against the two programs that only write.
func unpacking(ctx context.Context, l *lab.Lab, rounds int, f *figures) error {
	pack := os.Getenv(lab.PackEnv)
	apk, err := l.APK(pack)
	if err != nil {
		return err
	}
	inside := box.FilesDir + "/unpacked"
	outside := filepath.Join(l.Root, inside)
	anew := func() error {
		// What the last one left to write is not the next one's work.
		return errors.Join(os.RemoveAll(outside), os.MkdirAll(outside, 0o700), box.Own(outside), exec.CommandContext(ctx, "sync").Run())
	}
	defer func() { _ = os.RemoveAll(outside) }()
	for range rounds {
		for _, who := range []string{piped, synced, unpacker} {
			if err := anew(); err != nil {
				return err
			}
			if who == unpacker {
				c, err := l.Config(lab.Middle, lab.Driver, "install", apk, inside)
				if err != nil {
					return err
				}
				b, err := c.Command(ctx, l.Box)
				if err != nil {
					return err
				}
				var out, complaints bytes.Buffer
				b.Stdout, b.Stderr = &out, &complaints
				if err := b.Run(); err != nil {
					return fmt.Errorf("%w: %s", err, complaints.String())
				}
				var done drive.Installed
				if err := json.Unmarshal(out.Bytes(), &done); err != nil {
					return err
				}
				f.add(wholePack, who, done.Took)
				continue
			}
			script := `set -o pipefail; zstd -dc "$0" | tar x -C "$1"`
			if who == synced {
				script += ` && sync -f "$1"`
			}
			begun := time.Now()
			if said, err := exec.CommandContext(ctx, "bash", "-c", script, pack, outside).CombinedOutput(); err != nil {
				return fmt.Errorf("%w: %s", err, said)
			}
			f.add(wholePack, who, time.Since(begun))
		}
	}
	return anew()
}

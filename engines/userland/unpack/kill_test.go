package unpack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"keva/engines/userland/pack"
)

// TestMain is also the process that is killed: with these variables it installs a pack.
func TestMain(m *testing.M) {
	if root := os.Getenv("KEVA_UNPACK_ROOT"); root != "" {
		os.Exit(victim(root))
	}
	os.Exit(m.Run())
}

// dying kills its own process at a read.
type dying struct {
	pack.Source
	left atomic.Int64
}

func (d *dying) ReadAt(b []byte, off int64) (int, error) {
	if d.left.Add(-1) == 0 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	return d.Source.ReadAt(b, off)
}

func victim(root string) int {
	src, err := pack.OpenFile(os.Getenv("KEVA_UNPACK_PACK"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	reads, _ := strconv.Atoi(os.Getenv("KEVA_UNPACK_READS")) // 0: never
	d := &dying{Source: src}
	d.left.Store(int64(reads))
	if _, err := Install(context.Background(), d, root, Options{Arch: arch, Workers: 2, InUse: idle}); err != nil {
		fmt.Fprintln(os.Stderr, detail(err))
		return 1
	}
	return 0
}

func idle(string) (bool, error) { return false, nil }

// kill runs the victim until it ends, or dies by its own hand after so many reads, or is killed after the delay.
func kill(t *testing.T, root, file string, reads int, delay time.Duration) (killed bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "KEVA_UNPACK_ROOT="+root, "KEVA_UNPACK_PACK="+file, fmt.Sprintf("KEVA_UNPACK_READS=%d", reads))
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if delay > 0 {
		timer := time.AfterFunc(delay, func() { _ = cmd.Process.Kill() }) // it may have ended
		defer timer.Stop()
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		return true
	}
	if err != nil {
		t.Fatalf("the installation failed: %v\n%s", err, said.String())
	}
	return false
}

// onDisk is how many bytes of files a tree has.
func onDisk(t *testing.T, dir string) (n int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && d.Type().IsRegular() {
			info, err := d.Info()
			if err != nil {
				return err
			}
			n += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestKillsAndResume: whenever it is killed, a whole version is in use, the next run goes on from what is on the disk,
// and in the end all is right. KEVA_KILLS says how often.
func TestKillsAndResume(t *testing.T) {
	kills := 16
	if n, err := strconv.Atoi(os.Getenv("KEVA_KILLS")); err == nil {
		kills = n
	}
	dir := t.TempDir()
	root, file := filepath.Join(dir, "root"), filepath.Join(dir, "pack")
	old := install(t, samplePack(t, "old"), root)
	if err := os.WriteFile(file, bigPack(t), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := pack.NewReader(source(bigPack(t)))
	if err != nil {
		t.Fatal(err)
	}
	id := r.Manifest().ID
	tree := filepath.Join(root, "versions", id)
	// A whole run, so that the moments spread over all of it; then from the start again.
	spare := filepath.Join(dir, "spare")
	begin := time.Now()
	kill(t, spare, file, 0, 0)
	whole := time.Since(begin)

	died, middle := 0, 0
	for i := range kills {
		reads, delay := 0, time.Duration(0)
		if i%2 == 0 {
			reads = 5 + rand.IntN(len(r.Frames())) // behind the seek table and the manifest
		} else {
			delay = time.Duration(rand.Int64N(int64(whole))) + 1
		}
		before := onDisk(t, tree)
		if kill(t, root, file, reads, delay) {
			died++
		}
		now := onDisk(t, tree)
		if now < before-2*pack.MaxFrame {
			t.Errorf("kill %d: %d bytes were there, %d are left", i, before, now)
		}
		if now > 0 && now < r.Manifest().Size() {
			middle++
		}
		cur, err := Current(root)
		if err != nil {
			t.Fatalf("kill %d after %d reads or %v: %s", i, reads, delay, detail(err))
		}
		switch cur.Manifest.ID {
		case old.Manifest.ID:
			if rep, err := cur.Check(t.Context(), Full); err != nil || !rep.OK() {
				t.Fatalf("kill %d: the old version: %+v (%v)", i, rep, err)
			}
		case id: // it came through: checked, then from the start again
			expect(t, tree, tree, bigEntries("1"))
			if err := errors.Join(os.RemoveAll(root)); err != nil {
				t.Fatal(err)
			}
			old = install(t, samplePack(t, "old"), root)
		}
	}
	t.Logf("%d kills of %d runs, %d in the middle of unpacking", died, kills, middle)
	if died == 0 || middle == 0 {
		t.Errorf("%d kills, %d in the middle: nothing was tested", died, middle)
	}
	has := onDisk(t, tree)
	kept := int64(-1)
	got, err := Install(t.Context(), source(bigPack(t)), root, Options{Arch: arch, InUse: idle, Progress: func(p Progress) {
		if p.Stage == Unpacking && p.Total > 0 && kept < p.Done && p.Rate == 0 {
			kept = p.Done
		}
	}})
	if err != nil {
		t.Fatal(detail(err))
	}
	// Of what is on the disk nothing is done again but the pieces that were at work: one for each of two workers.
	if kept < has-3*pack.MaxFrame {
		t.Errorf("%d bytes were on the disk, only %d were kept", has, kept)
	}
	expect(t, got.Root, got.Root, bigEntries("1"))
}

// TestResumeTrustsNothing: bytes that an earlier run left are hashed, whole files as well as the beginning of one.
func TestResumeTrustsNothing(t *testing.T) {
	b := bigPack(t)
	for name, spoil := range map[string]func(root string) error{
		"a beginning":  func(root string) error { return poke(filepath.Join(root, "opt/big"), 100, "X") },
		"a whole file": func(root string) error { return poke(filepath.Join(root, "usr/bin/prog"), 100, "X") },
		"zeros after a loss of power": func(root string) error {
			return errors.Join(os.Truncate(filepath.Join(root, "opt/big"), 0), os.Truncate(filepath.Join(root, "opt/big"), 9_000_000))
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			_, err := Install(ctx, &stopping{source(b), 6, cancel}, root, Options{Arch: arch, Workers: 1})
			if reason(err) != pack.ReasonStopped {
				t.Fatal(detail(err))
			}
			r, err := pack.NewReader(source(b))
			if err != nil {
				t.Fatal(err)
			}
			tree := filepath.Join(root, "versions", r.Manifest().ID)
			info, err := os.Lstat(filepath.Join(tree, "opt/big"))
			if err != nil || info.Size() == 0 || info.Size() >= 3*pack.MaxFrame {
				t.Fatalf("not stopped in the middle: %v (%v)", info, err)
			}
			if err := spoil(tree); err != nil {
				t.Fatal(err)
			}
			got := install(t, b, root)
			expect(t, got.Root, got.Root, bigEntries("1"))
		})
	}
}

// stopping cancels at a read.
type stopping struct {
	pack.Source
	left   int
	cancel func()
}

func (s *stopping) ReadAt(b []byte, off int64) (int, error) {
	if s.left--; s.left == 0 {
		s.cancel()
	}
	return s.Source.ReadAt(b, off)
}

package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"keva/agent/event"
)

// Paths are absolute paths of an installed engine.
type Paths struct {
	Version string
	Dir     string // the unpacked package
	Binary  string
	Path    string // a folder for the engine's PATH, "" when it needs none
}

// Progress is told what is being done, in a sentence for people. It may be nil.
type Progress func(text string)

func (p Progress) say(format string, args ...any) {
	if p != nil {
		p(fmt.Sprintf(format, args...))
	}
}

// Find is the engine if it is installed and whole. Else the *event.Error says how to install it. It never fetches.
func Find(m Manifest, id, cacheDir string) (Paths, error) {
	e, p, err := m.pick(id, machine())
	if err != nil {
		return Paths{}, err
	}
	dir := folder(e, cacheDir)
	switch err := check(dir, p); {
	case err == nil:
		return paths(e, p, dir), nil
	case errors.Is(err, os.ErrNotExist):
		return Paths{}, &event.Error{
			Class:   event.ClassEngine,
			Message: fmt.Sprintf("%s is not installed. Run `make engines`, then start Keva again.", e.Label()),
			Detail:  fmt.Sprintf("looked in %s: %v", dir, err),
		}
	default:
		return Paths{}, &event.Error{
			Class:   event.ClassEngine,
			Message: fmt.Sprintf("%s is damaged. Run `make engines` to install it again.", e.Label()),
			Detail:  fmt.Sprintf("looked in %s: %v", dir, err),
		}
	}
}

// Ensure is the engine, installed first if it is missing or damaged. Several processes may do it at once: one fetches, the
// others wait. Errors are *event.Error.
func Ensure(ctx context.Context, m Manifest, id, cacheDir string, progress Progress) (Paths, error) {
	e, p, err := m.pick(id, machine())
	if err != nil {
		return Paths{}, err
	}
	dir := folder(e, cacheDir)
	if check(dir, p) == nil {
		return paths(e, p, dir), nil
	}
	root := filepath.Dir(dir)
	if err := os.MkdirAll(root, 0o755); err != nil {
		return Paths{}, storeError(root, err)
	}
	unlock, err := lock(ctx, filepath.Join(root, "."+filepath.Base(dir)+".lock"), func() {
		progress.say("Waiting for another Keva that installs %s.", e.Label())
	})
	if err != nil {
		return Paths{}, storeError(root, err)
	}
	defer unlock()
	if err := check(dir, p); err != nil { // else another process was faster
		progress.say("Installing %s from the package %s.", e.Label(), p.Package.spec())
		if err := put(ctx, dir, p); err != nil {
			return Paths{}, err
		}
	}
	return paths(e, p, dir), nil
}

// put fetches p into dir. The caller holds the lock.
func put(ctx context.Context, dir string, p Platform) (err error) {
	root, prefix := filepath.Dir(dir), "."+filepath.Base(dir)+".part-"
	// Leftovers of a process that was killed: nobody else can be using them.
	stale, err := filepath.Glob(filepath.Join(root, prefix+"*"))
	if err != nil {
		return storeError(root, err)
	}
	for _, s := range stale {
		if err := os.RemoveAll(s); err != nil {
			return storeError(s, err)
		}
	}
	if err := enoughSpace(root, p.Megabytes); err != nil {
		return err
	}
	work, err := os.MkdirTemp(root, prefix)
	if err != nil {
		return storeError(root, err)
	}
	defer func() {
		if rmErr := os.RemoveAll(work); rmErr != nil && err == nil {
			err = storeError(work, rmErr)
		}
	}()
	tarball, err := fetch(ctx, p.Package, work)
	if err != nil {
		return err
	}
	if err := verify(ctx, tarball, p.Package); err != nil {
		return err
	}
	fresh := filepath.Join(work, "package")
	if err := unpack(ctx, tarball, fresh); err != nil {
		return storeError(fresh, err)
	}
	if err := seal(fresh, p); err != nil {
		return storeError(fresh, err)
	}
	// An engine that runs from a damaged folder keeps its open files.
	if err := os.Rename(dir, filepath.Join(work, "old")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return storeError(dir, err)
	}
	if err := os.Rename(fresh, dir); err != nil {
		return storeError(dir, err)
	}
	return nil
}

func folder(e Engine, cacheDir string) string {
	return filepath.Join(cacheDir, "engines", e.ID+"-"+e.Version)
}

func paths(e Engine, p Platform, dir string) Paths {
	out := Paths{Version: e.Version, Dir: dir, Binary: filepath.Join(dir, filepath.FromSlash(p.Binary))}
	if p.Path != "" {
		out.Path = filepath.Join(dir, filepath.FromSlash(p.Path))
	}
	return out
}

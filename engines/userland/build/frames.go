package build

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"keva/agent/event"
	"keva/engines/userland/pack"
)

// Level is how hard a pack is compressed. What is in it does not depend on it.
type Level string

// The levels.
const (
	Fast    Level = "fast"    // for development and tests: seconds
	Release Level = "release" // zstd's own program at level 19: minutes, and 60 MB less
)

// frames compresses, and remembers by hash what it compressed: a rebuild compresses only what changed.
type frames struct {
	dir   string
	salt  string // what else the result depends on
	pack  pack.Compress
	mu    sync.Mutex
	used  map[string]bool
	fresh atomic.Int64 // frames that were not remembered
}

func newFrames(dir string, level Level) (*frames, error) {
	f := &frames{dir: dir, used: map[string]bool{}}
	switch level {
	case Fast:
		f.pack, f.salt = pack.Fast(), "fast 1"
	case Release:
		version, err := exec.Command("zstd", "--version").Output()
		if err != nil {
			return nil, toolError("zstd", err, "")
		}
		f.pack, f.salt = zstd19, "zstd19 "+string(version)
	default:
		return nil, &event.Error{Class: event.ClassConfig, Message: fmt.Sprintf("There is no level %q; choose fast or release.", level)}
	}
	if err := os.MkdirAll(f.dir, 0o755); err != nil {
		return nil, diskError(f.dir, err)
	}
	return f, nil
}

// zstd19 runs zstd's own program: the best that our library has is a good deal larger.
func zstd19(plain []byte) ([]byte, error) {
	cmd := exec.CommandContext(context.Background(), "zstd", "-19", "-T1", "--no-check", "-c", "-q", fmt.Sprintf("--stream-size=%d", len(plain)))
	cmd.Stdin = bytes.NewReader(plain)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, toolError("zstd", err, errs.String())
	}
	return out.Bytes(), nil
}

// compress is a pack.Compress. Remembered frames carry a hash: a rotten one is made again.
func (f *frames) compress(plain []byte) ([]byte, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00", f.salt)
	h.Write(plain)
	key := sum(h)
	path := filepath.Join(f.dir, key)
	f.mu.Lock()
	f.used[key] = true
	f.mu.Unlock()
	if kept, err := os.ReadFile(path); err == nil && len(kept) > sha256.Size {
		if got := sha256.Sum256(kept[sha256.Size:]); bytes.Equal(got[:], kept[:sha256.Size]) {
			return kept[sha256.Size:], nil
		}
	}
	out, err := f.pack(plain)
	if err != nil {
		return nil, err
	}
	f.fresh.Add(1)
	hash := sha256.Sum256(out)
	return out, replace(path, append(hash[:], out...))
}

// prune forgets the frames that this build did not use. A build that runs beside it makes its own again at worst.
func (f *frames) prune() error {
	kept, err := os.ReadDir(f.dir)
	if err != nil {
		return diskError(f.dir, err)
	}
	for _, k := range kept {
		if f.used[k.Name()] || strings.HasPrefix(k.Name(), ".") {
			continue
		}
		if err := os.Remove(filepath.Join(f.dir, k.Name())); err != nil && !errors.Is(err, os.ErrNotExist) {
			return diskError(f.dir, err)
		}
	}
	return nil
}

// verify reads the whole pack and compares every file with its hash.
func verify(r *pack.Reader) error {
	files := r.Manifest().Files
	h, at := sha256.New(), -1
	done := func() error {
		if at >= 0 && files[at].Kind == pack.Regular && hex.EncodeToString(h.Sum(nil)) != files[at].SHA256 {
			return fmt.Errorf("%s reads back with another content", files[at].Path)
		}
		return nil
	}
	err := r.Walk(func(p pack.Piece) error {
		if p.File != at {
			if err := done(); err != nil {
				return err
			}
			at = p.File
			h.Reset()
		}
		h.Write(p.Data)
		return nil
	})
	return errors.Join(err, done())
}

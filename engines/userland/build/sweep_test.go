package build

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A killed build must not cost a gigabyte for ever, and a running one must not lose its files.
func TestSweep(t *testing.T) {
	cache, out := t.TempDir(), t.TempDir()
	now := time.Now()
	for name, age := range map[string]time.Duration{
		"tars/.part-old": 2 * spared, "tars/.part-young": spared / 2, "tars/unused": 2 * kept, "tars/used": kept / 2,
		"debs/.part-dir/x": 2 * spared, "debs/unused.deb": 2 * kept, "frames/old": 2 * kept,
	} {
		put(t, cache, map[string]string{name: "x"})
		for p := name; p != "." && path.Dir(p) != "."; p = path.Dir(p) {
			if err := os.Chtimes(filepath.Join(cache, p), now.Add(-age), now.Add(-age)); err != nil {
				t.Fatal(err)
			}
		}
	}
	put(t, out, map[string]string{".keva-userland-1": "x", "keva-pack-1": "x", "mine": "x"})
	for _, name := range []string{".keva-userland-1", "keva-pack-1", "mine"} {
		if err := os.Chtimes(filepath.Join(out, name), now.Add(-2*kept), now.Add(-2*kept)); err != nil {
			t.Fatal(err)
		}
	}
	if err := sweep(cache, filepath.Join(out, "pack"), now); err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, dir := range []string{cache, out} {
		err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				left = append(left, strings.TrimPrefix(p, dir+"/"))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"frames/old", "tars/.part-young", "tars/used", "mine"}; !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
}

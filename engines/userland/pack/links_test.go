package pack_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keva/engines/userland/pack"
)

// TestLinksAsTheKernelSeesThem: of random trees of links, what Validate accepts never leads out of the tree on a real
// file system.
func TestLinksAsTheKernelSeesThem(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "b", "c"}
	elements := append([]string{"..", "..", ".", ""}, names...)
	accepted, refused := 0, 0
	for range 1500 {
		m := pack.Manifest{Format: pack.Format, Arch: "arm64", Parts: []pack.Part{{Name: "base"}}}
		folders := []string{""}
		seen := map[string]bool{}
		for range 3 + random.IntN(8) {
			path := folders[random.IntN(len(folders))] + names[random.IntN(len(names))]
			if seen[path] {
				continue
			}
			seen[path] = true
			if random.IntN(2) == 0 {
				folders = append(folders, path+"/")
				m.Files = append(m.Files, pack.File{Path: path, Kind: pack.Dir, Mode: 0o755, Part: "base"})
				continue
			}
			target := names[random.IntN(len(names))]
			if random.IntN(2) == 0 {
				target = ".."
			}
			for range random.IntN(4) {
				target += "/" + elements[random.IntN(len(elements))]
			}
			m.Files = append(m.Files, pack.File{Path: path, Kind: pack.Link, Mode: 0o777, Link: target, Part: "base"})
		}
		if m.Validate() != nil {
			refused++
			continue
		}
		accepted++
		top := filepath.Join(t.TempDir(), "top")
		if err := os.Mkdir(top, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, f := range m.Files {
			create := func(path string) error { return os.Mkdir(path, 0o755) }
			if f.Kind == pack.Link {
				create = func(path string) error { return os.Symlink(f.Link, path) }
			}
			if err := create(filepath.Join(top, f.Path)); err != nil {
				t.Fatal(err)
			}
		}
		for _, f := range m.Files {
			to, err := filepath.EvalSymlinks(filepath.Join(top, f.Path))
			if err == nil && to != top && !strings.HasPrefix(to, top+"/") {
				t.Fatalf("%s leads to %s in %+v", f.Path, to, m.Files)
			}
		}
	}
	t.Logf("%d accepted, %d refused", accepted, refused)
	if accepted < 100 || refused < 100 {
		t.Errorf("%d accepted, %d refused: that proves little", accepted, refused)
	}
}

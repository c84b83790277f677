package build

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"

	"keva/engines/userland/pack"
)

// policies are where the source tree keeps them; absolute, because a test changes the folder.
var policies, errPolicies = filepath.Abs("../../../test/jail/policies")

func packToy(t *testing.T, in Inputs, cache, out string) (Report, []byte) {
	t.Helper()
	if errPolicies != nil {
		t.Fatal(errPolicies)
	}
	r, err := Pack(t.Context(), in, Options{Cache: cache, Output: out, Level: Fast, Policies: policies})
	if err != nil {
		t.Fatalf("%v %+v", err, err)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return r, data
}

func TestPack(t *testing.T) {
	cache := t.TempDir()
	in := toy(t, cache)
	out := filepath.Join(t.TempDir(), "deep", "toy.tar.zst")
	r, data := packToy(t, in, cache, out)
	tg := native(t)

	src, err := pack.OpenFile(out)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	reader, err := pack.NewReader(src)
	if err != nil {
		t.Fatal(err)
	}
	m := reader.Manifest()
	files := map[string]pack.File{}
	for _, f := range m.Files {
		files[f.Path] = f
	}
	for p, want := range map[string]pack.File{
		"usr/share/unread.sh":            {Kind: pack.Regular, Mode: 0o644, Part: "base"},
		"usr/bin/npm":                    {Kind: pack.Link, Mode: 0o777, Part: "node", Link: "../lib/node_modules/npm/bin/npm-cli.js"},
		"usr/bin/claude":                 {Kind: pack.Link, Mode: 0o777, Part: "base", Link: "../../opt/claude/claude"},
		"opt/codex/codex-resources":      {Kind: pack.Dir, Mode: 0o755, Part: "codex"},
		"usr/lib64/" + tg.loader:         {Kind: pack.Link, Mode: 0o777, Part: "base", Link: "../lib/" + tg.triplet + "/" + tg.loader},
		"usr/share/licences/toy":         {Kind: pack.Regular, Mode: 0o644, Part: "base"},
		"usr/lib/" + tg.triplet + "/ldk": {Kind: pack.Regular, Mode: 0o755, Part: "base", Relocs: files["usr/lib/"+tg.triplet+"/ldk"].Relocs},
	} {
		f := files[p]
		if f.Kind != want.Kind || f.Mode != want.Mode || f.Part != want.Part || f.Link != want.Link || !slices.Equal(f.Relocs, want.Relocs) {
			t.Errorf("%s is %+v, want %+v", p, f, want)
		}
	}
	script, second := files["usr/bin/script"], files["usr/bin/again"]
	if script.Kind == pack.Link {
		script, second = second, script
	}
	if !slices.Equal(script.Relocs, []pack.Reloc{{Kind: pack.Insert, Offset: 2}}) || second.Link != path.Base(script.Path) {
		t.Errorf("the names of the script are %+v and %+v", script, second)
	}
	for _, p := range []string{"usr/bin/program", "usr/bin/node", "opt/claude/claude", "opt/codex/bin/codex", "usr/lib/" + tg.triplet + "/k.so"} {
		if rs := files[p].Relocs; len(rs) == 0 || rs[0].Kind != pack.Slot {
			t.Errorf("%s has no slot for the install path: %+v", p, rs)
		}
	}
	for _, p := range []string{"usr/share/doc", "usr/include", "opt/codex/codex-resources/voice", "usr/lib/node_modules/npm/docs", "etc/hostname"} {
		if _, there := files[p]; there {
			t.Errorf("%s was packed", p)
		}
	}
	names := map[string]bool{}
	for _, l := range m.Licences {
		names[l.Name] = true
	}
	for _, name := range []string{"toy", "node", "npm", "claude", "codex"} {
		if !names[name] {
			t.Errorf("the licence of %s is not listed", name)
		}
	}
	if r.Archive != int64(len(data)) || r.ID != m.ID || r.Programs < 4 || r.Scripts != 7 || !slices.Equal(r.Idle, []string{"usr/share/info"}) {
		t.Errorf("report %+v", r)
	}
	sameAsTar(t, data, m)
}

// sameAsTar compares the manifest with what any tar sees: every entry, and nothing of this machine in the headers.
func sameAsTar(t *testing.T, data []byte, m *pack.Manifest) {
	t.Helper()
	z, err := zstd.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	tr := tar.NewReader(z)
	if h, err := tr.Next(); err != nil || h.Name != pack.ManifestName {
		t.Fatalf("%+v %v", h, err)
	}
	for _, f := range m.Files {
		h, err := tr.Next()
		if err != nil {
			t.Fatal(err)
		}
		if strings.TrimSuffix(h.Name, "/") != f.Path || h.Linkname != f.Link || h.Size != f.Size || h.Uid != 0 || h.Gid != 0 ||
			h.Uname != "" || h.Gname != "" || h.ModTime.Unix() != pack.ModTime {
			t.Errorf("%+v, the manifest has %+v", h, f)
		}
		content, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(content); f.Kind == pack.Regular && hex.EncodeToString(sum[:]) != f.SHA256 {
			t.Errorf("%s has another content", f.Path)
		}
	}
	if h, err := tr.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("the manifest lacks %+v (%v)", h, err)
	}
}

// Another folder, umask and time, a cold and a warm cache: the same bytes.
func TestPackIsReproducible(t *testing.T) {
	cache := t.TempDir()
	in := toy(t, cache)
	_, first := packToy(t, in, cache, filepath.Join(t.TempDir(), "toy.tar.zst"))

	other := t.TempDir()
	if err := os.CopyFS(filepath.Join(other, "cache"), os.DirFS(cache)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(other, "cache", "userland", "frames")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(other)
	t.Setenv("TMPDIR", other)
	defer syscall.Umask(syscall.Umask(0o077))
	_, second := packToy(t, in, "cache", "x.tar.zst")
	if !bytes.Equal(first, second) {
		t.Error("another folder, umask and time gave another pack")
	}
	r, third := packToy(t, in, "cache", "y.tar.zst")
	if !bytes.Equal(first, third) {
		t.Error("a warm cache gave another pack")
	}
	if r.Fresh != 0 {
		t.Errorf("%d frames were compressed again", r.Fresh)
	}
}

// The command that proves it must see a difference.
func TestReproduceNotices(t *testing.T) {
	cache := t.TempDir()
	in := toy(t, cache)
	out := filepath.Join(t.TempDir(), "toy.tar.zst")
	_, first := packToy(t, in, cache, out)
	o := Options{Cache: cache, Output: out, Level: Fast, Policies: policies}
	if r, err := Reproduce(t.Context(), in, o); err != nil || r.Fresh != 5 {
		t.Errorf("%+v %v", r, err)
	}
	first[len(first)/2] ^= 1
	if err := os.WriteFile(out, first, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Reproduce(t.Context(), in, o)
	mustSay(t, err, "different packs")
	if left, err := os.ReadDir(filepath.Dir(out)); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// What rots in the cache never gets into a pack.
func TestRottenCache(t *testing.T) {
	cache := t.TempDir()
	in := toy(t, cache)
	out := filepath.Join(t.TempDir(), "toy.tar.zst")
	_, first := packToy(t, in, cache, out)
	for _, pattern := range []string{"userland/tars/*.deb.tar", "userland/tars/*.stripped", "userland/frames/*/*"} {
		found, err := filepath.Glob(filepath.Join(cache, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %q %v", pattern, found, err)
		}
		for _, f := range found {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			data[len(data)/2] ^= 0x40
			if err := os.WriteFile(f, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, again := packToy(t, in, cache, out); !bytes.Equal(first, again) {
			t.Errorf("after damage to %s the pack is another one", pattern)
		}
	}
}

// A pack that fails leaves the old one in place, and no half of a new one.
func TestFailureKeepsTheOldPack(t *testing.T) {
	cache := t.TempDir()
	in := toy(t, cache)
	dir := t.TempDir()
	out := filepath.Join(dir, "toy.tar.zst")
	if err := os.WriteFile(out, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Pack(t.Context(), in, Options{Cache: cache, Output: out, Level: Fast, Policies: t.TempDir()})
	mustSay(t, err, "pie-release", "missing")
	_, err = Pack(t.Context(), in, Options{Cache: cache, Output: out, Level: "best", Policies: policies})
	mustSay(t, err, `no level "best"`)
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("left behind: %v %v", left, err)
	}
	if data, err := os.ReadFile(out); err != nil || string(data) != "old" {
		t.Errorf("the old pack is %q %v", data, err)
	}
}

func TestBudget(t *testing.T) {
	fits := Report{Archive: maxArchive, Installed: maxInstalled}
	if err := fits.overBudget("arm64"); err != nil {
		t.Error(err)
	}
	for _, r := range []Report{{Archive: maxArchive + 1}, {Installed: maxInstalled + 1}} {
		mustSay(t, r.overBudget("arm64"), "too big", "255.0", "1000.0")
		if err := r.overBudget("amd64"); err != nil {
			t.Errorf("amd64 has no budget: %v", err)
		}
	}
}

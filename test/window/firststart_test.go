package window

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"keva/engines/userland/pack"
	"keva/engines/userland/pack/packtest"
	"keva/engines/userland/unpack"
	"keva/platform/device"
	"keva/platform/settings"
	"keva/ui/theme"
)

// lowest is the middle of the button that is the last thing of a page.
const lowest = int(height - theme.Space6 - theme.BigButtonHeight/2)

// phone is a device that has nothing but the app: its tools come from a pack, as on Android.
type phone struct {
	t          *testing.T
	user, home string
	pack       string // file
	colours    look
	display    *display
}

func newPhone(t *testing.T, mode settings.Theme, file string) *phone {
	t.Helper()
	user := t.TempDir()
	p := &phone{t: t, user: user, home: filepath.Join(user, "keva"), pack: file, colours: look{theme.Mode(mode)}}
	set(t, p.home, func(s *settings.Settings) { s.Userland, s.Theme = settings.UserlandPack, mode })
	p.display = newDisplay(t, width, height)
	return p
}

func (p *phone) start() *app {
	return start(p.t, p.display, p.user, p.home, device.PackVariable+"="+p.pack)
}

// root is where the tools are unpacked.
func (p *phone) root() string { return filepath.Join(p.home, "data", "userland") }

// written finds the files that lie in a version that may be unfinished.
func (p *phone) written() map[string]os.FileInfo {
	p.t.Helper()
	trees, err := filepath.Glob(filepath.Join(p.root(), "versions", "*", "usr", "share", "*"))
	if err != nil {
		p.t.Fatal(err)
	}
	found := map[string]os.FileInfo{}
	for _, path := range trees {
		if info, err := os.Lstat(path); err == nil { // else it was replaced just now
			found[filepath.Base(path)] = info
		}
	}
	return found
}

// tree is what is in use.
func (p *phone) tree() unpack.Tree {
	p.t.Helper()
	tree, err := unpack.Current(p.root())
	if err != nil {
		p.t.Fatal(err)
	}
	return tree
}

// whole requires that the tools are in use and that every byte of them is right.
func (p *phone) whole() unpack.Tree {
	p.t.Helper()
	tree := p.tree()
	report, err := tree.Check(p.t.Context(), unpack.Full)
	if err != nil || !report.OK() || report.Extras > 0 {
		p.t.Fatalf("%+v, %v", report, err)
	}
	return tree
}

// primary says that a page has come up with one primary button as wide as a page's.
func (p *phone) primary(s picture) bool {
	at, ok := s.pill(p.colours.color(theme.Accent))
	return ok && s.is(3, 300, p.colours.color(theme.Background)) && s.is(60, at.Y, p.colours.color(theme.Accent))
}

// unpacking says that the page of the unpacking is there and that its bar has begun to fill, with no primary button.
func (p *phone) unpacking(s picture) bool {
	return s.is(3, 300, p.colours.color(theme.Background)) && !p.primary(s) && p.bar(s) > 0
}

// bar is how many pixels of the line of progress are filled, 0 where there is none.
func (p *phone) bar(s picture) int {
	most := 0
	for y := 200; y < 420; y++ {
		n := 0
		for x := range width {
			if s.is(x, y, p.colours.color(theme.Accent)) {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// agents says that the page is there on which an agent is chosen: with the demo as its primary button, above others.
func (p *phone) agents(s picture) bool {
	at, ok := s.pill(p.colours.color(theme.Accent))
	return p.primary(s) && ok && at.Y < height-200
}

// press presses the button of the page of the unpacking, which is its last thing.
func (p *phone) press(a *app) {
	p.display.point(a.window, width/2, lowest)
	p.display.must("xdotool", "click", "1")
	p.display.point(a.window, 1, 200) // over nothing
}

// packOf writes a pack of many files, so that there is a middle to stop in, and of an engine's program.
func packOf(t *testing.T, files int) string {
	t.Helper()
	entries := []pack.Entry{packtest.Folder("usr"), packtest.Folder("usr/share")}
	for i := range files {
		entries = append(entries, packtest.Bytes(fmt.Sprintf("usr/share/f%05d", i), 0o644, packtest.Noise(uint64(i), 4000)))
	}
	entries = append(entries, packtest.In("claude", packtest.Folder("opt"), packtest.Bytes("opt/claude", 0o755, packtest.Noise(1<<16-1, 1<<20)))...)
	file := filepath.Join(t.TempDir(), "pack")
	if err := os.WriteFile(file, packtest.Pack(t, packtest.Spec(runtime.GOARCH), entries...), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A fresh phone is switched on: the tools unpack by themselves and show how far they are. They are paused, go on, are
// killed in the middle by the system, go on with what was there, and then agents can be chosen. A file that is damaged
// later is repaired by the next start.
func TestFirstStart(t *testing.T) {
	const files = 25_000
	p := newPhone(t, settings.ThemeLight, packOf(t, files))
	some := func(least int) func() bool { return func() bool { return len(p.written()) >= least } }

	a := p.start()
	p.display.point(a.window, width/2, lowest)
	a.shoot("unpacking-light", p.unpacking)
	p.press(a)
	a.shoot("paused-light", p.primary)
	paused := len(p.written())
	if _, err := unpack.Current(p.root()); err == nil || paused == 0 || paused >= files {
		t.Fatalf("not paused in the middle: %d of %d files, %v", paused, files, err)
	}

	p.press(a)
	wait(t, "more files than before the pause", time.Minute, some(paused+1000))
	if err := a.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-a.ended
	before := p.written()
	if _, err := unpack.Current(p.root()); err == nil || len(before) >= files {
		t.Fatalf("not killed in the middle: %d of %d files, %v", len(before), files, err)
	}

	a = p.start()
	a.shoot("first-agents-light", p.agents)
	tree := p.whole()
	again := 0
	for name, info := range p.written() {
		if old := before[name]; old != nil && !(os.SameFile(old, info) && old.ModTime().Equal(info.ModTime())) {
			again++
		}
	}
	if again > 64 { // those that were being written when it was killed
		t.Errorf("%d of %d files were unpacked twice", again, len(before))
	}
	a.quit()

	for name, spoil := range map[string]func() error{
		"engine":  func() error { return flip(filepath.Join(tree.Root, "opt", "claude"), 5000) },
		"missing": func() error { return os.Remove(filepath.Join(tree.Root, "usr", "share", "f00007")) },
		"short":   func() error { return os.Truncate(filepath.Join(tree.Root, "usr", "share", "f00008"), 11) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(name, err)
		}
	}
	a = p.start()
	a.shoot("repaired-light", p.agents)
	p.whole()
	a.quit()
}

// A pack that is damaged itself is not used: the page says so, and goes on once there is a right one.
func TestFirstStartWithADamagedPack(t *testing.T) {
	p := newPhone(t, settings.ThemeDark, packOf(t, 500))
	good, err := os.ReadFile(p.pack)
	if err != nil {
		t.Fatal(err)
	}
	if err := flip(p.pack, int64(len(good)/2)); err != nil {
		t.Fatal(err)
	}
	a := p.start()
	s := a.shoot("failed-dark", func(s picture) bool { return p.primary(s) && s.has(p.colours.color(theme.Error), 200, 500) })
	if _, err := unpack.Current(p.root()); err == nil {
		t.Error("the damaged pack is in use")
	}
	if err := os.WriteFile(p.pack, good, 0o600); err != nil {
		t.Fatal(err)
	}
	a.press(s, p.colours, "the tools", func() bool { _, err := unpack.Current(p.root()); return err == nil })
	a.shoot("first-agents-dark", p.agents)
	p.whole()
	a.quit()
}

// flip changes one byte of a file and leaves its size and time as they were.
func flip(path string, at int64) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	b[at] ^= 0xFF
	if err := os.WriteFile(path, b, info.Mode()); err != nil {
		return err
	}
	return os.Chtimes(path, info.ModTime(), info.ModTime())
}

//go:build jail

package window

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"keva/engines/userland/unpack"
	"keva/platform/settings"
	"keva/ui/theme"
)

// packEnv names the pack to test, as it does for the jail's tests.
const packEnv = "KEVA_JAIL_PACK"

// A fresh phone with the real pack, from the first start to a settled tour: unpacked, the demo started by its button, a
// prompt typed, what is asked allowed. The engine that ran is the one from the pack.
func TestFirstStartFromThePack(t *testing.T) {
	file := os.Getenv(packEnv)
	if file == "" {
		file = "../../build/keva-userland-" + runtime.GOARCH + ".tar.zst"
	}
	file, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Fatalf("there is no pack; run `make pack ARCH=%s`, or name one in %s: %v", runtime.GOARCH, packEnv, err)
	}
	for _, c := range []struct {
		engine string
		mode   settings.Theme
	}{
		{"claude", settings.ThemeLight},
		{"codex", settings.ThemeDark},
	} {
		t.Run(c.engine, func(t *testing.T) {
			p := newPhone(t, c.mode, file)
			set(t, p.home, func(s *settings.Settings) { s.Engine = c.engine })
			name, d := string(c.mode), p.display
			page, accent := p.colours.color(theme.Background), p.colours.color(theme.Accent)
			onPage := func(p picture) bool { return p.is(3, 300, page) }
			button := func(p picture) bool { _, ok := p.pill(accent); return ok }

			a := p.start()
			a.shoot("pack-unpacking-"+name, p.unpacking)
			wait(t, "the tools", 5*time.Minute, func() bool { a.alive(); _, err := unpack.Current(p.root()); return err == nil })
			tree := p.tree()
			a.press(a.shoot("pack-agents-"+name, p.agents), p.colours, "the session", func() bool { return a.state().Session != "" })
			const prompt = "Please show me the tour"
			a.shoot("pack-prompt-"+name, func(p picture) bool { return onPage(p) && !button(p) && p.has(accent, composer, height) })
			d.must("xdotool", "key", "ctrl+a")
			d.must("xdotool", "type", "--delay", "5", prompt)
			wait(t, "the typed prompt as a draft", 20*time.Second, func() bool { return a.state().Draft == prompt })
			d.must("xdotool", "key", "Return")

			a.answer(name, onPage, button)
			s := a.state()
			if !slices.Equal(s.Messages, []string{prompt}) || s.Badge != "done" || s.Kinds["file_change"] == 0 {
				t.Errorf("stored: %+v", s)
			}
			if from := programs(t, s.Session); len(from) == 0 || slices.ContainsFunc(from, func(exe string) bool { return !strings.HasPrefix(exe, tree.Root+"/") }) {
				t.Errorf("these ran, not all from %s: %q", tree.Root, from)
			}
			a.shoot("pack-done-"+name, func(s picture) bool { return onPage(s) && s.has(p.colours.color(theme.OK), composer-30, composer+30) })
			a.quit()
			if n := engines(t, s.Session); n > 0 {
				t.Errorf("%d processes of the engine are left", n)
			}
		})
	}
}

// programs are the ones that carry the session's mark.
func programs(t *testing.T, session string) []string {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, path := range all {
		if b, err := os.ReadFile(path); err != nil || !strings.Contains("\x00"+string(b), "\x00KEVA_SESSION="+session+"\x00") {
			continue
		}
		exe, err := os.Readlink(filepath.Join(filepath.Dir(path), "exe"))
		if err != nil {
			exe = fmt.Sprint(err) // it has just ended, or is not ours
		}
		list = append(list, exe)
	}
	return list
}

// Package window runs the real program in a real window: a display without a screen, typed keys, clicks, and pictures of
// what was seen, which lie in shots/ for people.
package window

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"keva/engines/install"
	"keva/platform/settings"
	"keva/ui/theme"
)

var binary, cache string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	fail := func(format string, args ...any) int {
		fmt.Fprintf(os.Stderr, format+"\n", args...)
		return 1
	}
	for _, tool := range []string{"Xvfb", "xdotool", "import"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fail("%s is missing: the window can't be tested. Run, at the top of the project:\n  ./setup.sh test", tool)
		}
	}
	var err error
	if cache, err = install.CacheDir(); err != nil {
		return fail("%v", err)
	}
	for _, id := range []string{"claude", "codex"} {
		if _, err := install.Ensure(context.Background(), install.Default(), id, cache, func(s string) { fmt.Println(s) }); err != nil {
			return fail("%v", err)
		}
	}
	if binary = os.Getenv("KEVA_BINARY"); binary == "" {
		dir, err := os.MkdirTemp("", "keva-window")
		if err != nil {
			return fail("%v", err)
		}
		defer os.RemoveAll(dir)
		binary = filepath.Join(dir, "keva")
		build := exec.Command("go", "build", "-tags", "sqlite_fts5 migrated_fynedo", "-o", binary, "keva")
		if out, err := build.CombinedOutput(); err != nil {
			return fail("%v\n%s", err, out)
		}
	} else if binary, err = filepath.Abs(binary); err != nil {
		return fail("%v", err)
	}
	return m.Run()
}

// The screen of the smallest phone that counts.
const (
	width, height = 360, 780
	composer      = height - 90 // above it nothing blinks
)

// The main job as a user sees it, on a device that was set to light or dark, each with another engine: welcome, prompt,
// approvals by pointer and by keyboard, the end, and the list of sessions after a restart.
func TestTour(t *testing.T) {
	for _, c := range []struct {
		name, engine string
		mode         settings.Theme
	}{
		{"light", "codex", settings.ThemeLight},
		{"dark", "claude", settings.ThemeDark},
	} {
		t.Run(c.name, func(t *testing.T) {
			user, colours := t.TempDir(), look{theme.Mode(c.mode)}
			home := filepath.Join(user, "keva")
			page, accent := colours.color(theme.Background), colours.color(theme.Accent)
			choose(t, home, c.engine, c.mode)
			d := newDisplay(t, width, height)
			a := start(t, d, user, home)
			onPage := func(p picture) bool { return p.is(3, 300, page) }
			button := func(p picture) bool { _, ok := p.pill(accent); return ok }

			p := a.shoot("welcome-"+c.name, func(p picture) bool {
				at, ok := p.pill(accent)
				return onPage(p) && ok && p.is(60, at.Y, accent) // as wide as the page; that of the sessions, seen before, is not
			})
			a.press(p, colours, "the session", func() bool { return a.state().Session != "" })
			const prompt = "Please show me the tour"
			a.shoot("prompt-"+c.name, func(p picture) bool { return onPage(p) && !button(p) && p.has(accent, composer, height) })
			d.must("xdotool", "key", "ctrl+a")
			d.must("xdotool", "type", "--delay", "5", prompt)
			wait(t, "the typed prompt as a draft", 20*time.Second, func() bool { return a.state().Draft == prompt })
			d.must("xdotool", "key", "Return")

			a.answer(c.name, onPage, button)
			s := a.state()
			if !slices.Equal(s.Messages, []string{prompt}) || s.Badge != "done" || s.Kinds["file_change"] == 0 {
				t.Errorf("stored: %+v", s)
			}
			if n := engines(t, s.Session); n == 0 {
				t.Error("no process carries the session's mark: what is looked for below can't be found")
			}
			var last picture
			a.shoot("done-"+c.name, func(p picture) bool {
				rests := last.data != nil && !p.differ(last, composer)
				last = p
				return rests && onPage(p) && p.has(colours.color(theme.OK), composer-30, composer+30)
			})
			a.quit()
			if n := engines(t, s.Session); n > 0 {
				t.Errorf("%d processes of the engine are left", n)
			}
			if out, err := exec.CommandContext(t.Context(), "sh", "-c", `cd "$1" && sh tests/run.sh`, "sh", filepath.Join(home, "data", "projects", "demo")).CombinedOutput(); err != nil {
				t.Errorf("the project is not fixed: %v\n%s", err, out)
			}

			a = start(t, d, user, home)
			a.shoot("sessions-"+c.name, func(p picture) bool { return onPage(p) && button(p) && p.has(colours.color(theme.Ink), 100, 160) })
			a.quit()
		})
	}
}

// answer allows what is asked until the turn has ended. Every other request is answered by the keyboard.
func (a *app) answer(name string, onPage, button func(picture) bool) {
	a.t.Helper()
	taken := map[string]bool{}
	want := func(what string) bool {
		first := !taken[what]
		taken[what] = true
		return first
	}
	colours := look{theme.Mode(name)}
	deadline := time.Now().Add(150 * time.Second) // on a machine that does other things, too
	for {
		var s state
		wait(a.t, "a request or the end", time.Until(deadline), func() bool {
			a.alive()
			s = a.state()
			if !taken["running"] && s.Kinds["text_final"] > 0 && len(s.Pending) == 0 {
				if p := a.display.see(a.window); onPage(p) && p.has(colours.color(theme.Accent), composer-30, composer+30) {
					taken["running"] = true
					p.keep(a.t, "running-"+name)
				}
			}
			return len(s.Pending) > 0 || s.Badge == "done" || s.Badge == "failed" || s.Badge == "unknown"
		})
		if len(s.Pending) == 0 {
			break
		}
		q := s.Pending[0]
		shot := "approval-" + name // replaced by the next one of no name of its own
		if q.Tool == "command" && strings.Contains(q.Command, "tests/run.sh") && want("command") {
			shot = "approval-command-" + name
		} else if q.Tool == "edit" && want("diff") {
			shot = "approval-diff-" + name
		}
		p := a.shoot(shot, func(p picture) bool { return button(p) && p.is(3, height-4, colours.color(theme.Surface)) })
		answered := func() bool {
			return !slices.ContainsFunc(a.state().Pending, func(r request) bool { return r.ID == q.ID })
		}
		if s.Answered%2 == 0 {
			a.press(p, colours, "the answer by pointer", answered)
			continue
		}
		a.display.must("xdotool", "key", "Tab", "space") // from “Deny…”, where the keyboard is, to “Allow once”
		wait(a.t, "the answer by keyboard", 20*time.Second, answered)
	}
	for _, what := range []string{"running", "command", "diff"} {
		if !taken[what] {
			a.t.Errorf("there was no moment to see: %s", what)
		}
	}
}

// Without a display there is no window: both ways to start it say so, and name the way without one.
func TestWithoutADisplay(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		hint string
	}{
		{"make", []string{"make", "--no-print-directory", "-C", root, "run"}, 2, `make run-headless PROMPT=`}, // make's own code for a failed line
		{"program", []string{binary, "--mobile"}, 5, `keva run -demo`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var said bytes.Buffer
			cmd := exec.CommandContext(t.Context(), c.args[0], c.args[1:]...)
			cmd.Env = append(os.Environ(), "DISPLAY=", "WAYLAND_DISPLAY=", "KEVA_HOME="+t.TempDir())
			cmd.Stdout, cmd.Stderr = &said, &said
			err := cmd.Run()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != c.code {
				t.Errorf("it ended with %v, want code %d", err, c.code)
			}
			if text := said.String(); !strings.Contains(text, "no display") || !strings.Contains(text, c.hint) || strings.Contains(text, "goroutine") {
				t.Errorf("it said\n%s", text)
			}
		})
	}
}

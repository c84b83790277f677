package hostile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keva/agent/event"
)

// quiet fails when something ran, was trusted, or was told that should not have been.
func (w *world) quiet(when string) {
	w.t.Helper()
	if got := w.sprung(); len(got) > 0 {
		w.t.Errorf("%s: the project ran %s", when, strings.Join(got, ", "))
	}
	sent := w.sent()
	for _, text := range []string{trapText, secret} {
		if at := strings.Index(sent, text); at >= 0 {
			w.t.Errorf("%s: the provider was told %s: …%s", when, text, sent[max(0, at-300):at])
		}
	}
	_ = filepath.WalkDir(w.state, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Name() == "config.toml" {
			text, err := os.ReadFile(path)
			if err != nil || strings.Contains(strings.ReplaceAll(string(text), "untrusted", ""), "trusted") {
				w.t.Errorf("%s: a project is trusted: %s %v", when, text, err)
			}
		}
		return nil // a file that is gone again says nothing
	})
}

// A project that tries every way in gets nothing run and nothing allowed, also when the session goes on later; and
// whatever the model wants to do is asked.
func TestNothingGetsIn(t *testing.T) {
	for _, engine := range engines {
		for name, place := range map[string]func(*world){
			"plain":  func(*world) {},
			"linked": linked,
			"nested": func(w *world) { w.dir = filepath.Join(w.dir, "nested") },
		} {
			t.Run(engine+"/"+name, func(t *testing.T) {
				w := newWorld(t, engine)
				w.arm()
				place(w)
				t.Setenv("PATH", ".:"+w.dir+"::"+os.Getenv("PATH"))
				k := w.start("")
				w.quiet("start")
				deny(k, "first")
				k.stop()
				w.quiet("stop")
				k2 := w.start(k.session)
				deny(k2, "resumed")
				k2.stop()
				w.quiet("stop after resuming")
			})
		}
	}
}

// linked reaches the project by a link.
func linked(w *world) {
	link := filepath.Join(w.t.TempDir(), "link")
	if err := os.Symlink(w.dir, link); err != nil {
		w.t.Fatal(err)
	}
	w.dir = link
}

// deny lets the model try everything, and says no to all of it.
func deny(k *talk, when string) {
	k.t.Helper()
	for _, command := range []string{k.trap("command"), "git status", "git diff", "cd nested; git log -p"} {
		before := len(k.asked)
		k.say("run " + command)
		if len(k.asked) == before || !strings.Contains(k.asked[len(k.asked)-1].Command, command) {
			k.t.Errorf("%s: %q was not asked about: %+v", when, command, k.asked[before:])
		}
		k.quiet(when + ": " + command)
	}
	before := len(k.asked)
	k.say("edit")
	if len(k.asked) == before || k.exists("demo-note.txt") {
		k.t.Errorf("%s: asked %d times about an edit, made: %v", when, len(k.asked)-before, k.exists("demo-note.txt"))
	}
	k.say("/trap") // what the user may type by mistake
	k.say("$trap")
	k.quiet(when)
}

// What the user approves works as they know it: their git, with the repository's own settings, and nothing of the fence.
func TestApprovedCommandsAreTheUsersOwn(t *testing.T) {
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			w := newWorld(t, engine)
			w.armClaude("")
			w.armCodex("")
			w.git(w.dir, "init", "-q", ".")
			w.git(w.dir, "config", "core.fsmonitor", w.program("git-core.fsmonitor"))
			k := w.start("")
			k.answer = func(event.ApprovalAsked) event.Decision { return event.Allow }
			out := output(k.say("run git status; env"))
			if !strings.Contains(out, "On branch") || !strings.Contains(strings.Join(w.sprung(), " "), "git-core.fsmonitor") {
				t.Errorf("git does not see the repository as the user would: %s", out)
			}
			for _, bad := range []string{"GIT_DIR", "BASH_ENV", "KEVA_TRAP", w.demo.Key()} {
				if engine == "claude" && bad == w.demo.Key() {
					continue // a token of this launch; the CLI needs it in its environment
				}
				if strings.Contains(out, bad) {
					t.Errorf("%s is in the environment: %s", bad, out)
				}
			}
		})
	}
}

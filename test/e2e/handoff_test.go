package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/agent/handoff"
	"keva/agent/provider"
	"keva/agent/session"
)

// message is the UserMessage of text, as it was told last.
func message(t *testing.T, evs []event.Event, text string) event.UserMessage {
	t.Helper()
	list := bodies[event.UserMessage](evs)
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Text == text {
			return list[i]
		}
	}
	t.Fatalf("no message has exactly the text %q: %+v", text, list)
	return event.UserMessage{}
}

// DESIGN §9: another engine goes on with the session. What its provider receives holds a brief, once, apart from what the
// user wrote.
func TestHandoff(t *testing.T) {
	for _, c := range [][2]string{{"claude", "codex"}, {"codex", "claude"}} {
		t.Run(c[0]+" to "+c[1], func(t *testing.T) {
			w := newWorld(t)
			k := w.talk(c[0], w.sample())
			k.say("Start the tour")
			if err := k.s.Switch(context.Background(), session.New{Engine: c[1], Provider: provider.Demo}); err != nil {
				t.Fatal(err)
			}
			const first, second = "#script hello, what comes next?", "#script hello, and then?"
			if v := k.say(first); v.Verdict != event.Success {
				t.Fatalf("verdict %q%s", v.Verdict, tail(k.shown, 10))
			}
			if e := bodies[event.SessionReady](k.shown); e[len(e)-1].Factory != c[1] {
				t.Fatalf("answered by %+v", e[len(e)-1])
			}
			m := message(t, k.shown, first)
			parts := []string{
				"Handed over from another agent",
				"## Goal\n\nStart the tour",      // the goal
				"src/parse.sh (update, success)", // changed files
				"[done] Fix it",                  // the plan, as far as it came
				": failure",                      // the agent that failed is not called done
				"# The last messages",
				"## User\n\nStart the tour",
			}
			for _, p := range parts {
				if !strings.Contains(m.Context, p) {
					t.Errorf("%q is missing in the brief:\n%s", p, m.Context)
				}
			}
			asked := w.asked(first)
			if len(asked) == 0 {
				t.Fatal("the provider was not sent the user's text as a block of its own")
			}
			for _, list := range asked {
				if n := len(with(list, parts...)); n != 1 {
					t.Errorf("the provider was sent the whole brief %d times: %+v", n, with(list, "Handed over"))
				}
			}

			k.say(second)
			if m := message(t, k.shown, second); m.Context != "" {
				t.Errorf("the second message has a context: %q", m.Context)
			}
			for _, list := range w.asked(second) {
				if n := len(with(list, "Handed over from another agent")); n != 1 { // the engine's own memory
					t.Errorf("after the second message the provider has the brief %d times", n)
				}
			}
		})
	}
}

// forget spoils what an engine keeps of its sessions, and returns how many files that were.
func (w *world) forget(t *testing.T, how func(path string) error) (n int) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(w.dir, "engines"), func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".jsonl") && d.Type().IsRegular() {
			n++
			return how(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// §9: the engine's own session is gone or spoilt. It begins a new one, says so once, and is told the last messages: at most
// 12 and 12,000 characters, cut between messages. The new session is its own from then on.
func TestReplayAfterADeadResume(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(string) error
		pad   string // makes each message long
	}{
		"removed":           {os.Remove, ""},
		"emptied":           {func(p string) error { return os.Truncate(p, 0) }, ""},
		"overwritten":       {func(p string) error { return os.WriteFile(p, []byte("\x00\xff{ no session"), 0o600) }, ""},
		"removed when long": {os.Remove, strings.Repeat(" and so on", 300)},
	} {
		for _, engine := range engines {
			t.Run(name+"/"+engine, func(t *testing.T) {
				w := newWorld(t)
				k := w.talk(engine, w.sample())
				const n = 8
				for i := range n {
					k.say(said(i, c.pad))
				}
				old := engineSession(k.shown)
				w.close()
				w.open()
				if w.forget(t, c.spoil) == 0 {
					t.Fatal("the engine keeps no session")
				}
				s, err := w.svc.Open(context.Background(), k.s.ID())
				if err != nil {
					t.Fatal(err)
				}
				k = follow(t, s)
				const last = "#script hello, where were we?"
				if v := k.say(last); v.Verdict != event.Success {
					t.Fatalf("verdict %q%s", v.Verdict, tail(k.shown, 10))
				}
				told := 0
				for _, b := range bodies[event.Notice](k.shown) {
					if b.Class == event.ClassResume {
						told++
					}
				}
				if told != 1 {
					t.Errorf("said %d times that the old session can't be continued%s", told, tail(k.shown, 12))
				}
				m := message(t, k.shown, last)
				checkReplay(t, m.Context, n, c.pad)
				asked := w.asked(last)
				if len(asked) == 0 {
					t.Fatal("the provider was not sent the user's text as a block of its own")
				}
				for _, list := range asked {
					if len(with(list, strings.TrimSpace(m.Context))) != 1 {
						t.Errorf("the provider was not sent the replay: %+v", list)
					}
					if len(with(list, said(0, ""))) > 0 {
						t.Error("the provider was sent what lies beyond the replay")
					}
				}
				fresh := engineSession(k.shown)
				if fresh == old {
					t.Errorf("the session is still %s", old)
				}

				// No second try of the dead one.
				if err := s.StopEngine(context.Background()); err != nil {
					t.Fatal(err)
				}
				k.say("#script hello, once more")
				if m := message(t, k.shown, "#script hello, once more"); m.Context != "" || engineSession(k.shown) != fresh {
					t.Errorf("then session %s, context %q", engineSession(k.shown), m.Context)
				}
			})
		}
	}
}

func said(i int, pad string) string {
	return "#script hello, message " + string(rune('a'+i)) + "." + pad
}

func engineSession(evs []event.Event) string {
	list := bodies[event.SessionReady](evs)
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1].EngineSession
}

// checkReplay looks for whole messages at the end, and nothing else.
func checkReplay(t *testing.T, context string, n int, pad string) {
	t.Helper()
	_, conversation, _ := strings.Cut(context, "\n## ")
	messages := strings.Split("\n## "+conversation, "\n## ")[1:]
	if len(messages) > handoff.MaxMessages || pad == "" && len(messages) != handoff.MaxMessages {
		t.Errorf("%d messages are replayed", len(messages))
	}
	characters, users := 0, 0
	for _, m := range messages {
		_, text, _ := strings.Cut(m, "\n\n")
		text = strings.TrimSpace(text)
		characters += len([]rune(text))
		if strings.HasPrefix(m, "User") {
			users++
			whole := false
			for i := range n {
				whole = whole || text == said(i, pad)
			}
			if !whole {
				t.Errorf("a message is torn: %q", text)
			}
		}
	}
	if characters > handoff.MaxCharacters || users == 0 {
		t.Errorf("%d characters, %d messages of the user", characters, users)
	}
	if !strings.Contains(context, said(n-1, "")) {
		t.Error("the last message is missing")
	}
}

package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"keva/agent/event"
	"keva/agent/provider"
	"keva/agent/session"
	"keva/agent/turn"
	"keva/engines/demo"
)

// processes lists those that carry the session's mark, by whether this process is their parent.
func processes(t *testing.T, session string) (children, others []int) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		env, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if err != nil || !bytes.Contains(env, []byte("KEVA_SESSION="+session)) {
			continue
		}
		stat, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil {
			continue
		}
		f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if f[1] == strconv.Itoa(os.Getpid()) {
			children = append(children, pid)
		} else {
			others = append(others, pid)
		}
	}
	return children, others
}

// killEngine ends the engine of a session from outside, as the system does when memory runs out; half of them are frozen
// for a while before.
func killEngine(t *testing.T, session string) {
	t.Helper()
	pids, _ := processes(t, session)
	if len(pids) != 1 {
		t.Fatalf("the engine's processes are %v", pids)
	}
	if rand.IntN(2) == 0 {
		if err := syscall.Kill(pids[0], syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		time.Sleep(rand.N(300 * time.Millisecond))
	}
	if err := syscall.Kill(pids[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// kills is how many kills a test does: few in CI, KEVA_KILLS in the nightly run.
func kills(few int) int {
	if n, err := strconv.Atoi(os.Getenv("KEVA_KILLS")); err == nil && n > 0 {
		return n
	}
	return few
}

func resumeNotices(evs []event.Event) (n int) {
	for _, b := range bodies[event.Notice](evs) {
		if b.Class == event.ClassResume {
			n++
		}
	}
	return n
}

// The engine is killed while the app lives, at any moment of the tour: what was open is unknown, nothing is done again
// unasked, and the next message goes on in the engine's own session, or, when that is lost, in a new one that is told what
// was said. Nothing of the dead engine stays.
func TestKillTheEngine(t *testing.T) {
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			w := newWorld(t)
			dir := w.sample()
			k := w.talk(engine, dir)
			k.say("Start the tour") // undisturbed: how many events there are
			span := len(k.shown)
			n, resumed, fresh, open := kills(3), 0, 0, 0
			for i := range n {
				if err := demo.ResetProject(dir); err != nil {
					t.Fatal(err)
				}
				wasOpen := k.killAt(t, fmt.Sprintf("#script tour, round %d", i), 1+rand.IntN(span))
				if wasOpen {
					open++
				}
				had, from := engineSession(k.shown), len(k.shown)
				next := fmt.Sprintf("#script hello, after kill %d", i)
				v := k.say(next)
				if v.Verdict != event.Success {
					t.Fatalf("kill %d: the next message: %q%s", i, v.Verdict, tail(k.shown, 12))
				}
				switch m := message(t, k.shown, next); {
				case resumeNotices(k.shown[from:]) > 1:
					t.Fatalf("kill %d: tried more than once%s", i, tail(k.shown[from:], 20))
				case resumeNotices(k.shown[from:]) == 1:
					fresh++
					if m.Context == "" || engineSession(k.shown) == had {
						t.Fatalf("kill %d: a new session that was told nothing: %q, session %s", i, m.Context, engineSession(k.shown))
					}
				default:
					resumed++
					if m.Context != "" || engineSession(k.shown) != had {
						t.Fatalf("kill %d: session %s became %s without a word", i, had, engineSession(k.shown))
					}
				}
				// Either way the provider was sent what was said first, before what was said now.
				asked := w.asked(next)
				if len(asked) == 0 || len(with(asked[0], "Start the tour")) == 0 {
					t.Fatalf("kill %d: the engine does not remember: %d requests", i, len(asked))
				}
			}
			if err := k.s.StopEngine(context.Background()); err != nil {
				t.Fatal(err)
			}
			if a, b := processes(t, k.s.ID()); len(a)+len(b) > 0 {
				t.Errorf("left behind: %v %v", a, b)
			}
			t.Logf("%s: %d kills of the engine survived, %d of them in a turn; its session continued %d times, begun anew %d times",
				engine, n, open, resumed, fresh)
		})
	}
}

// killAt sends text, kills the engine at the nth event after it, and looks at what is made of it. It reports whether a turn
// was open.
func (k *talk) killAt(t *testing.T, text string, n int) (open bool) {
	t.Helper()
	from := len(k.shown)
	k.dying = true
	defer func() { k.dying = false }()
	if err := k.s.Send(context.Background(), text); err != nil {
		t.Fatal(err)
	}
	killed := false
	v := k.until(func(v session.View) bool {
		if !killed && (len(k.shown) >= from+n || len(bodies[event.TurnCompleted](k.shown[from:])) > 0) {
			killed = true
			killEngine(t, k.s.ID())
		}
		return len(bodies[event.EngineExited](k.shown[from:])) > 0
	})
	exit := bodies[event.EngineExited](k.shown[from:])[0]
	if exit.Class != event.ExitKilled || exit.Advice == "" {
		t.Fatalf("the death is told as %+v", exit)
	}
	if v.Phase != turn.PhaseSettled || len(v.Pending)+len(v.Live)+len(v.Open)+v.Queued > 0 {
		t.Fatalf("after the death: phase %s, pending %+v, live %+v, open %+v, %d queued", v.Phase, v.Pending, v.Live, v.Open, v.Queued)
	}
	ended := false
	for _, b := range bodies[event.TurnCompleted](k.shown[from:]) {
		ended = ended || b.Origin == event.OriginUser
	}
	if !ended && (v.Verdict != event.Unknown || v.Meta.Badge != session.BadgeUnknown) {
		t.Fatalf("a turn without an end is shown as %q, %q", v.Verdict, v.Meta.Badge)
	}
	for _, r := range finalState(k.shown).Requests {
		if r.Decision == "" {
			t.Fatalf("a request of a dead engine is open: %+v", r)
		}
	}
	return !ended
}

// An engine is killed, and its session is removed before the next message: one try, a fresh session, and a card.
func TestKillTheEngineAndItsSession(t *testing.T) {
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			w := newWorld(t)
			k := w.talk(engine, w.sample())
			k.say("#script hello, first")
			// An engine writes its session a moment after it has answered; killed before, it has none to lose.
			keep := func(string) error { return nil }
			for end := time.Now().Add(time.Minute); w.forget(t, keep) == 0; time.Sleep(10 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("the engine keeps no session")
				}
			}
			k.killAt(t, "#script hello, second", 1)
			if w.forget(t, os.Remove) == 0 {
				t.Fatal("the engine has lost its session by itself")
			}
			from := len(k.shown)
			if v := k.say("#script hello, third"); v.Verdict != event.Success {
				t.Fatalf("verdict %q%s", v.Verdict, tail(k.shown, 10))
			}
			if n := resumeNotices(k.shown[from:]); n != 1 {
				t.Errorf("%d cards%s", n, tail(k.shown[from:], 10))
			}
			if c := message(t, k.shown, "#script hello, third").Context; !strings.Contains(c, "hello, first") {
				t.Errorf("told %q", c)
			}
			var gone *event.Error
			if _, err := k.s.Answer(context.Background(), "nobody", k.answer(turn.Request{})); !errors.As(err, &gone) {
				t.Errorf("an answer to nobody: %v", err)
			}
		})
	}
}

// switchTo hands a session whose engine runs to another one, and follows until the old one is gone.
func (k *talk) switchTo(t *testing.T, engine string) {
	t.Helper()
	from := len(k.shown)
	if err := k.s.Switch(context.Background(), session.New{Engine: engine, Provider: provider.Demo}); err != nil {
		t.Fatal(err)
	}
	k.until(func(session.View) bool { return len(bodies[event.EngineExited](k.shown[from:])) > 0 })
}

// The engine that a session was handed to is killed before, while or right after it hears the brief. What was said before is
// not lost on the way: the next message reaches a model that is told of it.
func TestKillTheEngineInAHandoff(t *testing.T) {
	for _, c := range [][2]string{{"claude", "codex"}, {"codex", "claude"}} {
		t.Run(c[0]+" to "+c[1], func(t *testing.T) {
			w := newWorld(t)
			k := w.talk(c[0], w.sample())
			k.say("#script hello, the goal is green")
			to := c[1]
			for n := 1; n <= 4; n++ {
				k.switchTo(t, to)
				from := len(k.shown)
				k.killAt(t, fmt.Sprintf("#script hello, to be killed at %d", n), n)
				next := fmt.Sprintf("#script hello, after %d", n)
				if v := k.say(next); v.Verdict != event.Success {
					t.Fatalf("verdict %q%s", v.Verdict, tail(k.shown, 10))
				}
				asked := w.asked(next)
				if len(asked) == 0 || len(with(asked[0], "the goal is green")) == 0 {
					t.Errorf("killed at event %d of a handoff: the engine does not know what was said; %d cards, told %q, %d requests%s",
						n, resumeNotices(k.shown[from:]), message(t, k.shown, next).Context, len(asked), tail(k.shown[from:], 20))
				}
				k.switchTo(t, c[0]) // so that the next round is a handoff too
				k.say(fmt.Sprintf("#script hello, back %d", n))
			}
		})
	}
}

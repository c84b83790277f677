// Package e2e runs the whole product below its surfaces with the real engines on the demo provider: no mock, no network
// but loopback. It installs the pinned engines first when they are missing.
package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"keva/agent/event"
	"keva/agent/provider"
	"keva/agent/runtime"
	"keva/agent/session"
	"keva/agent/slot"
	"keva/agent/turn"
	"keva/engines/access"
	"keva/engines/demo"
	"keva/platform/store"
	compose "keva/test/world"
)

// engines are those that every test is run with.
var engines = []string{"claude", "codex"}

var cache string

func TestMain(m *testing.M) {
	dir, done, err := compose.Prepare(engines...)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	cache = dir
	code := m.Run()
	done()
	os.Exit(code)
}

// world is the composition of main.go without a surface, over folders of the test.
type world struct {
	*compose.World
	t      *testing.T
	dir    string // data
	store  *store.Store
	slot   *slot.Slot
	svc    *session.Service
	access *access.Access
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir()}
	w.open()
	t.Cleanup(w.close)
	return w
}

func (w *world) open() {
	w.t.Helper()
	o, err := compose.Open(context.Background(), compose.Options{
		Dir: w.dir, Cache: cache, Log: func(what string, err error) { w.t.Logf("log: %s: %v", what, err) },
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.World, w.store, w.slot, w.svc, w.access = o, o.Store, o.Slot, o.Service, o.Access
}

// close ends everything; open begins anew over the same folders, as a restart of the app does.
func (w *world) close() {
	if err := w.Close(); err != nil {
		w.t.Error("close:", err)
	}
}

// sample makes the sample project.
func (w *world) sample() string {
	w.t.Helper()
	dir := filepath.Join(w.t.TempDir(), "ledger")
	if err := demo.NewProject(dir); err != nil {
		w.t.Fatal(err)
	}
	return dir
}

// talk is a session that is being followed.
type talk struct {
	t       *testing.T
	s       *session.Session
	updates <-chan session.Update
	shown   []event.Event
	asked   []turn.Request
	answer  func(turn.Request) runtime.Answer
	done    map[string]bool
	dying   bool // the engine is killed on purpose: an answer may come too late for it
}

func (w *world) talk(engine, dir string) *talk {
	w.t.Helper()
	s, err := w.svc.Create(context.Background(), session.New{Dir: dir, Engine: engine, Provider: provider.Demo})
	if err != nil {
		w.t.Fatal(err)
	}
	return follow(w.t, s)
}

func follow(t *testing.T, s *session.Session) *talk {
	return &talk{
		t: t, s: s, updates: s.Subscribe(t.Context()), done: map[string]bool{},
		answer: func(turn.Request) runtime.Answer { return runtime.Answer{Decision: event.Allow, By: event.ByUser} },
	}
}

// say sends a message and follows until nothing is open.
func (k *talk) say(text string) session.View {
	k.t.Helper()
	from := len(k.shown)
	if err := k.s.Send(context.Background(), text); err != nil {
		k.t.Fatalf("send: %v (%+v)", err, err)
	}
	return k.until(func(v session.View) bool {
		for _, m := range bodies[event.UserMessage](k.shown[from:]) {
			if m.Text == text {
				return v.Phase == turn.PhaseSettled && v.Queued == 0
			}
		}
		return false // what is shown is older than the message
	})
}

// until follows the updates, answers what is asked, and returns the first view that is ok.
func (k *talk) until(ok func(session.View) bool) session.View {
	k.t.Helper()
	deadline := time.After(3 * time.Minute)
	for {
		select {
		case u, open := <-k.updates:
			if !open {
				k.t.Fatal("the updates ended")
			}
			k.shown = append(k.shown, u.Events...)
			for _, r := range u.View.Pending {
				if k.done[r.ID] {
					continue
				}
				k.done[r.ID] = true
				k.asked = append(k.asked, r)
				if _, err := k.s.Answer(context.Background(), r.ID, k.answer(r)); err != nil && !k.dying {
					k.t.Fatalf("answer %s: %v", r.ID, err)
				}
			}
			if ok(u.View) {
				return u.View
			}
		case <-deadline:
			k.t.Fatalf("not in time. %d events, last: %s\nview: %+v", len(k.shown), tail(k.shown, 12), k.s.View())
		}
	}
}

func tail(evs []event.Event, n int) string {
	out := ""
	for _, e := range evs[max(0, len(evs)-n):] {
		out += fmt.Sprintf("\n  %s %s %+v", e.Turn, e.Body.Kind(), e.Body)
	}
	return out
}

// bodies collects the bodies of one kind, whatever their scope.
func bodies[B event.Body](evs []event.Event) []B {
	var out []B
	for _, e := range evs {
		if b, ok := e.Body.(B); ok {
			out = append(out, b)
		}
	}
	return out
}

type sessionView = session.View

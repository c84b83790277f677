// Package hostile opens projects that try every way in, with the real engines on the demo provider, as a user would who
// opens what somebody sent: nothing may run, and nothing may be allowed, that the user did not allow (I-16).
//
// Each trap leaves a file in a folder of canaries, outside of the project, when it is run. default_test.go shows that the
// traps work: with the engines' own defaults they do run.
package hostile

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"keva/agent/event"
	"keva/agent/provider"
	"keva/agent/runtime"
	"keva/agent/slot"
	"keva/engines/catalog"
	"keva/engines/demo"
	"keva/engines/install"
	"keva/platform/project"
	prepare "keva/test/world"
)

var engines = []string{"claude", "codex"}

var (
	cache    string
	messages atomic.Int64
)

func TestMain(m *testing.M) {
	dir, done, err := prepare.Prepare(engines...)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	cache = dir
	code := m.Run()
	done()
	os.Exit(code)
}

func find(id string) (install.Paths, error) { return install.Find(install.Default(), id, cache) }

// world is one engine's surroundings: a provider, a state folder, and a hostile project.
type world struct {
	*trapper
	engine string
	demo   *demo.Server
	state  string
}

func newWorld(t *testing.T, engine string) *world {
	t.Helper()
	t.Setenv("HOME", t.TempDir()) // what this machine's user has in their shell's profile is not the matter
	s, err := demo.Start(t.Context(), demo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // it may have ended with the context
	return &world{trapper: newTrapper(t), engine: engine, demo: s, state: t.TempDir()}
}

// provider is the demo as the engine is pointed to it.
func (w *world) provider() runtime.Provider {
	if catalog.Kind(w.engine) == provider.Responses {
		return runtime.Provider{Name: "Demo", BaseURL: w.demo.OpenAIBase(), Key: w.demo.Key(), Model: demo.ModelCodex}
	}
	return runtime.Provider{Name: "Demo", BaseURL: w.demo.AnthropicBase(), Key: w.demo.Key(), Model: demo.ModelClaude}
}

// talk is a running engine and everything that it said.
type talk struct {
	*world
	rt      runtime.Runtime
	answer  func(event.ApprovalAsked) event.Decision
	session string // the engine's own
	asked   []event.ApprovalAsked

	mu   sync.Mutex
	evs  []event.Event
	more chan struct{}
}

// start starts the engine as the product does. Everything that it asks is denied.
func (w *world) start(resume string) *talk {
	w.t.Helper()
	return w.startWith(runtime.Start{Resume: resume})
}

func (w *world) startWith(s runtime.Start) *talk {
	w.t.Helper()
	k := &talk{world: w, more: make(chan struct{}, 1), answer: func(event.ApprovalAsked) event.Decision { return event.Deny }}
	for _, f := range catalog.Factories(catalog.Options{Find: find, StateDir: w.state, Version: "test"}) {
		if f.ID() != w.engine {
			continue
		}
		lease, err := new(slot.Slot).Acquire(w.t.Context(), slot.Holder{Who: "test"}, nil)
		if err != nil {
			w.t.Fatal(err)
		}
		if s.Provider.BaseURL == "" {
			s.Provider = w.provider()
		}
		s.Session, s.Dir, s.Model, s.Instructions = "hostile", w.dir, s.Provider.Model, project.Instructions(w.dir)
		if k.rt, err = f.Start(w.t.Context(), lease, s, k.sink); err != nil {
			w.t.Fatalf("%v\n%+v", err, err)
		}
	}
	w.t.Cleanup(k.stop)
	return k
}

func (k *talk) sink(e event.Event) {
	k.mu.Lock()
	k.evs = append(k.evs, e)
	k.mu.Unlock()
	select {
	case k.more <- struct{}{}:
	default:
	}
}

func (k *talk) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := k.rt.Stop(ctx); err != nil {
		k.t.Error(err)
	}
}

// say sends a prompt, answers what is asked, and returns what happened until the turn ended.
func (k *talk) say(text string) []event.Event {
	k.t.Helper()
	k.mu.Lock()
	from := len(k.evs)
	k.mu.Unlock()
	id := fmt.Sprintf("00000000-0000-4000-8000-%012d", messages.Add(1)) // one that was heard before is not heard again
	if err := k.rt.Send(k.t.Context(), runtime.Message{ID: id, Text: text}); err != nil {
		k.t.Fatalf("send: %v\n%+v", err, err)
	}
	deadline := time.After(2 * time.Minute)
	for at := from; ; {
		k.mu.Lock()
		evs := slices.Clone(k.evs)
		k.mu.Unlock()
		for ; at < len(evs); at++ {
			switch b := evs[at].Body.(type) {
			case event.SessionReady:
				k.session = b.EngineSession
			case event.ApprovalAsked:
				k.asked = append(k.asked, b)
				d := k.answer(b)
				if _, err := k.rt.Answer(k.t.Context(), b.ID, runtime.Answer{Decision: d, By: event.ByUser}); err != nil {
					k.t.Fatal(err)
				}
			case event.TurnCompleted:
				if slices.Contains(b.Messages, id) || evs[at].Scope == "" && b.Origin == event.OriginUser {
					return evs[from : at+1]
				}
			case event.EngineExited:
				k.t.Fatalf("the engine is gone: %+v", b)
			}
		}
		select {
		case <-k.more:
		case <-deadline:
			for _, e := range evs[from:] {
				k.t.Logf("%s %s %+v", e.Scope, e.Body.Kind(), e.Body)
			}
			k.t.Fatalf("%q: no end", text)
		}
	}
}

// output is what the commands of a turn printed.
func output(evs []event.Event) string {
	var b strings.Builder
	for _, e := range evs {
		if end, ok := e.Body.(event.ToolEnded); ok {
			b.WriteString(end.Output)
		}
	}
	return b.String()
}

// sent is everything that the engine told its provider.
func (w *world) sent() string {
	var b strings.Builder
	for _, r := range w.demo.Requests() {
		fmt.Fprintf(&b, "%s %s %v\n%s\n", r.Method, r.Path, r.Header, r.Body)
	}
	return b.String()
}

// exists reports whether a file is there, as seen from the project unless absolute.
func (w *world) exists(name string) bool {
	if !filepath.IsAbs(name) {
		name = filepath.Join(w.dir, name)
	}
	_, err := os.Lstat(name)
	return err == nil
}

package network

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/slot"
	"keva/engines/claude"
	"keva/engines/codex"
	"keva/engines/demo"
	"keva/engines/install"
	nt "keva/platform/network/networktest"
)

// engine makes a real engine whose environment is the exported one.
type engine struct {
	name string
	make func(p install.Paths, state string, env []string) runtime.Factory
	base string
	// model is what the demo answers to.
	model string
}

var bothEngines = []engine{
	{"claude", func(p install.Paths, state string, env []string) runtime.Factory {
		return claude.New(claude.Options{Binary: p.Binary, StateDir: state, Env: append(env, "CLAUDE_CODE_MAX_RETRIES=0")})
	}, "https://api.keva.test", demo.ModelClaude},
	{"codex", func(p install.Paths, state string, env []string) runtime.Factory {
		return codex.New(codex.Options{Binary: p.Binary, StateDir: state, Env: env, AppVersion: "test"})
	}, "https://api.keva.test/v1", demo.ModelCodex},
}

// collector keeps what an engine said.
type collector struct {
	mu   sync.Mutex
	list []event.Event
	end  chan struct{}
	once sync.Once
}

func (c *collector) take(e event.Event) {
	c.mu.Lock()
	c.list = append(c.list, e)
	c.mu.Unlock()
	switch e.Body.(type) {
	case event.TurnCompleted, event.EngineExited:
		c.once.Do(func() { close(c.end) })
	}
}

// turn asks the engine for one answer, and returns how the turn ended and what was said.
func (l *lab) turn(t *testing.T, e engine) (event.Outcome, string) {
	t.Helper()
	paths, err := install.Find(install.Default(), e.name, cache)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	lease, err := new(slot.Slot).Acquire(ctx, slot.Holder{Who: "test"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &collector{end: make(chan struct{})}
	f := e.make(paths, filepath.Join(t.TempDir(), "state"), l.env)
	rt, err := f.Start(ctx, lease, runtime.Start{
		Session: "s", Dir: t.TempDir(), Model: e.model,
		Provider: runtime.Provider{Name: "Test", BaseURL: e.base, Key: "sk-test-key"},
	}, c.take)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		stop, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := rt.Stop(stop); err != nil {
			t.Error(err)
		}
	}()
	if err := rt.Send(ctx, runtime.Message{ID: "6f2b8c1e-0d3a-4c55-9f0e-2b1a7c9d4e10", Text: "hello"}); err != nil {
		t.Fatal(err)
	}
	select {
	case <-c.end:
	case <-ctx.Done():
		t.Fatal("the turn did not end")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var said strings.Builder
	outcome := event.Outcome("no end")
	for _, e := range c.list {
		fmt.Fprintf(&said, "%T %+v\n", e.Body, e.Body)
		if end, ok := e.Body.(event.TurnCompleted); ok {
			outcome = end.Outcome
		}
	}
	return outcome, said.String()
}

// Both real engines behind every kind of proxy, their provider known to the proxy only: a turn succeeds where the proxy
// lets it through, and is a failure with a reason where it does not. Nothing else is ever dialled, and what passed is
// evidence.
func TestEngines(t *testing.T) {
	for _, kind := range nt.Kinds {
		for _, e := range bothEngines {
			t.Run(string(kind)+"/"+e.name, func(t *testing.T) {
				t.Parallel()
				l := newLab(t, kind, true)
				outcome, said := l.turn(t, e)
				if (outcome == event.Success) != kind.Works() {
					t.Errorf("%s\n%s", outcome, said)
				}
				l.check(t, "api.keva.test")
			})
		}
	}
}

// An interceptor that nobody trusts hears nothing from an engine.
func TestEnginesDontTrustEverybody(t *testing.T) {
	for _, e := range bothEngines {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, nt.Intercepting, false)
			if outcome, said := l.turn(t, e); outcome == event.Success {
				t.Error(said)
			}
			l.OnlyDialled(t, l.corp.Addr)
		})
	}
}

package kill

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"keva/agent/event"
	"keva/agent/provider"
	"keva/agent/runtime"
	"keva/agent/session"
	"keva/agent/turn"
	"keva/platform/host"
	"keva/test/world"
)

// task says what the app is to do, as JSON in taskEnv.
type task struct {
	Home, Cache     string
	Engine, Project string
	Session         string // to open; "" = a new one
	Prompt          string
	Slow            int // up to how many milliseconds a request waits for its answer
}

const taskEnv = "KEVA_KILL_TASK"

// said is a line of the app: it says the number of each event that it shows, and the event.
type said struct {
	Session string       `json:"session,omitempty"`
	Event   *event.Event `json:"event,omitempty"`
	Settled bool         `json:"settled,omitempty"`
}

func dataDir(home string) string   { return filepath.Join(home, "data") }
func recordDir(data string) string { return filepath.Join(data, "run") }

// open is a start of Keva over home.
func open(ctx context.Context, home, cache string, log func(string, error)) (*world.World, error) {
	data := dataDir(home)
	return world.Open(ctx, world.Options{Dir: data, Cache: cache, Extra: []runtime.Factory{factory{filepath.Join(data, "scripted")}}, Log: log})
}

// app is Keva in a process of its own: it shows each event as a line, allows what is asked, and never ends by itself.
func app() {
	fail := func(err error) {
		fmt.Fprintln(os.Stderr, "app:", err)
		os.Exit(1)
	}
	var t task
	if err := json.Unmarshal([]byte(os.Getenv(taskEnv)), &t); err != nil {
		fail(err)
	}
	_ = os.Unsetenv(roleEnv) // what it starts is something else
	ctx := context.Background()
	if err := os.MkdirAll(dataDir(t.Home), 0o700); err != nil {
		fail(err)
	}
	if _, err := host.LockData(dataDir(t.Home)); err != nil {
		fail(err)
	}
	w, err := open(ctx, t.Home, t.Cache, func(what string, err error) { fmt.Fprintln(os.Stderr, "app: log:", what, err) })
	if err != nil {
		fail(err)
	}
	s, err := t.find(ctx, w)
	if err != nil {
		fail(err)
	}
	out := json.NewEncoder(os.Stdout)
	show := func(l said) {
		if err := out.Encode(l); err != nil {
			fail(err)
		}
	}
	updates := s.Subscribe(ctx)
	<-updates // what was there before
	show(said{Session: s.ID()})
	go func() {
		if err := s.Send(ctx, t.Prompt); err != nil {
			fail(err)
		}
	}()
	asked := map[string]bool{}
	for u := range updates {
		for _, e := range u.Events {
			show(said{Event: &e})
		}
		for _, r := range u.View.Pending {
			if !asked[r.ID] {
				asked[r.ID] = true
				go t.answer(ctx, s, r)
			}
		}
		if u.View.Phase == turn.PhaseSettled && len(u.Events) > 0 {
			show(said{Settled: true})
		}
	}
}

func (t task) find(ctx context.Context, w *world.World) (*session.Session, error) {
	if t.Session != "" {
		return w.Service.Open(ctx, t.Session)
	}
	return w.Service.Create(ctx, session.New{Dir: t.Project, Engine: t.Engine, Provider: provider.Demo})
}

// answer allows a request, after a while: so it can be killed while a request is open.
func (t task) answer(ctx context.Context, s *session.Session, r turn.Request) {
	if t.Slow > 0 {
		time.Sleep(time.Duration(rand.IntN(t.Slow)) * time.Millisecond)
	}
	_, err := s.Answer(ctx, r.ID, runtime.Answer{Decision: event.Allow, By: event.ByUser})
	if gone := (*event.Error)(nil); err != nil && !errors.As(err, &gone) {
		fmt.Fprintln(os.Stderr, "app: answer:", err)
	}
}

package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/slot"
)

// memStore is a Store that can be told to fail.
type memStore struct {
	mu    sync.Mutex
	metas map[string]Meta
	evs   map[string][]event.Event
	fail  error
	// afterRead is called after events were read and before they are handed out; may be nil.
	afterRead func()
	// afterAppend is called after events were stored and before Append returns; may be nil.
	afterAppend func()
	// beforeAppend is called, with the store locked, before events are stored; may be nil.
	beforeAppend func()
}

func newMemStore() *memStore {
	return &memStore{metas: map[string]Meta{}, evs: map[string][]event.Event{}}
}

func (m *memStore) setFail(err error) { m.mu.Lock(); m.fail = err; m.mu.Unlock() }

func (m *memStore) PutSession(_ context.Context, x Meta) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.metas[x.ID] = x
	return m.fail
}

func (m *memStore) Session(_ context.Context, id string) (Meta, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	x, ok := m.metas[id]
	if !ok {
		return Meta{}, ErrNotFound
	}
	return x, nil
}

func (m *memStore) Sessions(context.Context) ([]Meta, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var l []Meta
	for _, x := range m.metas {
		l = append(l, x)
	}
	return l, nil
}

func (m *memStore) DeleteSession(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.metas, id)
	delete(m.evs, id)
	return nil
}

func (m *memStore) setAfterAppend(f func()) { m.mu.Lock(); m.afterAppend = f; m.mu.Unlock() }

func (m *memStore) Append(_ context.Context, evs []event.Event) error {
	err := m.keep(evs)
	m.mu.Lock()
	hook := m.afterAppend
	m.mu.Unlock()
	if hook != nil {
		hook()
	}
	return err
}

func (m *memStore) keep(evs []event.Event) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fail != nil {
		return m.fail
	}
	if m.beforeAppend != nil {
		m.beforeAppend()
	}
	for _, e := range evs {
		if want := int64(len(m.evs[e.Session]) + 1); e.Seq != want {
			return fmt.Errorf("seq %d, want %d", e.Seq, want)
		}
		m.evs[e.Session] = append(m.evs[e.Session], e)
	}
	return nil
}

func (m *memStore) Events(_ context.Context, id string, after int64, _ int) ([]event.Event, error) {
	m.mu.Lock()
	var out []event.Event
	for _, e := range m.evs[id] {
		if e.Seq > after {
			out = append(out, e)
		}
	}
	hook := m.afterRead
	m.mu.Unlock()
	if hook != nil {
		hook()
	}
	return out, nil
}

func (m *memStore) Ephemeral() error { return nil }

// fakeEngine is a Runtime whose events the test sends by hand.
type fakeEngine struct {
	sink     runtime.Sink
	start    runtime.Start
	done     chan struct{}
	once     sync.Once
	mu       sync.Mutex
	answers  []runtime.Answer
	answered map[string]bool
	sent     []string
	contexts []string
	deaf     bool // does not react to an interrupt
	beats    bool // promises heartbeats
	vitals   runtime.Vitals
	stops    int
	onSend   func() // called at the beginning of Send; may be nil
}

func (f *fakeEngine) Capabilities() runtime.Capabilities {
	f.mu.Lock()
	defer f.mu.Unlock()
	return runtime.Capabilities{PartialText: true, Heartbeats: f.beats}
}

func (f *fakeEngine) Vitals() runtime.Vitals {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.vitals
}

func (f *fakeEngine) Send(_ context.Context, m runtime.Message) error {
	if f.onSend != nil {
		f.onSend()
	}
	select {
	case <-f.done:
		return errors.New("gone")
	default:
	}
	f.mu.Lock()
	f.contexts = append(f.contexts, m.Context)
	f.sent = append(f.sent, m.Text)
	f.mu.Unlock()
	f.emit("t1", event.TurnStarted{Origin: event.OriginUser})
	f.emit("t1", event.UserMessage{ID: m.ID, Text: m.Text, Delivery: event.DeliveryPrompt})
	return nil
}

func (f *fakeEngine) emit(turn string, b event.Body) { f.sink(event.Event{Turn: turn, Body: b}) }

func (f *fakeEngine) Answer(_ context.Context, id string, a runtime.Answer) (bool, error) {
	f.mu.Lock()
	if f.answered[id] {
		f.mu.Unlock()
		return false, nil
	}
	f.answered[id] = true
	f.answers = append(f.answers, a)
	f.mu.Unlock()
	f.emit("t1", event.ApprovalResolved{ID: id, Decision: a.Decision, By: a.By, Reason: a.Reason})
	return true, nil
}

func (f *fakeEngine) Interrupt(context.Context) error {
	f.mu.Lock()
	f.stops++
	f.mu.Unlock()
	if !f.deaf {
		f.emit("t1", event.TurnCompleted{Outcome: event.Interrupted, Origin: event.OriginUser})
	}
	return nil
}
func (f *fakeEngine) StopTask(context.Context, string) error { return nil }
func (f *fakeEngine) Stop(context.Context) error             { f.die(event.ExitStopped); return nil }
func (f *fakeEngine) Done() <-chan struct{}                  { return f.done }

func (f *fakeEngine) die(c event.ExitClass) {
	f.once.Do(func() {
		f.emit("", event.EngineExited{Class: c, Advice: "It ended."})
		close(f.done)
	})
}

// fakeFactory starts fakeEngines.
type fakeFactory struct {
	mu      sync.Mutex
	engines []*fakeEngine
	err     error
	id      string

	refuseResume bool
	onSend       func(*fakeEngine)
	ready        string // the session that an engine has right at its start; "" = it says so later
}

func (f *fakeFactory) ID() string {
	if f.id != "" {
		return f.id
	}
	return "fake"
}
func (f *fakeFactory) Label() string { return "Fake" }

func (f *fakeFactory) Check(_ context.Context, l *slot.Lease) (string, error) {
	if !l.Valid() {
		return "", errors.New("checked without a lease")
	}
	return "1", nil
}

func (f *fakeFactory) Start(_ context.Context, l *slot.Lease, s runtime.Start, sink runtime.Sink) (runtime.Runtime, error) {
	if !l.Valid() {
		return nil, errors.New("started without a lease")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return nil, f.err
	}
	if f.refuseResume && s.Resume != "" {
		return nil, &event.Error{Class: event.ClassResume, Message: "no such session"}
	}
	e := &fakeEngine{sink: sink, start: s, done: make(chan struct{}), answered: map[string]bool{}}
	f.engines = append(f.engines, e)
	if hook := f.onSend; hook != nil {
		e.onSend = func() { hook(e) }
	}
	if f.ready != "" {
		e.emit("", event.SessionReady{EngineSession: f.ready})
	}
	return e, nil
}

func (f *fakeFactory) last() *fakeEngine {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.engines[len(f.engines)-1]
}

type world struct {
	t       *testing.T
	store   *memStore
	factory *fakeFactory
	slot    *slot.Slot
	svc     *Service
	ids     int

	now  time.Time
	tick func() // what is called every now and then; nil while nothing is watched
	mu   sync.Mutex
}

// pass lets d go by, in the steps in which evidence is taken.
func (w *world) pass(d time.Duration) {
	for left := d; left > 0; left -= lookEvery {
		w.mu.Lock()
		w.now = w.now.Add(lookEvery)
		tick := w.tick
		w.mu.Unlock()
		if tick != nil {
			tick()
		}
	}
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, store: newMemStore(), factory: &fakeFactory{}, slot: &slot.Slot{}, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	w.restart()
	return w
}

// restart begins a new process over the same store: nothing but the store survives.
func (w *world) restart() {
	w.slot = &slot.Slot{}
	w.svc = NewService(Deps{
		Store: w.store, Slot: w.slot, Factories: []runtime.Factory{w.factory},
		Provider: func(context.Context, string, string) (runtime.Provider, error) {
			return runtime.Provider{Name: "p"}, nil
		},
		CheckDir: func(dir string) error {
			if dir == "gone" {
				return &event.Error{Class: event.ClassConfig, Message: "The folder is gone."}
			}
			return nil
		},
		Clock: func() time.Time { w.mu.Lock(); defer w.mu.Unlock(); return w.now },
		Every: func(_ time.Duration, f func()) func() {
			w.mu.Lock()
			w.tick = f
			w.mu.Unlock()
			return func() { w.mu.Lock(); w.tick = nil; w.mu.Unlock() }
		},
		NewID: func() string { w.ids++; return fmt.Sprint("id", w.ids) },
	})
}

func (w *world) create() *Session {
	w.t.Helper()
	s, err := w.svc.Create(context.Background(), New{Dir: "/p", Engine: "fake"})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// until reads updates until ok, and returns all events that came with them.
func until(t *testing.T, ch <-chan Update, ok func(Update) bool) []event.Event {
	t.Helper()
	var all []event.Event
	deadline := time.After(10 * time.Second)
	for {
		select {
		case u, open := <-ch:
			if !open {
				t.Fatal("the updates ended")
			}
			all = append(all, u.Events...)
			if ok(u) {
				return all
			}
		case <-deadline:
			t.Fatalf("not in time; so far %d events", len(all))
		}
	}
}

package session

import (
	"context"
	"errors"
	"sync"
	"time"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/slot"
	"keva/agent/trust"
)

// Deps is what the service needs from the world. All fields but Instructions, Trust, Every and Log must be set.
type Deps struct {
	Store     Store
	Slot      *slot.Slot
	Factories []runtime.Factory
	// Provider resolves a provider id for an engine: address and key. Its errors are for people.
	Provider func(ctx context.Context, provider, engine string) (runtime.Provider, error)
	// CheckDir reports why a project folder can't be used, or nil.
	CheckDir func(dir string) error
	// Instructions returns the project's own CLAUDE.md / AGENTS.md text, "" if it has none.
	Instructions func(dir string) string
	// Trust looks at what a project would run or allow by itself, and tells which of it the user has agreed to as it is
	// now. It is asked at each start of an engine; nil: nothing is ever agreed to.
	Trust func(dir string) (granted []trust.Entry, report trust.Report)
	Clock func() time.Time // UTC
	// Every calls f each d until stop is called; stop waits for a running call. nil: time.Ticker.
	Every func(d time.Duration, f func()) (stop func())
	NewID func() string // a UUID
	// Log takes what went wrong in the background, once.
	Log func(what string, err error)
}

// New says what a new session is about.
type New struct {
	Dir, Engine, Provider, Model, Effort string
}

// Service hands out sessions. It is safe for concurrent use.
type Service struct {
	deps Deps

	mu       sync.Mutex
	open     map[string]*Session
	watchers map[chan struct{}]bool
}

// NewService returns a service over deps.
func NewService(deps Deps) *Service {
	if deps.Instructions == nil {
		deps.Instructions = func(string) string { return "" }
	}
	if deps.Trust == nil {
		deps.Trust = func(string) ([]trust.Entry, trust.Report) { return nil, trust.Report{} }
	}
	if deps.Every == nil {
		deps.Every = every
	}
	if deps.Log == nil {
		deps.Log = func(string, error) {}
	}
	return &Service{deps: deps, open: map[string]*Session{}, watchers: map[chan struct{}]bool{}}
}

// Sessions lists all sessions, the newest first. Badges of sessions that are open in this process are current.
func (s *Service) Sessions(ctx context.Context) ([]Meta, error) {
	list, err := s.deps.Store.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	for i := range list {
		s.mu.Lock()
		o := s.open[list[i].ID]
		s.mu.Unlock()
		if o != nil {
			list[i] = o.View().Meta
		} else if b := list[i].Badge; b == BadgeRunning || b == BadgeNeedsYou {
			// It was running when Keva went; nobody has looked since. Not known is not running, and not done.
			list[i].Badge, list[i].Line = BadgeUnknown, "Keva was closed while this was running"
		}
	}
	return list, nil
}

// Create makes a session and opens it. No engine starts before the first Send.
func (s *Service) Create(ctx context.Context, n New) (*Session, error) {
	if err := s.deps.CheckDir(n.Dir); err != nil {
		return nil, err
	}
	if _, err := s.factory(n.Engine); err != nil {
		return nil, err
	}
	now := s.deps.Clock()
	m := Meta{
		ID: s.deps.NewID(), Dir: n.Dir, Engine: n.Engine, Provider: n.Provider, Model: n.Model, Effort: n.Effort,
		Created: now, Updated: now, Badge: BadgeEmpty,
	}
	if err := s.deps.Store.PutSession(ctx, m); err != nil {
		return nil, err
	}
	o, err := s.load(ctx, m)
	if err == nil {
		s.changed()
	}
	return o, err
}

// Open returns the session, loading it when it is not open yet.
func (s *Service) Open(ctx context.Context, id string) (*Session, error) {
	s.mu.Lock()
	o := s.open[id]
	s.mu.Unlock()
	if o != nil {
		return o, nil
	}
	m, err := s.deps.Store.Session(ctx, id)
	if err != nil {
		return nil, err
	}
	return s.load(ctx, m)
}

func (s *Service) load(ctx context.Context, m Meta) (*Session, error) {
	evs, err := s.deps.Store.Events(ctx, m.ID, 0, 0)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	if o := s.open[m.ID]; o != nil { // somebody was faster
		s.mu.Unlock()
		return o, nil
	}
	o := newSession(s, m, evs)
	s.open[m.ID] = o
	s.mu.Unlock()
	o.recover(m)
	return o, nil
}

// Tell puts a notice of Keva itself into a session's stream, such as what became of an engine that outlived Keva.
func (s *Service) Tell(ctx context.Context, id string, n event.Notice) error {
	o, err := s.Open(ctx, id)
	if err != nil {
		return err
	}
	o.pipe.put(event.Event{Body: n}, true)
	return nil
}

// Delete stops the session's engine and removes it with all of its events.
func (s *Service) Delete(ctx context.Context, id string) error {
	s.mu.Lock()
	o := s.open[id]
	s.mu.Unlock()
	if o != nil {
		if err := o.Close(ctx); err != nil {
			return err
		}
	}
	err := s.deps.Store.DeleteSession(ctx, id)
	s.changed()
	return err
}

// Close stops all engines and closes all sessions.
func (s *Service) Close(ctx context.Context) error {
	s.mu.Lock()
	var all []*Session
	for _, o := range s.open {
		all = append(all, o)
	}
	s.mu.Unlock()
	var errs []error
	for _, o := range all {
		errs = append(errs, o.Close(ctx))
	}
	return errors.Join(errs...)
}

// Changes tells when the list may have changed. It holds at most one signal; it is closed when ctx ends.
func (s *Service) Changes(ctx context.Context) <-chan struct{} {
	ch := make(chan struct{}, 1)
	s.mu.Lock()
	s.watchers[ch] = true
	s.mu.Unlock()
	context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watchers, ch)
		close(ch)
	})
	return ch
}

func (s *Service) changed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ch := range s.watchers {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}

func (s *Service) factory(id string) (runtime.Factory, error) {
	for _, f := range s.deps.Factories {
		if f.ID() == id {
			return f, nil
		}
	}
	return nil, &event.Error{
		Class:   event.ClassConfig,
		Message: "This session uses the engine “" + id + "”, which this version of Keva does not have. Choose another engine in the settings and begin a new session.",
	}
}

func (s *Service) forget(o *Session) {
	s.mu.Lock()
	if s.open[o.id] == o {
		delete(s.open, o.id)
	}
	s.mu.Unlock()
	s.changed()
}

package signin

import (
	"context"
	"slices"
	"sync"
	"time"

	"keva/agent/event"
	"keva/agent/slot"
)

// Keys keeps API keys. Implementations never show one.
type Keys interface {
	// Keep keeps value under name as the user chose, "" for the usual place. Its error is for people.
	Keep(ctx context.Context, name, value, choice string) error
	// Delete removes name; it is no error when nothing was there.
	Delete(ctx context.Context, name string) error
}

// Deps is what a Service needs from the world. KeyMethods, Verify and Log may be nil.
type Deps struct {
	Slot    *slot.Slot
	Engines []Engine
	// KeyMethods are the ways with a key as they are now; each is of KindKey and starts no engine. See KeyMethods.
	KeyMethods func() []Method
	// SecretName is the name under which the key of a provider is kept.
	SecretName func(provider string) string
	Keys       Keys
	// Verify asks the method's provider whether it takes the key. An *event.Error of event.ClassAuth is a refusal; any other
	// error means that it could not be found out.
	Verify func(ctx context.Context, m Method, key string) error
	// Activate makes the method's provider the active one of its engine. When it returns nil that is stored.
	Activate func(ctx context.Context, m Method) error
	Values   Values
	Clock    func() time.Time // UTC
	NewID    func() string
	// Log takes what went wrong in the background, once.
	Log func(what string, err error)
}

// View is a snapshot of the one sign-in that there is. Method is zero for None.
type View struct {
	ID     string
	Method Method
	State  State
}

// Service runs one sign-in at a time. It is safe for concurrent use.
type Service struct {
	deps Deps

	mu     sync.Mutex
	view   View
	prompt Prompt      // of the present state
	codes  chan string // of the present sign-in
	cancel context.CancelFunc
	ended  chan struct{} // closed when the present sign-in has ended
	watch  map[chan struct{}]bool
}

// New returns a service. What an earlier run of Keva left open is told by the view at once, as Unknown; no engine is asked
// before Settle.
func New(ctx context.Context, deps Deps) *Service {
	if deps.Log == nil {
		deps.Log = func(string, error) {}
	}
	s := &Service{deps: deps, view: View{State: None{}}, watch: map[chan struct{}]bool{}}
	s.recall(ctx)
	return s
}

// Methods are the ways to sign engine in, its own first. "" lists those of all engines.
func (s *Service) Methods(engine string) []Method {
	var all []Method
	for _, e := range s.deps.Engines {
		all = append(all, e.Methods()...)
	}
	if s.deps.KeyMethods != nil {
		all = append(all, s.deps.KeyMethods()...)
	}
	return slices.DeleteFunc(all, func(m Method) bool { return engine != "" && m.Engine != engine })
}

// View is the present snapshot.
func (s *Service) View() View {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.view
}

// Changes tells when the view has changed. It holds at most one signal; it is closed when ctx ends.
func (s *Service) Changes(ctx context.Context) <-chan struct{} {
	ch := make(chan struct{}, 1)
	s.mu.Lock()
	s.watch[ch] = true
	s.mu.Unlock()
	context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watch, ch)
		close(ch)
	})
	return ch
}

// set shows a state. mu is held.
func (s *Service) set(st State) {
	s.view.State = st
	for ch := range s.watch {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}

func (s *Service) method(id string) (Method, error) {
	for _, m := range s.Methods("") {
		if m.ID == id {
			return m, nil
		}
	}
	return Method{}, &event.Error{
		Class: event.ClassConfig, Message: "This way to sign in does not exist in this version of Keva. Choose another one.", Detail: id,
	}
}

func (s *Service) engine(id string) (Engine, error) {
	for _, e := range s.deps.Engines {
		if e.ID() == id {
			return e, nil
		}
	}
	return nil, &event.Error{Class: event.ClassConfig, Message: "This engine has no account of its own.", Detail: id}
}

// enter makes m the one sign-in, or says which one is under way.
func (s *Service) enter(m Method, st State) (ctx context.Context, id string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if underWay(s.view.State) {
		return nil, "", &event.Error{
			Class:   event.ClassEngine,
			Message: "A sign-in is under way already (" + s.view.Method.Label + "). Finish or cancel it first.",
		}
	}
	ctx, s.cancel = context.WithCancel(context.Background())
	s.codes, s.ended, s.prompt = make(chan string, 1), make(chan struct{}), Prompt{}
	s.view = View{ID: s.deps.NewID(), Method: m}
	s.set(st)
	return ctx, s.view.ID, nil
}

// leave shows how the one sign-in ended. Everything that it held is free by now.
func (s *Service) leave(st State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel()
	s.set(st)
	close(s.ended)
}

// Cancel stops the sign-in that is under way and returns when everything that it held is free, or when ctx ends. Without
// one it does nothing. One that succeeds at the last moment is Done.
func (s *Service) Cancel(ctx context.Context) error {
	s.mu.Lock()
	cancel, ended, busy := s.cancel, s.ended, underWay(s.view.State)
	s.mu.Unlock()
	if !busy {
		return nil
	}
	cancel()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Dismiss takes an ended or unknown sign-in off the screen. While one is under way it does nothing.
func (s *Service) Dismiss(ctx context.Context) {
	s.mu.Lock()
	busy := underWay(s.view.State)
	if !busy {
		s.view = View{}
		s.set(None{})
	}
	s.mu.Unlock()
	if !busy {
		s.forget(ctx)
	}
}

package signin

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"keva/agent/slot"
)

// device is what a sign-in meets: a store, a keyring, settings, and one engine that does what it is told.
type device struct {
	mu     sync.Mutex
	values map[string]json.RawMessage
	keys   map[string]string
	active map[string]string // provider by engine
	logged []string
	full   error // the store
	locked error // the keyring
	verify func(key string) error

	slot slot.Slot
	play func(ctx context.Context, c Conversation) (Account, error)
	now  Account // of the engine
	out  error   // of SignOut and Account
	used []string
}

var lab = Account{Presence: SignedIn, Name: "lab@example.com"}

func newDevice() *device {
	return &device{
		values: map[string]json.RawMessage{}, keys: map[string]string{}, active: map[string]string{},
		now: Account{Presence: SignedOut}, verify: func(string) error { return nil },
	}
}

func (d *device) service(t *testing.T) *Service {
	t.Helper()
	return New(t.Context(), Deps{
		Slot: &d.slot, Engines: []Engine{d}, Keys: d, Values: d,
		KeyMethods: func() []Method {
			return []Method{{ID: "e/key", Engine: "e", Provider: "p", Kind: KindKey, Label: "key"}}
		},
		SecretName: func(p string) string { return "provider/" + p },
		Verify:     func(_ context.Context, _ Method, key string) error { return d.verify(key) },
		Activate: func(_ context.Context, m Method) error {
			if d.full != nil {
				return d.full
			}
			d.active[m.Engine] = m.Provider
			return nil
		},
		Clock: func() time.Time { return time.Now().UTC() }, NewID: func() string { return "flow" },
		Log: func(what string, _ error) { d.logged = append(d.logged, what) },
	})
}

func (d *device) ID() string { return "e" }

func (d *device) Methods() []Method {
	return []Method{
		{ID: "e/browser", Engine: "e", Provider: "plan", Kind: KindBrowser, Label: "browser"},
		{ID: "e/code", Engine: "e", Provider: "plan", Kind: KindCode, Label: "code"},
		{ID: "e/device", Engine: "e", Provider: "plan", Kind: KindDevice, Label: "device"},
	}
}

var errNoLease = errors.New("no lease")

func (d *device) SignIn(ctx context.Context, l *slot.Lease, _ string, c Conversation) (Account, error) {
	if !l.Valid() {
		return Account{}, errNoLease
	}
	a, err := d.play(ctx, c)
	if err == nil {
		d.now = a
	}
	return a, err
}

func (d *device) Account(_ context.Context, l *slot.Lease) (Account, error) {
	if !l.Valid() {
		return Account{}, errNoLease
	}
	return d.now, d.out
}

func (d *device) SignOut(_ context.Context, l *slot.Lease) error {
	if !l.Valid() {
		return errNoLease
	}
	d.now = Account{Presence: SignedOut}
	return d.out
}

func (d *device) Value(_ context.Context, key string) (json.RawMessage, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.values[key], d.full
}

func (d *device) PutValue(_ context.Context, key string, v json.RawMessage) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.full != nil {
		return d.full
	}
	d.values[key] = v
	return nil
}

func (d *device) open() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	v := string(d.values[RecordKey])
	return v != "" && v != "null"
}

func (d *device) Keep(_ context.Context, name, value, choice string) error {
	d.used = append(d.used, choice)
	if d.locked != nil && choice == "" {
		return d.locked
	}
	d.keys[name] = value
	return nil
}

func (d *device) Delete(_ context.Context, name string) error {
	delete(d.keys, name)
	return d.locked
}

// wait follows until a state is ok.
func wait(t *testing.T, s *Service, ok func(State) bool) View {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	changes := s.Changes(ctx)
	for {
		if v := s.View(); ok(v.State) {
			return v
		}
		if _, more := <-changes; !more {
			t.Fatalf("stays %#v", s.View())
		}
	}
}

func over(s State) bool {
	_, none := s.(None)
	return !underWay(s) && !none
}

// Package world is what main.go composes, without a surface and over folders of the caller: tests that run the whole
// product below its screens share it. It must never replace a part of the product by a mock; a test may add an engine.
package world

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"keva/agent/event"
	"keva/agent/provider"
	"keva/agent/runtime"
	"keva/agent/session"
	"keva/agent/slot"
	"keva/engines/access"
	"keva/engines/catalog"
	"keva/engines/install"
	"keva/engines/proc"
	"keva/engines/userland/plan"
	"keva/platform/project"
	"keva/platform/store"
)

// Options say where a world lives.
type Options struct {
	Dir    string                     // data
	Cache  string                     // where the engines are installed
	Extra  []runtime.Factory          // engines of the test, beside the real ones
	Place  func() (plan.Place, error) // where engines run; nil: the host
	Log    func(what string, err error)
	Told   func(event.Notice)                       // what the store says on opening; nil: it is an error
	Access *access.Access                           // of another world, which owns it; nil: one of its own
	Road   func(label string) (catalog.Road, error) // of each launch; nil: none
}

// World is everything below the surfaces.
type World struct {
	Store   *store.Store
	Slot    *slot.Slot
	Service *session.Service
	Access  *access.Access

	// Reclaimed is what became of engines that outlived the world before.
	Reclaimed []proc.Reclaimed

	owned bool
}

// Open begins a world, as a start of the app does.
func Open(ctx context.Context, o Options) (*World, error) {
	st, notices, err := store.Open(ctx, o.Dir)
	if err != nil {
		return nil, err
	}
	for _, n := range notices {
		if o.Told == nil {
			return nil, errors.Join(fmt.Errorf("the store says: %s (%s)", n.Text, n.Detail), st.Close())
		}
		o.Told(n)
	}
	w := &World{Store: st, Slot: &slot.Slot{}, Access: o.Access, Reclaimed: catalog.Reclaim(o.Dir)}
	if w.Access == nil {
		w.owned = true
		w.Access = access.New(access.Options{
			Providers: func() []provider.Provider { return provider.Hydrate(nil) },
			Key:       func(context.Context, string) (string, error) { return "", nil },
			Kind:      catalog.Kind,
		})
	}
	find := func(id string) (install.Paths, error) { return install.Find(install.Default(), id, o.Cache) }
	w.Service = session.NewService(session.Deps{
		Store: st, Slot: w.Slot, Provider: w.resolve(o.Extra), CheckDir: project.Check, Instructions: project.Instructions,
		Factories: append(catalog.Factories(catalog.Options{Find: find, Place: o.Place, StateDir: o.Dir, Version: "test", Road: o.Road}), o.Extra...),
		Clock:     func() time.Time { return time.Now().UTC() }, NewID: NewID, Log: o.Log,
	})
	for _, r := range w.Reclaimed {
		if n, tell := r.Notice(); tell && r.Session != "" {
			if err := w.Service.Tell(ctx, r.Session, n); err != nil {
				return nil, errors.Join(err, w.Close())
			}
		}
	}
	return w, nil
}

// resolve gives an engine of the test no provider: it needs none.
func (w *World) resolve(extra []runtime.Factory) func(context.Context, string, string) (runtime.Provider, error) {
	return func(ctx context.Context, id, engine string) (runtime.Provider, error) {
		for _, f := range extra {
			if f.ID() == engine {
				return runtime.Provider{Name: "none"}, nil
			}
		}
		return w.Access.Resolve(ctx, id, engine)
	}
}

// Close ends everything; Open over the same folders is a restart of the app.
func (w *World) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err := w.Service.Close(ctx)
	if w.owned {
		w.Access.Close()
	}
	return errors.Join(err, w.Store.Close())
}

// NewID is a random UUID.
func NewID() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	h := hex.EncodeToString(b)
	return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-8" + h[17:20] + "-" + h[20:]
}

// Package models asks providers which models they have, whether they take a key, and whether they speak a protocol at all.
// The last list that a provider gave is kept, so that a failure never takes the choice away; it is shown with its age.
//
// It must never follow a redirect (the key would go with it), never keep a key, and never let one into an error.
package models

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"
	"unicode"

	"keva/agent/event"
	"keva/agent/provider"
)

// Values is the part of the store that is needed.
type Values interface {
	// Value is nil when nothing was stored.
	Value(ctx context.Context, key string) (json.RawMessage, error)
	PutValue(ctx context.Context, key string, value json.RawMessage) error
}

// Deps is what a Lister needs from the world. All fields must be set.
type Deps struct {
	// Transport carries requests by the network policy. Its errors may have an Event() *event.Error.
	Transport http.RoundTripper
	// Key is the key of a provider, "" for none.
	Key    func(ctx context.Context, provider string) (string, error)
	Values Values
	Clock  func() time.Time // UTC
}

// Lister asks providers. It is safe for concurrent use.
type Lister struct{ deps Deps }

// New returns a lister.
func New(d Deps) *Lister { return &Lister{d} }

// List is what is known of a provider's models for one protocol.
type List struct {
	Models []provider.Model // the app's or the user's own first, then those that the provider named
	Listed time.Time        // when the provider named them, zero when it never did
	Tried  time.Time        // the last attempt, zero when there was none
	// Problem is why the last attempt failed, nil when it did not. Models are then those of before.
	Problem *event.Error
}

// kept is the stored form.
type kept struct {
	Base    string       `json:"base"` // whose list it is: an address that was changed makes it worthless
	Models  []named      `json:"models,omitempty"`
	Listed  time.Time    `json:"listed,omitzero"`
	Tried   time.Time    `json:"tried,omitzero"`
	Problem *event.Error `json:"problem,omitempty"`
}

type named struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
}

// Limits of what is kept: a list is a choice for people.
const (
	maxModels = 1000
	maxName   = 200
)

func storeKey(p provider.Provider, k provider.Kind) string { return "models/" + p.ID + "/" + string(k) }

// Known is what is known without asking. An error of the store gives the app's own list and the reason.
func (l *Lister) Known(ctx context.Context, p provider.Provider, k provider.Kind) List {
	kept, err := l.load(ctx, p, k)
	if err != nil {
		return List{Models: merged(p, k, nil), Problem: storeError(err)}
	}
	return kept.list(p, k)
}

// Refresh asks the provider and keeps what it says, also that it failed. It never takes away what was known.
func (l *Lister) Refresh(ctx context.Context, p provider.Provider, k provider.Kind) List {
	now, err := l.load(ctx, p, k)
	if err != nil {
		return List{Models: merged(p, k, nil), Problem: storeError(err)}
	}
	now.Tried = l.deps.Clock().Truncate(time.Second)
	found, problem := l.list(ctx, p, k)
	if now.Problem = problem; problem == nil {
		now.Models, now.Listed = found, now.Tried
	}
	out := now.list(p, k)
	raw, err := json.Marshal(now)
	if err == nil {
		err = l.deps.Values.PutValue(context.WithoutCancel(ctx), storeKey(p, k), raw)
	}
	if err != nil && out.Problem == nil {
		out.Problem = storeError(err)
	}
	return out
}

func storeError(err error) *event.Error {
	return &event.Error{Class: event.ClassConfig, Message: "The list of models can't be kept. Check free space and permissions of Keva's folder.", Detail: err.Error()}
}

func (l *Lister) list(ctx context.Context, p provider.Provider, k provider.Kind) ([]named, *event.Error) {
	if p.Key == provider.KeySignIn || p.Key == provider.KeyNone || !p.Speaks(k) {
		return nil, &event.Error{
			Class: event.ClassConfig, Message: p.Name + " can't be asked for its models: its engine alone is signed in there. Choose one of the list, or leave the default.",
		}
	}
	key, err := l.deps.Key(ctx, p.ID)
	if err != nil {
		return nil, reason(err, "")
	}
	return l.ask(ctx, p, k, key)
}

// load is what is stored; what is not ours, or of another address, is nothing.
func (l *Lister) load(ctx context.Context, p provider.Provider, k provider.Kind) (kept, error) {
	fresh := kept{Base: address(p, k)}
	raw, err := l.deps.Values.Value(ctx, storeKey(p, k))
	if err != nil || len(raw) == 0 {
		return fresh, err
	}
	var out kept
	if json.Unmarshal(raw, &out) != nil || out.Base != fresh.Base {
		return fresh, nil
	}
	return out, nil
}

func (s kept) list(p provider.Provider, k provider.Kind) List {
	return List{Models: merged(p, k, s.Models), Listed: s.Listed, Tried: s.Tried, Problem: s.Problem}
}

// merged puts what the provider named after what the app or the user knows, whose names and efforts are better.
func merged(p provider.Provider, k provider.Kind, list []named) []provider.Model {
	var out []provider.Model
	known := map[string]bool{}
	for _, m := range p.Models {
		if m.Kind == k {
			out = append(out, m)
			known[m.ID] = true
		}
	}
	for _, m := range list {
		if !known[m.ID] {
			known[m.ID] = true
			name := m.Name
			if name == "" {
				name = m.ID
			}
			out = append(out, provider.Model{ID: m.ID, Name: name, Kind: k})
		}
	}
	return out
}

// clean is a name as it may be shown and sent: without what can't be seen.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return strings.TrimSpace(s)
}

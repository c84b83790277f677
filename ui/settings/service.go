// Package settings is the settings screen: engine, provider, key, model, look. It keeps nothing itself and never sees a
// key that was saved: it only hears whether there is one.
package settings

import (
	"context"

	"keva/agent/trust"
	"keva/ui/theme"
)

// Values are the user's choices. The zero value is a fresh device.
type Values struct {
	Engine, Provider, Model, Effort string

	Mode          theme.Mode
	Scale         theme.Scale
	ReducedMotion bool

	Userland string // where engines come from: see Placer
}

// Engine is an engine to choose from.
type Engine struct {
	ID, Label string
}

// Provider is a place where inference happens, to choose from.
type Provider struct {
	ID, Label string
	Note      string // one line: what it needs
	NeedsKey  bool
	Custom    bool   // one of the user's own: see Owner
	Address   string // of the user's own ones
}

// Service is what the screen needs. Methods that take a context may block and are called off the thread of the user
// interface; the others are quick.
type Service interface {
	Values() Values
	// Save keeps the choices. Errors are for people.
	Save(Values) error
	Engines() []Engine
	// Providers lists those that an engine can use.
	Providers(engine string) []Provider
	// HasKey reports whether a key is kept for a provider. The error says why that can't be known, e.g. that no keyring
	// runs, and what to do.
	HasKey(ctx context.Context, provider string) (bool, error)
	SaveKey(ctx context.Context, provider, key string) error
	ForgetKey(ctx context.Context, provider string) error
	// Consents lists what the user has agreed to that projects do by themselves; Revoke takes a folder's back.
	Consents() []trust.Consent
	Revoke(dir string) error
	// Check runs the engine's version command. Errors are for people, with a remedy.
	Check(ctx context.Context, engine string) (version string, err error)
}

// engineOf returns the chosen engine, or the first: a fresh device has chosen none, and an old one may have chosen an
// engine that is gone.
func engineOf(s Service, id string) Engine {
	list := s.Engines()
	for _, e := range list {
		if e.ID == id {
			return e
		}
	}
	if len(list) > 0 {
		return list[0]
	}
	return Engine{ID: id, Label: "None"}
}

func providerOf(s Service, engine, id string) Provider {
	list := s.Providers(engine)
	for _, p := range list {
		if p.ID == id {
			return p
		}
	}
	if len(list) > 0 {
		return list[0]
	}
	return Provider{ID: id, Label: "None"}
}

// Resolve returns the values with choices that exist.
func Resolve(s Service, v Values) Values {
	v.Engine = engineOf(s, v.Engine).ID
	v.Provider = providerOf(s, v.Engine, v.Provider).ID
	return v
}

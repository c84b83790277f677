// Package settings keeps the user's choices in the store. Whatever is found there (an older version's, a newer one's,
// garbage) gives working settings: each field falls back alone, and what was dropped is said. It must never hold a key:
// keys are in the keyring, under provider.Secret.
package settings

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"keva/agent/provider"
	"keva/agent/trust"
)

// Settings are the user's choices. The zero value is not valid; Defaults makes a fresh device's.
type Settings struct {
	Engine string // the engine of new sessions
	// Choices are provider, model and effort by engine: what one engine can use the other mostly can't.
	Choices   map[string]Choice
	Providers []provider.Provider // hydrated: the app's own as they are now, then the user's

	Theme         Theme
	TextSize      TextSize
	ReducedMotion bool
	LastDir       string // the folder that was used last, absolute, "" for none
	// Userland is where engines come from on a desktop. A phone has the pack only, and does not ask.
	Userland Userland
	Network  Network
	Update   string // where the update check asks, "" = off
	// Consents are what the user has agreed to of what projects would run or allow; at most one for a folder.
	Consents []trust.Consent
}

// Choice is what an engine is asked to use.
type Choice struct {
	Provider string `json:"provider"`         // provider id
	Model    string `json:"model,omitempty"`  // "" = default
	Effort   string `json:"effort,omitempty"` // "" = default
}

// Network is the user's part of the network policy. The zero value leaves it to the device.
type Network struct {
	Mode     string `json:"mode,omitempty"`  // "", "direct" or "proxy"
	Proxy    string `json:"proxy,omitempty"` // without user name and password: those belong to the keyring
	NoProxy  string `json:"no_proxy,omitempty"`
	CABundle string `json:"ca_bundle,omitempty"` // path of a PEM file
}

// check refuses what must not be stored, and what can't be understood.
func (n Network) check() error {
	if n.Mode != "" && n.Mode != "direct" && n.Mode != "proxy" {
		return fmt.Errorf("the mode %q is not possible", n.Mode)
	}
	if strings.Contains(n.Proxy, "@") {
		return errors.New("a proxy's user name and password are kept in the keyring, not here")
	}
	return nil
}

// Theme says where light or dark comes from.
type Theme string

// The themes.
const (
	ThemeSystem Theme = "system"
	ThemeLight  Theme = "light"
	ThemeDark   Theme = "dark"
)

// Valid reports whether t is one of the themes.
func (t Theme) Valid() bool { return t == ThemeSystem || t == ThemeLight || t == ThemeDark }

// Userland is a source of engines and of all that they run.
type Userland string

// The userlands.
const (
	UserlandHost Userland = "host" // this machine's own
	UserlandPack Userland = "pack" // what Keva brings along, as on a phone
)

// Valid reports whether u is one of the userlands.
func (u Userland) Valid() bool { return u == UserlandHost || u == UserlandPack }

// TextSize is the size of all text.
type TextSize string

// The text sizes.
const (
	TextSmall  TextSize = "small"
	TextNormal TextSize = "normal"
	TextLarge  TextSize = "large"
	TextHuge   TextSize = "huge"
)

// Valid reports whether s is one of the text sizes.
func (s TextSize) Valid() bool {
	return s == TextSmall || s == TextNormal || s == TextLarge || s == TextHuge
}

// Engine is an engine that this build has: main knows them, this package does not.
type Engine struct {
	ID   string
	Kind provider.Kind // the protocol that it speaks to its provider
}

// Defaults are the settings of a fresh device: the first engine, and the demo for each, so that everything works without
// an account or a network.
func Defaults(engines []Engine) Settings {
	s := Settings{
		Choices: map[string]Choice{}, Providers: provider.Hydrate(nil),
		Theme: ThemeSystem, TextSize: TextNormal, Userland: UserlandHost,
	}
	for i, e := range engines {
		if i == 0 {
			s.Engine = e.ID
		}
		s.Choices[e.ID] = Choice{Provider: provider.Demo}
	}
	return s
}

// Choice is what engine id is asked to use.
func (s Settings) Choice(engine string) Choice { return s.Choices[engine] }

// Provider is the provider that engine id is asked to use.
func (s Settings) Provider(engine string) (provider.Provider, bool) {
	return provider.Find(s.Providers, s.Choices[engine].Provider)
}

// PutProvider adds a provider of the user's, or replaces the one of its id.
func (s *Settings) PutProvider(p provider.Provider) {
	if i := slices.IndexFunc(s.Providers, func(q provider.Provider) bool { return q.ID == p.ID }); i >= 0 {
		s.Providers[i] = p
		return
	}
	s.Providers = append(s.Providers, p)
}

// RemoveProvider forgets a provider of the user's. Engines that use it go back to the demo.
func (s *Settings) RemoveProvider(id string) {
	s.Providers = slices.DeleteFunc(s.Providers, func(p provider.Provider) bool { return p.ID == id && p.Owned() })
}

// SignedIn makes p the provider of engine after a sign-in. New sessions begin with that engine when the one of until now
// only had the demo: who signs in wants to use it, but nobody's choice is taken away.
func (s *Settings) SignedIn(engine, p string) {
	if s.Choices[s.Engine].Provider == provider.Demo {
		s.Engine = engine
	}
	c := s.Choices[engine]
	if c.Provider != p {
		c = Choice{Provider: p} // what was chosen of another provider may not exist here
	}
	s.Choices[engine] = c
}

// clone shares nothing with s.
func (s Settings) clone() Settings {
	s.Choices = maps.Clone(s.Choices)
	s.Consents = slices.Clone(s.Consents) // what is agreed to is never changed
	s.Providers = slices.Clone(s.Providers)
	for i, p := range s.Providers {
		p.Kinds, p.Models = slices.Clone(p.Kinds), slices.Clone(p.Models)
		p.Bases, p.Aliases, p.Headers = maps.Clone(p.Bases), maps.Clone(p.Aliases), maps.Clone(p.Headers)
		for j, m := range p.Models {
			p.Models[j].Efforts = slices.Clone(m.Efforts)
		}
		s.Providers[i] = p
	}
	return s
}

// Package provider says where inference can happen: the app's own providers, and those that the user defines.
//
// Who owns the data decides who may change it (paper §4.8). Models and addresses of built-in providers belong to the app:
// they are re-aligned on every read, so an update reaches every device. A custom provider belongs to the user and is
// never rewritten. The package must never hold a key: keys are kept in the keyring, by Secret.
package provider

import (
	"slices"
	"strings"

	"keva/agent/runtime"
)

// Kind is a wire protocol. An engine speaks one of them; which, is said where the engines are listed.
type Kind string

// The kinds.
const (
	Anthropic Kind = "anthropic" // Anthropic Messages
	Responses Kind = "responses" // OpenAI Responses
)

// Valid reports whether k is known: a kind that comes from storage or a form may not be.
func (k Kind) Valid() bool { return k == Anthropic || k == Responses }

// Label is k for people.
func (k Kind) Label() string {
	switch k {
	case Anthropic:
		return "Anthropic Messages"
	case Responses:
		return "OpenAI Responses"
	default:
		return "unknown protocol " + string(k)
	}
}

// Ids of the providers. They are keys in settings and in the keyring, and never change. Further custom ones are named
// Custom, a hyphen, and something of their own.
const (
	Demo       = "demo"
	Claude     = "anthropic"
	ClaudePlan = "claude-subscription" // the engine's own sign-in
	OpenAI     = "openai"
	ChatGPT    = "chatgpt" // the engine's own sign-in
	Custom     = "custom"
)

// Provider is one place where inference happens.
type Provider struct {
	ID   string `json:"id"`
	Name string `json:"name"` // for people
	// Kinds are the protocols that it speaks, at least one.
	Kinds []Kind `json:"kinds"`
	// BaseURL is the address; "" means the engine's own default, or the built-in demo.
	BaseURL string `json:"base_url,omitempty"`
	// Bases are addresses of single kinds, where they are not BaseURL.
	Bases map[Kind]string `json:"bases,omitempty"`
	// Models are those to choose from, the provider's default first. Empty means that any name may be written.
	Models []Model `json:"models,omitempty"`
	// Aliases say which model stands for a name that an engine uses by itself: opus, sonnet, haiku.
	Aliases map[string]string `json:"aliases,omitempty"`
	// Headers go with each request. They are no place for a key: CheckHeaders.
	Headers map[string]string `json:"headers,omitempty"`
	// Auth says how the key is shown.
	Auth Auth `json:"auth,omitempty"`
	// Key says whether it needs one. The key itself is in the keyring, under Secret(ID).
	Key Need `json:"key"`
}

// Need says what is needed to be let in.
type Need string

// The needs.
const (
	KeyNone     Need = "none"     // the demo
	KeyOptional Need = "optional" // the server may want none
	KeyRequired Need = "required" // without one nothing works
	KeySignIn   Need = "sign_in"  // never a key: the engine's own sign-in
)

// Asked reports whether a key can be given.
func (n Need) Asked() bool { return n == KeyOptional || n == KeyRequired }

// Auth says in which header a key goes.
type Auth string

// The ways. The zero value is the protocol's own: x-api-key for Anthropic Messages, bearer for OpenAI Responses.
const (
	AuthDefault Auth = ""
	AuthBearer  Auth = "bearer"
)

// Model is a model, or an alias that the provider resolves.
type Model struct {
	ID      string   `json:"id"`   // as the engine takes it; "" is the engine's default
	Name    string   `json:"name"` // for people
	Kind    Kind     `json:"kind"`
	Efforts []string `json:"efforts,omitempty"` // the efforts that it knows, lowest first
}

// Owned reports whether id is a provider of the user's: then it is never rewritten.
func Owned(id string) bool { return id == Custom || strings.HasPrefix(id, Custom+"-") }

// Owned reports whether the user owns the provider.
func (p Provider) Owned() bool { return Owned(p.ID) }

// Speaks reports whether an engine that speaks k can use the provider.
func (p Provider) Speaks(k Kind) bool { return slices.Contains(p.Kinds, k) }

// Base is the address for kind k, "" for the engine's own default.
func (p Provider) Base(k Kind) string {
	if base := p.Bases[k]; base != "" {
		return base
	}
	return p.BaseURL
}

// Runtime is the provider as an engine takes it.
func (p Provider) Runtime(key string) runtime.Provider {
	return runtime.Provider{Name: p.Name, BaseURL: p.BaseURL, Key: key}
}

// Secret is the name under which the key of provider id is kept.
func Secret(id string) string { return "provider/" + id }

// For lists the providers that an engine of kind k can use, in order.
func For(list []Provider, k Kind) []Provider {
	var out []Provider
	for _, p := range list {
		if p.Speaks(k) {
			out = append(out, p)
		}
	}
	return out
}

// Find returns provider id.
func Find(list []Provider, id string) (Provider, bool) {
	i := slices.IndexFunc(list, func(p Provider) bool { return p.ID == id })
	if i < 0 {
		return Provider{}, false
	}
	return list[i], true
}

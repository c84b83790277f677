// Package provider says where inference can happen: the app's own providers, and one that the user defines.
//
// Who owns the data decides who may change it (paper §4.8). Models and addresses of built-in providers belong to the app:
// they are re-aligned on every read, so an update reaches every device. The custom provider belongs to the user and is
// never rewritten. The package must never hold a key: keys are kept in the keyring, by Secret.
package provider

import (
	"slices"

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

// Ids of the providers. They are keys in settings and in the keyring, and never change.
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
	// Models are those to choose from, the provider's default first. Empty means that any name may be written.
	Models []Model `json:"models,omitempty"`
	// Key says whether it needs one. The key itself is in the keyring, under Secret(ID).
	Key Need `json:"key"`
}

// Need says whether a key is needed.
type Need string

// The needs.
const (
	KeyNone     Need = "none"     // the demo
	KeyOptional Need = "optional" // without one the engine uses its own sign-in; or the server wants none
)

// Model is a model, or an alias that the provider resolves.
type Model struct {
	ID      string   `json:"id"`   // as the engine takes it; "" is the engine's default
	Name    string   `json:"name"` // for people
	Kind    Kind     `json:"kind"`
	Efforts []string `json:"efforts,omitempty"` // the efforts that it knows, lowest first
}

// Owned reports whether the user owns the provider: then it is never rewritten.
func (p Provider) Owned() bool { return p.ID == Custom }

// Speaks reports whether an engine that speaks k can use the provider.
func (p Provider) Speaks(k Kind) bool { return slices.Contains(p.Kinds, k) }

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

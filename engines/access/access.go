// Package access decides which address and which key an engine gets. Wherever Keva holds a key, the engine is pointed at
// Keva's own gateway on loopback and holds a token of this launch only: commands that a model runs can read an engine's
// environment. It must never put a key into anything but the gateway.
package access

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"keva/agent/event"
	"keva/agent/provider"
	"keva/agent/runtime"
	"keva/engines/demo"
	"keva/platform/network/gateway"
)

// Where requests of a provider without an address of its own go.
const (
	anthropicBase = "https://api.anthropic.com"
	openAIBase    = "https://api.openai.com/v1"
)

// Options say what access works with.
type Options struct {
	// Providers lists the providers as they are now.
	Providers func() []provider.Provider
	// Key returns the key of a provider, "" when none is kept.
	Key func(ctx context.Context, id string) (string, error)
	// Kind is the protocol that an engine speaks.
	Kind func(engine string) provider.Kind
	// Pace is how fast the demo talks; 0 = at once.
	Pace time.Duration
	// Transport carries requests to providers, for the purpose named; nil: http.DefaultTransport. The demo is on this device.
	Transport func(purpose string) http.RoundTripper
	// Protect is told of each key before it is used, so that it stays out of logs; may be nil.
	Protect func(secret string)
}

// Access resolves providers. It is safe for concurrent use.
type Access struct {
	opt  Options
	ctx  context.Context
	stop context.CancelFunc

	mu   sync.Mutex
	demo *demo.Server
	ways map[way]*opened
}

// way is what a gateway stands for.
type way struct {
	id       string
	upstream string
	kind     provider.Kind
	auth     provider.Auth
	headers  string // "name: value" lines, sorted: what can be compared
}

// opened is a gateway and the key that it puts in now: engines that run keep their gateway when the key changes.
type opened struct {
	*gateway.Gateway
	key atomic.Pointer[string]
}

func newWay(p provider.Provider, base string, kind provider.Kind) way {
	var lines []string
	for name, value := range p.Headers {
		lines = append(lines, name+": "+value)
	}
	slices.Sort(lines)
	return way{p.ID, base, kind, p.Auth, strings.Join(lines, "\n")}
}

// New returns an Access whose servers run until Close.
func New(opt Options) *Access {
	ctx, stop := context.WithCancel(context.Background())
	if opt.Protect == nil {
		opt.Protect = func(string) {}
	}
	return &Access{opt: opt, ctx: ctx, stop: stop, ways: map[way]*opened{}}
}

// Close ends the demo and all gateways.
func (a *Access) Close() {
	a.stop()
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, g := range a.ways {
		g.Close()
	}
	if a.demo != nil {
		_ = a.demo.Close() // it may have ended with the context already
	}
}

// Demo is the demo's server, nil before it was first needed. What it was asked is for tests and diagnostics.
func (a *Access) Demo() *demo.Server {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.demo
}

// Resolve is the provider as an engine takes it. Errors are *event.Error.
func (a *Access) Resolve(ctx context.Context, id, engine string) (runtime.Provider, error) {
	p, ok := provider.Find(a.opt.Providers(), id)
	kind := a.opt.Kind(engine)
	switch {
	case !ok:
		return runtime.Provider{}, &event.Error{
			Class:   event.ClassConfig,
			Message: "This session uses a provider that is not there any more. Choose one in the settings and begin a new session.", Detail: id,
		}
	case !p.Speaks(kind):
		return runtime.Provider{}, &event.Error{
			Class:   event.ClassConfig,
			Message: p.Name + " can't be used with this engine: it does not speak " + kind.Label() + ". Choose another provider or engine in the settings.",
		}
	}
	switch p.Key {
	case provider.KeyNone:
		return a.resolveDemo(kind)
	case provider.KeySignIn:
		// The engine signs in by itself and talks to its own default address. A key that is kept for somewhere else must not
		// stand in its way: it may be revoked.
		return p.Runtime(""), nil
	case provider.KeyOptional, provider.KeyRequired:
	}
	key, err := a.opt.Key(ctx, id)
	if err != nil {
		return runtime.Provider{}, err
	}
	if key == "" && p.Key == provider.KeyRequired {
		return runtime.Provider{}, &event.Error{
			Class:   event.ClassAuth,
			Message: "No key is kept for " + p.Name + ", or it was lost. Sign in again in the settings.",
		}
	}
	if key != "" {
		a.opt.Protect(key)
	}
	out, err := a.through(p.Name, newWay(p, upstream(p, kind), kind), key)
	out.Aliases = p.Aliases
	return out, err
}

// upstream is where requests of kind k go.
func upstream(p provider.Provider, k provider.Kind) string {
	switch base := p.Base(k); {
	case base != "":
		return base
	case k == provider.Responses:
		return openAIBase
	}
	return anthropicBase
}

func (a *Access) resolveDemo(kind provider.Kind) (runtime.Provider, error) {
	a.mu.Lock()
	if a.demo == nil {
		d, err := demo.Start(a.ctx, demo.Options{Pace: a.opt.Pace})
		if err != nil {
			a.mu.Unlock()
			return runtime.Provider{}, err
		}
		a.demo = d
	}
	d := a.demo
	a.mu.Unlock()
	base, model := d.AnthropicBase(), demo.ModelClaude
	if kind == provider.Responses {
		base, model = d.OpenAIBase(), demo.ModelCodex
	}
	p, err := a.through("Demo", way{id: provider.Demo, upstream: base, kind: kind}, d.Key())
	p.Model = model
	return p, err
}

// Renew brings the key of provider id into use at once, also for engines that run; "" takes it away from them. Without it
// an engine would go on with a key that was rotated or deleted until it is started anew. One that runs with an address of
// before keeps the key of before: a new key is for the present address only.
func (a *Access) Renew(id, key string) {
	if key != "" {
		a.opt.Protect(key)
	}
	p, known := provider.Find(a.opt.Providers(), id)
	a.mu.Lock()
	defer a.mu.Unlock()
	for w, o := range a.ways {
		if w.id == id && (key == "" || known && upstream(p, w.kind) == w.upstream) {
			o.key.Store(&key)
		}
	}
}

// through returns the gateway to w with key, starting it when it does not run.
func (a *Access) through(name string, w way, key string) (runtime.Provider, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	g := a.ways[w]
	if g == nil {
		u, err := url.Parse(w.upstream)
		if err != nil || u.Host == "" {
			return runtime.Provider{}, &event.Error{
				Class: event.ClassConfig, Message: "The provider's address is not one: correct it in the settings.",
				Detail: errors.Join(errors.New(w.upstream), err).Error(),
			}
		}
		g = &opened{}
		o := gateway.Options{Upstream: u, Credential: credential(w, &g.key)}
		if a.opt.Transport != nil && w.id != provider.Demo {
			o.Transport = a.opt.Transport("provider: " + w.id) // its name is the user's, and attempts are in what may be shared
		}
		g.key.Store(&key)
		if g.Gateway, err = gateway.Start(a.ctx, o); err != nil {
			return runtime.Provider{}, err
		}
		a.ways[w] = g
	}
	g.key.Store(&key)
	return runtime.Provider{Name: name, BaseURL: g.BaseURL(), Key: g.Token(), Traffic: func() runtime.Traffic {
		t := g.Traffic()
		return runtime.Traffic{LastIn: t.LastIn, Open: t.Open, LastError: t.LastError}
	}}, nil
}

func credential(w way, now *atomic.Pointer[string]) func(http.Header) {
	return func(h http.Header) {
		key := *now.Load()
		for line := range strings.Lines(w.headers) {
			if name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); ok {
				h.Set(name, value)
			}
		}
		switch {
		case key == "":
		case w.kind == provider.Anthropic && w.auth != provider.AuthBearer:
			h.Set("X-Api-Key", key)
		default:
			h.Set("Authorization", "Bearer "+key)
		}
	}
}

package access

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/agent/provider"
)

func kind(engine string) provider.Kind {
	if engine == "codex" {
		return provider.Responses
	}
	return provider.Anthropic
}

func newAccess(t *testing.T, stored []provider.Provider, keys map[string]string) *Access {
	a := New(Options{
		Providers: func() []provider.Provider { return provider.Hydrate(stored) },
		Key:       func(_ context.Context, id string) (string, error) { return keys[id], nil },
		Kind:      kind,
	})
	t.Cleanup(a.Close)
	return a
}

// The engine never holds the key: what it is given is a token that is worth nothing anywhere else.
func TestEngineHoldsATokenOnly(t *testing.T) {
	for _, engine := range []string{"claude", "codex"} {
		var seen http.Header
		up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			seen = r.Header.Clone()
			fmt.Fprint(w, "ok")
		}))
		defer up.Close()
		custom, err := provider.NewCustom("mine", kind(engine), up.URL)
		if err != nil {
			t.Fatal(err)
		}
		a := newAccess(t, []provider.Provider{custom}, map[string]string{provider.Custom: "sk-real"})
		p, err := a.Resolve(t.Context(), provider.Custom, engine)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(fmt.Sprintf("%+v", p), "sk-real") || !strings.HasPrefix(p.BaseURL, "http://127.0.0.1:") {
			t.Fatalf("%s holds %+v", engine, p)
		}
		again, err := a.Resolve(t.Context(), provider.Custom, engine)
		if err != nil || again.BaseURL != p.BaseURL {
			t.Fatalf("a second gateway for the same way: %v", err)
		}
		r, _ := http.NewRequest(http.MethodGet, p.BaseURL+"/x", nil)
		r.Header.Set("Authorization", "Bearer "+p.Key)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if got := seen.Get("X-Api-Key") + seen.Get("Authorization"); !strings.Contains(got, "sk-real") || strings.Contains(got, p.Key) {
			t.Fatalf("%s: the provider saw %q", engine, got)
		}
		if p.Traffic().LastIn.IsZero() {
			t.Fatal("no evidence of traffic")
		}
	}
}

// With a sign-in of its own the engine talks for itself; nothing stands between, and a key that was kept before, for the
// same company, can't: on a used device it may be revoked.
func TestOwnSignIn(t *testing.T) {
	old := map[string]string{provider.Claude: "sk-revoked", provider.OpenAI: "sk-revoked", provider.ClaudePlan: "sk-revoked"}
	for engine, id := range map[string]string{"claude": provider.ClaudePlan, "codex": provider.ChatGPT} {
		p, err := newAccess(t, nil, old).Resolve(t.Context(), id, engine)
		if err != nil || p.BaseURL != "" || p.Key != "" || p.Traffic != nil {
			t.Fatalf("%+v %v", p, err)
		}
	}
}

// Rotation and deletion reach an engine that runs: it holds its gateway for as long as it lives.
func TestANewKeyReachesAnEngineThatRuns(t *testing.T) {
	var seen string
	up := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.Header.Get("X-Api-Key") }))
	defer up.Close()
	own, err := provider.NewCustom("Demo", provider.Anthropic, up.URL)
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]string{provider.Custom: "sk-old"}
	a := newAccess(t, []provider.Provider{own}, keys)
	p, err := a.Resolve(t.Context(), provider.Custom, "claude")
	if err != nil {
		t.Fatal(err)
	}
	ask := func() string {
		seen = "nobody came"
		r, _ := http.NewRequest(http.MethodGet, p.BaseURL+"/x", nil)
		r.Header.Set("X-Api-Key", p.Key)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return seen
	}
	if got := ask(); got != "sk-old" {
		t.Fatal(got)
	}
	a.Renew(provider.Custom, "sk-new")
	if got := ask(); got != "sk-new" {
		t.Errorf("after a rotation: %q", got)
	}
	a.Renew("another", "sk-foreign")
	if got := ask(); got != "sk-new" {
		t.Errorf("the key of another provider: %q", got)
	}
	a.Renew(provider.Custom, "")
	if got := ask(); got != "" {
		t.Errorf("after it was deleted: %q", got)
	}
	keys[provider.Custom] = "sk-third"
	again, err := a.Resolve(t.Context(), provider.Custom, "claude")
	if err != nil || again.BaseURL != p.BaseURL || ask() != "sk-third" {
		t.Errorf("%v %q", err, ask())
	}
}

// A key that is gone (a lost keystore, another device) is asked for again; the engine must not sign in with something else.
func TestAMissingKeyIsSaid(t *testing.T) {
	_, err := newAccess(t, nil, nil).Resolve(t.Context(), provider.Claude, "claude")
	var e *event.Error
	if !errors.As(err, &e) || e.Class != event.ClassAuth || !strings.Contains(e.Message, "Sign in again") {
		t.Fatal(err)
	}
}

func TestHeadersAndTheWayToShowAKey(t *testing.T) {
	var seen http.Header
	up := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.Header.Clone() }))
	defer up.Close()
	own := provider.Provider{
		ID: provider.Custom + "-2", Name: "own", Kinds: []provider.Kind{provider.Anthropic}, BaseURL: up.URL, Auth: provider.AuthBearer,
		Headers: map[string]string{"X-Title": "Keva: 1", "X-Org": "lab"}, Key: provider.KeyOptional, Aliases: map[string]string{"haiku": "small"},
	}
	a := newAccess(t, []provider.Provider{own}, map[string]string{own.ID: "sk-real"})
	p, err := a.Resolve(t.Context(), own.ID, "claude")
	if err != nil || p.Aliases["haiku"] != "small" {
		t.Fatalf("%+v %v", p, err)
	}
	r, _ := http.NewRequest(http.MethodGet, p.BaseURL+"/x", nil)
	r.Header.Set("X-Api-Key", p.Key)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if seen.Get("Authorization") != "Bearer sk-real" || seen.Get("X-Api-Key") != "" || seen.Get("X-Title") != "Keva: 1" || seen.Get("X-Org") != "lab" {
		t.Fatalf("%v", seen)
	}
}

func TestDemoNeedsNothing(t *testing.T) {
	a := newAccess(t, nil, nil)
	c, err := a.Resolve(t.Context(), provider.Demo, "claude")
	if err != nil || c.Model == "" || c.Key == "" {
		t.Fatalf("%+v %v", c, err)
	}
	x, err := a.Resolve(t.Context(), provider.Demo, "codex")
	if err != nil || x.Model == c.Model || x.BaseURL == c.BaseURL {
		t.Fatalf("%+v %v", x, err)
	}
}

func TestRefusals(t *testing.T) {
	a := newAccess(t, nil, nil)
	for _, c := range [][2]string{{"gone", "claude"}, {provider.OpenAI, "claude"}, {provider.Claude, "codex"}} {
		_, err := a.Resolve(t.Context(), c[0], c[1])
		var e *event.Error
		if !errors.As(err, &e) || e.Class != event.ClassConfig || !strings.Contains(e.Message, "settings") {
			t.Errorf("%v: %v", c, err)
		}
	}
}

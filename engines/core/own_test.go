package core

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/agent/provider"
	"keva/agent/session"
	"keva/platform/secret"
	"keva/platform/settings"
)

// stuck is a keyring that deletes nothing.
type stuck struct{ *secret.Volatile }

func (stuck) Delete(context.Context, string) error { return errors.New("the keyring is locked") }

// none is no keyring at all.
type none struct{ *secret.Volatile }

var errNone = &secret.Unavailable{Reason: &event.Error{Message: "This system has no keyring."}, None: true}

func (none) Get(context.Context, string) (string, error) { return "", errNone }
func (none) Delete(context.Context, string) error        { return errNone }

// keysMachine has another keyring.
type keysMachine struct {
	*machine
	ring secret.Keyring
}

func (m keysMachine) Keys() secret.Keyring { return m.ring }

// with opens a core with a keyring.
func with(t *testing.T, ring secret.Keyring) *Core {
	t.Helper()
	_, m := world(t, "")
	t.Setenv("KEVA_HOME", t.TempDir())
	c, _, err := Open(t.Context(), Options{Version: "1.2.3", Device: keysMachine{m, ring}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func own(name string) provider.Provider {
	return provider.Provider{Name: name, Kinds: []provider.Kind{provider.Anthropic}, BaseURL: "https://a.example", Key: provider.KeyOptional}
}

func ids(c *Core) (list []string) {
	for _, p := range c.OwnProviders() {
		list = append(list, p.ID)
	}
	return list
}

// The one own address of until now stays what it is beside new ones; a removed one takes its key with it, and engines that
// were set to it go back to the demo.
func TestOwnProvidersComeAndGo(t *testing.T) {
	c, m := world(t, "")
	first := own("first")
	first.ID = provider.Custom
	if err := c.Settings.Update(t.Context(), func(s *settings.Settings) { s.PutProvider(first) }); err != nil {
		t.Fatal(err)
	}
	second, err := c.PutProvider(t.Context(), own("second"))
	if err != nil || len(ids(c)) != 2 || ids(c)[0] != provider.Custom || !provider.Owned(second.ID) {
		t.Fatal(ids(c), second, err)
	}
	second.Name = "renamed"
	if again, err := c.PutProvider(t.Context(), second); err != nil || again.ID != second.ID || c.OwnProviders()[1].Name != "renamed" {
		t.Fatal(again, err)
	}
	bad := second
	bad.BaseURL = "http://a.example"
	if _, err := c.PutProvider(t.Context(), bad); err == nil || !strings.Contains(err.Error(), "unencrypted") || c.OwnProviders()[1].BaseURL != second.BaseURL {
		t.Fatal(err)
	}
	if err := c.SetKey(t.Context(), second.ID, "sk-second"); err != nil {
		t.Fatal(err)
	}
	if err := c.Settings.Update(t.Context(), func(s *settings.Settings) { s.Choices["claude"] = settings.Choice{Provider: second.ID} }); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Service.Create(t.Context(), session.New{Dir: t.TempDir(), Engine: "claude", Provider: second.ID}); err != nil {
		t.Fatal(err)
	}
	if n, err := c.SessionsWith(t.Context(), second.ID); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if err := c.RemoveProvider(t.Context(), second.ID, false); err != nil {
		t.Fatal(err)
	}
	if key, err := m.keys.Get(t.Context(), provider.Secret(second.ID)); key != "" {
		t.Fatal("its key is still there", err)
	}
	if got := c.Settings.Get().Choice("claude").Provider; got != provider.Demo || len(ids(c)) != 1 {
		t.Fatal(got, ids(c))
	}
}

// A key that can't be deleted keeps its provider, so that it can be tried again. One that is left behind belongs to an id
// that nobody gets again: it must never go to another address.
func TestAKeyThatStays(t *testing.T) {
	c := with(t, stuck{&secret.Volatile{}})
	p, err := c.PutProvider(t.Context(), own("p"))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.RemoveProvider(t.Context(), p.ID, false); err == nil || !strings.Contains(err.Error(), "locked") || len(ids(c)) != 1 {
		t.Fatal(err, ids(c))
	}
	if err := c.RemoveProvider(t.Context(), p.ID, true); err != nil || len(ids(c)) != 0 {
		t.Fatal(err, ids(c))
	}
	if q, err := c.PutProvider(t.Context(), own("q")); err != nil || q.ID == p.ID {
		t.Fatal(q, err)
	}
}

// An address is tried for each protocol that it is said to speak, with its own key and headers.
func TestAnOwnProviderIsTried(t *testing.T) {
	c, _ := world(t, "")
	var title, key string
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/messages" {
			http.NotFound(w, r)
			return
		}
		title, key = r.Header.Get("X-Title"), r.Header.Get("Authorization")
		http.Error(w, `{"error":{"message":"messages: field required"}}`, http.StatusBadRequest)
	}))
	defer up.Close()
	p := own("mine")
	p.BaseURL, p.Headers, p.Auth = up.URL, map[string]string{"X-Title": "Keva"}, provider.AuthBearer
	p, err := c.PutProvider(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.SetKey(t.Context(), p.ID, "sk-mine"); err != nil {
		t.Fatal(err)
	}
	if err := c.CheckProvider(t.Context(), p.ID); err != nil || title != "Keva" || key != "Bearer sk-mine" {
		t.Errorf("%v, %q, %q", err, title, key)
	}
	p.Kinds = append(p.Kinds, provider.Responses)
	if _, err := c.PutProvider(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if err := c.CheckProvider(t.Context(), p.ID); err == nil {
		t.Error("a protocol that is not there was not missed")
	}
	if err := c.CheckProvider(t.Context(), "custom-gone"); err == nil {
		t.Error("nothing was tried, and found good")
	}
}

// Without any keyring a server that wants no key can still be used; one that needs a key says why there is none.
func TestAnOwnServerNeedsNoKeyring(t *testing.T) {
	c := with(t, none{&secret.Volatile{}})
	p, err := c.PutProvider(t.Context(), own("mine"))
	if err != nil {
		t.Fatal(err)
	}
	if r, err := c.access.Resolve(t.Context(), p.ID, "claude"); err != nil || r.BaseURL == "" {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := c.access.Resolve(t.Context(), provider.Claude, "claude"); err == nil || !strings.Contains(err.Error(), "no keyring") {
		t.Error(err)
	}
	p.Key = provider.KeyRequired
	if _, err := c.PutProvider(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if _, err := c.access.Resolve(t.Context(), p.ID, "claude"); err == nil || !strings.Contains(err.Error(), "no keyring") {
		t.Error(err)
	}
	if err := c.RemoveProvider(t.Context(), p.ID, false); err != nil || len(ids(c)) != 0 {
		t.Error("it can't be removed: ", err)
	}
}

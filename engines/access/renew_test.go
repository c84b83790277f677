package access

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"keva/agent/provider"
)

// Address and key of a provider are changed together while an engine runs: the new key must not go to the old server.
func TestANewKeyDoesNotGoToTheOldAddress(t *testing.T) {
	var seen string
	up := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.Header.Get("X-Api-Key") }))
	defer up.Close()
	own, err := provider.NewCustom("", provider.Anthropic, up.URL)
	if err != nil {
		t.Fatal(err)
	}
	list := []provider.Provider{own}
	a := newAccess(t, list, map[string]string{provider.Custom: "sk-old"})
	p, err := a.Resolve(t.Context(), provider.Custom, "claude")
	if err != nil {
		t.Fatal(err)
	}
	ask := func() string {
		seen = "nobody came"
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.BaseURL+"/x", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Api-Key", p.Key)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		return seen
	}
	list[0].BaseURL = "https://new.example"
	a.Renew(provider.Custom, "sk-new")
	if got := ask(); got != "sk-old" {
		t.Errorf("the old address got %q", got)
	}
	a.Renew(provider.Custom, "")
	if got := ask(); got != "" {
		t.Errorf("after it was deleted: %q", got)
	}
}

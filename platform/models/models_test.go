package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"keva/agent/event"
	"keva/agent/provider"
)

const key = "sk-planted-key"

// server is a provider; answer may be changed.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	answer http.HandlerFunc
	seen   []string
	shown  []string // credentials
}

func serve(t *testing.T, answer http.HandlerFunc) *server {
	s := &server{answer: answer}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, r.Method+" "+r.URL.RequestURI())
		s.shown = append(s.shown, r.Header.Get("X-Api-Key")+r.Header.Get("Authorization"))
		f := s.answer
		s.mu.Unlock()
		f(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) now(answer http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

// device is a store.
type device struct {
	values map[string]json.RawMessage
	err    error
}

func (d *device) Value(_ context.Context, key string) (json.RawMessage, error) {
	return d.values[key], d.err
}

func (d *device) PutValue(_ context.Context, key string, v json.RawMessage) error {
	if d.err == nil {
		d.values[key] = v
	}
	return d.err
}

func lister(d *device) *Lister {
	return New(Deps{
		Transport: http.DefaultTransport, Values: d, Clock: time.Now,
		Key: func(context.Context, string) (string, error) { return key, nil },
	})
}

func own(base string, kinds ...provider.Kind) provider.Provider {
	return provider.Provider{ID: provider.Custom, Name: "mine", Kinds: kinds, BaseURL: base, Key: provider.KeyOptional}
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func ids(l List) string {
	var out []string
	for _, m := range l.Models {
		out = append(out, m.ID+"="+m.Name)
	}
	return strings.Join(out, " ")
}

func TestBothKindsAreListed(t *testing.T) {
	for k, c := range map[provider.Kind]struct{ request, shown, body string }{
		provider.Anthropic: {"GET /v1/models?limit=1000", key, `{"data":[{"id":"claude-x","display_name":"Claude X","type":"model"},{"id":"big"}],"has_more":false}`},
		provider.Responses: {"GET /models", "Bearer " + key, `{"object":"list","data":[{"id":"claude-x","name":"Claude X"},{"id":"big","object":"model"}]}`},
	} {
		s := serve(t, says(200, c.body))
		p := own(s.URL+"/", k)
		p.Models = []provider.Model{{ID: "big", Name: "The big one", Kind: k}, {ID: "other", Name: "o", Kind: "x"}}
		d := &device{values: map[string]json.RawMessage{}}
		got := lister(d).Refresh(t.Context(), p, k)
		if ids(got) != "big=The big one claude-x=Claude X" || got.Problem != nil || got.Listed.IsZero() || got.Tried != got.Listed {
			t.Errorf("%s: %s %+v", k, ids(got), got)
		}
		if s.seen[0] != c.request || s.shown[0] != c.shown {
			t.Errorf("%s: asked %q with %q", k, s.seen, s.shown)
		}
		if again := lister(d).Known(t.Context(), p, k); ids(again) != ids(got) || len(s.seen) != 1 {
			t.Errorf("%s: %s after a restart", k, ids(again))
		}
		for name, raw := range d.values {
			if strings.Contains(string(raw), key) {
				t.Errorf("%s holds the key: %s", name, raw)
			}
		}
	}
}

// A failure is classified, tells what to do and never the key, and takes nothing away.
func TestAFailureKeepsTheLastList(t *testing.T) {
	s := serve(t, says(200, `{"data":[{"id":"m1"}]}`))
	d := &device{values: map[string]json.RawMessage{}}
	l := lister(d)
	p := own(s.URL, provider.Responses)
	first := l.Refresh(t.Context(), p, provider.Responses)
	away := serve(t, says(200, `{"data":[{"id":"stolen"}]}`))
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		class  event.Class
		words  string
	}{
		"wrong key":  {says(401, `{"error":"bad `+key+`"}`), event.ClassAuth, "does not take this key"},
		"forbidden":  {says(403, ``), event.ClassAuth, "does not take this key"},
		"no credit":  {says(402, ``), event.ClassBilling, "credit"},
		"no list":    {says(404, ``), event.ClassModel, "write the model's name"},
		"limit":      {says(429, ``), event.ClassLimit, "limit"},
		"overloaded": {says(529, ``), event.ClassOverloaded, "overloaded"},
		"broken":     {says(500, ``), event.ClassServer, "failed to answer"},
		"proxy":      {says(407, ``), event.ClassNetwork, "proxy"},
		"odd":        {says(418, ``), event.ClassRequest, ""},
		"a page":     {says(200, `<html>Sign in to the WLAN</html>`), event.ClassServer, "not with a list"},
		"no data":    {says(200, `{}`), event.ClassServer, "not with a list"},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, away.URL+"/models", http.StatusTemporaryRedirect)
		}, event.ClassConfig, "was not sent there"},
		"cut": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, event.ClassNetwork, "connection"},
		"an endless one": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"data":[`)
			for range 100000 {
				fmt.Fprint(w, `{"id":"`+strings.Repeat("x", 60)+`"},`)
			}
		}, event.ClassServer, "not with a list"},
	} {
		s.now(c.answer)
		got := l.Refresh(t.Context(), p, provider.Responses)
		if got.Problem == nil || got.Problem.Class != c.class || !strings.Contains(got.Problem.Message, c.words) || got.Problem.Message == "" {
			t.Errorf("%s: %+v", name, got.Problem)
			continue
		}
		if ids(got) != ids(first) || !got.Listed.Equal(first.Listed) || got.Tried.Before(got.Listed) {
			t.Errorf("%s: the list is gone: %s", name, ids(got))
		}
		if all := fmt.Sprintf("%+v", got.Problem); strings.Contains(all, key) {
			t.Errorf("%s: the key is told: %s", name, all)
		}
		if after := l.Known(t.Context(), p, provider.Responses); after.Problem == nil || after.Problem.Class != c.class || ids(after) != ids(first) {
			t.Errorf("%s: the failure is not kept: %+v", name, after)
		}
	}
	if len(away.seen) != 0 {
		t.Errorf("the key went elsewhere: %q %q", away.seen, away.shown)
	}
	s.Close()
	if got := l.Refresh(t.Context(), p, provider.Responses); got.Problem == nil || got.Problem.Class != event.ClassNetwork || ids(got) != ids(first) {
		t.Errorf("%+v", got)
	}
	p.BaseURL = "https://elsewhere.example"
	if got := l.Known(t.Context(), p, provider.Responses); len(got.Models) != 0 || !got.Listed.IsZero() {
		t.Errorf("the list of another address is shown: %+v", got)
	}
}

// What a server names is shown and sent: what can't be seen is left out, and a name that hides something is not offered.
func TestNamesAreClean(t *testing.T) {
	s := serve(t, says(200, `{"data":[{"id":"a\u202eb"},{"id":""},{"id":"a b"},{"id":"ok","display_name":"O\u0000k\u200b"},{"id":"ok"},{"id":"`+strings.Repeat("x", 300)+`"}]}`))
	got := lister(&device{values: map[string]json.RawMessage{}}).Refresh(t.Context(), own(s.URL, provider.Responses), provider.Responses)
	if ids(got) != "ok=Ok" || got.Problem != nil {
		t.Errorf("%q %+v", ids(got), got.Problem)
	}
}

func TestAStoreThatFailsIsSaid(t *testing.T) {
	s := serve(t, says(200, `{"data":[{"id":"m1"}]}`))
	d := &device{values: map[string]json.RawMessage{}, err: errors.New("disk")}
	openai, _ := provider.Find(provider.Hydrate(nil), provider.OpenAI)
	if got := lister(d).Known(t.Context(), openai, provider.Responses); got.Problem == nil || len(got.Models) == 0 {
		t.Errorf("%+v", got)
	}
	if got := lister(d).Refresh(t.Context(), own(s.URL, provider.Responses), provider.Responses); got.Problem == nil {
		t.Errorf("%+v", got)
	}
	d = &device{values: map[string]json.RawMessage{storeKey(openai, provider.Responses): []byte(`{"base":7}`)}}
	if got := lister(d).Known(t.Context(), openai, provider.Responses); got.Problem != nil || len(got.Models) == 0 {
		t.Errorf("%+v", got)
	}
}

func TestOwnSignInsAreNotAsked(t *testing.T) {
	l := New(Deps{Transport: nil, Values: &device{values: map[string]json.RawMessage{}}, Clock: time.Now})
	for id, k := range map[string]provider.Kind{provider.ClaudePlan: provider.Anthropic, provider.ChatGPT: provider.Responses, provider.Demo: provider.Responses} {
		p, _ := provider.Find(provider.Hydrate(nil), id)
		if got := l.Refresh(t.Context(), p, k); got.Problem == nil || got.Problem.Class != event.ClassConfig || len(got.Models) == 0 {
			t.Errorf("%s: %+v", id, got)
		}
	}
}

func TestVerify(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer good" || r.Header.Get("X-Title") != "k" {
			w.WriteHeader(401)
			return
		}
		fmt.Fprint(w, `{"data":[]}`)
	})
	p := own(s.URL, provider.Anthropic)
	p.Auth, p.Headers = provider.AuthBearer, map[string]string{"X-Title": "k"}
	l := lister(&device{values: map[string]json.RawMessage{}})
	if err := l.Verify(t.Context(), p, provider.Anthropic, "good"); err != nil {
		t.Error(err)
	}
	var e *event.Error
	if err := l.Verify(t.Context(), p, provider.Anthropic, "revoked"); !errors.As(err, &e) || e.Class != event.ClassAuth {
		t.Error(err)
	}
}

// An endpoint without the engine's protocol is refused before the engine fails with it.
func TestSpeaks(t *testing.T) {
	at := func(paths ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			for _, p := range paths {
				if r.URL.Path == p && r.Method == http.MethodPost {
					w.WriteHeader(400) // an empty request
					return
				}
			}
			w.WriteHeader(404)
		}
	}
	for name, c := range map[string]struct {
		kind   provider.Kind
		base   string
		answer http.HandlerFunc
		words  string // "" = it speaks
		class  event.Class
	}{
		"responses":             {provider.Responses, "/v1", at("/v1/responses", "/v1/chat/completions"), "", ""},
		"chat only":             {provider.Responses, "/v1", at("/v1/chat/completions"), "Chat Completions only", event.ClassConfig},
		"nothing":               {provider.Responses, "", at("/v1/responses"), "end with /v1", event.ClassConfig},
		"messages":              {provider.Anthropic, "", at("/v1/messages"), "", ""},
		"messages, too deep":    {provider.Anthropic, "/v1", at("/v1/messages"), "Remove /v1", event.ClassConfig},
		"chat for claude":       {provider.Anthropic, "", at("/v1/chat/completions"), "needs Anthropic Messages", event.ClassConfig},
		"chat for claude at v1": {provider.Anthropic, "/v1", at("/v1/chat/completions"), "needs Anthropic Messages", event.ClassConfig},
		"wrong key":             {provider.Responses, "/v1", says(401, ""), "does not take this key", event.ClassAuth},
		"broken":                {provider.Responses, "/v1", says(500, ""), "failed", event.ClassServer},
	} {
		s := serve(t, c.answer)
		err := lister(&device{values: map[string]json.RawMessage{}}).Speaks(t.Context(), own(s.URL+c.base, c.kind), c.kind, key)
		var e *event.Error
		switch {
		case c.words == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.words != "" && (!errors.As(err, &e) || e.Class != c.class || !strings.Contains(e.Message, c.words)):
			t.Errorf("%s: %v (%q)", name, err, s.seen)
		}
	}
}

// Package signin signs both real engines in, against the vendors' servers played on loopback, on devices with different
// pasts. Nothing of Keva or of an engine is replaced.
package signin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"keva/agent/event"
	"keva/agent/provider"
	"keva/agent/session"
	"keva/agent/signin"
	"keva/agent/turn"
	"keva/engines/access"
	"keva/engines/catalog"
	"keva/engines/demo"
	"keva/engines/install"
	"keva/platform/models"
	"keva/platform/secret"
	"keva/platform/settings"
	compose "keva/test/world"
)

var cache string

func TestMain(m *testing.M) {
	dir, done, err := compose.Prepare("claude", "codex")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	cache = dir
	if os.Getenv(playEnv) != "" {
		play() // never returns
	}
	code := m.Run()
	done()
	os.Exit(code)
}

var engines = []settings.Engine{{ID: "claude", Kind: provider.Anthropic}, {ID: "codex", Kind: provider.Responses}}

// methods are all ways that start an engine.
var methods = []string{"claude/browser", "claude/code", "codex/browser", "codex/device"}

func engineOf(method string) string { return strings.Split(method, "/")[0] }

// app is Keva below its surfaces, as main composes it.
type app struct {
	*compose.World
	dir  string
	set  *settings.Service
	keys *secret.Layered
	in   *signin.Service

	models *models.Lister
}

// start starts Keva over dir; env is what engines need to reach the vendors. activate may stand in for the settings.
func start(ctx context.Context, dir string, env []string, way http.RoundTripper, activate func(signin.Method) error) (*app, error) {
	a := &app{dir: dir, keys: &secret.Layered{System: &secret.Volatile{}}}
	ways := access.New(access.Options{
		Providers: func() []provider.Provider { return a.set.Get().Providers },
		Key:       func(ctx context.Context, id string) (string, error) { return a.keys.Get(ctx, provider.Secret(id)) },
		Kind:      catalog.Kind,
	})
	road := func(string) (catalog.Road, error) { return catalog.Road{Env: env}, nil }
	w, err := compose.Open(ctx, compose.Options{Dir: dir, Cache: cache, Log: func(string, error) {}, Access: ways, Road: road})
	if err != nil {
		return nil, err
	}
	a.World = w
	a.set, _ = settings.Open(ctx, w.Store, engines)
	a.models = models.New(models.Deps{
		Transport: way, Values: w.Store, Clock: func() time.Time { return time.Now().UTC() },
		Key: func(ctx context.Context, id string) (string, error) { return a.keys.Get(ctx, provider.Secret(id)) },
	})
	list := catalog.SignIns(catalog.Options{
		Find: func(id string) (install.Paths, error) { return install.Find(install.Default(), id, cache) }, StateDir: dir, Road: road,
	})
	if activate == nil {
		activate = func(m signin.Method) error {
			return a.set.Update(ctx, func(s *settings.Settings) { s.SignedIn(m.Engine, m.Provider) })
		}
	}
	a.in = signin.New(ctx, signin.Deps{
		Slot: w.Slot, Engines: list, Values: w.Store, SecretName: provider.Secret, Keys: keeper{a.keys},
		KeyMethods: func() (all []signin.Method) {
			for _, e := range engines {
				all = append(all, signin.KeyMethods(e.ID, e.Kind, a.set.Get().Providers)...)
			}
			return all
		},
		Verify: func(ctx context.Context, m signin.Method, key string) error {
			p, _ := provider.Find(a.set.Get().Providers, m.Provider)
			return a.models.Verify(ctx, p, catalog.Kind(m.Engine), key)
		},
		Activate: func(_ context.Context, m signin.Method) error { return activate(m) },
		Clock:    func() time.Time { return time.Now().UTC() }, NewID: compose.NewID,
	})
	return a, nil
}

type keeper struct{ *secret.Layered }

func (k keeper) Keep(ctx context.Context, name, value, choice string) error {
	return k.Layered.Keep(ctx, name, value, secret.Choice(choice))
}

func open(t *testing.T, dir string, v *vendors) *app {
	t.Helper()
	a, err := start(t.Context(), dir, v.env(), v.transport(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.close(t) })
	return a
}

func (a *app) close(t *testing.T) {
	t.Helper()
	if a.World == nil {
		return
	}
	if err := a.in.Close(context.Background(), time.Minute); err != nil {
		t.Error("close:", err)
	}
	a.Access.Close()
	if err := a.World.Close(); err != nil {
		t.Error("close:", err)
	}
	a.World = nil
}

// until waits for a state that is ok.
func (a *app) until(t *testing.T, what string, ok func(signin.State) bool) signin.View {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	changes := a.in.Changes(ctx)
	for {
		if v := a.in.View(); ok(v.State) {
			return v
		}
		if _, more := <-changes; !more {
			t.Fatalf("not %s in time: %#v", what, a.in.View())
		}
	}
}

func ended(s signin.State) bool {
	switch s.(type) {
	case signin.Done, signin.Failed, signin.Cancelled:
		return true
	}
	return false
}

func address(s signin.State) string {
	switch s := s.(type) {
	case signin.WaitingForBrowser:
		return s.Address
	case signin.WaitingForCode:
		return s.Address
	case signin.WaitingForDevice:
		return s.Address
	}
	return ""
}

// asked begins and waits until a person is asked to do something.
func (a *app) asked(t *testing.T, method string) signin.View {
	t.Helper()
	if err := a.in.Begin(method); err != nil {
		t.Fatal(err)
	}
	v := a.until(t, "asked", func(s signin.State) bool { return address(s) != "" || ended(s) })
	if address(v.State) == "" {
		t.Fatalf("%s: %#v (%+v)", method, v.State, reasonOf(v.State))
	}
	return v
}

func reasonOf(s signin.State) *event.Error {
	if f, ok := s.(signin.Failed); ok {
		return f.Reason
	}
	return nil
}

// person does what the page asks for.
func (a *app) person(t *testing.T, v *vendors, method string, st signin.State) {
	t.Helper()
	u, err := url.Parse(address(st))
	if err != nil {
		t.Fatal(err)
	}
	switch method {
	case "claude/code":
		if err := a.in.SubmitCode("  good-code#" + u.Query().Get("state") + "\n"); err != nil {
			t.Fatal(err)
		}
	case "codex/device":
		v.set(func(v *vendors) { v.approved = true })
	default:
		browse(t, u, "good-code")
	}
}

// browse is the browser of this device: it comes back to the address that the page was given, and follows it on this device.
func browse(t *testing.T, u *url.URL, code string) {
	t.Helper()
	q := u.Query()
	c := http.Client{Timeout: time.Minute, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if r.URL.Scheme == "http" {
			return nil
		}
		return http.ErrUseLastResponse
	}}
	r, err := c.Get(q.Get("redirect_uri") + "?" + url.Values{"code": {code}, "state": {q.Get("state")}}.Encode())
	if err != nil {
		t.Logf("browser: %v", err)
		return
	}
	r.Body.Close()
}

// warm leaves an engine running after an answered turn, as on a device in daily use.
func (a *app) warm(t *testing.T, engine, prompt string, settled bool) *session.Session {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	if err := demo.NewProject(dir); err != nil {
		t.Fatal(err)
	}
	s, err := a.Service.Create(t.Context(), session.New{Dir: dir, Engine: engine, Provider: provider.Demo})
	if err != nil {
		t.Fatal(err)
	}
	updates := s.Subscribe(t.Context())
	if err := s.Send(t.Context(), prompt); err != nil {
		t.Fatal(err)
	}
	deadline := time.After(2 * time.Minute)
	for {
		select {
		case u := <-updates:
			if settled && u.View.Phase == turn.PhaseSettled && u.View.Verdict != "" ||
				!settled && len(u.View.Pending) > 0 {
				if _, held := a.Slot.Current(); !held {
					t.Fatal("the engine is not warm")
				}
				return s
			}
		case <-deadline:
			t.Fatalf("the chat does not get there: %+v", s.View())
		}
	}
}

// free requires that nothing holds the slot.
func (a *app) free(t *testing.T) {
	t.Helper()
	if h, held := a.Slot.Current(); held {
		t.Errorf("the slot is held by %+v", h)
	}
}

// record is what is on disk of an open sign-in.
func (a *app) record(t *testing.T) string {
	t.Helper()
	raw, err := a.Store.Value(t.Context(), signin.RecordKey)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// put stores raw settings, as another version left them.
func put(t *testing.T, dir, raw string) {
	t.Helper()
	a, err := compose.Open(t.Context(), compose.Options{Dir: dir, Cache: cache, Log: func(string, error) {}})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Store.PutValue(t.Context(), settings.Key, json.RawMessage(raw)); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

package signin

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"keva/agent/event"
	"keva/agent/provider"
	"keva/agent/runtime"
	"keva/agent/session"
	"keva/engines/catalog"
	"keva/engines/demo"
	"keva/platform/secret"
	"keva/platform/settings"
)

// plantedKey is the key of a provider. It must not be found by anybody but the provider.
const plantedKey = "sk-planted-key-77c0"

// look is what a command of the model can read: its environment, that of every process that it may look into, the command
// lines of all, and all files below the folders that are named.
const look = `env
for p in /proc/[0-9]*; do
	for f in environ cmdline; do tr '\0' '\n' < "$p/$f" 2>/dev/null; done
done
for d in "$@"; do find "$d" -type f -exec cat {} + 2>/dev/null; done
exit 0
`

// A command that the model runs, and the user has allowed, does not find the provider's key: not in its environment, in
// that of Keva or of the engine, on a command line, or in a file of Keva's, the database, the log and the kept keys among
// them. What it does find is the token of this launch, which shows that it looked.
func TestACommandCanNotReadTheKey(t *testing.T) {
	for _, engine := range []string{"claude", "codex"} {
		t.Run(engine, func(t *testing.T) {
			dir := t.TempDir()
			a := open(t, dir, newVendors(t))
			base, key := playProvider(t, engine)
			own := provider.Provider{
				ID: provider.Custom, Name: "mine", Kinds: []provider.Kind{catalog.Kind(engine)}, BaseURL: base, Key: provider.KeyRequired,
			}
			model := map[string]string{"claude": demo.ModelClaude, "codex": demo.ModelCodex}[engine]
			if err := a.set.Update(t.Context(), func(s *settings.Settings) { s.PutProvider(own) }); err != nil {
				t.Fatal(err)
			}
			a.keys.File = secret.NewFile(filepath.Join(dir, "keys.json"))
			if err := a.keys.File.Unlock(t.Context(), "a passphrase of the test"); err != nil {
				t.Fatal(err)
			}
			if err := a.keys.Keep(t.Context(), provider.Secret(own.ID), plantedKey, secret.ChoiceFile); err != nil {
				t.Fatal(err)
			}
			project := filepath.Join(t.TempDir(), "project")
			if err := demo.NewProject(project); err != nil {
				t.Fatal(err)
			}
			script := filepath.Join(project, "look.sh")
			if err := os.WriteFile(script, []byte(look), 0o700); err != nil { //nolint:gosec // a program
				t.Fatal(err)
			}
			s, err := a.Service.Create(t.Context(), session.New{Dir: project, Engine: engine, Provider: own.ID, Model: model})
			if err != nil {
				t.Fatal(err)
			}
			updates := s.Subscribe(t.Context())
			home, _ := os.UserHomeDir()
			if err := s.Send(t.Context(), "run sh "+script+" "+dir+" "+home+" > "+filepath.Join(project, "found.txt")); err != nil {
				t.Fatal(err)
			}
			follow(t, s, updates)
			found, err := os.ReadFile(filepath.Join(project, "found.txt"))
			if err != nil {
				t.Fatal(err)
			}
			if p, err := a.Access.Resolve(t.Context(), own.ID, engine); err != nil || !bytes.Contains(found, []byte(p.Key)) {
				t.Errorf("the token of this launch was not found (%v) in %d bytes: nothing was looked at", err, len(found))
			}
			if i := bytes.Index(found, []byte(plantedKey)); i >= 0 {
				t.Errorf("the key was found: %q", found[max(0, i-200):i+len(plantedKey)])
			}
			if key() == 0 {
				t.Error("the provider never saw the key: this proves nothing")
			}
		})
	}
}

// playProvider is a provider that lets in who shows the planted key, and answers as the demo does.
func playProvider(t *testing.T, engine string) (base string, shown func() int) {
	t.Helper()
	d, err := demo.Start(t.Context(), demo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	to, header := d.AnthropicBase(), "X-Api-Key"
	if engine == "codex" {
		to, header = d.OpenAIBase(), "Authorization"
	}
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	times := make(chan struct{}, 10000)
	p := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(u)
		prefix := strings.TrimSuffix(r.In.Header.Get(header), plantedKey)
		r.Out.Header.Set(header, prefix+d.Key())
	}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.TrimPrefix(r.Header.Get(header), "Bearer ") != plantedKey {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		times <- struct{}{}
		p.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() int { return len(times) }
}

// follow allows everything until the turn has ended well.
func follow(t *testing.T, s *session.Session, updates <-chan session.Update) {
	t.Helper()
	deadline := time.After(2 * time.Minute)
	asked := map[string]bool{}
	for {
		select {
		case u := <-updates:
			for _, r := range u.View.Pending {
				if !asked[r.ID] {
					asked[r.ID] = true
					if _, err := s.Answer(t.Context(), r.ID, runtime.Answer{Decision: event.Allow, By: event.ByUser}); err != nil {
						t.Fatal(err)
					}
				}
			}
			if u.View.Verdict == event.Success {
				return
			}
			if u.View.Verdict != "" {
				t.Fatalf("%s: %+v", u.View.Verdict, u.View.Turn)
			}
		case <-deadline:
			t.Fatalf("not in time: %+v", s.View())
		}
	}
}

package signin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/agent/session"
	"keva/agent/signin"
	"keva/engines/core"
	"keva/engines/demo"
	"keva/platform/host"
	"keva/platform/network"
)

// The app as it is put together for its users, behind a company's proxy that reads along: sign in, a key, and a first answer
// all take the one road that the settings name.
func TestTheAppSignsInByItsNetworkPolicy(t *testing.T) {
	for _, method := range methods {
		t.Run(method, func(t *testing.T) {
			home := t.TempDir()
			t.Setenv(host.HomeVariable, home)
			v := newVendors(t)
			d, err := demo.Start(t.Context(), demo.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = d.Close() })
			v.set(func(v *vendors) { v.model = d })
			c, _, err := core.Open(t.Context(), core.Options{Version: "test"})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(c.Close)
			if err := c.SetNetwork(t.Context(), network.Setting{Mode: network.Proxied, Proxy: "http://" + v.l.Addr().String(), CABundle: v.ca}); err != nil {
				t.Fatal(err)
			}
			a := &app{in: c.SignIn}
			w := a.asked(t, method)
			a.person(t, v, method, w.State)
			end := a.until(t, "ended", ended)
			if _, ok := end.State.(signin.Done); !ok {
				t.Fatalf("%#v (%+v); asked %q, unknown %q", end.State, reasonOf(end.State), v.requests(), v.unknown)
			}
			engine := engineOf(method)
			choice := c.Settings.Get().Choice(engine)
			if choice.Provider != w.Method.Provider {
				t.Errorf("%+v", choice)
			}
			key := map[string]string{"claude": "claude/key/anthropic", "codex": "codex/key/openai"}[engine]
			if err := c.SignIn.SubmitKey(t.Context(), key, "sk-wrong", "memory"); err == nil || !strings.Contains(err.Error(), "does not take this key") {
				t.Errorf("a wrong key: %v", err)
			}
			if err := c.SignIn.SubmitKey(t.Context(), key, goodKey, "memory"); err != nil {
				t.Error(err)
			}
			project := filepath.Join(t.TempDir(), "project")
			if err := demo.NewProject(project); err != nil {
				t.Fatal(err)
			}
			s, err := c.Service.Create(t.Context(), session.New{Dir: project, Engine: engine, Provider: choice.Provider})
			if err != nil {
				t.Fatal(err)
			}
			updates := s.Subscribe(t.Context())
			if err := s.Send(t.Context(), "#script hello"); err != nil {
				t.Fatal(err)
			}
			follow(t, s, updates)
			if got := s.View().Verdict; got != event.Success {
				t.Error(got)
			}
			dirs, err := host.Find(os.Getenv)
			if err != nil {
				t.Fatal(err)
			}
			nothingPlanted(t, home, filepath.Join(dirs.Data, "engines")) // the database, the log, the settings, the certificates
		})
	}
}

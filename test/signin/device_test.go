package signin

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keva/agent/provider"
	"keva/agent/session"
	"keva/agent/signin"
	"keva/platform/settings"
)

// pasts are what a device may have behind it when somebody signs in.
var pasts = []struct {
	name   string
	stored string // settings, as some version left them
	keys   map[string]string
	warm   string // engine that runs after an answered chat
}{
	{name: "empty device"},
	{name: "warm engine", warm: "same"},
	{name: "warm other engine", warm: "other"},
	{
		// The first version had no providers of the engines' own sign-in, and no list that this one would not replace.
		name:   "old schema",
		stored: `{"engine":"gone","choices":{"claude":{"provider":"retired","model":7},"codex":{"provider":"openai","model":"gpt-5.6-terra"}},"providers":[{"id":"openai","models":"none"}],"theme":3}`,
	},
	{
		name:   "revoked keys",
		stored: `{"engine":"claude","choices":{"claude":{"provider":"anthropic","model":"sonnet"},"codex":{"provider":"openai"}}}`,
		keys:   map[string]string{provider.Claude: "sk-ant-revoked", provider.OpenAI: "sk-revoked"},
	},
	{
		name:   "two providers",
		stored: `{"engine":"codex","choices":{"claude":{"provider":"custom"},"codex":{"provider":"openai"}},"providers":[{"id":"custom","name":"mine","kinds":["anthropic","responses"],"base_url":"https://llm.example","key":"optional"}]}`,
		keys:   map[string]string{provider.Custom: "sk-mine", provider.OpenAI: "sk-works"},
	},
}

// §5.3 and §5.4: each way, on each device, ends with the provider active and stored, the slot free, and the next session
// going where the user has just signed in.
func TestEachWayOnEachDevice(t *testing.T) {
	for _, method := range methods {
		for _, past := range pasts {
			t.Run(method+" on "+past.name, func(t *testing.T) {
				v := newVendors(t)
				dir := t.TempDir()
				if past.stored != "" {
					put(t, dir, past.stored)
				}
				a := open(t, dir, v)
				for id, key := range past.keys {
					if err := a.keys.Set(t.Context(), provider.Secret(id), key); err != nil {
						t.Fatal(err)
					}
				}
				engine := engineOf(method)
				before := a.set.Get()
				if past.warm != "" {
					with := engine
					if past.warm == "other" {
						with = map[string]string{"claude": "codex", "codex": "claude"}[engine]
					}
					a.warm(t, with, "#script hello", true)
				}
				asked := a.asked(t, method)
				if a.record(t) == "" || a.record(t) == "null" {
					t.Error("somebody was sent away and nothing is on disk")
				}
				a.person(t, v, method, asked.State)
				end := a.until(t, "ended", ended)
				done, ok := end.State.(signin.Done)
				if !ok {
					t.Fatalf("%#v (%+v); asked: %q; unknown: %q", end.State, reasonOf(end.State), v.requests(), v.unknown)
				}
				if done.Account.Presence != signin.SignedIn || done.Account.Name != "lab@example.com" || done.Account.Plan == "" {
					t.Errorf("signed in as %+v", done.Account)
				}
				a.free(t)
				if r := a.record(t); r != "null" {
					t.Errorf("the record stays: %s", r)
				}
				want := end.Method.Provider
				if p, err := a.Access.Resolve(t.Context(), want, engine); err != nil || p.Key != "" || p.BaseURL != "" {
					t.Errorf("a session would go elsewhere: %+v, %v", p, err)
				}
				nothingPlanted(t, dir, filepath.Join(dir, "engines"))
				a.close(t)
				after, notices := stored(t, dir)
				if c := after.Choice(engine); c.Provider != want {
					t.Errorf("the provider is not stored: %+v", c)
				}
				if p, ok := after.Provider(engine); !ok || len(p.Models) == 0 {
					t.Errorf("no model can be chosen: %+v", p)
				}
				for _, e := range engines {
					if e.ID != engine && after.Choice(e.ID) != before.Choice(e.ID) {
						t.Errorf("the choice of %s was changed: %+v", e.ID, after.Choice(e.ID))
					}
				}
				if len(notices) != 0 {
					t.Errorf("told again: %+v", notices)
				}
			})
		}
	}
}

// stored reads the settings of a device as the next start does.
func stored(t *testing.T, dir string) (settings.Settings, []any) {
	t.Helper()
	b := open(t, dir, newVendors(t))
	defer b.close(t)
	s, notices := settings.Open(t.Context(), b.Store, engines)
	var out []any
	for _, n := range notices {
		out = append(out, n)
	}
	return s.Get(), out
}

// nothingPlanted looks for tokens and keys in everything of Keva's below dir but the engines' own folders.
func nothingPlanted(t *testing.T, dir, engines string) {
	t.Helper()
	found := false
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil //nolint:nilerr // a file that is gone holds nothing
		}
		raw, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(raw, []byte(secretToken)) {
			return nil //nolint:nilerr // the same
		}
		if !strings.HasPrefix(path, engines+string(filepath.Separator)) {
			t.Errorf("a token lies in %s", path)
			return nil
		}
		found = true
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("others may read %s: %v", path, info.Mode())
		}
		return nil
	})
	if err != nil || !found {
		t.Errorf("the engine keeps no token (%v): nothing was looked for", err)
	}
}

// A chat that works is not stopped for a sign-in, and is named; the sign-in says so and can be tried again.
func TestABusyChatIsNamed(t *testing.T) {
	v := newVendors(t)
	a := open(t, t.TempDir(), v)
	chat := a.warm(t, "claude", "#script tour", false)
	if err := a.in.Begin("codex/device"); err != nil {
		t.Fatal(err)
	}
	end := a.until(t, "ended", ended)
	r := reasonOf(end.State)
	if r == nil || !strings.Contains(r.Message, "in use by") || !strings.Contains(r.Message, "Stop it there first") {
		t.Fatalf("%#v", end.State)
	}
	if chat.View().Engine != session.EngineRunning {
		t.Errorf("the chat was stopped: %v", chat.View().Engine)
	}
	if err := chat.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	v.set(func(v *vendors) { v.approved = true })
	if err := a.in.Begin("codex/device"); err != nil {
		t.Fatal(err)
	}
	if end := a.until(t, "ended", ended); reasonOf(end.State) != nil {
		t.Fatalf("%+v", reasonOf(end.State))
	}
}

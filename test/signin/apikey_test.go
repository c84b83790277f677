package signin

import (
	"errors"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/agent/provider"
	"keva/agent/signin"
)

// A key, on devices with different pasts: it is tried out at the vendor's own address, and ends with the provider active
// and stored. A refused one changes nothing: neither the key of before nor the choice.
func TestAKeyOnEachDevice(t *testing.T) {
	for engine, id := range map[string]string{"claude": provider.Claude, "codex": provider.OpenAI} {
		method := engine + "/key/" + id
		for _, past := range pasts {
			t.Run(engine+" on "+past.name, func(t *testing.T) {
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
				if past.warm != "" { // a key needs no engine, so a chat goes on
					a.warm(t, engine, "#script hello", true)
				}
				before := a.set.Get().Choice(engine)
				var e *event.Error
				if err := a.in.SubmitKey(t.Context(), method, "sk-revoked", ""); !errors.As(err, &e) || e.Class != event.ClassAuth || strings.Contains(e.Message+e.Detail, "sk-revoked") {
					t.Errorf("%v %+v", err, e)
				}
				if key, _ := a.keys.Get(t.Context(), provider.Secret(id)); key != past.keys[id] || a.set.Get().Choice(engine) != before {
					t.Errorf("a refused key changed something: %q %+v", key, a.set.Get().Choice(engine))
				}
				if err := a.in.SubmitKey(t.Context(), method, goodKey+"\n", ""); err != nil {
					t.Fatalf("%v; unknown: %q", err, v.unknown)
				}
				if done, ok := a.in.View().State.(signin.Done); !ok || done.Unchecked != nil {
					t.Errorf("%#v", a.in.View().State)
				}
				p, err := a.Access.Resolve(t.Context(), id, engine)
				if err != nil || p.Key == "" || strings.Contains(p.Key, goodKey) || !strings.HasPrefix(p.BaseURL, "http://127.0.0.1:") {
					t.Errorf("%+v %v", p, err)
				}
				if past.warm != "" {
					if _, held := a.Slot.Current(); !held {
						t.Error("the chat was stopped for a key")
					}
				}
				own, _ := provider.Find(a.set.Get().Providers, id)
				kind := own.Kinds[0]
				if l := a.models.Refresh(t.Context(), own, kind); l.Problem != nil || len(l.Models) != len(own.Models)+1 {
					t.Errorf("%+v", l)
				}
				a.close(t)
				if s, _ := stored(t, dir); s.Choice(engine).Provider != id {
					t.Errorf("not stored: %+v", s.Choices)
				}
				for _, r := range v.requests() {
					if !strings.HasSuffix(r, "/v1/models") {
						t.Errorf("asked: %s", r)
					}
				}
			})
		}
	}
}

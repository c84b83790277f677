package settings

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"keva/agent/provider"
)

// §5.3: who signed in has a provider, on a device with any past; §5.4: and nothing else that was chosen is lost.
func TestSignedIn(t *testing.T) {
	for name, c := range map[string]struct {
		stored       string
		engine, want string // the engine of new sessions afterwards
		claude       Choice
	}{
		"empty device":                      {"", "codex", "codex", Choice{Provider: provider.Demo}},
		"the other engine is used":          {`{"engine":"claude","choices":{"claude":{"provider":"anthropic","model":"sonnet"}}}`, "codex", "claude", Choice{provider.Claude, "sonnet", ""}},
		"an old provider of the same":       {`{"engine":"codex","choices":{"codex":{"provider":"openai","model":"gpt-5.5","effort":"high"}}}`, "codex", "codex", Choice{Provider: provider.Demo}},
		"choices of an engine that is gone": {`{"engine":"gone","choices":{"gone":{"provider":"x"}}}`, "codex", "codex", Choice{Provider: provider.Demo}},
	} {
		d := &device{}
		if c.stored != "" {
			d.stored = json.RawMessage(c.stored)
		}
		s, _ := Open(t.Context(), d, engines)
		if err := s.Update(t.Context(), func(s *Settings) { s.SignedIn(c.engine, provider.ChatGPT) }); err != nil {
			t.Fatal(name, err)
		}
		s, notices := Open(t.Context(), d, engines)
		got := s.Get()
		p, ok := got.Provider(c.engine)
		if len(notices) != 0 || !ok || p.ID != provider.ChatGPT || len(p.Models) == 0 || got.Engine != c.want || got.Choice("claude") != c.claude {
			t.Errorf("%s: %v, %+v, %+v", name, notices, p, got)
		}
		if got.Choice(c.engine).Model != "" {
			t.Errorf("%s: a model of another provider stays chosen: %+v", name, got.Choice(c.engine))
		}
	}
}

func TestOwnProvidersAreKeptAsTheyAre(t *testing.T) {
	d := &device{}
	s, _ := Open(t.Context(), d, engines)
	own := provider.Provider{
		ID: provider.Custom + "-lab", Name: " lab ", Kinds: []provider.Kind{provider.Anthropic, provider.Responses}, BaseURL: "https://lab.example",
		Bases:   map[provider.Kind]string{provider.Responses: "https://lab.example/v1"},
		Headers: map[string]string{"X-Title": "k"}, Aliases: map[string]string{"opus": "big"}, Auth: provider.AuthBearer, Key: provider.KeyOptional,
	}
	err := s.Update(t.Context(), func(s *Settings) {
		s.PutProvider(own)
		s.Choices["claude"] = Choice{Provider: own.ID, Model: "gpt-5.6-sol"}
	})
	if err != nil {
		t.Fatal(err)
	}
	s, notices := Open(t.Context(), d, engines)
	got := s.Get()
	if p, _ := provider.Find(got.Providers, own.ID); len(notices) != 0 || !reflect.DeepEqual(p, own) {
		t.Fatalf("%v %+v", notices, p)
	}
	if c := got.Choice("claude"); c.Model != "gpt-5.6-sol" {
		t.Errorf("%+v", c)
	}
	p, _ := provider.Find(got.Providers, own.ID)
	p.Headers["X-Title"] = "changed by a caller"
	if p, _ := provider.Find(s.Get().Providers, own.ID); p.Headers["X-Title"] != "k" {
		t.Error("a caller can change the settings")
	}
	err = s.Update(t.Context(), func(s *Settings) {
		p := own
		p.Headers = map[string]string{"Authorization": "Bearer planted"}
		s.PutProvider(p)
	})
	if err == nil || strings.Contains(string(d.stored), "planted") {
		t.Errorf("a key lies in the settings: %v", err)
	}
	if err := s.Update(t.Context(), func(s *Settings) { s.RemoveProvider(own.ID) }); err != nil || s.Get().Choice("claude").Provider != provider.Demo {
		t.Errorf("%v %+v", err, s.Get().Choices)
	}
}

package settings

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/agent/provider"
	"keva/agent/trust"
)

var engines = []Engine{{"claude", provider.Anthropic}, {"codex", provider.Responses}}

// device is the store of one device.
type device struct {
	stored json.RawMessage
	puts   int
	err    error
}

func (d *device) Value(context.Context, string) (json.RawMessage, error) { return d.stored, d.err }

func (d *device) PutValue(_ context.Context, key string, v json.RawMessage) error {
	if d.err != nil {
		return d.err
	}
	if key != Key || !json.Valid(v) {
		return errors.New("bad value")
	}
	d.stored = v
	d.puts++
	return nil
}

func (d *device) field(t *testing.T, name string) string {
	t.Helper()
	var f fields
	if err := json.Unmarshal(d.stored, &f); err != nil {
		t.Fatal(err)
	}
	return string(f[name])
}

// §5.3: a fresh device must work without anything chosen.
func TestFreshDevice(t *testing.T) {
	d := &device{}
	s, notices := Open(t.Context(), d, engines)
	got := s.Get()
	if len(notices) != 0 || d.puts != 0 {
		t.Errorf("%v, %d writes", notices, d.puts)
	}
	if got.Engine != "claude" || got.Theme != ThemeSystem || got.TextSize != TextNormal || got.ReducedMotion || got.LastDir != "" || got.Userland != UserlandHost {
		t.Errorf("%+v", got)
	}
	for _, e := range engines {
		if p, ok := got.Provider(e.ID); !ok || p.ID != provider.Demo || !p.Speaks(e.Kind) {
			t.Errorf("%s uses %+v", e.ID, p)
		}
	}
}

func TestChoicesSurviveARestart(t *testing.T) {
	d := &device{}
	s, _ := Open(t.Context(), d, engines)
	custom, err := provider.NewCustom("mine", provider.Responses, "https://llm.example/v1")
	if err != nil {
		t.Fatal(err)
	}
	consent := trust.Consent{Dir: "/srv/project", Hash: "h", Entries: []trust.Entry{{Engine: "claude", Kind: trust.KindHook, Text: "make", File: "f", Line: 1}}}
	err = s.Update(t.Context(), func(s *Settings) {
		s.PutProvider(custom)
		s.Engine = "codex"
		s.Choices["codex"] = Choice{provider.Custom, "own-model", "high"}
		s.Choices["claude"] = Choice{provider.Claude, "sonnet", "max"}
		s.Theme, s.TextSize, s.ReducedMotion = ThemeDark, TextHuge, true
		s.LastDir = "/srv/project"
		s.Userland = UserlandPack
		s.Consents = trust.Put(nil, consent)
	})
	if err != nil {
		t.Fatal(err)
	}
	want := s.Get()
	s, notices := Open(t.Context(), d, engines)
	if got := s.Get(); len(notices) != 0 || !reflect.DeepEqual(got, want) {
		t.Fatalf("%v\n got %+v\nwant %+v", notices, got, want)
	}
	if d.puts != 1 {
		t.Errorf("%d writes: reading what is current must not write", d.puts)
	}
	if p, _ := s.Get().Provider("codex"); !reflect.DeepEqual(p, custom) {
		t.Errorf("%+v", p)
	}
}

// §5.3, §5.4: a used device: each field falls back alone, what is not known stays, what was dropped is said and kept.
func TestUsedDeviceFallsBackFieldByField(t *testing.T) {
	full := `{"engine":"codex","theme":"dark","text_size":"huge","reduced_motion":true,"last_dir":"/p","userland":"pack","consents":[{"dir":"/p","hash":"h","entries":[{}]}],` +
		`"choices":{"claude":{"provider":"anthropic","model":"sonnet"},"codex":{"provider":"openai"}},"future":{"x":[1]}}`
	for _, c := range []struct {
		name, field, value string
		said               string
		check              func(Settings) bool
	}{
		{"unknown engine", "engine", `"gone"`, "engine", func(s Settings) bool { return s.Engine == "claude" }},
		{"number for an engine", "engine", `7`, "engine", func(s Settings) bool { return s.Engine == "claude" }},
		{"null", "engine", `null`, "engine", func(s Settings) bool { return s.Engine == "claude" }},
		{"unknown theme", "theme", `"sepia"`, "theme", func(s Settings) bool { return s.Theme == ThemeSystem }},
		{"object for a text size", "text_size", `{"a":1}`, "text_size", func(s Settings) bool { return s.TextSize == TextNormal }},
		{"word for a switch", "reduced_motion", `"yes"`, "reduced_motion", func(s Settings) bool { return !s.ReducedMotion }},
		{"unknown userland", "userland", `"cloud"`, "userland", func(s Settings) bool { return s.Userland == UserlandHost }},
		{"no userland", "userland", `null`, "userland", func(s Settings) bool { return s.Userland == UserlandHost }},
		{"relative folder", "last_dir", `"p"`, "last_dir", func(s Settings) bool { return s.LastDir == "" }},
		{
			"half of the consents", "consents",
			`[{"dir":"/a","hash":"h","entries":[{}]}, 5, {"dir":"b","hash":"h","entries":[{}]}, {"dir":"/c","entries":[{}]}, {"dir":"/d/../e","hash":"h","entries":[{}]}, {"dir":"/f","hash":"h"}, null]`,
			"consents", func(s Settings) bool { return len(s.Consents) == 1 && s.Consents[0].Dir == "/a" },
		},
		{"no list of consents", "consents", `{}`, "consents", func(s Settings) bool { return len(s.Consents) == 0 }},
		{
			"provider that is gone", "choices", `{"claude":{"provider":"retired"},"codex":{"provider":"openai"}}`, "choice for claude",
			func(s Settings) bool {
				return s.Choice("claude").Provider == "demo" && s.Choice("codex").Provider == "openai"
			},
		},
		{
			"provider of the other engine", "choices", `{"codex":{"provider":"anthropic"}}`, "choice for codex",
			func(s Settings) bool { return s.Choice("codex").Provider == "demo" },
		},
		{"garbage choices", "choices", `[1,2]`, "choices", func(s Settings) bool { return s.Choice("claude").Provider == "demo" }},
		{"garbage choice", "choices", `{"claude":"x"}`, "choice for claude", func(s Settings) bool { return s.Choice("claude").Provider == "demo" }},
		{"garbage providers", "providers", `"x"`, "providers", func(s Settings) bool { return reflect.DeepEqual(s.Providers, provider.Hydrate(nil)) }},
		{
			"unsafe address", "providers", `[{"id":"custom","name":"n","kinds":["responses"],"base_url":"http://llm.example"}]`, "provider",
			func(s Settings) bool { _, ok := provider.Find(s.Providers, provider.Custom); return !ok },
		},
		{
			"protocol of the future", "providers", `[{"id":"custom","kinds":["telepathy"],"base_url":"https://llm.example"}]`, "provider",
			func(s Settings) bool { _, ok := provider.Find(s.Providers, provider.Custom); return !ok },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var f fields
			if err := json.Unmarshal([]byte(full), &f); err != nil {
				t.Fatal(err)
			}
			f[c.field] = json.RawMessage(c.value)
			raw, err := json.Marshal(f)
			if err != nil {
				t.Fatal(err)
			}
			d := &device{stored: raw}
			s, notices := Open(t.Context(), d, engines)
			got := s.Get()
			if !c.check(got) {
				t.Errorf("%+v", got)
			}
			if len(notices) != 1 || !strings.Contains(notices[0].Text, c.said) {
				t.Errorf("said %+v", notices)
			}
			// The others are untouched.
			if c.field != "theme" && got.Theme != ThemeDark || c.field != "last_dir" && got.LastDir != "/p" || c.field != "text_size" && got.TextSize != TextHuge ||
				c.field != "userland" && got.Userland != UserlandPack {
				t.Errorf("another field changed: %+v", got)
			}
			if d.field(t, "future") != `{"x":[1]}` {
				t.Error("a field of another version was lost")
			}
			if d.field(t, fieldDropped) == "" {
				t.Error("what was dropped was thrown away")
			}
			if _, again := Open(t.Context(), d, engines); len(again) != 0 {
				t.Errorf("said again: %+v", again)
			}
			if err := s.Update(t.Context(), func(s *Settings) { s.Theme = ThemeLight }); err != nil {
				t.Error(err)
			}
			if d.field(t, "future") != `{"x":[1]}` || d.field(t, fieldDropped) == "" {
				t.Error("a later change lost what was kept")
			}
		})
	}
}

func TestGarbageAsAWhole(t *testing.T) {
	for _, raw := range []string{`null`, `[]`, `"x"`, `12`, `{`, "\xff", `{"engine":`} {
		d := &device{stored: json.RawMessage(raw)}
		s, notices := Open(t.Context(), d, engines)
		if !reflect.DeepEqual(s.Get(), Defaults(engines)) || len(notices) != 1 {
			t.Errorf("%s: %+v, %v", raw, s.Get(), notices)
		}
		if !strings.Contains(d.field(t, fieldDropped), "everything") {
			t.Errorf("%s: what was there is lost: %s", raw, d.stored)
		}
	}
}

// §4.8: the app's providers are refreshed on every read and stored again; a retired model moves to its successor.
func TestBuiltinProvidersAreHydratedAndStored(t *testing.T) {
	d := &device{stored: json.RawMessage(`{"engine":"codex","providers":[{"id":"openai","base_url":"https://old.example","models":7}],` +
		`"choices":{"codex":{"provider":"openai","model":"gpt-5.6-terra","effort":"ultra"}}}`)}
	s, notices := Open(t.Context(), d, engines)
	if len(notices) != 0 {
		t.Errorf("%+v", notices)
	}
	if c := s.Get().Choice("codex"); c.Model != "gpt-6-sol" || c.Effort != "ultra" {
		t.Errorf("%+v", c)
	}
	if d.puts != 1 || strings.Contains(d.field(t, fieldProviders), "old.example") || !strings.Contains(d.field(t, fieldProviders), "gpt-6-sol") {
		t.Errorf("%d writes, %s", d.puts, d.stored)
	}
}

func TestUpdateRefusesWhatCanNotWork(t *testing.T) {
	d := &device{}
	s, _ := Open(t.Context(), d, engines)
	before := s.Get()
	for name, change := range map[string]func(*Settings){
		"engine":                     func(s *Settings) { s.Engine = "gone" },
		"theme":                      func(s *Settings) { s.Theme = "sepia" },
		"text size":                  func(s *Settings) { s.TextSize = "" },
		"userland":                   func(s *Settings) { s.Userland = "" },
		"folder":                     func(s *Settings) { s.LastDir = "relative" },
		"consent to nothing":         func(s *Settings) { s.Consents = []trust.Consent{{Dir: "/a", Hash: "h"}} },
		"provider":                   func(s *Settings) { s.Choices["codex"] = Choice{Provider: provider.Claude} },
		"provider that is not there": func(s *Settings) { s.Choices["codex"] = Choice{Provider: provider.Custom} },
		"address": func(s *Settings) {
			s.PutProvider(provider.Provider{ID: provider.Custom, Kinds: []provider.Kind{provider.Responses}, BaseURL: "http://x.example"})
		},
	} {
		var e *event.Error
		if err := s.Update(t.Context(), change); !errors.As(err, &e) || e.Message == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	got := s.Get()
	got.Choices["claude"] = Choice{Provider: "changed by a caller"}
	got.Providers[0].Models[0].Name = "changed by a caller"
	if !reflect.DeepEqual(s.Get(), before) || d.puts != 0 {
		t.Errorf("%+v", s.Get())
	}
	d.err = errors.New("disk full")
	if err := s.Update(t.Context(), func(s *Settings) { s.Theme = ThemeDark }); !errors.Is(err, d.err) {
		t.Errorf("%v", err)
	}
	if s.Get().Theme != ThemeSystem {
		t.Error("a change that was not stored is in use")
	}
}

// The one own provider moves to another engine: the engine that had it must not block that.
func TestOwnProviderMovesFromOneEngineToTheOther(t *testing.T) {
	s, _ := Open(t.Context(), &device{}, engines)
	for _, e := range engines {
		err := s.Update(t.Context(), func(s *Settings) {
			p, err := provider.NewCustom("", e.Kind, "https://llm.example")
			if err != nil {
				t.Fatal(err)
			}
			s.PutProvider(p)
			s.Choices[e.ID] = Choice{Provider: provider.Custom, Model: "m"}
		})
		if err != nil {
			t.Fatalf("%s: %v", e.ID, err)
		}
	}
	if got := s.Get(); got.Choice("claude").Provider != provider.Demo || got.Choice("codex").Provider != provider.Custom {
		t.Errorf("%+v", got.Choices)
	}
	if err := s.Update(t.Context(), func(s *Settings) { s.RemoveProvider(provider.Custom) }); err != nil || s.Get().Choice("codex").Provider != provider.Demo {
		t.Errorf("%v, %+v", err, s.Get().Choices)
	}
}

// Settings that could not be read must not be overwritten by the defaults that stand in for them.
func TestUnreadableStoreGivesDefaultsAndKeepsWhatIsThere(t *testing.T) {
	d := &device{err: errors.New("disk on fire"), stored: json.RawMessage(`{"engine":"codex","theme":"dark"}`)}
	s, notices := Open(t.Context(), d, engines)
	if len(notices) != 1 || notices[0].Detail != "disk on fire" || !reflect.DeepEqual(s.Get(), Defaults(engines)) {
		t.Errorf("%+v, %+v", notices, s.Get())
	}
	larger := func(s *Settings) { s.TextSize = TextLarge }
	if err := s.Update(t.Context(), larger); !errors.Is(err, d.err) {
		t.Errorf("%v", err)
	}
	d.err = nil
	if err := s.Update(t.Context(), larger); err != nil {
		t.Fatal(err)
	}
	if got := s.Get(); got.Engine != "codex" || got.Theme != ThemeDark || got.TextSize != TextLarge {
		t.Errorf("%+v", got)
	}
}

// Nothing that can lie in the store may crash the start, lose a foreign field, or give settings that don't work.
func FuzzOpen(f *testing.F) {
	f.Add(`{"engine":"codex","choices":{"codex":{"provider":"custom"}},"providers":[{"id":"custom","kinds":["responses"],"base_url":"https://a.example"}]}`)
	f.Add(`{"dropped":5,"theme":1,"a":2}`)
	f.Add(`{"choices":{"":null},"consents":[[]]}`)
	f.Fuzz(func(t *testing.T, stored string) {
		if len(stored) == 0 {
			return
		}
		d := &device{stored: json.RawMessage(stored)}
		s, _ := Open(t.Context(), d, engines)
		got := s.Get()
		for _, e := range engines {
			if p, ok := got.Provider(e.ID); !ok || !p.Speaks(e.Kind) {
				t.Fatalf("%s has no provider: %+v", e.ID, got)
			}
		}
		if err := s.Update(t.Context(), func(*Settings) {}); err != nil {
			t.Fatalf("what was read is refused: %v", err)
		}
		again, notices := Open(t.Context(), d, engines)
		if len(notices) != 0 || !reflect.DeepEqual(again.Get(), got) {
			t.Fatalf("%v\n%+v\n%+v", notices, again.Get(), got)
		}
	})
}

// A network setting that can't be understood must not become "direct": then what was to go through a proxy would not.
func TestDamagedNetworkSettingGoesNowhere(t *testing.T) {
	for _, stored := range []string{`{"network":{"mode":"sock"}}`, `{"network":null}`, `{"network":7}`, `{"network":{"mode":"proxy","proxy":"http://u:p@h"}}`} {
		s, _, lost := decode([]byte(stored), []Engine{{ID: "e"}})
		if s.Network != (Network{Mode: "proxy"}) || len(lost) != 1 {
			t.Errorf("%s: %+v, %+v", stored, s.Network, lost)
		}
	}
	s, _, lost := decode([]byte(`{"network":{"mode":"direct"}}`), []Engine{{ID: "e"}})
	if s.Network.Mode != "direct" || len(lost) != 0 {
		t.Errorf("%+v %+v", s.Network, lost)
	}
	svc, _ := Open(t.Context(), &device{}, []Engine{{ID: "e"}})
	if err := svc.Update(t.Context(), func(s *Settings) { s.Network = Network{Mode: "proxy", Proxy: "http://u:p@h"} }); err == nil {
		t.Error("a password was stored")
	}
}

package provider

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// §4.8: what the app owns is refreshed on every read, what the user owns is never rewritten.
func TestHydrateRefreshesOursAndKeepsTheUsers(t *testing.T) {
	mine := Provider{
		ID: Custom, Name: "  my box ", Kinds: []Kind{Responses}, BaseURL: "http://127.0.0.1:1/v1/",
		Models: []Model{{ID: "gpt-5.6-sol", Name: "x", Kind: Responses}}, Key: KeyOptional,
	}
	second := Provider{ID: Custom + "-2", Name: "another", Kinds: []Kind{Anthropic}, BaseURL: "https://a.example", Headers: map[string]string{"X-Org": "a"}, Aliases: map[string]string{"opus": "big"}}
	stored := []Provider{
		{ID: "openai", Name: "Old name", Kinds: []Kind{Anthropic}, BaseURL: "https://evil.example", Models: []Model{{ID: "gpt-3"}}},
		mine,
		{ID: "retired", Name: "gone"},
		{ID: Custom, Name: "the same id again"},
		second,
	}
	got := Hydrate(stored)
	if want := append(builtin(), mine, second); !reflect.DeepEqual(got, want) {
		t.Fatalf("%+v", got)
	}
	if again := Hydrate(got); !reflect.DeepEqual(again, got) {
		t.Fatal("hydrating twice changes something")
	}
	if fresh := Hydrate(nil); !reflect.DeepEqual(fresh, builtin()) {
		t.Fatalf("%+v", fresh)
	}
	fresh := Hydrate(nil)
	fresh[0].Models[0].Name = "changed by a caller"
	fresh[1].Models[0].Efforts[0] = "changed by a caller"
	if !reflect.DeepEqual(Hydrate(nil), builtin()) {
		t.Fatal("a caller can change the app's list")
	}
}

func TestBuiltinsAreComplete(t *testing.T) {
	ids := map[string]bool{}
	for _, p := range builtin() {
		if p.ID == "" || p.Name == "" || ids[p.ID] || len(p.Kinds) == 0 || p.Owned() {
			t.Errorf("%+v", p)
		}
		ids[p.ID] = true
		for _, k := range p.Kinds {
			if base := p.Base(k); base != "" && (CheckBaseURL(base) != nil || !p.Key.Asked()) {
				t.Errorf("%s: %s", p.ID, base)
			}
			if !k.Valid() || Align(p, k, "") != "" {
				t.Errorf("%s: %s", p.ID, k)
			}
		}
		for _, m := range p.Models {
			if m.Name == "" || !p.Speaks(m.Kind) {
				t.Errorf("%s: %+v", p.ID, m)
			}
		}
	}
	for old, next := range successors {
		found := false
		for _, p := range builtin() {
			for _, m := range p.Models {
				if m.ID == old {
					t.Errorf("%s has a successor and is still offered", old)
				}
				found = found || m.ID == next
			}
		}
		if !found {
			t.Errorf("the successor %s of %s does not exist", next, old)
		}
	}
}

// A model that was retired while the app slept must not make every prompt fail.
func TestStoredModelIsAligned(t *testing.T) {
	list := Hydrate([]Provider{{ID: Custom, Kinds: []Kind{Responses}}})
	for _, c := range []struct {
		id    string
		kind  Kind
		model string
		want  string
	}{
		{OpenAI, Responses, "gpt-6-sol", "gpt-6-sol"},
		{OpenAI, Responses, "gpt-5.6-terra", "gpt-6-sol"},
		{OpenAI, Responses, "gpt-3", ""},
		{OpenAI, Responses, "", ""},
		{OpenAI, Responses, "sonnet", ""}, // left over from another engine
		{Claude, Anthropic, "sonnet", "sonnet"},
		{Claude, Anthropic, "gpt-5.6-sol", ""},
		{Demo, Responses, "gpt-6-sol", ""},
		{Custom, Responses, "my-own-model", "my-own-model"},
	} {
		p, ok := Find(list, c.id)
		if !ok {
			t.Fatal(c.id)
		}
		if got := Align(p, c.kind, c.model); got != c.want {
			t.Errorf("%s, %s: %q became %q, want %q", c.id, c.kind, c.model, got, c.want)
		}
	}
	openai, _ := Find(list, OpenAI)
	custom, _ := Find(list, Custom)
	for _, c := range []struct {
		p                   Provider
		model, effort, want string
	}{
		{openai, "gpt-6-sol", "ultra", "ultra"},
		{openai, "gpt-5.5", "ultra", ""},
		{openai, "gpt-5.5", "", ""},
		{custom, "any", "ultra", "ultra"},
	} {
		if got := AlignEffort(c.p, Responses, c.model, c.effort); got != c.want {
			t.Errorf("%s %s: effort %q became %q", c.p.ID, c.model, c.effort, got)
		}
	}
}

func TestEnginesSeeTheProvidersOfTheirKind(t *testing.T) {
	custom, err := NewCustom("", Responses, " https://llm.example/v1 ")
	if err != nil {
		t.Fatal(err)
	}
	if custom.Name != "llm.example" || custom.BaseURL != "https://llm.example/v1" {
		t.Errorf("%+v", custom)
	}
	list := Hydrate([]Provider{custom})
	names := func(k Kind) string {
		var ids []string
		for _, p := range For(list, k) {
			ids = append(ids, p.ID)
		}
		return strings.Join(ids, " ")
	}
	if got := names(Anthropic); got != "demo claude-subscription anthropic deepseek zai moonshot openrouter" {
		t.Error(got)
	}
	if got := names(Responses); got != "demo chatgpt openai openrouter xai groq custom" {
		t.Error(got)
	}
	if r := custom.Runtime("k"); r.BaseURL != custom.BaseURL || r.Key != "k" || r.Name != custom.Name {
		t.Errorf("%+v", r)
	}
	if data, err := json.Marshal(custom); err != nil || strings.Contains(string(data), `"k"`) {
		t.Errorf("%s, %v", data, err)
	}
	if _, err := NewCustom("x", "chat", "https://a.example"); err == nil {
		t.Error("an unknown kind was taken")
	}
}

func TestBaseURL(t *testing.T) {
	for _, good := range []string{
		"https://api.example.com", "https://api.example.com/v1/", "https://10.0.0.7:8443/x",
		"http://127.0.0.1:8080", "http://localhost:1", "http://LOCALHOST", "http://[::1]:9/v1", "http://127.9.9.9",
	} {
		if err := CheckBaseURL(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for bad, words := range map[string]string{
		"":                                "Write the address",
		"api.example.com":                 "begin with https://",
		"api.example.com:443":             "begin with https://",
		"//api.example.com":               "begin with https://",
		"ftp://api.example.com":           "not ftp://",
		"file:///etc/passwd":              "not file://",
		"javascript:alert(1)":             "begin with https://",
		"https://":                        "no host name",
		"https:///v1":                     "no host name",
		"https://:443":                    "no host name",
		"https://u:pw@api.example.com":    "own field",
		"https://u@api.example.com":       "own field",
		"https://api.example.com?key=1":   "? or #",
		"https://api.example.com?":        "? or #",
		"https://api.example.com/#x":      "? or #",
		"https://api.example.com/#":       "? or #",
		"https://api.example.com:0":       "port",
		"https://api.example.com:":        "port",
		"https://api.example.com:99999":   "port",
		"https://api.example.com:x":       "not a valid address",
		"https://api example.com":         "invisible",
		"https://api.example.com\n":       "invisible",
		"https://api.exam\u200bple.com":   "invisible",
		"https://api.exam\u202eple.com":   "invisible",
		"http://api.example.com":          "unencrypted",
		"http://localhost.example.com":    "unencrypted",
		"http://127.0.0.1.example.com":    "unencrypted",
		"http://0.0.0.0":                  "unencrypted",
		"http://192.168.1.2":              "unencrypted",
		"http://2130706433":               "unencrypted",
		"https://u:secretpw@exa mple.com": "invisible",
	} {
		err := CheckBaseURL(bad)
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v, want %q", bad, err, words)
		}
	}
}

// Whatever is written into the field: never a crash, and what is taken is https or this device, without a password.
func FuzzBaseURL(f *testing.F) {
	for _, s := range []string{"https://a", "http://127.0.0.1", "http://[::1", "https://a@b", "http://a%00b", "https://a:pw%zz@b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		err := CheckBaseURL(s)
		if err == nil && !strings.HasPrefix(strings.ToLower(s), "https://") && !strings.HasPrefix(strings.ToLower(s), "http://") {
			t.Fatalf("%q was taken", s)
		}
		if err == nil && strings.Contains(s, "@") && !strings.Contains(s[8:], "/") {
			t.Fatalf("%q was taken", s)
		}
	})
}

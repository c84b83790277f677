package settings

import (
	"reflect"
	"strings"
	"testing"

	"keva/agent/provider"
)

func kept() provider.Provider {
	return provider.Provider{
		ID: provider.Custom, Name: "Work", Kinds: []provider.Kind{provider.Anthropic, provider.Responses}, BaseURL: "https://llm.example",
		Bases: map[provider.Kind]string{provider.Responses: "https://llm.example/v1"}, Models: []provider.Model{{ID: "m", Name: "M", Kind: provider.Responses}},
		Aliases: map[string]string{"haiku": "small"}, Headers: map[string]string{"X-Title": "Keva", "X-Org": "a: b"}, Auth: provider.AuthBearer, Key: provider.KeyRequired,
	}
}

// A provider that is opened and kept again is what it was, also what the form does not show.
func TestADraftKeepsWhatItDoesNotShow(t *testing.T) {
	one := kept()
	one.Kinds, one.Bases, one.BaseURL = []provider.Kind{provider.Responses}, nil, "http://127.0.0.1:8080/v1"
	for _, p := range []provider.Provider{kept(), one} {
		got, wrong := draftOf(p).provider()
		if len(wrong) > 0 || !reflect.DeepEqual(got, p) {
			t.Errorf("%+v became %+v, wrong %v", p, got, wrong)
		}
	}
}

// Each thing that can't be right is said at its own place, with the domain's sentence.
func TestWhatIsWrongIsSaidInItsPlace(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*draft)
		at     string
		words  string
	}{
		"no address":         {func(d *draft) { d.address = "" }, atAddress, "Write the address"},
		"plain":              {func(d *draft) { d.address = "http://llm.example" }, atAddress, "unencrypted"},
		"password":           {func(d *draft) { d.address = "https://u:pw@llm.example" }, atAddress, "own field"},
		"second":             {func(d *draft) { d.second = "llm.example" }, atSecond, "begin with https://"},
		"no protocol":        {func(d *draft) { d.kinds, d.second = nil, "" }, atWhole, "protocol"},
		"no colon":           {func(d *draft) { d.headers = []string{"X-Title"} }, headerAt(0), "name: value"},
		"no name":            {func(d *draft) { d.headers = []string{"", ": x"} }, headerAt(1), "name of a header"},
		"a key":              {func(d *draft) { d.headers = append(d.headers, "X-Api-Key: sk") }, headerAt(2), "place for a key"},
		"a key, and more":    {func(d *draft) { d.headers = []string{"Authorization: Bearer: x"} }, headerAt(0), "place for a key"},
		"twice":              {func(d *draft) { d.headers = []string{"X-A: 1", "x-a: 2"} }, headerAt(1), "twice"},
		"the connection's":   {func(d *draft) { d.headers = []string{"Host: x"} }, headerAt(0), "connection itself"},
		"an unknown standin": {func(d *draft) { d.standins["gpt"] = "x" }, atWhole, "stand in"},
	} {
		d := draftOf(kept())
		c.change(&d)
		if _, wrong := d.provider(); len(wrong) != 1 || !strings.Contains(wrong[c.at], c.words) {
			t.Errorf("%s: %q", name, wrong)
		}
	}
}

func TestADraftOfANewOne(t *testing.T) {
	d := draftOf(provider.Provider{Kinds: []provider.Kind{provider.Anthropic}})
	d.address, d.headers, d.second = " https://llm.example/x ", []string{"", "X-Title:  Keva "}, "left over from another protocol"
	d.standins["opus"], d.standins["sonnet"] = " big ", "  "
	p, wrong := d.provider()
	want := provider.Provider{
		Name: "llm.example", Kinds: []provider.Kind{provider.Anthropic}, BaseURL: "https://llm.example/x", Key: provider.KeyOptional,
		Aliases: map[string]string{"opus": "big"}, Headers: map[string]string{"X-Title": "Keva"},
	}
	if len(wrong) > 0 || !reflect.DeepEqual(p, want) {
		t.Errorf("%+v, %v", p, wrong)
	}
}

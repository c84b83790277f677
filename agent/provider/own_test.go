package provider

import (
	"errors"
	"strings"
	"testing"

	"keva/agent/event"
)

func TestOwnProviders(t *testing.T) {
	good := func() Provider {
		return Provider{
			ID: Custom + "-2", Name: "mine", Kinds: []Kind{Anthropic, Responses}, BaseURL: "https://a.example",
			Bases: map[Kind]string{Responses: "https://a.example/v1"}, Aliases: map[string]string{"haiku": "small"},
			Headers: map[string]string{"X-Title": "Keva", "HTTP-Referer": "https://keva.example"}, Auth: AuthBearer,
		}
	}
	if err := Check(good()); err != nil {
		t.Fatal(err)
	}
	if p := good(); p.Base(Anthropic) != "https://a.example" || p.Base(Responses) != "https://a.example/v1" {
		t.Errorf("%+v", p)
	}
	for name, c := range map[string]struct {
		change func(*Provider)
		words  string
	}{
		"the app's":           {func(p *Provider) { p.ID = OpenAI }, "belongs to Keva"},
		"an id like ours":     {func(p *Provider) { p.ID = "customer" }, "belongs to Keva"},
		"no kind":             {func(p *Provider) { p.Kinds = nil }, "protocol"},
		"chat":                {func(p *Provider) { p.Kinds = []Kind{"chat"} }, "protocol"},
		"auth":                {func(p *Provider) { p.Auth = "basic" }, "how the key is sent"},
		"no address":          {func(p *Provider) { p.BaseURL = "" }, "address"},
		"foreign base":        {func(p *Provider) { p.Kinds = []Kind{Anthropic} }, "does not speak"},
		"plain base":          {func(p *Provider) { p.Bases[Responses] = "http://a.example" }, "unencrypted"},
		"alias":               {func(p *Provider) { p.Aliases["gpt"] = "x" }, "stand in"},
		"alias of nothing":    {func(p *Provider) { p.Aliases["opus"] = " " }, "stand in"},
		"header name":         {func(p *Provider) { p.Headers["a b"] = "x" }, "name of a header"},
		"header with a break": {func(p *Provider) { p.Headers["X-A"] = "a\r\nX-Api-Key: b" }, "line breaks"},
		"key in a header":     {func(p *Provider) { p.Headers["X-Api-Key"] = "sk" }, "place for a key"},
		"token in a header":   {func(p *Provider) { p.Headers["authorization"] = "Bearer x" }, "place for a key"},
		"framing header":      {func(p *Provider) { p.Headers["Content-Length"] = "5" }, "connection itself"},
	} {
		p := good()
		c.change(&p)
		var e *event.Error
		if err := Check(p); !errors.As(err, &e) || !strings.Contains(e.Message, c.words) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An address of the user's must never be answered by the demo, or by an engine's own sign-in.
func TestOwnProviderIsNotTheDemo(t *testing.T) {
	own := Provider{ID: "custom-1", Name: "Mine", Kinds: []Kind{Anthropic}, BaseURL: "https://llm.example", Key: KeyOptional}
	if err := Check(own); err != nil {
		t.Fatal(err)
	}
	for _, need := range []Need{KeyNone, KeySignIn} {
		own.Key = need
		if Check(own) == nil {
			t.Errorf("%q was taken", need)
		}
	}
}

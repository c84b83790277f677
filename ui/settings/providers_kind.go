package settings

import (
	"slices"

	"keva/agent/provider"
	"keva/ui/screen"
)

func (f *form) chooseKinds() {
	var items []screen.Item
	for _, c := range []struct {
		kinds []provider.Kind
		says  string
	}{
		{[]provider.Kind{provider.Anthropic}, "Claude Code needs it"},
		{[]provider.Kind{provider.Responses}, "Codex needs it"},
		{[]provider.Kind{provider.Anthropic, provider.Responses}, "For both engines"},
	} {
		items = append(items, screen.Item{Label: kindsLabel(c.kinds), Second: c.says, Chosen: slices.Equal(c.kinds, f.draft.kinds), Do: func() {
			f.draft.kinds, f.saved = c.kinds, false
			f.rebuild()
		}})
	}
	screen.ShowMenu(f.s.deps.Window(), "Protocol", items...)
}

func (f *form) chooseAuth() {
	var items []screen.Item
	for _, a := range []provider.Auth{provider.AuthDefault, provider.AuthBearer} {
		d := f.draft
		d.auth = a
		second := "As Anthropic does it"
		if a == provider.AuthBearer {
			second = "As most gateways do it"
		}
		items = append(items, screen.Item{Label: authLabel(d), Second: second, Chosen: a == f.draft.auth, Do: func() {
			f.draft.auth, f.saved = a, false
			f.rebuild()
		}})
	}
	screen.ShowMenu(f.s.deps.Window(), "The key is sent as", items...)
}

func authLabel(d draft) string {
	switch {
	case d.auth == provider.AuthBearer:
		return "Authorization: Bearer"
	case d.both():
		return "x-api-key; OpenAI Responses always gets Authorization: Bearer"
	}
	return "x-api-key"
}

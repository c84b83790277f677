package signin

import (
	"strings"
	"testing"

	"keva/agent/provider"
)

func TestKeyMethods(t *testing.T) {
	own := provider.Provider{ID: provider.Custom, Name: "mine", Kinds: []provider.Kind{provider.Anthropic}, BaseURL: "https://a.example", Key: provider.KeyOptional}
	list := provider.Hydrate([]provider.Provider{own})
	for k, want := range map[provider.Kind]string{
		provider.Anthropic: "e/key/anthropic e/key/deepseek e/key/zai e/key/moonshot e/key/openrouter",
		provider.Responses: "e/key/openai e/key/openrouter e/key/xai e/key/groq",
	} {
		var ids []string
		for _, m := range KeyMethods("e", k, list) {
			ids = append(ids, m.ID)
			if m.Kind != KindKey || m.Keeper != KeeperKeva || m.Engine != "e" || m.Label == "" || m.Note == "" {
				t.Errorf("%+v", m)
			}
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%s: %s", k, got)
		}
	}
}

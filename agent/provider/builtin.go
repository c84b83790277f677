package provider

import "slices"

// upTo lists the effort words, lowest first, up to last. Each caller gets a list of its own.
func upTo(last string) []string {
	all := []string{"low", "medium", "high", "xhigh", "max", "ultra"}
	return all[:slices.Index(all, last)+1]
}

// builtin returns the app's providers as of this version. Names and efforts of the engines' own models are those that the
// pinned engines list themselves (initialize of Claude Code 2.1.197, model/list of Codex 0.171.0).
func builtin() []Provider {
	return append([]Provider{
		{
			ID: Demo, Name: "Demo (no account, no network)", Kinds: []Kind{Anthropic, Responses}, Key: KeyNone,
			Models: []Model{{"", "Demo", Anthropic, nil}, {"", "Demo", Responses, nil}},
		},
		{ID: ClaudePlan, Name: "Claude subscription", Kinds: []Kind{Anthropic}, Key: KeySignIn, Models: claudeModels()},
		{ID: Claude, Name: "Anthropic", Kinds: []Kind{Anthropic}, Key: KeyRequired, Models: claudeModels()},
		{ID: ChatGPT, Name: "ChatGPT plan", Kinds: []Kind{Responses}, Key: KeySignIn, Models: gptModels()},
		{ID: OpenAI, Name: "OpenAI", Kinds: []Kind{Responses}, Key: KeyRequired, Models: gptModels()},
	}, others()...)
}

func claudeModels() []Model {
	return []Model{
		{"", "Default", Anthropic, upTo("max")},
		{"opus[1m]", "Opus", Anthropic, upTo("max")},
		{"sonnet", "Sonnet", Anthropic, upTo("max")},
		{"sonnet[1m]", "Sonnet (1M context)", Anthropic, upTo("max")},
		{"haiku", "Haiku", Anthropic, nil},
	}
}

func gptModels() []Model {
	return []Model{
		{"", "Default", Responses, upTo("ultra")},
		{"gpt-6.2-sol", "GPT-6.2 Sol", Responses, upTo("ultra")},
		{"gpt-6.2-astra", "GPT-6.2 Astra", Responses, upTo("ultra")},
		{"gpt-6.1-terra", "GPT-6.1 Terra", Responses, upTo("ultra")},
		{"gpt-6.1-sol", "GPT-6.1 Sol", Responses, upTo("ultra")},
		{"gpt-6-astra", "GPT-6 Astra", Responses, upTo("ultra")},
		{"gpt-6-sol", "GPT-6 Sol", Responses, upTo("ultra")},
		{"gpt-6-luna", "GPT-6 Luna", Responses, upTo("max")},
		{"gpt-5.5", "GPT-5.5", Responses, upTo("xhigh")},
	}
}

// others are endpoints of other companies that document one of the two protocols for these engines. Their models change
// often and differ by account, so none is listed here: they are asked for theirs. None of them could be tried from where
// this list was written. None of their addresses was ever called from here, and some are from memory: check before a release.
func others() []Provider {
	return []Provider{
		{ID: "deepseek", Name: "DeepSeek", Kinds: []Kind{Anthropic}, BaseURL: "https://api.deepseek.com/anthropic", Key: KeyRequired},
		{ID: "zai", Name: "Z.ai (GLM)", Kinds: []Kind{Anthropic}, BaseURL: "https://api.z.ai/api/anthropic", Key: KeyRequired, Auth: AuthBearer},
		{ID: "moonshot", Name: "Moonshot (Kimi)", Kinds: []Kind{Anthropic}, BaseURL: "https://api.moonshot.ai/anthropic", Key: KeyRequired, Auth: AuthBearer},
		{
			ID: "openrouter", Name: "OpenRouter", Kinds: []Kind{Anthropic, Responses}, Key: KeyRequired, Auth: AuthBearer,
			Bases: map[Kind]string{Anthropic: "https://openrouter.ai/api", Responses: "https://openrouter.ai/api/v1"},
		},
		{ID: "xai", Name: "xAI (Grok)", Kinds: []Kind{Responses}, BaseURL: "https://api.x.ai/v1", Key: KeyRequired},
		{ID: "groq", Name: "Groq", Kinds: []Kind{Responses}, BaseURL: "https://api.groq.com/openai/v1", Key: KeyRequired},
	}
}

// successors name the model that took over from a retired one, as the engines themselves say (upgrade in model/list).
var successors = map[string]string{
	"gpt-5.6-sol":   "gpt-6-sol",
	"gpt-5.6-terra": "gpt-6-sol",
	"gpt-5.6-luna":  "gpt-6-luna",
	"opus":          "opus[1m]",
}

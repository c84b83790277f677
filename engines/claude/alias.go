package claude

import (
	"slices"

	"keva/agent/runtime"
)

// aliasNames are the names of models that the engine uses by itself (for summaries, titles, sub-agents) and the variable
// that says which model stands for each. Another company's server has no model of these names.
var aliasNames = map[string]string{
	"opus":   "ANTHROPIC_DEFAULT_OPUS_MODEL",
	"sonnet": "ANTHROPIC_DEFAULT_SONNET_MODEL",
	"haiku":  "ANTHROPIC_DEFAULT_HAIKU_MODEL",
}

// aliasEnv is the environment that a provider's aliases need.
func aliasEnv(p runtime.Provider) []string {
	var env []string
	for name, model := range p.Aliases {
		if variable := aliasNames[name]; variable != "" && model != "" {
			env = append(env, variable+"="+model)
		}
	}
	slices.Sort(env)
	return env
}

package onboarding

import "testing"

func TestNext(t *testing.T) {
	for name, c := range map[string]struct {
		f    Facts
		want Step
	}{
		"fresh phone":                   {Facts{Tools: ToolsMissing}, StepTools},
		"nothing is known":              {Facts{}, StepTools},
		"killed while unpacking":        {Facts{Tools: ToolsPartly, Engine: "claude"}, StepTools},
		"damaged, on a used device":     {Facts{Tools: ToolsDamaged, Engine: "claude", Provider: "p", Usable: true, Sessions: 3}, StepTools},
		"app was updated":               {Facts{Tools: ToolsOutdated, Engine: "claude", Sessions: 3}, StepTools},
		"fresh computer":                {Facts{Tools: ToolsNotNeeded}, StepEngine},
		"engine chosen":                 {Facts{Tools: ToolsReady, Engine: "codex"}, StepAccount},
		"provider without a key":        {Facts{Tools: ToolsReady, Engine: "codex", Provider: "openai"}, StepAccount},
		"engine of an old version gone": {Facts{Tools: ToolsReady, Provider: "openai", Usable: true}, StepEngine},
		"all but a folder":              {Facts{Tools: ToolsReady, Engine: "codex", Provider: "openai", Usable: true}, StepFolder},
		"used, key revoked":             {Facts{Tools: ToolsReady, Engine: "codex", Provider: "openai", Sessions: 1}, StepReady},
		"used, nothing chosen":          {Facts{Tools: ToolsNotNeeded, Sessions: 1}, StepReady},
	} {
		if got := Next(c.f); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

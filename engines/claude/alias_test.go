package claude

import (
	"slices"
	"testing"

	"keva/agent/runtime"
)

func TestAliasesReachTheEngine(t *testing.T) {
	o := Options{Binary: "/bin/true", StateDir: t.TempDir()}
	s := runtime.Start{Dir: t.TempDir(), Provider: runtime.Provider{
		BaseURL: "http://127.0.0.1:1", Key: "k", Aliases: map[string]string{"haiku": "small", "opus": "", "gpt": "x"},
	}}
	spec, temp, err := o.spec(s)
	defer remove(temp)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(spec.Env, "ANTHROPIC_DEFAULT_HAIKU_MODEL=small") || slices.Contains(spec.Env, "ANTHROPIC_DEFAULT_OPUS_MODEL=") {
		t.Errorf("%q", spec.Env)
	}
}

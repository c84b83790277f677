package build

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"keva/agent/event"
	"keva/engines/userland/elfedit"
)

// releases are those that a pack must run on, the oldest first. A newer one does not allow all that an older one does:
// Android 9 allows setregid, later ones don't.
var releases = []string{
	"pie-release", "android10-release", "android11-release", "android12-release",
	"android13-release", "android14-release", "android15-release", "main",
}

// readPolicies is what all releases allow. It has the name of the oldest.
func readPolicies(dir string, tg target) (elfedit.Policy, error) {
	in := map[string]int{} // releases that allow the call, by its line
	for _, release := range releases {
		name := release + "." + tg.policy
		text, err := os.ReadFile(filepath.Join(dir, name+".policy"))
		if err != nil {
			return elfedit.Policy{}, &event.Error{
				Class:   event.ClassConfig,
				Message: "The policy " + name + " is missing in " + dir + ". Run this in Keva's source folder.",
				Detail:  err.Error(),
			}
		}
		if _, err := elfedit.ParsePolicy(name, text); err != nil {
			return elfedit.Policy{}, err
		}
		for line := range strings.Lines(string(text)) {
			line, _, _ = strings.Cut(line, "#")
			if f := strings.Fields(line); len(f) == 2 { // ParsePolicy refuses all but those and empty ones
				in[f[0]+" "+f[1]]++
			}
		}
	}
	var all strings.Builder
	for line, n := range in {
		if n == len(releases) {
			fmt.Fprintln(&all, line)
		}
	}
	return elfedit.ParsePolicy(releases[0]+"."+tg.policy, []byte(all.String()))
}

package demo

import (
	"regexp"
	"sort"
	"strings"
)

// The two markers that name a script in a prompt: a person or a test writes the first, the dispatch step writes the second
// into the prompt of the sub-agent that it starts.
var (
	scriptMarker = regexp.MustCompile(`#script\s+([a-z][a-z0-9_]*)`)
	agentMarker  = regexp.MustCompile(`#agent\s+([a-z][a-z0-9_]*)`)
)

// fallback is the script that answers everything that no other script wants.
const fallback = "hello"

// choose picks the script for a prompt. fits is false for the fallback.
func (s *Server) choose(prompt string) (script *Script, fits bool) {
	for _, marker := range []*regexp.Regexp{agentMarker, scriptMarker} {
		if m := marker.FindAllStringSubmatch(prompt, -1); m != nil {
			if script := s.scripts[m[len(m)-1][1]]; script != nil {
				return script, true
			}
		}
	}
	// Texts are matched at their beginning only: a pasted file that mentions the tour is no wish to see it.
	head := prompt
	if len(head) > 2000 {
		head = strings.ToValidUTF8(head[:2000], "")
	}
	for _, name := range s.names {
		script := s.scripts[name]
		for _, re := range script.match {
			if re.MatchString(head) {
				return script, true
			}
		}
	}
	return s.scripts[fallback], false
}

func scriptNames(scripts map[string]*Script) []string {
	names := make([]string, 0, len(scripts))
	for name := range scripts {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

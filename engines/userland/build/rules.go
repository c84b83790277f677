package build

import (
	"fmt"
	"path"
	"strings"
)

// rules say what the pack leaves out.
type rules struct {
	patterns []string
	hits     []int // entries that each pattern removed
}

// parseRules reads a list of paths and patterns, one a line.
func parseRules(text string) (*rules, error) {
	r := &rules{}
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		p := strings.TrimSpace(line)
		if p == "" || strings.HasPrefix(p, "#") {
			continue
		}
		if _, err := path.Match(p, ""); err != nil || path.Clean(p) != p || path.IsAbs(p) || strings.HasPrefix(p, "..") {
			return nil, fmt.Errorf("%q is not a pattern of paths in the tree", p)
		}
		if seen[p] {
			return nil, fmt.Errorf("%q is there twice", p)
		}
		seen[p] = true
		r.patterns = append(r.patterns, p)
	}
	r.hits = make([]int, len(r.patterns))
	return r, nil
}

// apply removes what the rules name, with all below it.
func (r *rules) apply(t tree) {
	for i, pattern := range r.patterns {
		if !strings.ContainsAny(pattern, "*?[") {
			r.hits[i] += t.remove(pattern)
			continue
		}
		for _, p := range t.paths() {
			if ok, err := path.Match(pattern, p); ok && err == nil { // parseRules tried the pattern
				r.hits[i] += t.remove(p)
			}
		}
	}
}

// idle are the rules that removed nothing.
func (r *rules) idle() []string {
	var idle []string
	for i, n := range r.hits {
		if n == 0 {
			idle = append(idle, r.patterns[i])
		}
	}
	return idle
}

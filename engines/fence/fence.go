// Package fence keeps an engine's own helpers out of a project's hands. Engines run git, and look programs up on PATH, by
// themselves and before anybody was asked; a repository's configuration and a folder's programs would then run with them
// (I-16). An approved command is the user's own: the adapters take the fence around git away for it.
package fence

import (
	"path/filepath"
	"strings"
)

// GitDir is the variable that points git to a repository, and NoGit what takes git away from whoever inherits it: git
// ends at once, before it reads any project's configuration. Overriding single settings would not do. core.fsmonitor and
// core.hooksPath have known names, but filter.<any>.clean, diff.<any>.textconv and the like do not, and `git status` runs
// them (measured with both engines).
const (
	GitDir = "GIT_DIR"
	NoGit  = GitDir + "=/dev/null"
)

// Path is path without the entries through which a project could put a program of its own in the place of a system's:
// those that are relative (the engine runs in the project), and those inside of dir. A dir that holds home, the user's own
// ("" when they have none), or is it, is no project in this sense: its programs are the user's own.
func Path(path, dir, home string) string {
	if home != "" && inside(home, dir) {
		dir = ""
	}
	var kept []string
	for _, entry := range filepath.SplitList(path) {
		if filepath.IsAbs(entry) && !inside(entry, dir) {
			kept = append(kept, entry)
		}
	}
	return strings.Join(kept, string(filepath.ListSeparator))
}

// inside reports whether entry is dir or below, by name or by where links lead.
func inside(entry, dir string) bool {
	if dir == "" {
		return false
	}
	for _, e := range both(entry) {
		for _, d := range both(dir) {
			if rel, err := filepath.Rel(d, e); err == nil && filepath.IsLocal(rel) {
				return true
			}
		}
	}
	return false
}

// both is a path as it is written, and as it is reached.
func both(path string) []string {
	path = filepath.Clean(path)
	if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
		return []string{path, real}
	}
	return []string{path}
}

package transcript

import "strings"

// Rel shortens a path inside the folder dir to one relative to it; any other text is returned as it is. It knows no file
// system: paths are compared as the engine wrote them.
func Rel(dir, path string) string {
	dir = strings.TrimRight(dir, "/")
	if dir == "" {
		return path
	}
	if path == dir {
		return "."
	}
	if rest, ok := strings.CutPrefix(path, dir+"/"); ok && rest != "" && !strings.HasPrefix(rest, "../") {
		return rest
	}
	return path
}

// rel is Rel for the project.
func (b *Builder) rel(path string) string { return Rel(b.dir, path) }

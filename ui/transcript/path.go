package transcript

import "strings"

// rel shortens a path inside the project to one relative to it; any other text is returned as it is. It knows no file
// system: paths are compared as the engine wrote them.
func (b *Builder) rel(path string) string {
	dir := strings.TrimRight(b.dir, "/")
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

package screen

import "strings"

// Short writes the home folder of a path as ~. home may be "".
func Short(path, home string) string {
	home = strings.TrimSuffix(home, "/")
	if home == "" {
		return path
	}
	if path == home {
		return "~"
	}
	if rest, ok := strings.CutPrefix(path, home+"/"); ok {
		return "~/" + rest
	}
	return path
}

// Tail is a path by its last folders, for where there is no room: the name of the project must not be what is cut.
func Tail(path, home string) string {
	short := Short(path, home)
	parts := strings.Split(strings.TrimPrefix(short, "/"), "/")
	if len(parts) <= 3 {
		return short
	}
	return "…/" + strings.Join(parts[len(parts)-2:], "/")
}

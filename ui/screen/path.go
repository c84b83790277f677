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

package plan

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"keva/engines/fence"
)

// everywhere are variables that every engine gets in every place.
var everywhere = []string{"TERM=dumb"}

// loopback is what no proxy may stand before: the engines make no exception for it by themselves, and an http:// address on
// loopback would go through HTTPS_PROXY.
const loopback = "127.0.0.1,localhost,::1"

// environment is the whole environment: an allow-list, so that nothing of another session, account or shell leaks in (J7,
// A5). What comes later wins.
func environment(r Request, marker string) ([]string, error) {
	path := fence.Path(r.Program.path(r.Place.Path), r.Dir, r.Place.Home)
	env := slices.Concat(everywhere, r.Place.Env, []string{"PATH=" + path, "LANG=" + r.Place.Lang})
	add := func(name, value string) {
		if value != "" {
			env = append(env, name+"="+value)
		}
	}
	add("HOME", or(r.Home, r.Place.Home))
	add("SHELL", r.Place.shell(path))
	add("TMPDIR", or(r.Place.Temp, r.Temp))
	if marker != "" {
		env = append(env, marker)
	}
	return merge(slices.Concat(env, r.Own, r.Secret, r.Extra))
}

// merge gives each name once, with its last value, and keeps loopback out of the proxies.
func merge(env []string) ([]string, error) {
	values := map[string]string{}
	direct := loopback
	for _, kv := range env {
		name, value, ok := strings.Cut(kv, "=")
		switch {
		case !ok || name == "" || strings.ContainsRune(kv, 0):
			return nil, broken("no variable: " + name)
		case name != "NO_PROXY" && name != "no_proxy":
			values[name] = value
		case value != "" && !strings.Contains(direct, value):
			direct = value + "," + direct
		}
	}
	values["NO_PROXY"], values["no_proxy"] = direct, direct
	var out []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out = append(out, name+"="+values[name])
	}
	return out, nil
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// list makes a PATH of folders.
func list(dirs ...string) string { return strings.Join(dirs, string(filepath.ListSeparator)) }

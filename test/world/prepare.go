package world

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"keva/engines/install"
)

// Prepare makes a test process ready for the real engines: it installs the named ones when they are missing, and gives the
// process a home of its own. Engines start login shells in the user's home, and what a developer keeps there (a version
// manager that waits for its lock) must neither slow a test nor be left half-written by one that kills processes.
//
// It returns the cache that the engines are in. done removes the home.
func Prepare(ids ...string) (cache string, done func(), err error) {
	if cache, err = install.CacheDir(); err != nil {
		return "", nil, err
	}
	for _, id := range ids {
		if _, err := install.Ensure(context.Background(), install.Default(), id, cache, func(s string) { fmt.Println(s) }); err != nil {
			return "", nil, err
		}
	}
	set := map[string]string{install.CacheEnv: cache}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} { // a test that builds finds what is built already
		if out, err := exec.Command("go", "env", name).Output(); err == nil {
			set[name] = strings.TrimSpace(string(out))
		}
	}
	home, err := os.MkdirTemp("", "keva-home")
	if err != nil {
		return "", nil, err
	}
	set["HOME"] = home
	for name, value := range set {
		if err := os.Setenv(name, value); err != nil {
			return "", nil, err
		}
	}
	for _, name := range []string{"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"} {
		if err := os.Unsetenv(name); err != nil {
			return "", nil, err
		}
	}
	return cache, func() { _ = os.RemoveAll(home) }, nil
}

// Package host is the machine as the app needs it: folders, the browser, one instance per data folder. It must never know
// what the app is about.
package host

import (
	"os"
	"path/filepath"
	"runtime"

	"keva/agent/event"
)

// HomeVariable moves all folders below one: for tests, and for a second instance beside the first.
const HomeVariable = "KEVA_HOME"

// Dirs are the app's own folders, absolute. They need not exist; Make makes them.
type Dirs struct {
	Data   string // sessions, settings, run records: what must not be lost
	Cache  string // what can be fetched or made again: engines
	Config string // what the user may edit by hand
	State  string // logs
}

// Find says where the folders are. KEVA_HOME wins; else the XDG variables count, where they are absolute as the XDG
// specification demands, and its defaults below the home folder.
func Find(getenv func(string) string) (Dirs, error) {
	if root := getenv(HomeVariable); root != "" {
		abs, err := filepath.Abs(root)
		if err != nil {
			return Dirs{}, &event.Error{
				Class: event.ClassConfig, Message: "KEVA_HOME must be an absolute path.", Detail: err.Error(),
			}
		}
		return Dirs{
			Data: filepath.Join(abs, "data"), Cache: filepath.Join(abs, "cache"),
			Config: filepath.Join(abs, "config"), State: filepath.Join(abs, "state"),
		}, nil
	}
	if files := getenv(androidFiles); runtime.GOOS == "android" && filepath.IsAbs(files) {
		return android(files, getenv("TMPDIR")), nil
	}
	home := getenv("HOME")
	missing := false
	dir := func(variable string, below ...string) string {
		if d := getenv(variable); filepath.IsAbs(d) {
			return filepath.Join(d, "keva")
		}
		if !filepath.IsAbs(home) {
			missing = true
		}
		return filepath.Join(append(append([]string{home}, below...), "keva")...)
	}
	d := Dirs{
		Data:   dir("XDG_DATA_HOME", ".local", "share"),
		Cache:  dir("XDG_CACHE_HOME", ".cache"),
		Config: dir("XDG_CONFIG_HOME", ".config"),
		State:  dir("XDG_STATE_HOME", ".local", "state"),
	}
	if missing {
		return Dirs{}, &event.Error{
			Class:   event.ClassConfig,
			Message: "Keva does not know where to keep its data: HOME is not set. Set HOME, or KEVA_HOME to a folder for Keva alone.",
		}
	}
	return d, nil
}

// androidFiles is the variable in which the toolkit says where the app's own folder is; TMPDIR is its cache folder.
const androidFiles = "FILESDIR"

// android puts everything below the app's own folder. What can be made again goes where the system may clear it.
func android(files, cache string) Dirs {
	if !filepath.IsAbs(cache) {
		cache = filepath.Join(files, "cache")
	}
	return Dirs{Data: files, Cache: cache, Config: filepath.Join(files, "config"), State: filepath.Join(files, "state")}
}

// Make makes the folders for this user alone.
func (d Dirs) Make() error {
	for _, dir := range []string{d.Data, d.Cache, d.Config, d.State} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return &event.Error{
				Class:   event.ClassConfig,
				Message: "The folder " + dir + " can't be made. Check its permissions and the free space, or set KEVA_HOME to another folder.",
				Detail:  err.Error(),
			}
		}
	}
	return nil
}

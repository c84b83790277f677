package install

import (
	"os"
	"path/filepath"
	"runtime"

	"keva/agent/event"
)

// CacheEnv names the variable that moves the cache.
const CacheEnv = "KEVA_CACHE"

// CacheDir is where engines are kept: $KEVA_CACHE, or keva in the user's cache folder.
func CacheDir() (string, error) {
	if dir := os.Getenv(CacheEnv); dir != "" {
		return filepath.Abs(dir)
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return "", &event.Error{
			Class:   event.ClassConfig,
			Message: "There is no folder for the engines: neither HOME nor XDG_CACHE_HOME is set. Set " + CacheEnv + " to a folder that may hold 1 GB.",
			Detail:  err.Error(),
		}
	}
	return filepath.Join(base, "keva"), nil
}

// machine are the keys of the platforms that this machine can run, best first.
func machine() []string {
	arch := map[string]string{"amd64": "x64", "386": "ia32"}[runtime.GOARCH]
	if arch == "" {
		arch = runtime.GOARCH
	}
	key := runtime.GOOS + "-" + arch
	if runtime.GOOS == "linux" && !exists("/lib*/ld-linux*") && !exists("/lib/*/ld-linux*") && exists("/lib/ld-musl-*") {
		// A program for glibc does not start on musl, and one that is linked statically has no build of its own.
		return []string{key + "-musl", key}
	}
	return []string{key}
}

func exists(pattern string) bool {
	found, err := filepath.Glob(pattern) // the only error is a bad pattern
	return err == nil && len(found) > 0
}

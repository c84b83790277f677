package build

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// How long what a killed build left behind is spared, because another build may be writing it, and how long what no build
// used is kept.
const (
	spared = 24 * time.Hour
	kept   = 30 * 24 * time.Hour
)

// temporary are the beginnings of the names that builds give to unfinished files.
var temporary = []string{".part-", ".npm-", ".strip-", ".again-", ".keva-userland-", "keva-pack-"}

// sweep clears away what earlier builds left in the cache and beside the output: unfinished files of killed builds, and
// archives of versions that nobody packs any more.
func sweep(cache, output string, now time.Time) error {
	var errs []error
	for dir, cached := range map[string]bool{
		filepath.Join(cache, "debs"): true, filepath.Join(cache, "tars"): true, filepath.Dir(output): false,
	} {
		found, err := os.ReadDir(dir)
		if err != nil {
			continue // it is made when it is needed
		}
		for _, f := range found {
			info, err := f.Info()
			if err != nil {
				continue // another build was faster
			}
			age := now.Sub(info.ModTime())
			if unfinished(f.Name()) && age > spared || cached && age > kept {
				errs = append(errs, os.RemoveAll(filepath.Join(dir, f.Name())))
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return diskError(cache, err)
	}
	return nil
}

func unfinished(name string) bool {
	for _, t := range temporary {
		if strings.HasPrefix(name, t) {
			return true
		}
	}
	return false
}

// use notes that a file of the cache was used. A cache that may not be written forgets sooner, nothing else.
func use(paths ...string) {
	now := time.Now()
	for _, p := range paths {
		_ = os.Chtimes(p, now, now)
	}
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// keepBackups is how many copies from before a migration stay.
const keepBackups = 2

// stamp is the time in a file name: it sorts by time, and has no character that a file system refuses.
const stamp = "20060102T150405.000000000Z"

// backup copies the data file before a migration touches it. A copy gets its final name only when it is whole and on the
// disk, so an interrupted one never counts as a backup.
func backup(ctx context.Context, db *sql.DB, path string, from int, now time.Time) error {
	final := fmt.Sprintf("%s.backup-%s-v%d", path, now.UTC().Format(stamp), from)
	part := path + ".backup.part" // a left-over of a killed backup is overwritten
	if err := os.Remove(part); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // its data was synced, or the backup has failed anyway
	// VACUUM INTO also takes what is still in the journal; a plain copy of the file would not.
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", part); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := os.Rename(part, final); err != nil {
		return err
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return err
	}
	old, err := filepath.Glob(globSafe(path) + ".backup-*")
	if err != nil {
		return err
	}
	slices.Sort(old)
	for len(old) > keepBackups {
		if err := os.Remove(old[0]); err != nil {
			return err
		}
		old = old[1:]
	}
	return nil
}

// moveAside renames a damaged data file and its journals, never deletes them, and returns the new name.
func moveAside(path string, now time.Time) (string, error) {
	to := path + ".damaged-" + now.UTC().Format(stamp)
	// The journals go first: should this stop in between, no journal is left beside a new file that it is not of.
	for _, suffix := range []string{"-wal", "-shm", ""} {
		err := os.Rename(path+suffix, to+suffix)
		if err != nil && !(suffix != "" && errors.Is(err, os.ErrNotExist)) {
			return "", err
		}
	}
	return to, syncDir(filepath.Dir(path))
}

// syncDir makes renames in dir survive a power cut.
func syncDir(dir string) error {
	d, err := os.Open(dir) //nolint:gosec // the data folder
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// globSafe keeps a path with pattern characters from matching anything but itself.
func globSafe(path string) string {
	var out []rune
	for _, r := range path {
		switch r {
		case '*', '?', '[', '\\':
			out = append(out, '\\')
		}
		out = append(out, r)
	}
	return string(out)
}

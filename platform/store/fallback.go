package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"keva/agent/event"
)

// fallBack moves everything from a disk that failed while it was in use into memory. The caller holds mode for writing.
func (s *Store) fallBack(ctx context.Context, reason *event.Error) error {
	mem, err := openMemory(ctx, s.steps)
	if err != nil {
		return fmt.Errorf("begin in memory: %w", err)
	}
	if err := merge(ctx, s.db, mem, nil); err != nil {
		return errors.Join(fmt.Errorf("copy into memory: %w", err), mem.close())
	}
	// The disk has failed already, a failing close adds nothing to act on; it is kept in the detail.
	if err := s.db.close(); err != nil {
		reason.Detail += "; close: " + err.Error()
	}
	s.db, s.reason, s.deleted = mem, reason, nil
	return nil
}

// adopt reads a file that can't be written into memory, so that the earlier sessions are still on the screen. It changes
// nothing on the disk.
func (s *Store) adopt(ctx context.Context, mem *database) (err error) {
	path := joinName(s.dir)
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || err == nil && fi.Size() == 0 {
		return nil // nothing was ever kept there
	}
	if err != nil {
		return err
	}
	dsn := fileDSN(path, "ro")
	if wal, err := os.Stat(path + "-wal"); err != nil || !wal.Mode().IsRegular() || wal.Size() == 0 {
		// Without a journal the file is complete. Said so, SQLite needs to make no file beside it, which would fail here.
		dsn += "&immutable=1"
	}
	db := one(sql.OpenDB(newConnector(dsn, onEvery, onRead)))
	defer func() { err = errors.Join(err, db.Close()) }()
	v, err := version(ctx, db)
	if err != nil {
		return err
	}
	if known := s.steps[len(s.steps)-1].version; v != known {
		return fmt.Errorf("%s has schema version %d, and can't be brought to %d", path, v, known)
	}
	return merge(ctx, &database{write: db, read: db}, mem, nil)
}

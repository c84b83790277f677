package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"
)

// FileName is the data file's name inside the data folder.
const FileName = "keva.db"

// database is one open set of handles. In memory, read and write are the same handle with one connection.
type database struct {
	write, read *sql.DB
	anchor      *sql.DB     // keeps an in-memory database alive; nil on disk
	path        string      // "" in memory
	file        os.FileInfo // the file as it was opened; nil in memory
}

func (d *database) close() error {
	var errs []error
	if d.anchor != nil {
		errs = append(errs, d.anchor.Close())
	}
	if d.read != nil && d.read != d.write {
		errs = append(errs, d.read.Close())
	}
	if d.write != nil {
		errs = append(errs, d.write.Close())
	}
	return errors.Join(errs...)
}

// gone reports whether the data file is no longer the one that was opened. SQLite would go on writing into the removed
// file without any error.
func (d *database) gone() bool {
	if d.path == "" {
		return false
	}
	now, err := os.Stat(d.path)
	return err != nil || !os.SameFile(now, d.file)
}

// openDisk opens the data file in dir, makes or migrates it, and proves that it can be written.
func openDisk(ctx context.Context, dir string, steps []migration, now time.Time) (_ *database, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o700); err != nil { //nolint:gosec // a folder needs x
		return nil, err
	}
	path := joinName(dir)
	// SQLite would make the file readable for others; its journals take over the mode of the file.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(f.Chmod(0o600), f.Close()); err != nil {
		return nil, err
	}
	from, search, err := check(ctx, path)
	if err != nil {
		return nil, err
	}
	known := steps[len(steps)-1].version
	if from > known {
		return nil, newerError(path, from, known)
	}

	d := &database{path: path}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.close())
		}
	}()
	d.write = one(sql.OpenDB(newConnector(fileDSN(path, "rw"), onEvery, onDisk)))
	if from > 0 && from < known {
		if err := backup(ctx, d.write, path, from, now); err != nil {
			return nil, fmt.Errorf("backup before the migration: %w", err)
		}
	}
	if err := migrate(ctx, d.write, from, steps); err != nil {
		return nil, err
	}
	if search != nil {
		if err := rebuildSearch(ctx, d.write); err != nil {
			return nil, fmt.Errorf("%w: the search index can't be rebuilt: %w", errDamaged, err)
		}
	}
	// A file that can be read but not written (full disk, read-only) shows it here, not at the user's first prompt.
	err = inTx(ctx, d.write, func(tx *sql.Tx) error {
		_, err := tx.Exec("PRAGMA user_version = " + strconv.Itoa(known))
		return err
	})
	if err != nil {
		return nil, err
	}
	d.read = sql.OpenDB(newConnector(fileDSN(path, "rw"), onEvery, onRead))
	d.read.SetMaxIdleConns(2)
	d.read.SetMaxOpenConns(4)
	if err := d.read.PingContext(ctx); err != nil {
		return nil, err
	}
	if d.file, err = os.Stat(path); err != nil {
		return nil, err
	}
	return d, nil
}

// memories numbers the in-memory databases of the process, so that two never share one by accident.
var memories atomic.Int64

// openMemory makes an empty in-memory database with the current schema.
func openMemory(ctx context.Context, steps []migration) (*database, error) {
	// memdb is SQLite's shared in-memory file: it lives as long as one connection does, and the anchor never closes.
	dsn := fmt.Sprintf("file:/keva-%d?vfs=memdb&_txlock=immediate", memories.Add(1))
	d := &database{
		anchor: one(sql.OpenDB(newConnector(dsn, onEvery))),
		write:  one(sql.OpenDB(newConnector(dsn, onEvery))),
	}
	d.read = d.write
	if err := d.anchor.PingContext(ctx); err != nil {
		return nil, errors.Join(err, d.close())
	}
	if err := migrate(ctx, d.write, 0, steps); err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

func joinName(dir string) string { return filepath.Join(dir, FileName) }

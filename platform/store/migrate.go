package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"keva/agent/event"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migration is one step of the schema. Its version is the user_version after it.
type migration struct {
	version int
	name    string
	sql     string
}

// migrations lists the steps in order. A released step is never edited: old files have already taken it.
func migrations() []migration {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	slices.Sort(names)
	var ms []migration
	for i, n := range names {
		base := strings.TrimPrefix(n, "migrations/")
		num, _, _ := strings.Cut(base, "_")
		v, err := strconv.Atoi(num)
		if err != nil || v != i+1 {
			panic("store: migrations are numbered from 0001 without gaps, found " + base)
		}
		data, err := migrationFiles.ReadFile(n)
		if err != nil {
			panic(err) // embedded
		}
		ms = append(ms, migration{v, base, string(data)})
	}
	return ms
}

// version reads the schema version; 0 is a file without a schema.
func version(ctx context.Context, db *sql.DB) (int, error) {
	var v int
	err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&v)
	return v, err
}

// migrate brings db from version `from` up. Each step and its version number are one transaction, so a step that fails,
// or a process that dies in it, leaves the version before it.
func migrate(ctx context.Context, db *sql.DB, from int, steps []migration) error {
	for _, m := range steps {
		if m.version <= from {
			continue
		}
		err := inTx(ctx, db, func(tx *sql.Tx) error {
			if _, err := tx.Exec(m.sql); err != nil {
				return err
			}
			_, err := tx.Exec("PRAGMA user_version = " + strconv.Itoa(m.version))
			return err
		})
		if err != nil {
			return fmt.Errorf("migration %s: %w", m.name, err)
		}
	}
	return nil
}

// newerError refuses a file that a newer Keva wrote: using it would damage what this version can't see.
func newerError(path string, found, known int) *event.Error {
	return &event.Error{
		Class: event.ClassConfig,
		Message: "Your sessions were saved by a newer version of Keva. Install that version again, " +
			"or move the data file away to begin anew. Nothing was changed.",
		Detail: fmt.Sprintf("%s has schema version %d, this version knows up to %d", path, found, known),
	}
}

// inTx runs f in one transaction. A write is short and must not be half known, so once begun it is not cancelled.
func inTx(ctx context.Context, db *sql.DB, f func(*sql.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	tx, err := db.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		// The first error is the cause. SQLite has often rolled back by itself (disk full), then this one says so.
		_ = tx.Rollback()
		return err
	}
	return tx.Commit()
}

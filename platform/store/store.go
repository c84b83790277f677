// Package store keeps sessions, events, approvals, settings and the search index in one SQLite file.
//
// A method that returns nil has made its change durable, unless Ephemeral says why nothing is kept. The package must
// never lose or delete data silently: a damaged file is moved aside, a file of a newer version is refused untouched, a
// failing disk is a reason that everybody can read. It must never see a secret.
package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"keva/agent/event"
	"keva/agent/session"
)

// Store implements session.Store. It is safe for concurrent use.
type Store struct {
	dir   string
	steps []migration
	now   func() time.Time

	// mode guards which database is in use: every call holds it for reading, falling back and Retry for writing.
	mode   sync.RWMutex
	db     *database
	reason *event.Error // why nothing is kept on disk; nil while it is
	// deleted are the sessions that were deleted while in memory: Retry deletes them on disk too.
	deleted []string
	closed  bool
}

var _ session.Store = (*Store)(nil)

// Open opens the data file in dir, or begins one. What the user must know (a damaged file that was put aside) comes as
// notices. When the folder can't be used, the store works in memory and Ephemeral says why. The error is a *event.Error:
// a file that a newer version wrote, or that another program holds.
func Open(ctx context.Context, dir string) (*Store, []event.Notice, error) {
	return open(ctx, dir, migrations(), time.Now)
}

func open(ctx context.Context, dir string, steps []migration, now func() time.Time) (*Store, []event.Notice, error) {
	s := &Store{dir: dir, steps: steps, now: now}
	db, notices, err := s.disk(ctx)
	if err == nil {
		s.db = db
		return s, notices, nil
	}
	reason := diskReason(dir, err)
	if reason == nil {
		return nil, notices, openError(dir, err)
	}
	mem, memErr := openMemory(ctx, steps)
	if memErr != nil {
		return nil, notices, openError(dir, errors.Join(err, memErr))
	}
	if adoptErr := s.adopt(ctx, mem); adoptErr != nil {
		reason.Message += " Earlier sessions can't be shown until then."
		reason.Detail += "; earlier sessions: " + adoptErr.Error()
	}
	s.db, s.reason = mem, reason
	return s, notices, nil
}

// disk opens the data file; a damaged one is put aside and a new one begun, which is reported.
func (s *Store) disk(ctx context.Context) (*database, []event.Notice, error) {
	db, err := openDisk(ctx, s.dir, s.steps, s.now())
	if err == nil || !damaged(err) {
		return db, nil, err
	}
	to, moveErr := moveAside(joinName(s.dir), s.now())
	if moveErr != nil {
		return nil, nil, errors.Join(err, moveErr)
	}
	notice := event.Notice{
		Level: event.LevelError,
		Class: event.ClassConfig,
		Text: "The saved sessions could not be read, because their file is damaged. It was kept as " + to +
			", and Keva began a new one.",
		Detail: err.Error(),
	}
	db, err = openDisk(ctx, s.dir, s.steps, s.now())
	return db, []event.Notice{notice}, err
}

// Close closes all handles. What was acknowledged is already on disk.
func (s *Store) Close() error {
	s.mode.Lock()
	defer s.mode.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return s.db.close()
}

// Ephemeral is nil while data is kept on disk, else a *event.Error with cause and remedy.
func (s *Store) Ephemeral() error {
	s.mode.RLock()
	defer s.mode.RUnlock()
	if s.reason == nil {
		return nil
	}
	return s.reason
}

// reading runs f on a handle that only reads.
func (s *Store) reading(ctx context.Context, f func(ctx context.Context, db *sql.DB) error) error {
	s.mode.RLock()
	defer s.mode.RUnlock()
	return f(ctx, s.db.read)
}

// writing runs f in one transaction. When the disk fails, everything moves into memory and f runs once more there, so
// the caller's change is held, and Ephemeral says that it is held no better than that.
func (s *Store) writing(ctx context.Context, f func(*sql.Tx) error) error {
	s.mode.RLock()
	db, broken := s.db, s.reason != nil && s.db.path != ""
	err := s.write(ctx, db, f)
	s.mode.RUnlock()
	if err == nil {
		if broken {
			s.mode.Lock()
			if s.db == db {
				s.reason = nil // the disk works again
			}
			s.mode.Unlock()
		}
		return nil
	}
	reason := diskReason(s.dir, err)
	if reason == nil || db.path == "" {
		return err
	}

	s.mode.Lock()
	defer s.mode.Unlock()
	if s.closed {
		return err
	}
	if s.db == db { // else another writer met the same failure first
		if copyErr := s.fallBack(ctx, reason); copyErr != nil {
			s.reason = reason
			return errors.Join(err, copyErr)
		}
	}
	return s.write(ctx, s.db, f)
}

func (s *Store) write(ctx context.Context, db *database, f func(*sql.Tx) error) error {
	return inTx(ctx, db.write, func(tx *sql.Tx) error {
		if db.gone() {
			return errGone
		}
		return f(tx)
	})
}

package store

import (
	"context"
	"database/sql"
	"errors"

	"keva/agent/event"
)

// Retry tries to go back to disk, and takes along what is in memory: sessions, events, settings and deletions. What the
// disk has and memory has not stays. While it fails, everything is held in memory as before, and the error, a
// *event.Error, is the new reason. On disk already, it does nothing.
func (s *Store) Retry(ctx context.Context) ([]event.Notice, error) {
	s.mode.Lock()
	defer s.mode.Unlock()
	if s.reason == nil || s.closed {
		return nil, nil
	}
	if s.db.path != "" { // broken, and memory could not take over: the next write shows whether it works again
		s.reason = nil
		return nil, nil
	}
	disk, notices, err := s.disk(ctx)
	if err == nil {
		if err = merge(ctx, s.db, disk, s.deleted); err != nil {
			err = errors.Join(err, disk.close())
		}
	}
	if err != nil {
		if r := diskReason(s.dir, err); r != nil {
			s.reason = r
			return notices, r
		}
		return notices, openError(s.dir, err)
	}
	// Everything is on disk now; memory that can't be freed is worth a line, not a failure.
	if err := s.db.close(); err != nil {
		notices = append(notices, event.Notice{
			Level: event.LevelInfo, Text: "Keva is saving to disk again, but could not free some memory.", Detail: err.Error(),
		})
	}
	s.db, s.reason, s.deleted = disk, nil, nil
	return notices, nil
}

// merge brings what src has into dst in one transaction: from memory back to disk, and from a failing disk into memory.
// Events are added behind those that dst has; where they would not follow on, nothing is changed and the error says so.
// src is read through its writer, the one connection that is open for certain: a removed file can't be opened again.
//
// Rows are copied, not pages: SQLite's own backup would make the in-memory database one with a journal on disk.
func merge(ctx context.Context, src, dst *database, deleted []string) error {
	return inTx(ctx, dst.write, func(tx *sql.Tx) error {
		for _, id := range deleted {
			if _, err := tx.Exec("DELETE FROM sessions WHERE id = ?", id); err != nil {
				return err
			}
		}
		if err := mergeValues(ctx, src.write, tx); err != nil {
			return err
		}
		metas, err := sessions(ctx, src.write)
		if err != nil {
			return err
		}
		for _, m := range metas {
			if err := putSession(tx, m); err != nil {
				return err
			}
			if err := mergeEvents(ctx, src.write, tx, m.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

func mergeValues(ctx context.Context, src *sql.DB, tx *sql.Tx) (err error) {
	rows, err := src.QueryContext(ctx, "SELECT key, value FROM kv")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var k, v string
		if err := rows.Scan(&k, &v); err != nil {
			return err
		}
		if err := putValue(tx, k, v); err != nil {
			return err
		}
	}
	return rows.Err()
}

func mergeEvents(ctx context.Context, src *sql.DB, tx *sql.Tx, id string) (err error) {
	last, err := lastSeq(tx, id)
	if err != nil {
		return err
	}
	add, err := newInserter(tx, id, last)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, add.close()) }()
	rows, err := src.QueryContext(ctx, selectEvents+" ORDER BY seq", id, last)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		r, err := scanEvent(rows)
		if err != nil {
			return err
		}
		if err := add.row(r); err != nil {
			return err
		}
	}
	return rows.Err()
}

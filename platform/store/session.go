package store

import (
	"context"
	"database/sql"
	"errors"

	"keva/agent/session"
)

const metaColumns = `id, title, dir, engine, engine_session, provider, model, effort, created, updated, badge, line, draft`

// PutSession inserts or updates a session; its events stay.
func (s *Store) PutSession(ctx context.Context, m session.Meta) error {
	return s.writing(ctx, func(tx *sql.Tx) error { return putSession(tx, m) })
}

// putSession updates in place: REPLACE would delete the old row, and with it, by the foreign key, every event.
func putSession(tx *sql.Tx, m session.Meta) error {
	_, err := tx.Exec(`INSERT INTO sessions (`+metaColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET title = excluded.title, dir = excluded.dir, engine = excluded.engine,
			engine_session = excluded.engine_session, provider = excluded.provider, model = excluded.model,
			effort = excluded.effort, created = excluded.created, updated = excluded.updated,
			badge = excluded.badge, line = excluded.line, draft = excluded.draft`,
		m.ID, m.Title, m.Dir, m.Engine, m.EngineSession, m.Provider, m.Model, m.Effort,
		nanos(m.Created), nanos(m.Updated), string(m.Badge), m.Line, m.Draft)
	return err
}

// Session returns session.ErrNotFound for one that does not exist.
func (s *Store) Session(ctx context.Context, id string) (session.Meta, error) {
	var m session.Meta
	err := s.reading(ctx, func(ctx context.Context, db *sql.DB) error {
		var err error
		m, err = scanMeta(db.QueryRowContext(ctx, "SELECT "+metaColumns+" FROM sessions WHERE id = ?", id))
		if errors.Is(err, sql.ErrNoRows) {
			return session.ErrNotFound
		}
		return err
	})
	return m, err
}

// Sessions lists all, newest Updated first.
func (s *Store) Sessions(ctx context.Context) ([]session.Meta, error) {
	var out []session.Meta
	err := s.reading(ctx, func(ctx context.Context, db *sql.DB) (err error) {
		out, err = sessions(ctx, db)
		return err
	})
	return out, err
}

func sessions(ctx context.Context, db *sql.DB) (out []session.Meta, err error) {
	rows, err := db.QueryContext(ctx, "SELECT "+metaColumns+" FROM sessions ORDER BY updated DESC, id")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		m, err := scanMeta(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, rows.Err()
}

// DeleteSession removes a session with its events, approvals and words in the search index, and gives the space back.
// One that does not exist is no error: what was asked for is true.
func (s *Store) DeleteSession(ctx context.Context, id string) error {
	err := s.writing(ctx, func(tx *sql.Tx) error {
		_, err := tx.Exec("DELETE FROM sessions WHERE id = ?", id)
		return err
	})
	if err != nil {
		return err
	}
	s.mode.Lock()
	if s.reason != nil {
		s.deleted = append(s.deleted, id)
	}
	s.mode.Unlock()

	s.mode.RLock()
	defer s.mode.RUnlock()
	if s.reason == nil && !s.closed {
		// The deletion itself is done and durable. Space that can't be given back now is reused by the next events, and a
		// disk that fails here fails at the next write too, where it is handled.
		_ = shrink(ctx, s.db.write)
	}
	return nil
}

// shrink gives free pages back to the system. The pragma frees one page per row that is read from it.
func shrink(ctx context.Context, db *sql.DB) (err error) {
	rows, err := db.QueryContext(ctx, "PRAGMA incremental_vacuum")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		continue // the step itself is the work
	}
	return rows.Err()
}

func scanMeta(row interface{ Scan(...any) error }) (session.Meta, error) {
	var m session.Meta
	var created, updated int64
	var badge string
	err := row.Scan(&m.ID, &m.Title, &m.Dir, &m.Engine, &m.EngineSession, &m.Provider, &m.Model, &m.Effort,
		&created, &updated, &badge, &m.Line, &m.Draft)
	m.Created, m.Updated, m.Badge = fromNanos(created), fromNanos(updated), session.Badge(badge)
	return m, err
}

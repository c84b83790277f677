package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"keva/agent/event"
	"keva/agent/session"
)

// SeqError says that an event does not continue the stored ones. It is a fault of the program, and nothing was stored.
type SeqError struct {
	Session   string
	Want, Got int64
}

func (e *SeqError) Error() string {
	return fmt.Sprintf("session %s: the next event has seq %d, not %d", e.Session, e.Want, e.Got)
}

// Append adds events of one session in one transaction: all of them, or none. When it returns nil they are on the disk,
// or Ephemeral says why not. A gap or a repetition is a *SeqError, an unknown session is session.ErrNotFound.
func (s *Store) Append(ctx context.Context, evs []event.Event) error {
	if len(evs) == 0 {
		return nil
	}
	rows := make([]eventRow, len(evs))
	for i, e := range evs {
		if e.Session != evs[0].Session {
			return fmt.Errorf("events of two sessions in one batch: %s and %s", evs[0].Session, e.Session)
		}
		if e.Body == nil {
			return fmt.Errorf("session %s: event %d has no body", e.Session, e.Seq)
		}
		body, err := event.EncodeBody(e.Body)
		if err != nil {
			return fmt.Errorf("session %s: event %d (%s): %w", e.Session, e.Seq, e.Body.Kind(), err)
		}
		rows[i] = eventRow{e.Seq, nanos(e.Time), e.Turn, e.Scope, string(e.Body.Kind()), string(body)}
	}
	return s.writing(ctx, func(tx *sql.Tx) (err error) {
		var exists bool
		err = tx.QueryRow("SELECT EXISTS (SELECT 1 FROM sessions WHERE id = ?)", evs[0].Session).Scan(&exists)
		if err != nil {
			return err
		}
		if !exists {
			return session.ErrNotFound
		}
		last, err := lastSeq(tx, evs[0].Session)
		if err != nil {
			return err
		}
		add, err := newInserter(tx, evs[0].Session, last)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, add.close()) }()
		for _, r := range rows {
			if err := add.row(r); err != nil {
				return err
			}
		}
		return nil
	})
}

// Events reads in order of Seq, those with Seq > after, at most limit (0 = all). A body that can't be decoded becomes an
// Unrecognised: one damaged row must not hide the others.
func (s *Store) Events(ctx context.Context, id string, after int64, limit int) ([]event.Event, error) {
	var out []event.Event
	err := s.reading(ctx, func(ctx context.Context, db *sql.DB) (err error) {
		query, args := selectEvents+" ORDER BY seq", []any{id, after}
		if limit > 0 {
			query, args = query+" LIMIT ?", append(args, limit)
		}
		rows, err := db.QueryContext(ctx, query, args...)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		for rows.Next() {
			r, err := scanEvent(rows)
			if err != nil {
				return err
			}
			out = append(out, r.event(id))
		}
		return rows.Err()
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

const selectEvents = "SELECT seq, time, turn, scope, kind, body FROM events WHERE session = ? AND seq > ?"

// eventRow is a stored event. The body stays text, so a kind that this version does not know is copied unharmed.
type eventRow struct {
	seq, time               int64
	turn, scope, kind, body string
}

func scanEvent(rows *sql.Rows) (eventRow, error) {
	var r eventRow
	err := rows.Scan(&r.seq, &r.time, &r.turn, &r.scope, &r.kind, &r.body)
	return r, err
}

func (r eventRow) event(id string) event.Event {
	body, err := event.DecodeBody(event.Kind(r.kind), []byte(r.body))
	if err != nil {
		body = event.NewUnrecognised("damaged event "+r.kind, []byte(r.body))
	}
	return event.Event{Seq: r.seq, Time: fromNanos(r.time), Session: id, Turn: r.turn, Scope: r.scope, Body: body}
}

// inserter adds rows of one session and lets none out of order through.
type inserter struct {
	session string
	last    int64
	stmt    *sql.Stmt
}

func newInserter(tx *sql.Tx, id string, last int64) (*inserter, error) {
	stmt, err := tx.Prepare("INSERT INTO events (session, seq, time, turn, scope, kind, body) VALUES (?, ?, ?, ?, ?, ?, ?)")
	if err != nil {
		return nil, err
	}
	return &inserter{id, last, stmt}, nil
}

func (i *inserter) row(r eventRow) error {
	if r.seq != i.last+1 {
		return &SeqError{i.session, i.last + 1, r.seq}
	}
	if _, err := i.stmt.Exec(i.session, r.seq, r.time, r.turn, r.scope, r.kind, r.body); err != nil {
		return err
	}
	i.last = r.seq
	return nil
}

func (i *inserter) close() error { return i.stmt.Close() }

func lastSeq(tx *sql.Tx, id string) (int64, error) {
	var n int64
	err := tx.QueryRow("SELECT coalesce(max(seq), 0) FROM events WHERE session = ?", id).Scan(&n)
	return n, err
}

// nanos stores a time; the zero time is 0.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func fromNanos(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

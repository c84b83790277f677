package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"keva/agent/event"
)

// Approval is one request and its answer, as the list of what was allowed shows it. It is derived from the events.
type Approval struct {
	Session  string
	ID       string
	AskedSeq int64 // the event that asked
	Question bool  // a question to the user, not an approval
	Turn     string
	Scope    string
	Tool     event.Tool
	Title    string
	Command  string
	Asked    time.Time
	Decision event.Decision // "" while nobody has answered
	By       event.By
	Reason   string
	Resolved time.Time
}

// Approvals lists the requests of a session in the order in which they were asked; of all sessions, oldest first, when
// id is "".
func (s *Store) Approvals(ctx context.Context, id string) ([]Approval, error) {
	var out []Approval
	err := s.reading(ctx, func(ctx context.Context, db *sql.DB) (err error) {
		rows, err := db.QueryContext(ctx, `SELECT session, id, asked_seq, kind, turn, scope, tool, title, command, asked,
			coalesce(decision, ''), decided_by, reason, resolved
			FROM approvals WHERE ?1 = '' OR session = ?1 ORDER BY asked, session, asked_seq`, id)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		for rows.Next() {
			var a Approval
			var kind string
			var asked, resolved int64
			if err := rows.Scan(&a.Session, &a.ID, &a.AskedSeq, &kind, &a.Turn, &a.Scope, &a.Tool, &a.Title, &a.Command,
				&asked, &a.Decision, &a.By, &a.Reason, &resolved); err != nil {
				return err
			}
			a.Question = event.Kind(kind) == event.KindQuestionAsked
			a.Asked, a.Resolved = fromNanos(asked), fromNanos(resolved)
			out = append(out, a)
		}
		return rows.Err()
	})
	return out, err
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"
	"unicode"
)

// Hit is the best match in one session.
type Hit struct {
	Session string
	Title   string
	Seq     int64 // the event that holds the text
	Time    time.Time
	Snippet []Piece
}

// Piece is a part of a snippet; Match says that it is what was searched for.
type Piece struct {
	Text  string
	Match bool
}

// Bounds of a search: more words or rows than these change nothing that a person would notice.
const (
	maxWords   = 16
	rowsPerHit = 20
)

// Search finds the words of query in what users and engines said, one hit per session, best first. All words must occur
// in the text, the last one may be the beginning of a word. Any input is safe; one without letters or digits finds
// nothing. limit <= 0 means 50.
func (s *Store) Search(ctx context.Context, query string, limit int) ([]Hit, error) {
	match := matchExpression(query)
	if match == "" {
		return nil, nil
	}
	if limit <= 0 {
		limit = 50
	}
	var hits []Hit
	err := s.reading(ctx, func(ctx context.Context, db *sql.DB) (err error) {
		rows, err := db.QueryContext(ctx, `
			SELECT e.session, s.title, e.seq, e.time, snippet(texts, 0, char(2), char(3), '…', 16)
			FROM texts JOIN events e ON e.id = texts.rowid JOIN sessions s ON s.id = e.session
			WHERE texts MATCH ? ORDER BY texts.rank LIMIT ?`, match, limit*rowsPerHit)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		seen := map[string]bool{}
		for rows.Next() && len(hits) < limit {
			var h Hit
			var at int64
			var snippet string
			if err := rows.Scan(&h.Session, &h.Title, &h.Seq, &at, &snippet); err != nil {
				return err
			}
			if seen[h.Session] {
				continue
			}
			seen[h.Session] = true
			h.Time, h.Snippet = fromNanos(at), pieces(snippet)
			hits = append(hits, h)
		}
		return rows.Err()
	})
	return hits, err
}

// matchExpression makes an FTS5 expression of quoted words, so that no input can be read as an operator or be malformed.
func matchExpression(query string) string {
	var words []string
	for _, w := range strings.FieldsFunc(query, func(r rune) bool { return unicode.IsSpace(r) || r == 0 }) {
		if !strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			continue
		}
		if words = append(words, `"`+strings.ReplaceAll(w, `"`, `""`)+`"`); len(words) == maxWords {
			break
		}
	}
	if len(words) == 0 {
		return ""
	}
	return strings.Join(words, " AND ") + "*"
}

// pieces splits a snippet at its marks. A text that holds these control characters itself is only highlighted oddly.
func pieces(snippet string) []Piece {
	var out []Piece
	for i, part := range strings.Split(snippet, "\x02") {
		in, after, marked := strings.Cut(part, "\x03")
		if i == 0 || !marked {
			in, after = "", part
		}
		if in != "" {
			out = append(out, Piece{in, true})
		}
		if after != "" {
			out = append(out, Piece{after, false})
		}
	}
	return out
}

package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
)

// Value reads a small value of the app, JSON; nil when there is none.
func (s *Store) Value(ctx context.Context, key string) (json.RawMessage, error) {
	var v string
	err := s.reading(ctx, func(ctx context.Context, db *sql.DB) error {
		return db.QueryRowContext(ctx, "SELECT value FROM kv WHERE key = ?", key).Scan(&v)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return json.RawMessage(v), nil
}

// PutValue stores a small value of the app. It must be JSON and must never hold a secret.
func (s *Store) PutValue(ctx context.Context, key string, value json.RawMessage) error {
	if !json.Valid(value) {
		return fmt.Errorf("value of %q is not JSON", key)
	}
	return s.writing(ctx, func(tx *sql.Tx) error { return putValue(tx, key, string(value)) })
}

func putValue(tx *sql.Tx, key, value string) error {
	_, err := tx.Exec(`INSERT INTO kv (key, value) VALUES (?, ?)
		ON CONFLICT (key) DO UPDATE SET value = excluded.value`, key, value)
	return err
}

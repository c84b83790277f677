package store

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"keva/agent/event"
	"keva/agent/session"
)

var clock = time.Date(2026, 11, 30, 17, 0, 0, 123456789, time.UTC)

// TestMain is also the child of the kill test.
func TestMain(m *testing.M) {
	if dir := os.Getenv(killDir); dir != "" {
		appendForEver(dir)
	}
	os.Exit(m.Run())
}

func mustOpen(t testing.TB, dir string) *Store {
	t.Helper()
	s, notices, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range notices {
		t.Errorf("unexpected notice: %s (%s)", n.Text, n.Detail)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// mustDisk opens a store and requires that it is on disk.
func mustDisk(t testing.TB, dir string) *Store {
	t.Helper()
	s := mustOpen(t, dir)
	if err := s.Ephemeral(); err != nil {
		t.Fatal(err)
	}
	return s
}

func meta(id string) session.Meta {
	return session.Meta{
		ID: id, Title: "Fix the test", Dir: "/srv/project", Engine: "claude", EngineSession: "e-1", Provider: "demo",
		Model: "m", Effort: "high", Created: clock, Updated: clock, Badge: session.BadgeRunning, Line: "running", Draft: "and",
	}
}

func begin(t testing.TB, s *Store, id string) {
	t.Helper()
	if err := s.PutSession(t.Context(), meta(id)); err != nil {
		t.Fatal(err)
	}
}

func add(t testing.TB, s *Store, evs ...event.Event) {
	t.Helper()
	if err := s.Append(t.Context(), evs); err != nil {
		t.Fatal(err)
	}
}

// ev is event seq of a session.
func ev(id string, seq int64, b event.Body) event.Event {
	return event.Event{Seq: seq, Time: clock.Add(time.Duration(seq) * time.Second), Session: id, Turn: "t1", Body: b}
}

// said numbers bodies from first.
func said(id string, first int64, texts ...string) []event.Event {
	var evs []event.Event
	for i, text := range texts {
		evs = append(evs, ev(id, first+int64(i), event.TextFinal{Block: fmt.Sprint(i), Text: text}))
	}
	return evs
}

func all(t testing.TB, s *Store, id string) []event.Event {
	t.Helper()
	evs, err := s.Events(t.Context(), id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	return evs
}

// sane checks the file with SQLite's full check.
func sane(t testing.TB, s *Store) {
	t.Helper()
	// A connection of its own: FTS5 compares a structure that an older reader has cached with newer data.
	db := one(sql.OpenDB(newConnector(fileDSN(s.db.path, "ro"), onEvery)))
	defer func() { _ = db.Close() }()
	var verdict string
	if err := db.QueryRowContext(context.Background(), "PRAGMA integrity_check").Scan(&verdict); err != nil {
		t.Fatal(err)
	}
	if verdict != "ok" {
		t.Fatalf("integrity_check: %s", verdict)
	}
}

func glob(t testing.TB, dir, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

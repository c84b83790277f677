package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"keva/agent/event"
)

// fixture makes a data file as version v left it, with one session of a few events.
func fixture(t *testing.T, dir string, v int) {
	t.Helper()
	d, err := openDisk(t.Context(), dir, migrations()[:v], clock)
	if err != nil {
		t.Fatal(err)
	}
	s := &Store{dir: dir, db: d, steps: migrations()[:v], now: time.Now}
	begin(t, s, "s1")
	add(t, s, history...)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

var history = []event.Event{
	ev("s1", 1, event.UserMessage{ID: "m", Text: "please fix the zebra"}),
	ev("s1", 2, event.ApprovalAsked{ID: "a1", Tool: event.ToolCommand, Title: "go test", Command: "go test ./..."}),
	ev("s1", 3, event.ApprovalResolved{ID: "a1", Decision: event.Allow, By: event.ByUser}),
	ev("s1", 4, event.ApprovalResolved{ID: "a1", Decision: event.Deny, By: event.ByStop}),
	ev("s1", 5, event.TextFinal{Block: "b", Text: "The zebra is fixed."}),
}

// A user's old file must open in every later version with all that it had, and what is derived is filled in.
func TestEveryOldVersionOpens(t *testing.T) {
	for v := 1; v <= len(migrations()); v++ {
		t.Run(fmt.Sprint("from ", v), func(t *testing.T) {
			dir := t.TempDir()
			fixture(t, dir, v)
			s := mustDisk(t, dir)
			if got := all(t, s, "s1"); !reflect.DeepEqual(got, history) {
				t.Errorf("events: %+v", got)
			}
			as, err := s.Approvals(t.Context(), "s1")
			if err != nil || len(as) != 1 || as[0].Decision != event.Allow || as[0].AskedSeq != 2 {
				t.Errorf("approvals: %+v, %v", as, err)
			}
			hits, err := s.Search(t.Context(), "zebra", 0)
			if err != nil || len(hits) != 1 {
				t.Errorf("search: %+v, %v", hits, err)
			}
			add(t, s, said("s1", 6, "goes on")...)
			sane(t, s)

			want := 1
			if v == len(migrations()) {
				want = 0 // nothing to migrate, nothing to back up
			}
			backups := glob(t, dir, "*.backup-*")
			if len(backups) != want {
				t.Fatalf("backups: %v", backups)
			}
			for _, b := range backups {
				old := filepath.Join(t.TempDir(), "old")
				if err := os.Mkdir(old, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.Rename(b, filepath.Join(old, FileName)); err != nil {
					t.Fatal(err)
				}
				if got, _, err := check(t.Context(), filepath.Join(old, FileName)); err != nil || got != v {
					t.Errorf("the backup has version %d, %v", got, err)
				}
				if got := all(t, mustDisk(t, old), "s1"); !reflect.DeepEqual(got, history) {
					t.Errorf("the backup holds %+v", got)
				}
			}
		})
	}
}

func TestTheLastTwoBackupsStay(t *testing.T) {
	dir := t.TempDir()
	fixture(t, dir, 1)
	db := one(sql.OpenDB(newConnector(fileDSN(joinName(dir), "rw"), onEvery)))
	defer func() { _ = db.Close() }()
	for i := range 4 {
		if err := backup(t.Context(), db, joinName(dir), 1, clock.Add(time.Duration(i)*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	got := glob(t, dir, "*.backup*")
	if len(got) != 2 || !strings.Contains(got[0], "T170200") || !strings.Contains(got[1], "T170300") {
		t.Fatal(got)
	}
	if fi, err := os.Stat(got[0]); err != nil || fi.Mode().Perm() != 0o600 {
		t.Error(fi.Mode(), err)
	}
}

// A step that fails half-way must leave the version before it, not something in between.
func TestFailedMigrationChangesNothing(t *testing.T) {
	dir := t.TempDir()
	fixture(t, dir, 1)
	bad := append(migrations()[:1:1], migration{2, "0002_bad.sql", "CREATE TABLE half (x); INSERT INTO nowhere VALUES (1);"})
	_, _, err := open(t.Context(), dir, bad, time.Now)
	var e *event.Error
	if !errors.As(err, &e) || !strings.Contains(e.Detail, "0002_bad.sql") {
		t.Fatalf("%v", err)
	}
	if v, _, err := check(t.Context(), joinName(dir)); err != nil || v != 1 {
		t.Fatalf("version %d, %v", v, err)
	}
	s := mustDisk(t, dir) // the good steps still work
	if got := all(t, s, "s1"); !reflect.DeepEqual(got, history) {
		t.Errorf("%+v", got)
	}
}

// A downgrade must not touch a file that it does not understand.
func TestNewerFileIsRefusedUntouched(t *testing.T) {
	dir := t.TempDir()
	fixture(t, dir, len(migrations()))
	future := append(migrations(), migration{len(migrations()) + 1, "future", "CREATE TABLE future (x)"})
	d, err := openDisk(context.Background(), dir, future, clock)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.close(); err != nil {
		t.Fatal(err)
	}
	backups := glob(t, dir, "*.backup*")
	before, err := os.ReadFile(joinName(dir))
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := Open(t.Context(), dir)
	var e *event.Error
	if s != nil || !errors.As(err, &e) || !strings.Contains(e.Message, "newer version") {
		t.Fatalf("%v, %v", s, err)
	}
	after, err := os.ReadFile(joinName(dir))
	if err != nil || !reflect.DeepEqual(before, after) {
		t.Fatalf("the file was changed (%v)", err)
	}
	if now := glob(t, dir, "*.backup*"); !reflect.DeepEqual(now, backups) {
		t.Error(now)
	}
}

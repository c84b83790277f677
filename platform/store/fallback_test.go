package store

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/agent/session"
)

// reasonOf requires that nothing is kept, for a reason that a person can act on.
func reasonOf(t *testing.T, s *Store, words string) {
	t.Helper()
	var e *event.Error
	if err := s.Ephemeral(); !errors.As(err, &e) {
		t.Fatalf("Ephemeral: %v", err)
	}
	if !strings.Contains(e.Message, words) || !strings.Contains(strings.ToLower(e.Message), "try again") || e.Detail == "" {
		t.Fatalf("reason %q (%q)", e.Message, e.Detail)
	}
}

// A data folder that can't be made must not stop the work, and must not be silent.
func TestUnusableFolderFallsBackToMemoryAndRetryGoesBack(t *testing.T) {
	parent := filepath.Join(t.TempDir(), "parent")
	if err := os.WriteFile(parent, nil, 0o600); err != nil { // a file where a folder must be: also root can't write there
		t.Fatal(err)
	}
	dir := filepath.Join(parent, "data")
	s := mustOpen(t, dir)
	reasonOf(t, s, "can't be used")
	begin(t, s, "s1")
	add(t, s, said("s1", 1, "a", "b")...)
	if err := s.PutValue(t.Context(), "k", []byte(`1`)); err != nil {
		t.Fatal(err)
	}
	if hits, err := s.Search(t.Context(), "a", 0); err != nil || len(hits) != 1 {
		t.Errorf("search in memory: %v, %v", hits, err)
	}
	if _, err := s.Retry(t.Context()); err == nil {
		t.Fatal("Retry on a folder that still can't be used")
	}
	reasonOf(t, s, "can't be used")
	if len(all(t, s, "s1")) != 2 {
		t.Fatal("a failed Retry lost what memory had")
	}

	if err := os.Remove(parent); err != nil {
		t.Fatal(err)
	}
	if notices, err := s.Retry(t.Context()); err != nil || len(notices) != 0 || s.Ephemeral() != nil {
		t.Fatalf("%v, %v, %v", notices, err, s.Ephemeral())
	}
	add(t, s, said("s1", 3, "c")...)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustDisk(t, dir)
	if got := all(t, s, "s1"); !reflect.DeepEqual(got, append(said("s1", 1, "a", "b"), said("s1", 3, "c")...)) {
		t.Errorf("%+v", got)
	}
	if v, err := s.Value(t.Context(), "k"); err != nil || string(v) != `1` {
		t.Errorf("%s, %v", v, err)
	}
	if hits, err := s.Search(t.Context(), "b", 0); err != nil || len(hits) != 1 {
		t.Errorf("search after Retry: %v, %v", hits, err)
	}
}

// A file that can be read but not written must still show the earlier sessions, and take what comes after.
func TestUnwritableFileStillShowsWhatIsInIt(t *testing.T) {
	dir := t.TempDir()
	s := mustDisk(t, dir)
	begin(t, s, "s1")
	begin(t, s, "s2")
	add(t, s, said("s1", 1, "zebra")...)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(joinName(dir))
	if err != nil {
		t.Fatal(err)
	}
	inTheWay := joinName(dir) + "-wal" // no journal can be made: nobody can write, not even root
	if err := os.Mkdir(inTheWay, 0o700); err != nil {
		t.Fatal(err)
	}

	s = mustOpen(t, dir)
	reasonOf(t, s, "can't be used")
	if hits, err := s.Search(t.Context(), "zebra", 0); err != nil || len(hits) != 1 {
		t.Fatalf("the earlier session is not shown: %v, %v", hits, err)
	}
	add(t, s, said("s1", 2, "more")...)
	if err := s.DeleteSession(t.Context(), "s2"); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(joinName(dir)); err != nil || !bytes.Equal(before, after) {
		t.Fatal("the file was changed", err)
	}
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Retry(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustDisk(t, dir)
	if got := all(t, s, "s1"); !reflect.DeepEqual(got, append(said("s1", 1, "zebra"), said("s1", 2, "more")...)) {
		t.Errorf("%+v", got)
	}
	if _, err := s.Session(t.Context(), "s2"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("what was deleted is back: %v", err)
	}
	sane(t, s)
}

// The disk fills in the middle of a turn: every acknowledged event stays readable, and goes to disk once there is room.
func TestFullDiskInTheMiddle(t *testing.T) {
	dir := t.TempDir()
	s := mustDisk(t, dir)
	begin(t, s, "old")
	begin(t, s, "s1")
	begin(t, s, "gone")
	add(t, s, said("old", 1, "before")...)
	if _, err := s.db.write.Exec("PRAGMA max_page_count = 60"); err != nil {
		t.Fatal(err)
	}
	var want []event.Event
	for i := int64(1); s.Ephemeral() == nil; i++ {
		if i > 1000 {
			t.Fatal("the disk never filled")
		}
		e := ev("s1", i, event.ToolOutput{ID: "c", Text: strings.Repeat("x", 10_000)})
		add(t, s, e) // returns nil also for the batch that met the full disk
		want = append(want, e)
	}
	reasonOf(t, s, "storage is full")
	more := said("s1", int64(len(want))+1, "in memory")
	add(t, s, more...)
	want = append(want, more...)
	if got := all(t, s, "s1"); !reflect.DeepEqual(got, want) {
		t.Fatalf("%d events in memory, want %d", len(got), len(want))
	}
	if got := all(t, s, "old"); len(got) != 1 {
		t.Fatal("an older session can't be read any more")
	}
	if err := s.DeleteSession(t.Context(), "gone"); err != nil {
		t.Fatal(err)
	}
	m := meta("s1")
	m.Title = "Renamed in memory"
	if err := s.PutSession(t.Context(), m); err != nil {
		t.Fatal(err)
	}

	if _, err := s.Retry(t.Context()); err != nil || s.Ephemeral() != nil {
		t.Fatal(err, s.Ephemeral())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustDisk(t, dir)
	if got := all(t, s, "s1"); !reflect.DeepEqual(got, want) {
		t.Errorf("%d events on disk, want %d", len(got), len(want))
	}
	if got, err := s.Session(t.Context(), "s1"); err != nil || got.Title != m.Title {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := s.Session(t.Context(), "gone"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("what was deleted in memory is back: %v", err)
	}
	sane(t, s)
}

// SQLite writes into a removed file without an error; the user would lose everything at the next start.
func TestRemovedFileIsNoticed(t *testing.T) {
	dir := t.TempDir()
	s := mustDisk(t, dir)
	begin(t, s, "s1")
	add(t, s, said("s1", 1, "a")...)
	for _, n := range glob(t, dir, "*") {
		if err := os.Remove(n); err != nil {
			t.Fatal(err)
		}
	}
	add(t, s, said("s1", 2, "b")...)
	reasonOf(t, s, "was removed")
	if _, err := s.Retry(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := all(t, mustDisk(t, dir), "s1"); len(got) != 2 {
		t.Fatalf("%d events", len(got))
	}
}

// A damaged file is kept, a new one is begun, and the user is told where the old one lies.
func TestDamagedFileIsPutAside(t *testing.T) {
	for name, damage := range map[string]func([]byte){
		"no database": func(b []byte) { copy(b, "this is not a database at all...") },
		"broken page": func(b []byte) {
			for i := 4096; i < len(b); i += 4096 {
				copy(b[i:], bytes.Repeat([]byte{0xfe}, 200))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := mustDisk(t, dir)
			begin(t, s, "s1")
			for i := range int64(50) {
				add(t, s, said("s1", i+1, strings.Repeat("text ", 500))...)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(joinName(dir))
			if err != nil {
				t.Fatal(err)
			}
			damage(data)
			if err := os.WriteFile(joinName(dir), data, 0o600); err != nil {
				t.Fatal(err)
			}

			s, notices, err := Open(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			aside := glob(t, dir, "*.damaged-*Z")
			if len(aside) != 1 || len(notices) != 1 || !strings.Contains(notices[0].Text, aside[0]) {
				t.Fatalf("aside %v, notices %+v", aside, notices)
			}
			if kept, err := os.ReadFile(aside[0]); err != nil || !bytes.Equal(kept, data) {
				t.Errorf("the damaged file was changed: %v", err)
			}
			if s.Ephemeral() != nil {
				t.Error(s.Ephemeral())
			}
			begin(t, s, "new")
			add(t, s, said("new", 1, "works")...)
		})
	}
}

// Random damage anywhere must never crash, and never end in an error that leaves the user without an app.
func TestRandomDamageAlwaysOpens(t *testing.T) {
	dir := t.TempDir()
	s := mustDisk(t, dir)
	begin(t, s, "s1")
	for i := range int64(30) {
		add(t, s, said("s1", i+1, strings.Repeat("text ", 100))...)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(joinName(dir))
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for round := range 40 {
		dir := filepath.Join(t.TempDir(), "data")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		bad := bytes.Clone(good)
		if round%4 == 0 {
			bad = bad[:rnd.IntN(len(bad))]
		} else {
			for range 1 + rnd.IntN(20) {
				bad[rnd.IntN(len(bad))] = byte(rnd.Int())
			}
		}
		if err := os.WriteFile(joinName(dir), bad, 0o600); err != nil {
			t.Fatal(err)
		}
		s, notices, err := Open(t.Context(), dir)
		if err != nil {
			t.Errorf("round %d: %v", round, fmt.Sprintf("%#v", err))
			continue
		}
		if err := s.Ephemeral(); err != nil {
			t.Errorf("round %d: in memory: %v", round, err)
		}
		if len(notices) == 0 {
			// Not found at open: then reading may fail, with an error.
			_, _ = s.Events(t.Context(), "s1", 0, 0)
		}
		_ = s.Close()
	}
}

// The search index is derived: damage to it alone must not put the transcripts aside, and must not stop the next event.
func TestDamagedSearchIndexIsRebuilt(t *testing.T) {
	dir := t.TempDir()
	s := mustDisk(t, dir)
	begin(t, s, "s1")
	add(t, s, said("s1", 1, "zebra")...)
	if _, err := s.db.write.Exec("UPDATE texts_data SET block = x'00' WHERE id > 10"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, search, err := check(t.Context(), joinName(dir)); search == nil || err != nil {
		t.Fatalf("the damage was not seen as one of the index: %v, %v", search, err)
	}
	s = mustDisk(t, dir)
	add(t, s, said("s1", 2, "zebra again")...)
	if hits, err := s.Search(t.Context(), "zebra", 0); err != nil || len(hits) != 1 {
		t.Errorf("%v, %v", hits, err)
	}
	sane(t, s)
}

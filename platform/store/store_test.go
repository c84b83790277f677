package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"keva/agent/event"
	"keva/agent/session"
)

// I-4: what is persisted is what was shown: every kind of event comes back as it went in, after a restart.
func TestEventsComeBackAsTheyWereAfterAReopen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b?c#d%25é*[x]") // a path must not be read as a URL or a pattern
	s := mustDisk(t, dir)
	begin(t, s, "s1")
	code := 3
	bodies := []event.Body{
		event.UserMessage{ID: "m1", Text: "nul \x00, emoji 👩‍👩‍👧, quote ' \" and \u202e", Delivery: event.DeliveryPrompt},
		event.ToolEnded{ID: "c1", Outcome: event.Failure, Output: strings.Repeat("x", 3<<20), ExitCode: &code},
		event.FileChange{ID: "c2", Outcome: event.Success, Changes: []event.Change{{
			Path: "/a", Kind: event.ChangeUpdate, Hunks: []event.Hunk{{OldStart: 1, OldLines: 1, NewStart: 1, NewLines: 1, Lines: []string{"-a", "+b"}}},
		}}},
		event.Unrecognised{Type: "new", Raw: `{"x":1}`, Size: 7},
		event.TurnCompleted{Outcome: event.Unknown, Origin: event.OriginUser, Error: &event.Error{Class: event.ClassServer, Message: "m"}},
	}
	var want []event.Event
	for i, b := range bodies {
		want = append(want, ev("s1", int64(i+1), b))
	}
	want[1].Scope = "task-1"
	add(t, s, want[:2]...)
	add(t, s, want[2:]...)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	s = mustDisk(t, dir)
	if got := all(t, s, "s1"); !reflect.DeepEqual(got, want) {
		t.Fatalf("got %+v", got)
	}
	part, err := s.Events(t.Context(), "s1", 2, 2)
	if err != nil || !reflect.DeepEqual(part, want[2:4]) {
		t.Fatalf("after 2, limit 2: %+v, %v", part, err)
	}
	m, err := s.Session(t.Context(), "s1")
	if err != nil || m != meta("s1") {
		t.Fatalf("%+v, %v", m, err)
	}
	sane(t, s)
}

// A gap or a repetition would make the transcript differ from what was shown; nothing of such a batch may stay.
func TestAppendRefusesWhatDoesNotContinue(t *testing.T) {
	s := mustDisk(t, t.TempDir())
	begin(t, s, "s1")
	add(t, s, said("s1", 1, "a", "b")...)
	for _, c := range []struct {
		name      string
		evs       []event.Event
		want, got int64
	}{
		{"gap", said("s1", 4, "x"), 3, 4},
		{"repetition", said("s1", 2, "x"), 3, 2},
		{"gap inside the batch", append(said("s1", 3, "x"), said("s1", 5, "y")...), 4, 5},
		{"not numbered", said("s1", 0, "x"), 3, 0},
	} {
		err := s.Append(t.Context(), c.evs)
		var seq *SeqError
		if !errors.As(err, &seq) || seq.Want != c.want || seq.Got != c.got {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	mixed := append(said("s1", 3, "x"), said("s2", 4, "y")...)
	if err := s.Append(t.Context(), mixed); err == nil {
		t.Error("a batch of two sessions was taken")
	}
	if err := s.Append(t.Context(), []event.Event{{Seq: 3, Session: "s1"}}); err == nil {
		t.Error("an event without a body was taken")
	}
	if err := s.Append(t.Context(), said("nobody", 1, "x")); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("unknown session: %v", err)
	}
	if got := all(t, s, "s1"); len(got) != 2 {
		t.Fatalf("%d events after refused batches", len(got))
	}
}

// Renaming a session must not replace its row: the foreign key would take the transcript with it.
func TestPutSessionKeepsTheEvents(t *testing.T) {
	s := mustDisk(t, t.TempDir())
	begin(t, s, "s1")
	add(t, s, said("s1", 1, "a")...)
	m := meta("s1")
	m.Title, m.Badge, m.Draft = "Renamed", session.BadgeDone, ""
	if err := s.PutSession(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Session(t.Context(), "s1"); err != nil || got != m {
		t.Fatalf("%+v, %v", got, err)
	}
	if len(all(t, s, "s1")) != 1 {
		t.Fatal("the events are gone")
	}
}

func TestSessionsAreListedNewestFirst(t *testing.T) {
	s := mustDisk(t, t.TempDir())
	for i, id := range []string{"old", "new", "middle"} {
		m := meta(id)
		m.Updated = clock.AddDate(0, 0, []int{0, 2, 1}[i])
		if err := s.PutSession(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	list, err := s.Sessions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, m := range list {
		ids = append(ids, m.ID)
	}
	if !reflect.DeepEqual(ids, []string{"new", "middle", "old"}) {
		t.Fatal(ids)
	}
}

// Who deletes a session wants its words gone: from the tables, from the index, and from the bytes of the file.
func TestDeletedSessionLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	s := mustDisk(t, dir)
	begin(t, s, "s1")
	begin(t, s, "s2")
	add(t, s, ev("s1", 1, event.UserMessage{ID: "m", Text: "xylophoneconfidential " + strings.Repeat("filler ", 200_000)}))
	add(t, s, ev("s1", 2, event.ApprovalAsked{ID: "a", Tool: event.ToolCommand, Command: "ls"}))
	add(t, s, said("s2", 1, "stays")...)
	if err := s.DeleteSession(t.Context(), "s1"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Session(t.Context(), "s1"); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("session: %v", err)
	}
	if got := all(t, s, "s1"); len(got) != 0 {
		t.Errorf("%d events", len(got))
	}
	if got, err := s.Approvals(t.Context(), ""); err != nil || len(got) != 0 {
		t.Errorf("approvals %v, %v", got, err)
	}
	if hits, err := s.Search(t.Context(), "xylophoneconfidential", 0); err != nil || len(hits) != 0 {
		t.Errorf("search %v, %v", hits, err)
	}
	if err := s.DeleteSession(t.Context(), "s1"); err != nil {
		t.Errorf("again: %v", err)
	}
	sane(t, s)
	if err := s.Close(); err != nil { // folds the journal into the file
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), "xylophoneconf") {
		t.Error("the text is still in the file")
	}
	if len(data) > 300_000 {
		t.Errorf("the file still has %d bytes", len(data))
	}
}

// Other users of the machine must not read transcripts; the journals hold the same text.
func TestFilesArePrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := mustDisk(t, dir)
	begin(t, s, "s1")
	if fi, err := os.Stat(dir); err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("folder: %v, %v", fi.Mode(), err)
	}
	names := glob(t, dir, "*")
	if len(names) != 3 {
		t.Errorf("files: %v", names)
	}
	for _, n := range names {
		if fi, err := os.Stat(n); err != nil || fi.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", n, fi.Mode(), err)
		}
	}
}

// Every pragma must hold on the handles: a misspelt one is silently ignored by SQLite.
func TestPragmasHold(t *testing.T) {
	s := mustDisk(t, t.TempDir())
	for name, want := range map[string]string{
		"busy_timeout": "5000", "foreign_keys": "1", "temp_store": "2", "trusted_schema": "0", "cell_size_check": "1",
		"auto_vacuum": "2", "journal_mode": "wal", "synchronous": "2", "secure_delete": "1", "journal_size_limit": "16777216",
	} {
		var got string
		if err := s.db.write.QueryRow("PRAGMA " + name).Scan(&got); err != nil || got != want {
			t.Errorf("%s = %q, %v, want %q", name, got, err, want)
		}
	}
	if _, err := s.db.read.Exec("DELETE FROM sessions"); err == nil {
		t.Error("the reader can write")
	}
}

// A row that rots, or a kind from a newer version, must not hide the rest of the transcript.
func TestUnreadableRowIsShownAsUnrecognised(t *testing.T) {
	s := mustDisk(t, t.TempDir())
	begin(t, s, "s1")
	add(t, s, said("s1", 1, "a", "b", "c")...)
	for seq, set := range map[int]string{1: `body = '{"text":'`, 2: `kind = 'from_the_future'`} {
		if _, err := s.db.write.Exec(fmt.Sprintf("UPDATE events SET %s WHERE seq = %d", set, seq)); err != nil {
			t.Fatal(err)
		}
	}
	got := all(t, s, "s1")
	if len(got) != 3 {
		t.Fatalf("%d events", len(got))
	}
	if u, ok := got[0].Body.(event.Unrecognised); !ok || u.Type != "damaged event text_final" {
		t.Errorf("%#v", got[0].Body)
	}
	if u, ok := got[1].Body.(event.Unrecognised); !ok || u.Type != "event from_the_future" {
		t.Errorf("%#v", got[1].Body)
	}
}

// A caller that gives up before the write gets its error, and nothing is half done.
func TestCancelledAppendStoresNothing(t *testing.T) {
	s := mustDisk(t, t.TempDir())
	begin(t, s, "s1")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Append(ctx, said("s1", 1, "a")); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if len(all(t, s, "s1")) != 0 || s.Ephemeral() != nil {
		t.Fatal("the cancelled batch left traces")
	}
}

func TestManyWritersAndReaders(t *testing.T) {
	s := mustDisk(t, t.TempDir())
	const sessions, batches = 6, 15
	var wg sync.WaitGroup
	for i := range sessions {
		id := fmt.Sprint("s", i)
		begin(t, s, id)
		wg.Go(func() {
			for b := range int64(batches) {
				if err := s.Append(context.Background(), said(id, 2*b+1, "left", "right")); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Go(func() {
			for range batches {
				evs, err := s.Events(context.Background(), id, 0, 0)
				if err != nil || len(evs)%2 != 0 {
					t.Errorf("a reader saw %d events (half a batch?), %v", len(evs), err)
				}
				if _, err := s.Search(context.Background(), "left", 5); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for i := range sessions {
		if n := len(all(t, s, fmt.Sprint("s", i))); n != 2*batches {
			t.Errorf("session %d has %d events", i, n)
		}
	}
}

// Opening a long session is what a user waits for.
func BenchmarkOpen5000Events(b *testing.B) {
	dir := b.TempDir()
	s := mustDisk(b, dir)
	begin(b, s, "s1")
	var evs []event.Event
	for i := range int64(5000) {
		evs = append(evs, ev("s1", i+1, event.ToolOutput{ID: "c", Text: strings.Repeat("output ", 20)}))
	}
	add(b, s, evs...)
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s, _, err := Open(b.Context(), dir)
		if err != nil {
			b.Fatal(err)
		}
		if n := len(all(b, s, "s1")); n != 5000 {
			b.Fatal(n)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAppendTick is one durable batch as a running turn makes it.
func BenchmarkAppendTick(b *testing.B) {
	s := mustDisk(b, b.TempDir())
	begin(b, s, "s1")
	seq := int64(1)
	for b.Loop() {
		add(b, s, said("s1", seq, "one", "two", "three", "four")...)
		seq += 4
	}
}

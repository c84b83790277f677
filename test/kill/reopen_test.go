package kill

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"time"

	_ "github.com/mattn/go-sqlite3" // to look at the file without the product

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/session"
	"keva/agent/turn"
	"keva/platform/store"
	"keva/test/world"
)

// stored reads the session as the kill left it: without the session service nothing is made of it. The home holds one
// session at most.
func (c *campaign) stored() (id string, evs []event.Event) {
	t := c.t
	t.Helper()
	if _, err := os.Stat(dataDir(c.task.Home)); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	st, notices, err := store.Open(t.Context(), dataDir(c.task.Home))
	if err != nil || len(notices) > 0 {
		t.Fatal(err, notices)
	}
	list, err := st.Sessions(t.Context())
	if err != nil || len(list) > 1 {
		t.Fatalf("sessions %+v, %v", list, err)
	}
	if len(list) == 1 {
		id = list[0].ID
		evs, err = st.Events(t.Context(), id, 0, 0)
	}
	if err := errors.Join(err, st.Close()); err != nil {
		t.Fatal(err)
	}
	return id, evs
}

// integrity lets the database itself say that it is whole.
func (c *campaign) integrity() {
	t := c.t
	t.Helper()
	path := filepath.Join(dataDir(c.task.Home), store.FileName)
	if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return // killed before there was one
	}
	db, err := sql.Open("sqlite3", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var word string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&word); err != nil || word != "ok" {
		t.Fatalf("integrity_check: %q, %v", word, err)
	}
}

// reopen starts Keva again, in this process, and holds it to what was shown.
func (c *campaign) reopen(id string, history, shown []event.Event) {
	t := c.t
	t.Helper()
	c.integrity()
	found, evs := c.stored()
	if id != "" && id != found {
		t.Fatalf("the session was %q and is %q", id, found)
	}
	// I-4, I-15: what was shown is stored, first and as it was.
	was := append(history[:len(history):len(history)], shown...)
	if len(evs) < len(was) {
		t.Fatalf("%d events were shown, %d are stored", len(was), len(evs))
	}
	for i, e := range was {
		if !reflect.DeepEqual(e, evs[i]) {
			t.Fatalf("event %d was shown as\n%+v\nand is stored as\n%+v", i+1, e, evs[i])
		}
	}
	truth := read(evs)
	c.phases[truth.phase()]++
	c.task.Session = found

	w, err := open(t.Context(), c.task.Home, c.task.Cache, func(what string, err error) { t.Logf("log: %s: %v", what, err) })
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		none(t, c.task.Home)
	}()
	none(t, c.task.Home) // the start has ended what was left
	if found == "" {
		return
	}
	list, err := w.Service.Sessions(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	if b := list[0].Badge; truth.open() && b != session.BadgeUnknown || b == session.BadgeRunning || b == session.BadgeNeedsYou {
		t.Fatalf("in the list: %s, with %v open", b, truth.left)
	}
	s, err := w.Service.Open(t.Context(), found)
	if err != nil {
		t.Fatal(err)
	}
	c.honest(w, s, truth)
	c.goOn(s)
}

// honest compares what the reopened session says with what the events say.
func (c *campaign) honest(w *world.World, s *session.Session, truth *truth) {
	t := c.t
	t.Helper()
	v := s.View()
	if v.Phase != turn.PhaseSettled && v.Phase != turn.PhaseEmpty || len(v.Pending)+len(v.Live)+len(v.Open)+v.Queued > 0 {
		t.Fatalf("reopened in phase %s: pending %+v, live %+v, open %+v, %d queued", v.Phase, v.Pending, v.Live, v.Open, v.Queued)
	}
	evs, err := w.Store.Events(t.Context(), s.ID(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	var st turn.State
	for _, e := range evs {
		st.Apply(e)
	}
	for _, x := range st.Turns {
		truth.check(t, "turn/"+x.ID, x.Outcome)
	}
	for _, x := range st.Tasks {
		truth.check(t, "task/"+x.ID, x.Outcome)
	}
	for _, x := range st.Items {
		truth.check(t, "item/"+x.Turn+"/"+x.ID, x.Outcome)
	}
	for _, x := range st.Requests {
		if x.Decision != truth.decisions[x.ID] && (x.Decision != event.Lost || truth.decisions[x.ID] != "") {
			t.Fatalf("request %s is shown as %q, and was %q", x.ID, x.Decision, truth.decisions[x.ID])
		}
	}
	badge := v.Meta.Badge
	switch {
	case len(evs) == 0 && badge != session.BadgeEmpty,
		truth.open() && badge != session.BadgeUnknown,
		badge == session.BadgeRunning, badge == session.BadgeNeedsYou,
		badge == session.BadgeDone && truth.good["turn/"+truth.lastTurn] != event.Success:
		t.Fatalf("reopened with the badge %q; open when it was killed: %v, the last turn %q", badge, truth.left, truth.good["turn/"+truth.lastTurn])
	}
	if len(evs) > 0 && v.Meta.Title == "" {
		t.Fatal("the session has lost its name")
	}
}

// goOn sends the next prompt.
func (c *campaign) goOn(s *session.Session) {
	t := c.t
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	updates := s.Subscribe(ctx)
	past := <-updates
	if err := s.Send(ctx, hello); err != nil {
		t.Fatal("the next prompt:", err)
	}
	begun := false
	var evs []event.Event
	for u := range updates {
		evs = append(evs, u.Events...)
		for _, e := range u.Events {
			if b, ok := e.Body.(event.Notice); ok && b.Class == event.ClassResume {
				c.fresh++
			}
			_, started := e.Body.(event.TurnStarted)
			begun = begun || started
		}
		for _, r := range u.View.Pending { // what an engine takes up again after a resume may ask
			if _, err := s.Answer(ctx, r.ID, runtime.Answer{Decision: event.Deny, By: event.ByUser, Reason: "not now"}); err != nil {
				t.Fatal(err)
			}
		}
		if begun && u.View.Phase == turn.PhaseSettled {
			if u.View.Verdict != event.Success {
				t.Fatalf("the next prompt: %s, %+v", u.View.Verdict, u.View.Turn)
			}
			if was := ready(past.Events); was != "" && was == ready(evs) {
				c.resumed++
			}
			return
		}
	}
	t.Fatalf("the next prompt did not end; %d events, view %+v", len(evs), s.View())
}

// ready is the last session that an engine said it has.
func ready(evs []event.Event) (id string) {
	for _, e := range evs {
		if b, ok := e.Body.(event.SessionReady); ok {
			id = b.EngineSession
		}
	}
	return id
}

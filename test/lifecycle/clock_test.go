package lifecycle

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/agent/liveness"
	"keva/agent/session"
	"keva/agent/turn"
	"keva/platform/network"
	"keva/platform/update"
	"keva/ui/chat"
)

// jumps are what becomes of a phone's clock between two moments: a battery that ran flat, a wrong date that was corrected.
var jumps = []time.Duration{-10 * 365 * 24 * time.Hour, -25 * time.Hour, -time.Hour, -time.Minute, 0, time.Minute, 25 * time.Hour, 10 * 365 * 24 * time.Hour}

// An attempt that lies in the future was made by a clock that was wrong: the check is due, not put off for years.
func TestUpdateIsDueAfterAJump(t *testing.T) {
	begun := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	now := begun
	c, notice := update.New(update.Options{
		Config: func() update.Config { return update.Config{Address: "http://127.0.0.1:1/update.json"} }, Version: "1.0.0",
		State: filepath.Join(t.TempDir(), "update.json"), Log: zerolog.Nop(), Clock: func() time.Time { return now },
		Policy: network.New(network.Options{Ledger: network.NewLedger(zerolog.Nop(), nil)}),
	})
	if notice != nil {
		t.Fatal(notice)
	}
	c.Check(t.Context()) // nobody listens there; the attempt counts
	if r := c.Result(); !r.LastAttempt.Equal(begun) {
		t.Fatalf("%+v", r)
	}
	for _, jump := range jumps {
		now = begun.Add(jump)
		want := jump < 0 || jump >= budget.UpdateEvery.Time
		if got := c.Due(); got != want {
			t.Errorf("after %v: due is %v, want %v", jump, got, want)
		}
	}
}

// Evidence of a time that has not come is none: it must not pass for fresh until the clock has caught up with it.
func TestLivenessAfterAJump(t *testing.T) {
	then := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, jump := range jumps {
		var tracker liveness.Tracker
		tracker.Observe(liveness.Evidence{At: then, PID: 1, NetKnown: true, Inbound: then, Event: then, CPUKnown: true})
		r := tracker.Observe(liveness.Evidence{At: then.Add(jump), PID: 1, NetKnown: true, Inbound: then, Event: then, CPUKnown: true})
		if r.Fresh() != (jump == 0) {
			t.Errorf("after %v: %+v", jump, r)
		}
	}
}

// Whatever the clock does, no text says something negative, or that something was heard which was not.
func TestStatusAfterAJump(t *testing.T) {
	then := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	views := map[string]session.View{
		"text":     {LastText: then, LastEvent: then},
		"silent":   {LastEvent: then, Reading: liveness.Reading{Kind: liveness.Silent, Since: then, PID: 1}},
		"none":     {LastEvent: then, Reading: liveness.Reading{Kind: liveness.None, Since: then, PID: 1}},
		"unlooked": {LastEvent: then},
		"command":  {LastEvent: then, Open: []turn.Item{{ID: "c", Tool: event.ToolCommand, Title: "make", Started: then}}},
	}
	for name, v := range views {
		v.Phase, v.Turn = turn.PhaseRunning, turn.Turn{ID: "t1", Origin: event.OriginUser, Started: then}
		for _, jump := range jumps {
			text := chat.StatusLine(v, then.Add(jump)).Text
			if strings.Contains(text, "-") || text == "" {
				t.Errorf("%s, after %v: %q", name, jump, text)
			}
			if claims := strings.Contains(text, "Receiving") || text == "Working"; claims && jump <= -time.Minute {
				t.Errorf("%s, after %v: %q is not known", name, jump, text)
			}
		}
	}
}

// Sessions of a wrong clock are all there, listed by what was stored, and a session that is used after the jump is found.
func TestSessionsAfterAJump(t *testing.T) {
	t.Setenv("KEVA_HOME", t.TempDir())
	c := reopen(t)
	now := time.Now().UTC()
	dir := t.TempDir()
	for i, jump := range jumps {
		m := session.Meta{
			ID: fmt.Sprintf("s%02d", i), Title: "t", Dir: dir, Engine: "claude", Provider: "demo", Badge: session.BadgeDone,
			Created: now.Add(jump), Updated: now.Add(jump),
		}
		if err := c.Store.PutSession(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	c.Close()
	c = reopen(t)
	list, err := c.Service.Sessions(t.Context())
	if err != nil || len(list) != len(jumps) {
		t.Fatalf("%d sessions, %v", len(list), err)
	}
	for i, m := range list {
		if want := fmt.Sprintf("s%02d", len(jumps)-1-i); m.ID != want {
			t.Errorf("place %d has %s, want %s", i, m.ID, want)
		}
	}
	// Events of before and after a jump keep their order: it is their number's, not the clock's.
	at := []time.Time{now, now.Add(-time.Hour), now.Add(time.Hour)}
	var evs []event.Event
	for i, when := range at {
		evs = append(evs, event.Event{Seq: int64(i + 1), Time: when, Session: "s00", Body: event.Notice{Text: fmt.Sprint(i)}})
	}
	if err := c.Store.Append(t.Context(), evs); err != nil {
		t.Fatal(err)
	}
	kept, err := c.Store.Events(t.Context(), "s00", 0, 0)
	if err != nil || len(kept) != len(at) {
		t.Fatalf("%d events, %v", len(kept), err)
	}
	for i, e := range kept {
		if e.Body.(event.Notice).Text != fmt.Sprint(i) || !e.Time.Equal(at[i]) {
			t.Errorf("event %d is %+v", i, e)
		}
	}
}

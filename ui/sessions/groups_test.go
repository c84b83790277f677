package sessions

import (
	"strings"
	"testing"
	"time"

	"keva/agent/session"
	"keva/ui/mark"
)

func TestGroups(t *testing.T) {
	list := []session.Meta{
		{ID: "1", Title: "Fix dates", Dir: "/home/ada/ledger"},
		{ID: "2", Title: "Dark mode", Dir: "/home/ada/site", Line: "Done"},
		{ID: "3", Title: "Import", Dir: "/home/ada/ledger"},
		{ID: "4", Title: "Other", Dir: "/srv/ledger"},
	}
	show := func(query string) string {
		var b strings.Builder
		for _, g := range groupsOf(list, query, "/home/ada") {
			b.WriteString(g.title + ":")
			for _, m := range g.list {
				b.WriteString(" " + m.ID)
			}
			b.WriteString("\n")
		}
		return b.String()
	}
	for query, want := range map[string]string{
		"":       "~/ledger: 1 3\nsite: 2\n/srv/ledger: 4\n",
		"DARK":   "site: 2\n",
		" done ": "site: 2\n",
		"/srv":   "ledger: 4\n",
		"nobody": "",
	} {
		if got := show(query); got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
}

// Unknown is its own word with its own tone, also for a state that only a newer version knows.
func TestBadges(t *testing.T) {
	for b, want := range map[session.Badge]string{
		session.BadgeUnknown: "Unknown", "dreaming": "Unknown", session.BadgeDone: "Done", session.BadgeNeedsYou: "Needs you",
	} {
		if got, _ := badge(b); got != want {
			t.Errorf("%q is %q", b, got)
		}
	}
	if _, tone := badge("dreaming"); tone != mark.Unclear {
		t.Error("a state that is not known looks like a known one")
	}
}

func TestSecondLine(t *testing.T) {
	now := time.Date(2026, 11, 30, 14, 0, 0, 0, time.Local)
	for _, c := range []struct {
		m    session.Meta
		want string
	}{
		{session.Meta{Badge: session.BadgeRunning, Line: "2 agents", Updated: now}, "2 agents"},
		{session.Meta{Badge: session.BadgeDone, Line: "All well", Updated: now.Add(-20 * time.Minute)}, "All well · 13:40"},
		{session.Meta{Badge: session.BadgeDone, Line: "All well", Updated: now.Add(-15 * time.Hour)}, "All well · yesterday"},
		{session.Meta{Badge: session.BadgeDone, Line: "All well", Updated: now.AddDate(0, 0, -3)}, "All well · Friday"},
		{session.Meta{Badge: session.BadgeDone, Updated: now.AddDate(0, -2, 0)}, "30 September"},
		{session.Meta{Badge: session.BadgeDone, Updated: now.AddDate(-1, 0, 0)}, "30 November 2025"},
		{session.Meta{Badge: session.BadgeEmpty}, "Nothing sent yet"},
		{session.Meta{Badge: session.BadgeDone, Line: "x", Draft: "one\ntwo", Updated: now}, "Draft: one two · 14:00"},
	} {
		if got := second(c.m, now); got != c.want {
			t.Errorf("%+v: %q, want %q", c.m, got, c.want)
		}
	}
}

// Package sessions is the first screen: every session, by project, with its state in a word. It must never open or change
// a session itself: what the user chooses goes out through Actions.
package sessions

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"keva/agent/session"
	"keva/ui/mark"
	"keva/ui/screen"
)

// group is the sessions of one project folder, newest first.
type group struct {
	dir, title string
	list       []session.Meta
}

// groupsOf puts sessions (newest first) under their folders, the folder used last first. query filters by title, line and
// folder, without regard to case.
func groupsOf(list []session.Meta, query, home string) []group {
	query = strings.ToLower(strings.TrimSpace(query))
	var groups []group
	at := map[string]int{}
	for _, m := range list {
		if query != "" && !strings.Contains(strings.ToLower(Title(m)+"\n"+m.Line+"\n"+m.Dir), query) {
			continue
		}
		i, ok := at[m.Dir]
		if !ok {
			i = len(groups)
			at[m.Dir] = i
			groups = append(groups, group{dir: m.Dir, title: filepath.Base(m.Dir)})
		}
		groups[i].list = append(groups[i].list, m)
	}
	// Two folders of the same name are told apart by their path.
	count := map[string]int{}
	for _, g := range groups {
		count[g.title]++
	}
	for i := range groups {
		if count[groups[i].title] > 1 {
			groups[i].title = screen.Short(groups[i].dir, home)
		}
	}
	return groups
}

// Title is the session's title, also of one that has none yet.
func Title(m session.Meta) string {
	if m.Title != "" {
		return m.Title
	}
	return "New session"
}

// badge is the word of a state, and its tone.
func badge(b session.Badge) (string, mark.Tone) {
	switch b {
	case session.BadgeEmpty:
		return "New", mark.Neutral
	case session.BadgeRunning:
		return "Running", mark.Active
	case session.BadgeNeedsYou:
		return "Needs you", mark.Attention
	case session.BadgeDone:
		return "Done", mark.Neutral
	case session.BadgeFailed:
		return "Failed", mark.Failed
	case session.BadgeInterrupted:
		return "Interrupted", mark.Neutral
	case session.BadgeUnknown:
		return "Unknown", mark.Unclear
	}
	return "Unknown", mark.Unclear // a word of a newer version
}

// second is the line below the title.
func second(m session.Meta, now time.Time) string {
	line := m.Line
	switch {
	case m.Draft != "":
		line = "Draft: " + strings.Join(strings.Fields(m.Draft), " ")
	case line == "" && m.Badge == session.BadgeEmpty:
		line = "Nothing sent yet"
	}
	if m.Badge == session.BadgeRunning || m.Badge == session.BadgeNeedsYou || m.Updated.IsZero() {
		return line
	}
	if line == "" {
		return when(m.Updated, now)
	}
	return line + " · " + when(m.Updated, now)
}

// when is a time as people say it: today by the clock, then by the day.
func when(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	day := func(t time.Time) time.Time { y, m, d := t.Date(); return time.Date(y, m, d, 12, 0, 0, 0, time.Local) }
	switch days := int(math.Round(day(now).Sub(day(t)).Hours() / 24)); {
	case days < 0: // the clock was set back since
		return t.Format("2 January 2006")
	case days == 0:
		return t.Format("15:04")
	case days == 1:
		return "yesterday"
	case days < 7:
		return t.Format("Monday")
	case t.Year() == now.Year():
		return t.Format("2 January")
	}
	return t.Format("2 January 2006")
}

// Recent are the folders of the sessions, the last used first, at most n.
func Recent(list []session.Meta, n int) []string {
	var dirs []string
	for _, m := range list {
		if len(dirs) < n && !slices.Contains(dirs, m.Dir) {
			dirs = append(dirs, m.Dir)
		}
	}
	return dirs
}

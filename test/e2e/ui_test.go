package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"keva/agent/event"
	"keva/ui/transcript"
)

// rowsOf are the rows of one type.
func rowsOf[R transcript.Row](rows []transcript.Row) []R {
	var out []R
	for _, r := range rows {
		if r, ok := r.(R); ok {
			out = append(out, r)
		}
	}
	return out
}

// tell spells rows out for a failure.
func tell[R any](rows []*R) string {
	out := ""
	for _, r := range rows {
		out += fmt.Sprintf("\n  %+v", *r)
	}
	return out
}

func holds(text string, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// The main job by hand: from the first screen of a fresh device through every approval to the fixed project, and the same
// cards after a restart.
func TestTourOnTheScreen(t *testing.T) {
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			w := newWorld(t)
			dir := w.sample()
			p := newPhone(w, engine, dir)
			p.tap("Start the demo")
			p.tap("Send") // the prompt stands in the composer

			asked, diff, command := map[string]bool{}, false, false
			ended := func() bool { return p.Chat() != nil && len(rowsOf[*transcript.End](p.Chat().Rows())) > 0 }
			settled := func() bool { return ended() && p.Chat().Asking() == "" && p.shows("Done") }
			for !settled() {
				p.wait("an approval or the end", 2*time.Minute, func() bool {
					id := p.Chat().Asking()
					return settled() || id != "" && !asked[id]
				})
				id := p.Chat().Asking()
				if id == "" {
					continue
				}
				asked[id] = true
				sheet := strings.Join(p.texts(p.Window().Canvas().Content()), " ")
				if strings.Contains(sheet, "Change this file?") {
					if diff = strings.Contains(sheet, "parse.sh"); passes(t, dir) {
						t.Error("the file was changed before it was allowed")
					}
				}
				command = command || strings.Contains(sheet, "Run this command?") && strings.Contains(sheet, "tests/run.sh")
				p.tap("Allow once")
			}
			if !diff || !command {
				t.Errorf("the sheet asked with the diff: %v, with the command: %v", diff, command)
			}
			if p.button("Allow once") != nil || p.button("Send") == nil {
				t.Error("the sheet does not make room for the composer")
			}
			if !passes(t, dir) {
				t.Error("the project is not fixed")
			}
			checkRows(t, p.Chat().Rows())
			cards := p.cards()
			for _, want := range [][]string{
				{"Start the tour"},
				{"Ran 1 command", "sh tests/run.sh"},
				{"parse.sh", "+2", "−1"},
				{"Searched", "POSIX"},
				{"Plan", "4 of 4"},
				{"2 agents", "1 failed"},
				{"Done · ", "1 file"},
			} {
				if !slices.ContainsFunc(cards, func(c string) bool { return holds(c, want) }) {
					t.Errorf("no card says %q:\n%s", want, strings.Join(cards, "\n"))
				}
			}

			// I-4, I-15: whoever comes back sees the same.
			id, rows := p.Chat().ID(), p.Chat().Rows()
			p.close()
			w.close()
			w.open()
			again := newPhone(w, engine, dir)
			again.wait("the list", 10*time.Second, func() bool { return again.shows("Start the tour") })
			again.Open(id)
			again.wait("the transcript", 10*time.Second, func() bool { return again.Chat() != nil && again.Chat().Loaded() })
			if !again.shows("Done") {
				t.Error("the status line does not say Done after the restart")
			}
			if got := again.Chat().Rows(); len(got) != len(rows) {
				t.Errorf("%d rows after the restart, %d before", len(got), len(rows))
			}
			if got := again.cards(); !slices.Equal(got, cards) {
				t.Errorf("after the restart the cards say\n%s\nbefore\n%s", strings.Join(got, "\n"), strings.Join(cards, "\n"))
			}
			again.close()
		})
	}
}

// checkRows looks for the rows of a tour.
func checkRows(t *testing.T, rows []transcript.Row) {
	t.Helper()
	work := rowsOf[*transcript.Work](rows)
	if len(work) == 0 {
		t.Error("no work card")
	}
	for _, r := range work {
		if r.Mark == transcript.MarkRunning || r.Mark == transcript.MarkUnknown || r.Title == "" {
			t.Errorf("work %+v", r)
		}
	}
	diffs := rowsOf[*transcript.Diff](rows)
	if len(diffs) != 1 || diffs[0].Path != filepath.Join("src", "parse.sh") || diffs[0].Change.Added == 0 ||
		diffs[0].Change.Removed == 0 || diffs[0].Mark != transcript.MarkDone || diffs[0].Allowed != event.ByUser {
		t.Errorf("diffs %s", tell(diffs))
	}
	if web := rowsOf[*transcript.Web](rows); len(web) == 0 || web[0].Activity.Query == "" || web[0].Mark != transcript.MarkDone {
		t.Errorf("web %s", tell(web))
	}
	if plans := rowsOf[*transcript.Plan](rows); len(plans) != 1 || len(plans[0].Steps) < 3 {
		t.Errorf("plans %s", tell(plans))
	}
	marks := map[transcript.Mark]int{}
	for _, r := range rowsOf[*transcript.Tasks](rows) {
		for _, n := range r.Nodes {
			marks[n.Mark]++
		}
	}
	if marks[transcript.MarkDone] < 1 || marks[transcript.MarkFailed] != 1 {
		t.Errorf("tasks by mark: %v", marks)
	}
	if ends := rowsOf[*transcript.End](rows); len(ends) == 0 || ends[0].Outcome != event.Success || ends[0].Files != 1 {
		t.Errorf("ends %s", tell(ends))
	}
	if open := rowsOf[*transcript.Approval](rows); slices.ContainsFunc(open, func(r *transcript.Approval) bool { return r.Decision == "" }) {
		t.Errorf("approvals %s", tell(open))
	}
}

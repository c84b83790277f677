// Package replay runs recorded conversations with the real engines through the product's own mappers, accounting and view
// model. It only holds tests: the one place where engines and ui meet, besides main.
package replay

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"keva/agent/event"
	"keva/engines"
	"keva/engines/claude"
	"keva/engines/codex"
	recording "keva/engines/transcript"
	"keva/ui/transcript"
	"keva/ui/transcript/rowtest"
)

// recordings lists all recorded conversations, by the path below engines/.
func recordings(tb testing.TB) []string {
	tb.Helper()
	var all []string
	for _, engine := range []string{"claude", "codex"} {
		files, err := filepath.Glob("../../engines/" + engine + "/testdata/transcripts/*.jsonl")
		if err != nil || len(files) < 50 {
			tb.Fatalf("%d recordings of %s: %v", len(files), engine, err)
		}
		all = append(all, files...)
	}
	return all
}

// events maps a recording as `keva replay` does. ok is false for the few that hold no frame of an engine.
func events(tb testing.TB, file string) (evs []event.Event, ok bool) {
	tb.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	rec, err := recording.Read(bytes.NewReader(data))
	if err != nil {
		return nil, false
	}
	var m engines.Mapper
	switch rec.Engine {
	case recording.Claude:
		m = claude.NewMapper("")
	case recording.Codex:
		m = codex.NewMapper()
	}
	for _, f := range rec.Frames {
		evs = append(evs, m.Map(f)...)
	}
	for i := range evs {
		evs[i].Seq, evs[i].Session = int64(i+1), "replay"
	}
	return evs, true
}

func each(t *testing.T, test func(t *testing.T, evs []event.Event)) {
	for _, file := range recordings(t) {
		name := filepath.Base(filepath.Dir(filepath.Dir(filepath.Dir(file)))) + "/" + filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			evs, ok := events(t, file)
			if !ok {
				t.Skip("holds no frames")
			}
			test(t, evs)
		})
	}
}

// Every recording gives rows, and any prefix of it a consistent view.
func TestRecordingsGiveRows(t *testing.T) {
	each(t, func(t *testing.T, evs []event.Event) {
		if err := rowtest.Check("", evs); err != nil {
			t.Error(err)
		}
	})
}

// I-2, I-9, I-11: after the last frame nothing is drawn as running, unless it is still open in the accounting; and nothing
// is drawn as done whose end was not seen.
func TestNothingRunsForEver(t *testing.T) {
	each(t, func(t *testing.T, evs []event.Event) {
		b := transcript.New("")
		b.Apply(evs...)
		settled := b.State().Settled()
		for _, r := range b.Rows() {
			switch r := r.(type) {
			case *transcript.Text:
				if settled && r.Live {
					t.Errorf("%s is live", r.Key())
				}
			case *transcript.Reasoning:
				if settled && r.Live {
					t.Errorf("%s is live", r.Key())
				}
			case *transcript.Work:
				for _, s := range r.Steps {
					agree(t, b, s.ID, s.Mark)
				}
			case *transcript.Tasks:
				for _, n := range r.Nodes {
					if st := b.State().Task(n.ID); st != nil && n.Mark != transcript.MarkOf(st.Outcome) && n.Mark != transcript.MarkWaiting {
						t.Errorf("task %s is drawn as %s, and it is %q", n.ID, n.Mark, st.Outcome)
					}
					for _, s := range n.Steps {
						agree(t, b, s.ID, s.Mark)
					}
				}
			case *transcript.Approval:
				if st := b.State().Request(r.ID); st != nil && st.Decision != r.Decision {
					t.Errorf("request %s is drawn as %q, and it is %q", r.ID, r.Decision, st.Decision)
				}
			case *transcript.Diff, *transcript.Web, *transcript.User, *transcript.Plan, *transcript.Question,
				*transcript.Notice, *transcript.End:
			}
		}
	})
}

func agree(t *testing.T, b *transcript.Builder, id string, m transcript.Mark) {
	it := b.State().Item(id)
	if it == nil {
		if m == transcript.MarkDone {
			t.Errorf("step %s is drawn as done, and nothing is known of it", id)
		}
		return
	}
	if m == transcript.MarkDone && it.Outcome != event.Success {
		t.Errorf("step %s is drawn as done, and it is %q", id, it.Outcome)
	}
	if it.Outcome != "" && (m == transcript.MarkRunning || m == transcript.MarkWaiting) {
		t.Errorf("step %s is drawn as %s, and it is %q", id, m, it.Outcome)
	}
}

// Every turn that ended has exactly one End row, every final text of the main agent is on the screen, every file that was
// changed has a card.
func TestNothingIsLostOnTheWayToTheScreen(t *testing.T) {
	each(t, func(t *testing.T, evs []event.Event) {
		b := transcript.New("")
		b.Apply(evs...)
		ends, diffs := map[string]int{}, map[string]bool{}
		var text bytes.Buffer
		for _, r := range b.Rows() {
			switch r := r.(type) {
			case *transcript.End:
				ends[r.ID]++
			case *transcript.Text:
				text.WriteString(r.Text + "\n")
			case *transcript.Diff:
				diffs[r.Change.Path] = true
			}
		}
		for _, turn := range b.State().Turns {
			if want := map[bool]int{true: 1}[turn.Outcome != ""]; ends[turn.ID] != want {
				t.Errorf("turn %s (%q) has %d ends", turn.ID, turn.Outcome, ends[turn.ID])
			}
		}
		for _, e := range evs {
			switch body := e.Body.(type) {
			case event.TextFinal:
				if e.Scope != "" {
					continue
				}
				for _, block := range transcript.Split(body.Text) {
					if !bytes.Contains(text.Bytes(), []byte(block)) {
						t.Errorf("the text %q is not shown", block)
					}
				}
			case event.FileChange:
				for _, c := range body.Changes {
					if !diffs[c.Path] {
						t.Errorf("the change of %s is not shown", c.Path)
					}
				}
			}
		}
	})
}

package chat

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/ui/transcript"
)

// shownBy plays events into a reveal, one tick after each, then ticks until it is idle. It returns what is on the screen
// after each tick, and checks that the changes, applied to a plain list, give just that.
func shownBy(t *testing.T, batches [][]event.Body) []string {
	t.Helper()
	b := transcript.New("/p")
	var r reveal
	var screen []transcript.Row
	var out []string
	take := func(changes []transcript.Change) {
		for _, c := range changes {
			switch c.Kind {
			case transcript.Insert:
				screen = slices.Insert(screen, c.Index, c.Row)
			case transcript.Update:
				screen[c.Index] = c.Row
			case transcript.Remove:
				screen = slices.Delete(screen, c.Index, c.Index+1)
			}
		}
		if len(screen) != r.Len() {
			t.Fatalf("the changes give %d rows, the reveal has %d", len(screen), r.Len())
		}
		for i, row := range screen {
			if row.Key() != r.Row(i).Key() {
				t.Fatalf("row %d is %s, want %s", i, row.Key(), r.Row(i).Key())
			}
		}
	}
	look := func() {
		var s strings.Builder
		for i := range r.Len() {
			s.WriteString(plainRow(r.Row(i)) + "\n")
		}
		out = append(out, s.String())
	}
	seq := int64(0)
	for _, bodies := range batches {
		var evs []event.Event
		for _, body := range bodies {
			seq++
			evs = append(evs, event.Event{Seq: seq, Turn: "t", Body: body})
		}
		take(r.Take(b.Apply(evs...), false))
		take(r.Tick())
		look()
	}
	for range 500 {
		if r.Idle() {
			break
		}
		take(r.Tick())
		look()
	}
	if !r.Idle() {
		t.Fatal("never idle")
	}
	for i, row := range b.Rows() {
		if plainRow(row) != plainRow(r.Row(i)) {
			t.Fatalf("row %d: %q is left at %q", i, plainRow(row), plainRow(r.Row(i)))
		}
	}
	return out
}

const answer = "The zone was dropped.\n\nSo every date moved:\n\n- before noon\n- after noon 👩‍👩‍👧\n\n```go\nloc := time.FixedZone(\"\", off)\n```\n\nThat is all."

// What is drawn never goes back, never shows a letter that did not come, and ends with all of it: for any cut of the answer
// into deltas, with or without the final text, and with a card behind it.
func TestRevealOnlyGrows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 60 {
		batches := [][]event.Body{{event.TurnStarted{Origin: event.OriginUser}}}
		for rest := answer; rest != ""; {
			n := min(len(rest), 1+r.IntN(40))
			for n < len(rest) && rest[n]&0xC0 == 0x80 {
				n++
			}
			batches = append(batches, []event.Body{event.TextDelta{Block: "b", Text: rest[:n]}})
			rest = rest[n:]
		}
		batches = append(batches, []event.Body{event.TextFinal{Block: "b", Text: answer}},
			[]event.Body{event.ToolStarted{ID: "c", Tool: event.ToolCommand, Name: "Bash", Title: "go test"}})
		last := ""
		for i, s := range shownBy(t, batches) {
			// The final Markdown blocks lose nothing of what was drawn of them, blank lines aside.
			if squeeze(s) != squeeze(last) && !strings.HasPrefix(squeeze(s), squeeze(last)) {
				t.Fatalf("round %d, tick %d: %q became %q", round, i, last, s)
			}
			last = s
		}
	}
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

// DESIGN §8: an answer that comes whole is drawn over several ticks like one that comes in pieces, and a card that follows
// waits for it; but not for long.
func TestRevealPacesWholeBlocks(t *testing.T) {
	long := strings.Repeat("All words are equal here. ", 60)
	out := shownBy(t, [][]event.Body{{
		event.TurnStarted{Origin: event.OriginUser},
		event.TextFinal{Block: "b", Text: long},
		event.ToolStarted{ID: "c", Tool: event.ToolCommand, Name: "Bash", Title: "go test"},
	}})
	if len(out) < 8 || len(out) > 45 {
		t.Fatalf("drawn in %d ticks", len(out))
	}
	if strings.Contains(out[0], "go test") || len(out[0]) > len(long)/2 {
		t.Fatalf("the first tick shows %d letters, and the card: %v", len(out[0]), strings.Contains(out[0], "go test"))
	}
}

// History and the end of a turn show everything at once.
func TestRevealWhole(t *testing.T) {
	b := transcript.New("/p")
	var r reveal
	changes := b.Apply(event.Event{Seq: 1, Turn: "t", Body: event.TurnStarted{}}, event.Event{Seq: 2, Turn: "t", Body: event.TextFinal{Block: "b", Text: answer}})
	out := r.Take(changes, true)
	if !r.Idle() || len(out) != b.Len() || r.Len() != b.Len() {
		t.Fatalf("%d of %d rows are shown", r.Len(), b.Len())
	}
	// Text that had begun to be drawn is drawn whole when the turn ends.
	r.Take(b.Apply(event.Event{Seq: 3, Turn: "t", Body: event.TextDelta{Block: "c", Text: strings.Repeat("word ", 100)}}), false)
	r.Tick()
	if r.Idle() {
		t.Fatal("a long text was drawn in one tick")
	}
	r.Take(b.Apply(event.Event{Seq: 4, Turn: "t", Body: event.TurnCompleted{Outcome: event.Success}}), true)
	if !r.Idle() || r.Len() != b.Len() {
		t.Fatal("the end of the turn left something undrawn")
	}
}

// A block that comes at once and is huge must not hold the screen: most of it is shown without being counted.
func TestRevealHuge(t *testing.T) {
	huge := strings.Repeat("x", 1<<20)
	out := shownBy(t, [][]event.Body{{event.TextFinal{Block: "b", Text: huge}}})
	if len(out[0]) < 1<<20-2*hugeFeed {
		t.Fatalf("the first tick shows %d bytes", len(out[0]))
	}
}

package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/ui/transcript"
)

// long is a session of about 5,000 rows: 450 turns with text, runs of steps, edits, a search and an agent each.
func long() []event.Event {
	var parts []any
	for i := range 450 {
		id := func(s string) string { return fmt.Sprint(s, i) }
		parts = append(parts, "turn t"+fmt.Sprint(i), "in -", prompt(id("do this ")), begin(),
			final(id("b"), "# Look\n\nI read the files first.\n\n- one\n- two\n\nThen I change it."),
			tool(id("r"), event.ToolRead, "/p/a.go"), ended(id("r"), event.Success),
			command(id("c"), "go test ./..."), event.ToolEnded{ID: id("c"), Outcome: event.Success, Output: strings.Repeat("ok\n", 50)},
			ask(id("q"), id("e"), event.ToolEdit, change("/p/a.go", 1, 1)), tool(id("e"), event.ToolEdit, "/p/a.go"), answer(id("q"), event.Allow, ""),
			event.FileChange{ID: id("e"), Outcome: event.Success, Changes: []event.Change{change("/p/a.go", 1, 1)}}, ended(id("e"), event.Success),
			tool(id("w"), event.ToolWeb, "go"), event.WebActivity{ID: id("w"), Query: "go", Action: event.WebSearch}, ended(id("w"), event.Success),
			tool(id("a"), event.ToolAgent, "Look"), agent(id("t"), id("a"), "Look"), "in "+id("t"))
		for j := range 10 {
			s := fmt.Sprint(id("s"), "/", j)
			parts = append(parts, command(s, "ls"), ended(s, event.Success))
		}
		parts = append(parts, "in -", event.TaskEnded{ID: id("t"), Outcome: event.Success}, ended(id("a"), event.Success),
			final(id("f"), "It is done."), done(event.Success))
	}
	return stream(parts...)
}

func BenchmarkOpenLongSession(b *testing.B) {
	evs := long()
	for b.Loop() {
		t := transcript.New("/p")
		t.Apply(evs...)
		b.ReportMetric(float64(t.Len()), "rows")
	}
}

// A delta costs the same at the end of a long session and of a long answer as at the beginning.
func BenchmarkDelta(b *testing.B) {
	for _, c := range []struct {
		name string
		rows bool
		text int
	}{{"short", false, 0}, {"long session", true, 0}, {"long paragraph", false, 100_000}} {
		b.Run(c.name, func(b *testing.B) {
			t := transcript.New("/p")
			if c.rows {
				t.Apply(long()...)
			}
			evs := stream("turn now", begin(), delta("b", strings.Repeat("word ", c.text/5)), delta("b", "word "))
			t.Apply(evs[:2]...)
			for b.Loop() {
				t.Apply(evs[2])
			}
		})
	}
}

// A run of many steps is put together once for each batch, not once for each event of it.
func BenchmarkLongRun(b *testing.B) {
	var parts []any
	for i := range 5000 {
		parts = append(parts, command(fmt.Sprint(i), "ls"), ended(fmt.Sprint(i), event.Success))
	}
	evs := stream(parts...)
	for b.Loop() {
		transcript.New("/p").Apply(evs...)
	}
}

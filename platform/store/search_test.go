package store

import (
	"fmt"
	"testing"

	"keva/agent/event"
)

func TestSearchFindsWhatWasSaid(t *testing.T) {
	s := mustDisk(t, t.TempDir())
	for _, id := range []string{"s1", "s2", "s3"} {
		begin(t, s, id)
	}
	add(t, s,
		ev("s1", 1, event.UserMessage{ID: "m", Text: "Please fix the flaky café test"}),
		ev("s1", 2, event.TextFinal{Block: "b", Text: "The flaky test waits for a timer."}),
		ev("s1", 3, event.ToolEnded{ID: "c", Outcome: event.Success, Output: "needle in tool output"}),
	)
	add(t, s, ev("s2", 1, event.TextFinal{Block: "b", Text: "Nothing here but `go test -run \"Café\"`"}))
	for _, c := range []struct {
		query string
		want  string
	}{
		{"flaky", "[s1]"},       // one hit per session
		{"CAFE", "[s1 s2]"},     // case and accents don't matter
		{"flaky timer", "[s1]"}, // all words
		{"flaky nothing", "[]"}, // all words
		{"tim", "[s1]"},         // the beginning of the last word
		{"needle", "[]"},        // what tools printed is not searched
		{`go test -run "Café"`, "[s2]"},
		{"", "[]"},
		{"  \t\n", "[]"},
		{`"'()*^:-+{}`, "[]"},
		{"zebra", "[]"},
	} {
		hits, err := s.Search(t.Context(), c.query, 10)
		if err != nil {
			t.Errorf("%q: %v", c.query, err)
		}
		got := []string{}
		for _, h := range hits {
			got = append(got, h.Session)
		}
		if len(got) == 2 && got[0] > got[1] {
			got[0], got[1] = got[1], got[0]
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%q found %v, want %s", c.query, got, c.want)
		}
	}
	hits, err := s.Search(t.Context(), "timer", 10)
	if err != nil || len(hits) != 1 {
		t.Fatal(hits, err)
	}
	h := hits[0]
	if h.Title != "Fix the test" || h.Seq != 2 || !h.Time.Equal(ev("", 2, nil).Time) {
		t.Errorf("%+v", h)
	}
	if got := fmt.Sprint(h.Snippet); got != "[{The flaky test waits for a  false} {timer true} {. false}]" {
		t.Error(got)
	}
}

// Whatever people type into the search field is words, never FTS5 syntax.
func FuzzSearchTakesAnything(f *testing.F) {
	for _, q := range []string{"a", `"`, `""`, `a"b`, "a AND", "NOT", "NEAR(a b)", "text:a", "a*", "^a", "-a", "a\x00b", "\xff\xfe", "{a}", "''; DROP TABLE events", "日本語", "a\u202eb", "*", "\"a\" OR", "é́"} {
		f.Add(q)
	}
	s := mustDisk(f, f.TempDir())
	begin(f, s, "s1")
	add(f, s, said("s1", 1, "a b c AND NOT NEAR text")...)
	f.Fuzz(func(t *testing.T, q string) {
		if _, err := s.Search(t.Context(), q, 3); err != nil {
			t.Fatalf("%q -> %s: %v", q, matchExpression(q), err)
		}
	})
}

package headless

import (
	"fmt"
	"strings"
	"testing"

	"keva/agent/event"
)

// The whole worklog of a turn, to be read by a person.
func TestWorklog(t *testing.T) {
	change := event.Change{
		Path: "/p/parse.go", Kind: event.ChangeUpdate, Added: 1, Removed: 1,
		Hunks: []event.Hunk{{OldStart: 41, OldLines: 2, NewStart: 41, NewLines: 2, Lines: []string{" day := s[8:10]", "-old", "+new"}}},
	}
	one := 1
	f := newFake(begin(), event.TextDelta{Block: "a", Text: "I'll run the test first.\n\nThen"}, event.TextFinal{Block: "a", Text: "I'll run the test first.\n\nThen I look."},
		event.ToolStarted{ID: "1", Tool: event.ToolRead, Name: "Read", Title: "/p/parse_test.go"}, event.ToolEnded{ID: "1", Outcome: event.Success, Output: "package p", Millis: 100},
		command("2", "go test ./..."), event.ToolEnded{ID: "2", Outcome: event.Failure, Output: "--- FAIL\nexit", ExitCode: &one, Millis: 9800},
		event.ToolStarted{ID: "3", Tool: event.ToolEdit, Name: "Edit", Title: "/p/parse.go"},
		event.ApprovalAsked{ID: "r", ToolID: "3", Tool: event.ToolEdit, Title: "/p/parse.go", Changes: []event.Change{change}}, hold{"r"},
		event.FileChange{ID: "3", Outcome: event.Success, Changes: []event.Change{change}}, event.ToolEnded{ID: "3", Outcome: event.Success},
		event.ToolStarted{ID: "4", Tool: event.ToolWeb, Name: "WebSearch", Title: "go zones"},
		event.WebActivity{ID: "4", Action: event.WebSearch, Query: "go zones", ResultsKnown: true, Results: []event.WebResult{{Title: "time", URL: "https://pkg.go.dev/time"}}},
		event.ToolEnded{ID: "4", Outcome: event.Success},
		event.Plan{Steps: []event.Step{{Text: "Fix", State: event.StepActive}, {Text: "Test", State: event.StepPending}}},
		event.ToolStarted{ID: "5", Tool: event.ToolAgent, Name: "Agent", Title: "Look"}, event.TaskStarted{ID: "x", Task: event.TaskAgent, ToolID: "5", Title: "Look"},
		scope("x"), command("6", "grep x"), ended("6", "a.go"), scope(""),
		event.TaskEnded{ID: "x", Outcome: event.Failure, Summary: "No luck"}, event.ToolEnded{ID: "5", Outcome: event.Failure},
		event.Retrying{Attempt: 1, Max: 10, Cause: event.Error{Message: "The provider is overloaded."}},
		event.Plan{Steps: []event.Step{{Text: "Fix", State: event.StepDone}, {Text: "Test", State: event.StepActive}}},
		event.TextFinal{Block: "b", Text: "Fixed."}, done(event.Success))
	r := runFake(t, f, "a\n")
	const wanted = `> do it

I'll run the test first.

Then I look.

✓ read parse_test.go  0.1 s
✕ $ go test ./...  failed · exit 1 · 9.8 s
  │ --- FAIL
  │ exit
✓ edited parse.go  +1 −1 · allowed by you
✓ searched the web: go zones
    time  https://pkg.go.dev/time
plan
    ▸ Fix
    ○ Test
» agent started: Look
    ✓ $ grep x  1.0 s
      │ a.go
✕ agent Look  failed · 3.0 s
    No luck
▲ The provider is overloaded. Trying again, 1 of 10.
plan  1 of 2 done · now: Test

Fixed.

✓ done · 25 s · 1 file +1 −1
`
	if r.out != wanted {
		t.Errorf("got\n%s\nwant\n%s", r.out, wanted)
	}
	want(t, r.err, "Change this file?", "edited /p/parse.go  +1 −1", "@@ -41,2 +41,2 @@", "+new")
	never(t, r.out+r.err, "\x1b")
}

func TestHugeOutputIsFolded(t *testing.T) {
	var b strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	change := event.Change{Path: "/p/big", Kind: event.ChangeAdd, Hunks: []event.Hunk{{Lines: strings.Split(strings.Repeat("+z\n", 5000), "\n")}}}
	r := runFake(t, newFake(begin(), command("1", "seq"), ended("1", b.String()), command("2", "wide"), ended("2", strings.Repeat("w", 100_000)),
		event.FileChange{ID: "3", Outcome: event.Success, Changes: []event.Change{change}}, done(event.Success)), "")
	want(t, r.out, "line 0\n", "line 99999\n", "99988 more lines", "more lines")
	never(t, r.out, "line 500\n")
	if len(r.out) > 5000 {
		t.Errorf("%d bytes were printed", len(r.out))
	}
}

func TestHostileTextIsNeutralised(t *testing.T) {
	evil := "\x1b[2J\x1b]0;pwned\x07 \u202eback \u009b31m \xff\r\x00"
	r := runFake(t, newFake(
		begin(), event.TextDelta{Block: "b", Text: evil + "\nmore\n"}, event.TextFinal{Block: "b", Text: evil + "\nmore\n"}, event.ReasoningFinal{Block: "r", Text: evil},
		command("1", evil), event.ToolEnded{ID: "1", Outcome: event.Failure, Output: evil},
		event.Notice{Level: event.LevelError, Text: evil, Detail: evil}, event.Plan{Steps: []event.Step{{Text: evil, State: event.StepActive}}},
		event.ToolStarted{ID: "2", Tool: event.ToolWeb, Title: evil}, event.WebActivity{ID: "2", Query: evil, Results: []event.WebResult{{Title: evil, URL: evil}}}, ended("2", ""),
		event.FileChange{ID: "3", Outcome: event.Success, Changes: []event.Change{{Path: evil, MovedTo: evil, Note: evil, Hunks: []event.Hunk{{Lines: []string{"+" + evil}}}}}},
		event.TaskStarted{ID: "x", Task: event.TaskAgent, Title: evil}, event.TaskEnded{ID: "x", Outcome: event.Success, Summary: evil},
		event.ApprovalAsked{ID: "q", Title: evil, Name: evil, Command: evil, Dir: evil, Reason: evil}, hold{"q"},
		event.QuestionAsked{ID: "p", Questions: []event.Question{{ID: "i", Header: evil, Text: evil, Options: []event.Option{{Label: evil, Detail: evil}}}}}, hold{"p"},
		event.TurnCompleted{Outcome: event.Failure, Origin: event.OriginUser, Error: &event.Error{Message: evil, Detail: evil}},
	), "d\n\n1\n")
	never(t, r.out+r.err, "\x1b", "\x07", "\u202e", "\u009b", "\r", "\x00", "\xff")
	want(t, r.out, `\x1b[2J`, `\u202e`, `\u009b`, `\xff`)
}

func TestColourOnlyOnATerminal(t *testing.T) {
	env := func(m map[string]string) func(string) string { return func(k string) string { return m[k] } }
	for _, c := range []struct {
		terminal bool
		env      map[string]string
		want     bool
	}{
		{true, nil, true},
		{false, nil, false},
		{true, map[string]string{"NO_COLOR": "1"}, false},
		{true, map[string]string{"NO_COLOR": ""}, true},
		{true, map[string]string{"TERM": "dumb"}, false},
	} {
		if got := Colour(c.terminal, env(c.env)); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	r := runFake(t, newFake(begin(), done(event.Success)), "", func(o *Options) { o.Colour = true })
	want(t, r.out, "\x1b[32m✓\x1b[0m")
}

// Text appears line by line as it comes, each line once, and a replaced one is told.
func TestTextIsStreamedByLines(t *testing.T) {
	steps := []struct{ body event.Body }{
		{event.TextDelta{Block: "b", Text: "one\ntw"}}, {event.TextDelta{Block: "b", Text: "o\nthree"}}, {event.TextFinal{Block: "b", Text: "one\ntwo\n3"}},
	}
	var script []any
	script = append(script, begin())
	for _, s := range steps {
		script = append(script, s.body)
	}
	r := runFake(t, newFake(append(script, done(event.Success))...), "")
	for _, l := range []string{"one\n", "two\n"} {
		if strings.Count(r.out, l) != 1 {
			t.Errorf("%q is printed %d times in\n%s", l, strings.Count(r.out, l), r.out)
		}
	}
	want(t, r.out, "3\n")
	r = runFake(t, newFake(begin(), event.TextDelta{Block: "b", Text: "wrong\nwrong\n\n"}, event.TextFinal{Block: "b", Text: "right"}, done(event.Success)), "")
	want(t, r.out, "wrong", "replaced by its final form", "right")
	r = runFake(t, newFake(begin(), event.TextDelta{Block: "b", Text: "half a sen"}, done(event.Interrupted)), "")
	want(t, r.out, "half a sen\n", "cut off here")
}

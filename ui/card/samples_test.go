package card

import (
	"strings"
	"time"

	"keva/agent/event"
	"keva/ui/transcript"
)

var now = time.Date(2026, 3, 4, 14, 2, 10, 0, time.UTC)

func ago(s float64) time.Time { return now.Add(-time.Duration(s * float64(time.Second))) }

func code(n int) *int { return &n }

// sampleRows are rows of each kind and state, in an order that could be a session.
func sampleRows() []transcript.Row {
	hunk := event.Hunk{OldStart: 41, OldLines: 3, NewStart: 41, NewLines: 4, Lines: []string{
		" day := s[8:10]", "-t, err := time.Parse(layout, s)", "+loc := time.FixedZone(\"\", off)", "+t, err := time.ParseInLocation(layout, s, loc)",
	}}
	long := event.Hunk{OldStart: 1, NewStart: 1}
	for i := range 60 {
		long.Lines = append(long.Lines, "+\tline "+strings.Repeat("x", i%9))
	}
	output := strings.Repeat("ok  \tledger/parse\t0.012s\n", 20) + "\x1b[31m--- FAIL\x1b[0m: TestDay (0.00s)\n    parse_test.go:31: got 3, want 4\nFAIL\n"
	return []transcript.Row{
		&transcript.User{ID: "u1", Text: "The date test fails since yesterday. Find out why and fix it.", Delivery: event.DeliveryPrompt},
		&transcript.Reasoning{ID: "r1", Text: "The user wants the failing test fixed. I should run it first.", Live: false},
		&transcript.Text{ID: "t1", Text: "I'll run the test first, then look at the parser."},
		&transcript.Work{ID: "w1", Mark: transcript.MarkFailed, Title: "4 steps · read 2 files, ran tests", Steps: []transcript.WorkStep{
			{ID: "s1", Tool: event.ToolRead, Title: "parse.go", Mark: transcript.MarkDone, Started: ago(20), Ended: ago(19.9)},
			{ID: "s2", Tool: event.ToolRead, Title: "parse_test.go", Mark: transcript.MarkDone, Started: ago(19.9), Ended: ago(19.8)},
			{ID: "s3", Tool: event.ToolSearch, Title: "ParseInLocation", Mark: transcript.MarkDone, Started: ago(19.8), Ended: ago(18)},
			{ID: "s4", Tool: event.ToolCommand, Title: "go test ./...", Mark: transcript.MarkFailed, ExitCode: code(1), Output: output, Started: ago(17.8), Ended: ago(8)},
		}},
		&transcript.Diff{ID: "d1", Path: "internal/parse/parse.go", Mark: transcript.MarkDone, Change: event.Change{Path: "/p/parse.go", Kind: event.ChangeUpdate, Added: 2, Removed: 1, Hunks: []event.Hunk{hunk}}},
		&transcript.Tasks{ID: "k1", Nodes: []transcript.TaskNode{
			{ID: "a1", Kind: event.TaskAgent, Title: "Check other layouts", Mark: transcript.MarkRunning, Doing: "Grep", Started: ago(31)},
			{ID: "a3", Kind: event.TaskAgent, Title: "Read the changelog", Mark: transcript.MarkDone, Depth: 1, Started: ago(31), Ended: ago(3), Summary: "Nothing about zones."},
			{ID: "a2", Kind: event.TaskAgent, Title: "Look for callers", Mark: transcript.MarkUnknown},
		}},
		&transcript.Text{ID: "t2", Text: "The zone was dropped when the layout changed, so every date before noon moved to the day before."},
		&transcript.Plan{ID: "p1", Steps: []event.Step{
			{Text: "Run the failing test", State: event.StepDone},
			{Text: "Fix the parser so that the zone of the layout is kept, also for dates before noon", State: event.StepActive},
			{Text: "Run the whole suite", State: event.StepPending},
		}},
		&transcript.Web{ID: "web1", Mark: transcript.MarkDone, Activity: event.WebActivity{Action: event.WebSearch, Query: "go time ParseInLocation zone", ResultsKnown: true, Results: []event.WebResult{
			{Title: "time package - time - Go Packages", URL: "https://pkg.go.dev/time"},
			{Title: "Why does ParseInLocation ignore the location when the zone is in the text", URL: "https://stackoverflow.example/questions/1"},
		}}},
		&transcript.Web{ID: "web2", Mark: transcript.MarkDone, Activity: event.WebActivity{Action: event.WebOpen, Query: "https://pkg.go.dev/time#ParseInLocation"}},
		&transcript.Approval{ID: "ap1", Decision: event.Allow, By: event.ByUser, Who: "the main agent", Asked: event.ApprovalAsked{Command: "go test ./... && git push origin main", Title: "go test"}},
		&transcript.Approval{ID: "ap2", Decision: event.Deny, By: event.ByUser, Reason: "not on main", Who: "the main agent", Asked: event.ApprovalAsked{Command: "git push --force"}},
		&transcript.Approval{ID: "ap3", Decision: event.Lost, Asked: event.ApprovalAsked{Command: "rm -r build"}},
		&transcript.Question{ID: "q1", Answered: true, Answers: map[string][]string{"z": {"Keep the zone"}}, Asked: event.QuestionAsked{Questions: []event.Question{{ID: "z", Text: "Which zone should dates without one have?"}}}},
		&transcript.Notice{ID: "n1", Level: event.LevelInfo, Text: "Conversation shortened: 120,000 to 31,000 tokens."},
		&transcript.Notice{ID: "n2", Level: event.LevelWarning, Text: "The provider is overloaded. Keva tries again in 8 s.", Detail: "HTTP 529 overloaded_error"},
		&transcript.Notice{ID: "n3", Level: event.LevelError, Text: "The provider refused: limit reached, resets 18:40.", Detail: "429 rate_limit"},
		&transcript.Diff{ID: "d2", Path: "notes.md", Mark: transcript.MarkWaiting, Change: event.Change{Kind: event.ChangeAdd, Added: 60, Hunks: []event.Hunk{long}}},
		&transcript.Diff{ID: "d3", Path: "old.go", Mark: transcript.MarkInterrupted, Denied: true, Change: event.Change{Kind: event.ChangeDelete, Removed: 12}},
		&transcript.Work{ID: "w2", Mark: transcript.MarkRunning, Title: "2 steps · ran 2 commands", Steps: []transcript.WorkStep{
			{ID: "s5", Tool: event.ToolCommand, Title: "go vet ./...", Mark: transcript.MarkDone, Started: ago(9), Ended: ago(8)},
			{ID: "s6", Tool: event.ToolCommand, Title: "go test -race ./internal/parse/... ./internal/ledger/...", Mark: transcript.MarkRunning, Started: ago(7)},
		}},
		&transcript.User{ID: "u2", Text: "Stop after the parser.", Delivery: event.DeliverySteer},
		&transcript.User{ID: "u3", Text: "And then?", Delivery: event.DeliveryUnknown},
		&transcript.End{ID: "e1", Outcome: event.Success, Origin: event.OriginUser, Duration: 72 * time.Second, Files: 2, Added: 5, Removed: 1},
		&transcript.End{ID: "e2", Outcome: event.Success, Origin: event.OriginUser, Duration: 12 * time.Second, Live: 1},
		&transcript.End{ID: "e3", Outcome: event.Unknown, Origin: event.OriginUser, Error: &event.Error{Message: "The engine ended while it was working. What it did until then is above."}},
		&transcript.End{ID: "e4", Outcome: event.Failure, Origin: event.OriginUser, Duration: 2 * time.Second, Error: &event.Error{Message: "The provider refused: limit reached, resets 18:40."}},
		&transcript.Work{ID: "w3", Mark: transcript.MarkDone, Title: "Ran tests", Steps: []transcript.WorkStep{{ID: "s7", Tool: event.ToolCommand, Title: "go test ./...", Mark: transcript.MarkDone, Started: ago(9), Ended: ago(1)}}},
	}
}

package shell

import (
	"time"

	"keva/agent/event"
	"keva/agent/session"
	"keva/ui/transcript"
	"keva/ui/uitest"
)

// playRunning plays the chat of the design: a turn that has run a test, changed a file and dispatched two agents.
func playRunning(h *house, s *uitest.Session) {
	one := 1
	s.SetEngine(session.EngineRunning)
	s.Play("t1", event.UserMessage{ID: "m1", Text: "The date test fails since yesterday. Find out why and fix it.", Delivery: event.DeliveryPrompt},
		event.TurnStarted{Origin: event.OriginUser},
		event.TextFinal{Block: "b1", Text: "I'll run the test first, then look at the parser."},
		event.ToolStarted{ID: "r1", Tool: event.ToolRead, Name: "Read", Title: "parse_test.go"},
		event.ToolEnded{ID: "r1", Outcome: event.Success, Millis: 100},
		event.ToolStarted{ID: "c1", Tool: event.ToolCommand, Name: "Bash", Title: "go test ./..."})
	h.loop.Advance(9800 * time.Millisecond)
	s.Play("t1", event.ToolEnded{ID: "c1", Outcome: event.Failure, ExitCode: &one, Output: "--- FAIL: TestDay\n    parse_test.go:41: got 29, want 30\nFAIL\n"},
		event.ToolStarted{ID: "e1", Tool: event.ToolEdit, Name: "Edit", Title: "parse.go"},
		event.FileChange{ID: "e1", Outcome: event.Success, Changes: []event.Change{change()}},
		event.ToolEnded{ID: "e1", Outcome: event.Success},
		event.ToolStarted{ID: "a1", Tool: event.ToolAgent, Name: "Task", Title: "Check other layouts"},
		event.TaskStarted{ID: "k1", Task: event.TaskAgent, Title: "Check other layouts", ToolID: "a1"},
		event.ToolStarted{ID: "a2", Tool: event.ToolAgent, Name: "Task", Title: "Look for callers"},
		event.TaskStarted{ID: "k2", Task: event.TaskAgent, Title: "Look for callers", ToolID: "a2"},
		event.TaskProgress{ID: "k1", Doing: "Grep"})
	h.loop.Advance(31 * time.Second)
	s.Play("t1", event.TaskEnded{ID: "k2", Outcome: event.Unknown},
		event.Usage{Input: 76_000, Output: 900, ContextUsed: 76_000, ContextWindow: 200_000},
		event.TextDelta{Block: "b2", Text: "The zone was dropped when the layout changed, so every date before noon moved to the day befo"})
	h.loop.Advance(400 * time.Millisecond)
}

// cut is the text that is still on its way at the end of playRunning; the pacer keeps its last letter.
const cut = "The zone was dropped when the layout changed, so every date before noon moved to the day bef"

// lastText is the text of the last row.
func (h *house) lastText() string {
	rows := h.chat.Rows()
	if len(rows) == 0 {
		return ""
	}
	t, ok := rows[len(rows)-1].(*transcript.Text)
	if !ok {
		return ""
	}
	return t.Text
}

func change() event.Change {
	return event.Change{
		Path: "/home/ada/projects/ledger/parse.go", Kind: event.ChangeUpdate, Added: 2, Removed: 1,
		Hunks: []event.Hunk{{OldStart: 41, OldLines: 2, NewStart: 41, NewLines: 3, Lines: []string{
			" \tday := s[8:10]",
			"-\tt, err := time.Parse(layout, s)",
			"+\tloc := time.FixedZone(\"\", off)",
			"+\tt, err := time.ParseInLocation(layout, s, loc) // the zone must survive a change of the layout",
		}}},
	}
}

func playApprovals(s *uitest.Session) {
	s.Play("t1", event.ApprovalAsked{ID: "q1", Tool: event.ToolCommand, Name: "Bash", Title: "go test ./... && git push origin main", Command: "go test ./... && git push origin main", Dir: "/home/ada/projects/ledger"},
		event.ApprovalAsked{ID: "q2", Tool: event.ToolEdit, Name: "Edit", Title: "parse.go", Changes: []event.Change{change()}})
}

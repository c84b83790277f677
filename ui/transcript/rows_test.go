package transcript_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"keva/agent/event"
	"keva/ui/transcript"
	"keva/ui/transcript/rowtest"
)

// at is the clock of the tests: events are one second apart.
var at = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// stream makes events of bodies; a string sets the turn ("turn t1") or the scope ("in a", "in -") of those that follow.
func stream(parts ...any) []event.Event {
	turn, scope := "t1", ""
	var evs []event.Event
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			if id, ok := strings.CutPrefix(p, "turn "); ok {
				turn = strings.Trim(id, "-")
			} else {
				scope = strings.Trim(strings.TrimPrefix(p, "in "), "-")
			}
		case event.Body:
			n := len(evs)
			evs = append(evs, event.Event{Seq: int64(n + 1), Time: at.Add(time.Duration(n) * time.Second), Turn: turn, Scope: scope, Body: p})
		}
	}
	return evs
}

// show draws rows as a few short lines.
func show(rows []transcript.Row) string {
	var b strings.Builder
	for _, r := range rows {
		switch r := r.(type) {
		case *transcript.User:
			fmt.Fprintf(&b, "user %s\n", r.Text)
		case *transcript.Text:
			fmt.Fprintf(&b, "text %q%s%s\n", r.Text, flag(r.Live, " live"), flag(r.Cut, " cut"))
		case *transcript.Reasoning:
			fmt.Fprintf(&b, "thought %q%s\n", r.Text, flag(r.Live, " live"))
		case *transcript.Work:
			fmt.Fprintf(&b, "work %s: %s\n", r.Mark, r.Title)
			showSteps(&b, r.Steps)
		case *transcript.Diff:
			fmt.Fprintf(&b, "diff %s %s %s%s%s%s%s\n", r.Path, r.Mark, r.Change.Kind, flag(r.Denied, " denied"),
				by(r.Allowed), flag(r.Scope != "", " in "+r.Scope), flag(r.Change.Note != "", " note "+r.Change.Note))
		case *transcript.Web:
			fmt.Fprintf(&b, "web %s %s %q %d results\n", r.Mark, r.Activity.Action, r.Activity.Query, len(r.Activity.Results))
		case *transcript.Plan:
			fmt.Fprintf(&b, "plan %d steps\n", len(r.Steps))
		case *transcript.Tasks:
			b.WriteString("tasks\n")
			for _, n := range r.Nodes {
				fmt.Fprintf(&b, "  %s%s %s %q%s%s%s\n", strings.Repeat("  ", n.Depth), n.ID, n.Mark, n.Title,
					flag(n.Doing != "", " doing "+n.Doing), flag(n.Summary != "", fmt.Sprintf(" says %q", n.Summary)),
					flag(n.Generation > 1, fmt.Sprint(" again ", n.Generation)))
				showSteps(&b, n.Steps)
			}
		case *transcript.Approval:
			fmt.Fprintf(&b, "approval %s %q of %s%s\n", r.Asked.Title, r.Decision, r.Who, flag(r.Reason != "", ": "+r.Reason))
		case *transcript.Question:
			fmt.Fprintf(&b, "question %v %v\n", r.Answered, r.Answers)
		case *transcript.Notice:
			fmt.Fprintf(&b, "notice %s %s\n", r.Level, r.Text)
		case *transcript.End:
			fmt.Fprintf(&b, "end %s %s%s%s\n", r.Outcome, r.Origin, flag(r.Live > 0, fmt.Sprintf(" %d live", r.Live)),
				flag(r.Files > 0, fmt.Sprintf(" %d files +%d -%d", r.Files, r.Added, r.Removed)))
		}
	}
	return b.String()
}

func showSteps(b *strings.Builder, steps []transcript.WorkStep) {
	for _, s := range steps {
		fmt.Fprintf(b, "    %s %s%s%s%s\n", s.Title, s.Mark, flag(s.Denied, " denied"), by(s.Allowed), flag(s.Output != "", fmt.Sprintf(" %q", s.Output)))
	}
}

func by(b event.By) string { return flag(b != "", " allowed by "+string(b)) }

func flag(on bool, s string) string {
	if on {
		return s
	}
	return ""
}

type rule struct {
	name string
	evs  []event.Event
	want string
}

// check compares the rows of each rule, and that neither batching nor reading on half-way changes anything.
func check(t *testing.T, rules []rule) {
	t.Helper()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			b := transcript.New("/p")
			b.Apply(r.evs...)
			if got, want := strings.TrimSpace(show(b.Rows())), strings.TrimSpace(r.want); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if err := rowtest.Check("/p", r.evs); err != nil {
				t.Error(err)
			}
		})
	}
}

// Short forms of bodies.
func prompt(text string) event.Body {
	return event.UserMessage{ID: text, Text: text, Delivery: event.DeliveryPrompt}
}
func begin() event.Body { return event.TurnStarted{Origin: event.OriginUser} }
func done(o event.Outcome) event.Body {
	return event.TurnCompleted{Outcome: o, Origin: event.OriginUser}
}

func delta(block, text string) event.Body { return event.TextDelta{Block: block, Text: text} }

func final(block, text string) event.Body         { return event.TextFinal{Block: block, Text: text} }
func command(id, title string) event.Body         { return tool(id, event.ToolCommand, title) }
func ended(id string, o event.Outcome) event.Body { return event.ToolEnded{ID: id, Outcome: o} }

func tool(id string, t event.Tool, title string) event.Body {
	return event.ToolStarted{ID: id, Tool: t, Name: string(t), Title: title}
}

func change(path string, added, removed int) event.Change {
	return event.Change{Path: path, Kind: event.ChangeUpdate, Added: added, Removed: removed, Hunks: []event.Hunk{{Lines: []string{"+x"}}}}
}

func ask(id, toolID string, t event.Tool, changes ...event.Change) event.Body {
	return event.ApprovalAsked{ID: id, ToolID: toolID, Tool: t, Title: "ask " + toolID, Changes: changes}
}

func answer(id string, d event.Decision, reason string) event.Body {
	return event.ApprovalResolved{ID: id, Decision: d, By: event.ByUser, Reason: reason}
}

func agent(id, toolID, title string) event.Body {
	return event.TaskStarted{ID: id, Task: event.TaskAgent, ToolID: toolID, Title: title}
}

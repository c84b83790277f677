package transcript_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"keva/agent/event"
	"keva/ui/transcript"
	"keva/ui/transcript/rowtest"
)

// Any order of events, also one that no engine would send, gives consistent rows and no panic; and when the engine is gone,
// nothing is drawn as live, running or waiting (I-9, I-11).
func TestRandomStreams(t *testing.T) {
	for seed := range uint64(150) {
		evs := randomStream(rand.New(rand.NewPCG(seed, 1)))
		if err := rowtest.Check("/p", evs); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		b := transcript.New("/p")
		b.Apply(evs...)
		b.Apply(event.Event{Body: event.EngineExited{Class: event.ExitCrashed, Advice: "Gone."}})
		for _, r := range b.Rows() {
			if open := stillOpen(r); open != "" {
				t.Fatalf("seed %d: %s is %s after the engine is gone", seed, r.Key(), open)
			}
		}
	}
}

func stillOpen(r transcript.Row) string {
	marks := map[string]transcript.Mark{}
	steps := func(list []transcript.WorkStep) {
		for _, s := range list {
			marks["step "+s.ID] = s.Mark
		}
	}
	switch r := r.(type) {
	case *transcript.Text:
		return flag(r.Live, "live")
	case *transcript.Reasoning:
		return flag(r.Live, "live")
	case *transcript.Work:
		steps(r.Steps)
	case *transcript.Diff:
		marks["diff"] = r.Mark
	case *transcript.Web:
		marks["web"] = r.Mark
	case *transcript.Tasks:
		for _, n := range r.Nodes {
			marks["task "+n.ID] = n.Mark
			steps(n.Steps)
		}
	case *transcript.Approval:
		return flag(r.Decision == "", "pending")
	case *transcript.Question:
		return flag(!r.Answered, "pending")
	case *transcript.User, *transcript.Plan, *transcript.Notice, *transcript.End:
	}
	for what, m := range marks {
		if m == transcript.MarkRunning || m == transcript.MarkWaiting {
			return what + " " + string(m)
		}
	}
	return ""
}

func randomStream(r *rand.Rand) []event.Event {
	pick := func(prefix string, n int) string { return fmt.Sprint(prefix, r.IntN(n)) }
	outcomes := []event.Outcome{event.Success, event.Failure, event.Interrupted, event.Unknown, "odd"}
	tools := []event.Tool{
		event.ToolCommand, event.ToolRead, event.ToolEdit, event.ToolWeb, event.ToolAgent, event.ToolPlan, event.ToolQuestion, "odd",
	}
	texts := []string{"one\n", "two\n\n", "- x", "```\n", " ", "12"}
	outcome := func() event.Outcome { return outcomes[r.IntN(len(outcomes))] }
	text := func() string { return texts[r.IntN(len(texts))] }
	changes := func() (list []event.Change) {
		for range r.IntN(3) {
			list = append(list, change(pick("/p/f", 3), 1, 1))
		}
		return list
	}
	bodies := []func() event.Body{
		func() event.Body { return event.TurnStarted{Origin: event.OriginUser} },
		func() event.Body { return event.TurnStarted{Origin: event.OriginTask} },
		func() event.Body { return event.TurnCompleted{Outcome: outcome(), Origin: event.OriginUser} },
		func() event.Body { return event.UserMessage{ID: pick("m", 3), Text: text()} },
		func() event.Body { return event.TextDelta{Block: pick("b", 3), Text: text()} },
		func() event.Body { return event.TextDelta{Block: pick("b", 3), Text: text()} },
		func() event.Body { return event.TextFinal{Block: pick("b", 3), Text: text() + text()} },
		func() event.Body { return event.ReasoningDelta{Block: pick("r", 2), Text: text()} },
		func() event.Body { return event.ReasoningFinal{Block: pick("r", 2), Text: text()} },
		func() event.Body {
			return event.ToolStarted{ID: pick("t", 6), Tool: tools[r.IntN(len(tools))], Title: pick("/p/f", 3)}
		},
		func() event.Body {
			return event.ToolStarted{ID: pick("t", 6), Tool: tools[r.IntN(len(tools))], Title: pick("/p/f", 3)}
		},
		func() event.Body { return event.ToolOutput{ID: pick("t", 6), Text: text()} },
		func() event.Body { return event.ToolEnded{ID: pick("t", 6), Outcome: outcome(), Output: text()} },
		func() event.Body {
			return event.ToolEnded{ID: pick("t", 6), Outcome: outcome(), Background: pick("a", 3)}
		},
		func() event.Body {
			return event.FileChange{ID: pick("t", 6), Outcome: outcome(), Changes: changes()}
		},
		func() event.Body { return event.WebActivity{ID: pick("t", 6), Query: text()} },
		func() event.Body { return event.Plan{Steps: make([]event.Step, r.IntN(3))} },
		func() event.Body {
			return event.ApprovalAsked{ID: pick("q", 6), ToolID: pick("t", 6), Tool: tools[r.IntN(len(tools))], Changes: changes()}
		},
		func() event.Body { return answer(pick("q", 6), event.Allow, "") },
		func() event.Body { return answer(pick("q", 6), event.Deny, "no") },
		func() event.Body { return answer(pick("q", 6), event.Withdrawn, "") },
		func() event.Body { return event.QuestionAsked{ID: pick("q", 6), ToolID: pick("t", 6)} },
		func() event.Body { return event.QuestionAnswered{ID: pick("q", 6)} },
		func() event.Body {
			return event.TaskStarted{ID: pick("a", 3), ToolID: pick("t", 6), Task: event.TaskAgent, Title: text()}
		},
		func() event.Body {
			return event.TaskStarted{ID: pick("a", 3), ToolID: pick("t", 6), Task: event.TaskCommand, Background: r.IntN(2) == 0}
		},
		func() event.Body {
			return event.TaskProgress{ID: pick("a", 4), Doing: text(), Background: r.IntN(4) == 0}
		},
		func() event.Body { return event.TaskEnded{ID: pick("a", 4), Outcome: outcome(), Summary: text()} },
		func() event.Body { return event.Retrying{Attempt: 1} },
		func() event.Body { return event.Compaction{State: event.CompactionStarted} },
		func() event.Body { return event.Compaction{State: event.CompactionDone} },
		func() event.Body { return event.Notice{Text: text()} },
		func() event.Body { return event.EngineExited{Class: event.ExitStopped} },
	}
	var parts []any
	for range 20 + r.IntN(80) {
		switch r.IntN(8) {
		case 0:
			parts = append(parts, pick("turn t", 3))
		case 1:
			parts = append(parts, pick("in a", 3))
		case 2:
			parts = append(parts, "in -")
		}
		parts = append(parts, bodies[r.IntN(len(bodies))]())
	}
	return stream(parts...)
}

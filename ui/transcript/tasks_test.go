package transcript_test

import (
	"testing"

	"keva/agent/event"
)

func TestTasks(t *testing.T) {
	dispatch := func(tool_, id, title string) []any {
		return []any{tool(tool_, event.ToolAgent, title), agent(id, tool_, title)}
	}
	taskEnd := func(id string, o event.Outcome, summary string) event.Body {
		return event.TaskEnded{ID: id, Outcome: o, Summary: summary}
	}
	with := func(a []any, more ...any) []event.Event {
		return stream(append(append([]any{begin()}, a...), more...)...)
	}
	check(t, []rule{
		// I-10
		{"what an agent does is in its node, not in the transcript", with(dispatch("1", "a", "Look"), "in a",
			command("2", "ls"), ended("2", event.Success), delta("b", "I fo"), final("b", "I found it"), event.Plan{Steps: []event.Step{{Text: "x"}}},
			event.ReasoningDelta{Block: "r", Text: "hm"}, "in -", ended("1", event.Success), taskEnd("a", event.Success, "")), `
tasks
  a done "Look" says "I found it"
    ls done`},
		{"parallel agents are one row", with(append(dispatch("1", "a", "Look"), dispatch("2", "b", "Search")...), taskEnd("b", event.Failure, "No luck")), `
tasks
  a running "Look"
  b failed "Search" says "No luck"`},
		{"an agent of an agent is below it", with(append(dispatch("1", "a", "Look"), dispatch("2", "b", "Search")...), "in a", agent("c", "9", "Deeper")), `
tasks
  a running "Look"
    c running "Deeper"
  b running "Search"`},
		{"its answer is what the call returned", with(dispatch("1", "a", "Look"), taskEnd("a", event.Success, "Agent Look finished"),
			event.ToolEnded{ID: "1", Outcome: event.Success, Output: "It is in b.go."}), `
tasks
  a done "Look" says "It is in b.go."`},
		{"in the background it is what it said last", with(dispatch("1", "a", "Look"), event.ToolEnded{ID: "1", Outcome: event.Success, Output: "launched", Background: "a"},
			"in a", final("b", "It is in b.go."), "in -", taskEnd("a", event.Success, "Agent Look finished")), `
tasks
  a done "Look" says "It is in b.go."`},
		{"a call that dispatched nothing is a step", stream(begin(), tool("1", event.ToolAgent, "Look"), ended("1", event.Failure)), `
work failed: Talked to 1 agent
    Look failed`},
		{"a command in the foreground is its step alone", stream(begin(), command("1", "make"),
			event.TaskStarted{ID: "c", Task: event.TaskCommand, ToolID: "1", Title: "make"}, ended("1", event.Success)), `
work done: Ran 1 command
    make done`},
		{"a command that goes on in the background is a task", stream(begin(), command("1", "make"),
			event.TaskStarted{ID: "c", Task: event.TaskCommand, ToolID: "1", Title: "make"},
			event.ToolEnded{ID: "1", Outcome: event.Success, Background: "c"}, done(event.Success)), `
work done: Ran 1 command
    make done
tasks
  c running "make"
end success user 1 live`},
		// I-6: a signal without an id ends nothing.
		{"an end without an id ends nothing", with(dispatch("1", "a", "Look"), taskEnd("", event.Success, "")), `
tasks
  a running "Look"`},
		{"bad news is not undone", with(dispatch("1", "a", "Look"), taskEnd("a", event.Failure, "401"), taskEnd("a", event.Success, "Look")), `
tasks
  a failed "Look" says "401"`},
		// I-9
		{"what lives when the engine goes is unknown", with(dispatch("1", "a", "Look"), "in a", command("2", "ls"), "in -",
			event.EngineExited{Class: event.ExitCrashed, Advice: "It crashed."}), `
tasks
  a unknown "Look"
    ls unknown
notice error It crashed.
end unknown user`},
		{"a background task outlives its turn, with its open steps", with(dispatch("1", "a", "Look"), ended("1", event.Success), "in a",
			command("2", "ls"), "in -", done(event.Success)), `
tasks
  a running "Look" doing ls
    ls running
end success user 1 live`},
		{"a task that goes on again is the same node", with(dispatch("1", "a", "Look"), taskEnd("a", event.Success, "one"), done(event.Success), "turn t2",
			begin(), agent("a", "7", "")), `
tasks
  a running "Look" again 2
end success user`},
		{"a scope that nobody announced", stream(begin(), "in a", command("1", "ls"), "in -", done(event.Success)), `
tasks
  a unknown ""
    ls unknown
end success user`},
		{"the changes of an agent stand below its tree", with(dispatch("1", "a", "Look"), final("b", "wait"), "in a", tool("2", event.ToolEdit, "/p/x.go"),
			event.FileChange{ID: "2", Outcome: event.Success, Changes: []event.Change{change("/p/x.go", 1, 0)}}, ended("2", event.Success)), `
tasks
  a running "Look" doing x.go
    x.go done
diff x.go done update in a
text "wait"`},
		{"a task waits while it asks", with(dispatch("1", "a", "Look"), "in a", ask("r", "2", event.ToolCommand), command("2", "rm x")), `
tasks
  a waiting "Look" doing rm x
    rm x waiting
approval ask 2 "" of Look`},
	})
}

func TestRequests(t *testing.T) {
	lost := event.EngineExited{Class: event.ExitStopped}
	q := event.QuestionAsked{ID: "q", ToolID: "1", Questions: []event.Question{{ID: "x", Text: "Which?"}}}
	check(t, []rule{
		{"pending", stream(begin(), command("1", "rm"), ask("r", "1", event.ToolCommand)), `
work waiting: Ran 1 command
    rm waiting
approval ask 1 "" of the main agent`},
		{"allowed is told by the step", stream(begin(), command("1", "rm"), ask("r", "1", event.ToolCommand), answer("r", event.Allow, ""), ended("1", event.Success)), `
work done: Ran 1 command
    rm done allowed by user`},
		{"allowed before its step came", stream(begin(), ask("r", "1", event.ToolCommand), answer("r", event.Allow, ""), command("1", "rm")), `
work running: Ran 1 command
    rm running allowed by user`},
		{"allowed, and no step ever tells it", stream(begin(), ask("r", "", event.ToolMCP), answer("r", event.Allow, "")), `
approval ask  "allow" of the main agent`},
		{"the run goes on over a request that is gone", stream(begin(), command("1", "rm"), ask("r", "1", event.ToolCommand), answer("r", event.Allow, ""),
			ended("1", event.Success), command("2", "ls")), `
work running: 2 steps · ran 2 commands
    rm done allowed by user
    ls running`},
		{"denied is kept, and the run ends there", stream(begin(), command("1", "rm"), ask("r", "1", event.ToolCommand), answer("r", event.Deny, "no"),
			event.ToolEnded{ID: "1", Outcome: event.Failure, Class: event.ClassDenied}, command("2", "ls")), `
work failed: Ran 1 command
    rm failed denied
approval ask 1 "deny" of the main agent: no
work running: Ran 1 command
    ls running`},
		{"the first answer counts", stream(begin(), ask("r", "", event.ToolMCP), answer("r", event.Deny, "no"), answer("r", event.Allow, "")), `
approval ask  "deny" of the main agent: no`},
		{"withdrawn", stream(begin(), command("1", "rm"), ask("r", "1", event.ToolCommand), answer("r", event.Withdrawn, ""), done(event.Interrupted)), `
work unknown: Ran 1 command
    rm unknown
approval ask 1 "withdrawn" of the main agent
end interrupted user`},
		{"lost with the engine", stream(begin(), command("1", "rm"), ask("r", "1", event.ToolCommand), lost), `
work unknown: Ran 1 command
    rm unknown
approval ask 1 "lost" of the main agent
end interrupted user`},
		{"a question and its answer", stream(begin(), tool("1", event.ToolQuestion, "ask"), q,
			event.QuestionAnswered{ID: "q", Answers: map[string][]string{"x": {"this"}}, By: event.ByUser}, ended("1", event.Success)), `
question true map[x:[this]]`},
		{"a question that is lost is closed", stream(begin(), q, lost), `
question true map[]
end interrupted user`},
	})
}

package transcript_test

import (
	"testing"

	"keva/agent/event"
)

func TestWork(t *testing.T) {
	exit := 1
	check(t, []rule{
		{"calls in a row are one run", stream(begin(), tool("1", event.ToolRead, "/p/a.go"), tool("2", event.ToolRead, "b.go"),
			ended("1", event.Success), ended("2", event.Success), command("3", "go test ./..."), ended("3", event.Success)), `
work done: 3 steps · read 2 files, ran tests
    a.go done
    b.go done
    go test ./... done`},
		{"text ends a run", stream(begin(), command("1", "ls"), ended("1", event.Success), final("b", "so"), command("2", "ls")), `
work done: Ran 1 command
    ls done
text "so"
work running: Ran 1 command
    ls running`},
		{"a turn ends a run", stream(begin(), command("1", "ls"), ended("1", event.Success), "turn t2", begin(), command("2", "ls")), `
work done: Ran 1 command
    ls done
work running: Ran 1 command
    ls running`},
		{"output grows, and the whole replaces it", stream(begin(), command("1", "ls"), event.ToolOutput{ID: "1", Text: "a"},
			event.ToolOutput{ID: "1", Text: "b"}, event.ToolEnded{ID: "1", Outcome: event.Failure, Output: "abc", ExitCode: &exit},
			event.ToolOutput{ID: "1", Text: "late"}), `
work failed: Ran 1 command
    ls failed "abc"`},
		{"pieces stay when the end has no output", stream(begin(), command("1", "ls"), event.ToolOutput{ID: "1", Text: "a"}, ended("1", event.Success)), `
work done: Ran 1 command
    ls done "a"`},
		{"what is done again counts as it went the last time", stream(begin(), command("1", "make"), ended("1", event.Failure),
			command("2", "make"), ended("2", event.Success)), `
work done: 2 steps · ran 2 commands
    make failed
    make done`},
		// I-11
		{"an open step is unknown at the turn's end", stream(begin(), command("1", "ls"), done(event.Interrupted)), `
work unknown: Ran 1 command
    ls unknown
end interrupted user`},
		{"a late end corrects unknown", stream(begin(), command("1", "ls"), done(event.Success), ended("1", event.Success)), `
work done: Ran 1 command
    ls done
end success user`},
		{"an end without a start is shown", stream(begin(), ended("1", event.Failure)), `
work failed: Used 1 other tool
     failed`},
		{"an outcome that nobody knows is a failure", stream(begin(), command("1", "ls"), ended("1", "splendid")), `
work failed: Ran 1 command
    ls failed`},
		{"a step told twice is one", stream(begin(), command("1", "ls"), command("1", "ls"), ended("1", event.Success), command("1", "ls")), `
work done: Ran 1 command
    ls done`},
		{"an id that another turn uses again is another step", stream(begin(), command("1", "ls"), ended("1", event.Success), done(event.Success),
			"turn t2", begin(), command("1", "pwd")), `
work done: Ran 1 command
    ls done
end success user
work running: Ran 1 command
    pwd running`},
		{"a plan is a card, its tool calls are not", stream(begin(), tool("1", event.ToolPlan, "TodoWrite"),
			event.Plan{Steps: []event.Step{{Text: "a"}}}, ended("1", event.Success), final("b", "x"),
			event.Plan{Steps: []event.Step{{Text: "a"}, {Text: "b"}}}), `
plan 2 steps
text "x"`},
		{"a plan call that failed is seen", stream(begin(), tool("1", event.ToolPlan, "TodoWrite"), ended("1", event.Failure)), `
work failed: Changed the plan
    TodoWrite failed`},
		{"the web is a card", stream(begin(), tool("1", event.ToolWeb, "go fyne"),
			event.WebActivity{ID: "1", Action: event.WebSearch, Query: "go fyne", ResultsKnown: true, Results: []event.WebResult{{Title: "Fyne"}}},
			ended("1", event.Success)), `
web done search "go fyne" 1 results`},
		{"a search on the web that is not known yet", stream(begin(), tool("1", event.ToolWeb, "go fyne"), done(event.Success)), `
web unknown unknown "go fyne" 0 results
end success user`},
	})
}

func TestDiff(t *testing.T) {
	edit := func(id string) event.Body { return tool(id, event.ToolEdit, "/p/a.go") }
	changed := func(id string, o event.Outcome, c ...event.Change) event.Body {
		return event.FileChange{ID: id, Outcome: o, Changes: c}
	}
	check(t, []rule{
		{"waits while it is asked", stream(begin(), edit("1"), ask("r", "1", event.ToolEdit, change("/p/a.go", 1, 0))), `
diff a.go waiting update
approval ask 1 "" of the main agent`},
		{"the request may come before the call", stream(begin(), ask("r", "1", event.ToolEdit, change("/p/a.go", 1, 0)), edit("1"), answer("r", event.Allow, "")), `
diff a.go running update allowed by user`},
		{"what was done replaces what was proposed", stream(begin(), edit("1"), ask("r", "1", event.ToolEdit, change("/p/a.go", 1, 0)),
			answer("r", event.Allow, ""), changed("1", event.Success, change("/p/a.go", 2, 1), change("/q/b.go", 1, 0)), ended("1", event.Success),
			done(event.Success)), `
diff a.go done update allowed by user
diff /q/b.go done update allowed by user
end success user 2 files +3 -1`},
		{"denied", stream(begin(), edit("1"), ask("r", "1", event.ToolEdit, change("/p/a.go", 1, 0)), answer("r", event.Deny, "not now"),
			event.ToolEnded{ID: "1", Outcome: event.Failure, Class: event.ClassDenied}), `
diff a.go failed update denied
approval ask 1 "deny" of the main agent: not now`},
		{"failed without a word of its changes", stream(begin(), edit("1"), event.ToolEnded{ID: "1", Outcome: event.Failure, Output: "\nno match\nmore"}), `
diff a.go failed unknown note no match`},
		{"a file that is proposed and not touched goes", stream(begin(), ask("r", "1", event.ToolEdit, change("/p/a.go", 1, 0), change("/p/b.go", 1, 0)),
			changed("1", event.Success, change("/p/b.go", 1, 0))), `
diff b.go done update
approval ask 1 "" of the main agent`},
		{"the same file twice in one call", stream(begin(), edit("1"), changed("1", event.Success, change("/p/a.go", 1, 0), change("/p/a.go", 1, 0))), `
diff a.go done update
diff a.go done update`},
		{"changes whose call was not seen", stream(begin(), changed("1", event.Success, change("/p/a.go", 1, 0)), done(event.Success)), `
diff a.go done update
end success user 1 files +1 -0`},
		{"an open edit is unknown at the turn's end", stream(begin(), edit("1"), done(event.Success)), `
diff a.go unknown unknown
end success user`},
		{"a request whose call never came is unknown", stream(begin(), ask("r", "1", event.ToolEdit, change("/p/a.go", 1, 0)),
			answer("r", event.Allow, ""), done(event.Success)), `
diff a.go unknown update allowed by user
end success user`},
	})
}

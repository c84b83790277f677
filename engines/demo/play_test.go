package demo

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// project simulates the tools over the sample project; a test changes what it returns.
type project struct {
	fixed   bool
	tasks   int
	answers map[string]toolResult // by a part of the tool's name and input
}

func (p *project) claude(tool string, input map[string]any) toolResult {
	what := tool + " " + fmt.Sprint(input)
	for part, answer := range p.answers {
		if strings.Contains(what, part) {
			return answer
		}
	}
	switch tool {
	case "Bash":
		if strings.Contains(what, "run.sh") && !p.fixed {
			return toolResult{"Exit code 1\nFAIL tests/dates.txt:4: format_date 2026-01-30: want \"30 January 2026\", got \"3 January 2026\"\n8 passed, 1 failed", true}
		}
		return toolResult{"src/parse.sh\n9 passed, 0 failed", false}
	case "Edit":
		p.fixed = true
		return toolResult{"The file was updated.", false}
	case "TaskCreate":
		p.tasks++
		return toolResult{fmt.Sprintf("Task #%d created successfully", p.tasks), false}
	case "Agent":
		if strings.Contains(what, "calendar") {
			return toolResult{"API Error: 400 Scripted failure", false}
		}
		return toolResult{"No place deletes zeros any more.", false}
	default:
		return toolResult{"ok", false}
	}
}

func TestTourBranches(t *testing.T) {
	denied := toolResult{"I don't want this.", true}
	tests := []struct {
		name    string
		answers map[string]toolResult
		said    []string
		not     []string
	}{
		{name: "all allowed", said: []string{"`tests/dates.txt`, line 4", "9 tests passed", "The calendar helper **failed**"}, not: []string{"denied"}},
		{name: "the fix does not help", answers: map[string]toolResult{"run.sh": {"Exit code 1\nFAIL tests/x:7: f 1: want \"a\", got \"b\"\n1 passed, 1 failed", true}}, said: []string{"**The tests still fail**: `tests/x`, line 7 wants `a` and gets `b`"}, not: []string{"tests passed, none failed"}},
		{name: "the tests can't run", answers: map[string]toolResult{"run.sh": {"Exit code 127\nsh: not found", true}}, said: []string{"did not run as they should", "nothing was changed"}, not: []string{"That was the tour", "I propose"}},
		{name: "the tests pass already", answers: map[string]toolResult{"run.sh": {"9 passed, 0 failed", false}}, said: []string{"somebody fixed the bug already"}, not: []string{"I propose"}},
		{name: "test run denied", answers: map[string]toolResult{"run.sh": denied}, said: []string{"I don't know what fails", "I can't say whether it works"}, not: []string{"tests passed"}},
		{name: "edits denied", answers: map[string]toolResult{"Edit": denied}, said: []string{"Another way", "No to both"}, not: []string{"Changed."}},
		{name: "the edit does not fit", answers: map[string]toolResult{"Edit": {"<tool_use_error>String to replace not found in file.</tool_use_error>", true}}, said: []string{"the line is not there any more"}, not: []string{"Changed.", "denied"}},
		{name: "search denied", answers: map[string]toolResult{"WebSearch": denied}, said: []string{"No search, then"}, not: []string{"POSIX manual"}},
		{name: "helpers denied", answers: map[string]toolResult{"Agent": denied}, said: []string{"The helpers were not started"}, not: []string{"One helper is back"}},
		{name: "both helpers report", answers: map[string]toolResult{"calendar": {"All twelve.", false}}, said: []string{"neither found anything"}, not: []string{"**failed**"}},
		{name: "another folder", answers: map[string]toolResult{"ls -R": {"main.go", false}, "README": {"File does not exist.", true}}, said: []string{"does not look like the sample project"}, not: []string{"That was the tour"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := &project{answers: test.answers}
			c := claudeChat(t, startServer(t, Options{}), p.claude)
			c.turn("Start the tour")
			expect(t, c.said, test.said...)
			for _, part := range test.not {
				if strings.Contains(c.said, part) {
					t.Errorf("said %q:\n%s", part, c.said)
				}
			}
			if strings.Contains(c.said, "{{") {
				t.Errorf("a variable without a value:\n%s", c.said)
			}
		})
	}
}

// The plan never shows the repair as done when it was not.
func TestPlanIsHonest(t *testing.T) {
	p := &project{answers: map[string]toolResult{"Edit": {"No.", true}}}
	subjects, done := map[string]string{}, []string{}
	c := claudeChat(t, startServer(t, Options{}), func(tool string, input map[string]any) toolResult {
		r := p.claude(tool, input)
		if tool == "TaskCreate" {
			subjects[fmt.Sprint(p.tasks)] = str(input, "subject")
		}
		if tool == "TaskUpdate" && input["status"] == "completed" {
			done = append(done, subjects[str(input, "taskId")])
		}
		return r
	})
	c.turn("tour")
	if slices.Contains(done, "Fix it") || !slices.Contains(done, "Find the failing test") {
		t.Errorf("done: %q", done)
	}
}

// A cut after one of two calls: the engine ran the first, and the next request has its result only. The other call is made
// again, the first is not, and nothing is said twice.
func TestHalfAStepGoesOn(t *testing.T) {
	c := claudeChat(t, startServer(t, Options{}), (&project{}).claude)
	c.history = []any{
		fields{"role": "user", "content": "tour"},
		fields{"role": "assistant", "content": []any{fields{"type": "tool_use", "id": "toolu_tour-look-1-0-0-0-x", "name": "Bash", "input": fields{}}}},
		fields{"role": "user", "content": []any{fields{"type": "tool_result", "tool_use_id": "toolu_tour-look-1-0-0-0-x", "content": "src/parse.sh"}}},
	}
	if !c.round() || !slices.Equal(c.called, []string{"Read"}) || c.said != "" {
		t.Errorf("called %q, said %q", c.called, c.said)
	}
	c.round()
	expect(t, c.said, "This is **ledger**")
}

// What a person writes while the script runs is noticed once, and the script goes on; after a stop it is a new turn.
func TestRemarkWhileRunning(t *testing.T) {
	s := startServer(t, Options{})
	c := claudeChat(t, s, (&project{}).claude)
	c.history = append(c.history, fields{"role": "user", "content": "plan"})
	c.round()
	c.history = append(c.history, fields{"role": "user", "content": "and use tabs"})
	c.round()
	expect(t, c.said, "You wrote: “and use tabs”")
	c.said = ""
	c.round()
	if strings.Contains(c.said, "You wrote") {
		t.Error("noticed twice")
	}
	c.history = append(c.history, fields{"role": "user", "content": "[Request interrupted by user]"}, fields{"role": "user", "content": "what now?"})
	c.round()
	expect(t, c.said, "I can't answer “what now?”")
}

func TestContinueAfterStop(t *testing.T) {
	c := claudeChat(t, startServer(t, Options{}), (&project{}).claude)
	c.history = append(c.history, fields{"role": "user", "content": "tour"})
	for !slices.Contains(c.called, "Edit") {
		c.round()
	}
	// The stop overtook the edit: the engine answers it itself.
	last, _ := c.history[len(c.history)-1].(fields)
	results, _ := last["content"].([]any)
	for _, r := range results {
		block, _ := r.(fields)
		block["content"], block["is_error"] = "The user doesn't want to proceed with this tool use. The tool use was rejected.", true
	}
	c.history = append(c.history, fields{"role": "user", "content": "[Request interrupted by user for tool use]"})
	c.turn("continue")
	if c.called[0] != "Edit" {
		t.Errorf("called %q", c.called)
	}
	expect(t, c.said, "9 tests passed", "That was the tour")
	for _, part := range []string{"Welcome", "You denied"} { // it neither begins again, nor takes the stop for a no
		if strings.Contains(c.said, part) {
			t.Errorf("said %q", part)
		}
	}
}

// The CLI's own question after an empty answer is not the person's.
func TestEnginesRemarksAreNoPrompts(t *testing.T) {
	c := claudeChat(t, startServer(t, Options{}), (&project{}).claude)
	c.history = append(c.history, fields{"role": "user", "content": "#script empty"})
	c.round()
	c.turn("[Your previous response had no visible output. Please continue and produce a user-visible response.]")
	expect(t, c.said, "The first answer was empty")
}

// What a host puts before the person's words, such as a brief, is a block of its own: the words choose the script.
func TestBriefBeforeThePrompt(t *testing.T) {
	s, err := newServer(Options{})
	if err != nil {
		t.Fatal(err)
	}
	brief := "# Handed over from another agent\n\n" + strings.Repeat("It did much. ", 300)
	for wire, conversation := range map[string]func(content string) *Conversation{
		"anthropic": func(content string) *Conversation {
			return (&messagesRequest{Messages: []json.RawMessage{json.RawMessage(`{"role":"user","content":` + content + `}`)}}).conversation(s.choose)
		},
		"openai": func(content string) *Conversation {
			return (&responsesRequest{Input: []json.RawMessage{json.RawMessage(`{"type":"message","role":"user","content":` + content + `}`)}}).conversation(s.choose)
		},
	} {
		content, err := json.Marshal([]fields{{"type": "text", "text": brief}, {"type": "text", "text": "Start the tour"}})
		if err != nil {
			t.Fatal(err)
		}
		if c := conversation(string(content)); c.Script.Name != "tour" || c.Prompt != "Start the tour" {
			t.Errorf("%s: script %s, prompt %.40q", wire, c.Script.Name, c.Prompt)
		}
	}
}

func TestTourWithPlainCodexTools(t *testing.T) {
	fixed := false
	waits := 0
	var started []string
	var c *chat
	c = codexChat(t, startServer(t, Options{}), func(tool string, input map[string]any) toolResult {
		what := fmt.Sprint(input)
		switch {
		case tool == "exec_command" && strings.Contains(what, "run.sh") && !fixed:
			return toolResult{text: "Chunk ID: 1\nWall time: 10.0 seconds\nProcess running with session ID 7\nOutput:\n"}
		case tool == "write_stdin":
			return toolResult{text: "Wall time: 1.0 seconds\nProcess exited with code 1\nOutput:\nFAIL tests/dates.txt:4: format_date x: want \"30\", got \"3\"\n8 passed, 1 failed\n"}
		case tool == "apply_patch":
			fixed = true
			return toolResult{text: "Success. Updated the following files:\nM src/parse.sh"}
		case tool == "spawn_agent":
			started = append(started, str(input, "task_name"))
			return toolResult{text: `{"task_name":"/root/` + str(input, "task_name") + `"}`}
		case tool == "wait_agent":
			waits++
			report := "FINAL_ANSWER\nTask name: /root\nSender: /root/" + started[1] + "\nPayload:\nAgent errored: Scripted failure"
			if waits == 2 {
				report = "FINAL_ANSWER\nTask name: /root\nSender: /root/" + started[0] + "\nPayload:\nNo place deletes zeros any more."
			}
			defer func() { // the report follows the result
				c.history = append(c.history, fields{"type": "agent_message", "author": "x", "content": []any{fields{"type": "input_text", "text": "Message Type: " + report}}})
			}()
			return toolResult{text: `{"message":"Wait completed.","timed_out":false}`}
		default:
			return toolResult{text: "Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nsrc/parse.sh\n9 passed, 0 failed\n"}
		}
	})
	c.turn("tour")
	expect(t, c.said, "`tests/dates.txt`, line 4", "wants `30` and gets `3`", "9 tests passed", "One helper is back. No place deletes zeros any more.", "The calendar helper **failed**", "That was the tour")

	waits, started = 0, nil
	c.turn("agents")
	expect(t, c.said, "One helper reported, one **failed**")
	if !slices.Equal(started, []string{"talker", "calendar_2"}) {
		t.Errorf("started %q: Codex refuses a name that the thread had already", started)
	}
}

// Every step of every built-in script can be reached, and every branch names what it tests.
func TestBuiltInScripts(t *testing.T) {
	s := startServer(t, Options{})
	for name, script := range s.scripts {
		reached := map[int]bool{}
		var visit func(int)
		visit = func(i int) {
			if i >= len(script.Steps) || reached[i] {
				return
			}
			reached[i] = true
			step := script.Steps[i]
			always := false
			for _, b := range step.Next {
				visit(script.index[b.Go])
				always = b.When == When{}
			}
			if !step.End && !always {
				visit(i + 1)
			}
		}
		visit(0)
		for i, step := range script.Steps {
			if !reached[i] {
				t.Errorf("%s: step %s can't be reached", name, step.ID)
			}
		}
		if !script.Steps[len(script.Steps)-1].End {
			t.Errorf("%s: the last step does not end the turn", name)
		}
	}
}

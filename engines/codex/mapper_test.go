package codex

import (
	"fmt"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/engines"
)

// script maps lines: "> " is one of ours, anything else is the engine's.
func script(m *Mapper, lines ...string) []event.Event {
	var out []event.Event
	for _, l := range lines {
		f := engines.Frame{Dir: engines.Out, Line: []byte(l)}
		if ours, ok := strings.CutPrefix(l, "> "); ok {
			f.Dir, f.Line = engines.In, []byte(ours)
		}
		out = append(out, m.Map(f)...)
	}
	return out
}

func of[B event.Body](evs []event.Event) []B {
	var out []B
	for _, e := range evs {
		if b, ok := e.Body.(B); ok {
			out = append(out, b)
		}
	}
	return out
}

var opening = []string{
	`> {"id":1,"method":"thread/start","params":{}}`,
	`{"id":1,"result":{"thread":{"id":"main"},"approvalPolicy":"untrusted"}}`,
}

func opened(lines ...string) (*Mapper, []event.Event) {
	m := NewMapper()
	script(m, opening...)
	return m, script(m, lines...)
}

func turnLine(method, thread, turn, status string) string {
	return fmt.Sprintf(`{"method":%q,"params":{"threadId":%q,"turn":{"id":%q,"status":%q}}}`, method, thread, turn, status)
}

// I-2: only one word is a success.
func TestOutcomesFailClosed(t *testing.T) {
	for status, want := range map[string]event.Outcome{
		"completed": event.Success, "failed": event.Failure, "interrupted": event.Interrupted,
		"": event.Unknown, "inProgress": event.Unknown, "Completed": event.Failure, "cancelled": event.Failure, "done": event.Failure,
	} {
		_, evs := opened(turnLine("turn/started", "main", "t", "inProgress"), turnLine("turn/completed", "main", "t", status))
		ends := of[event.TurnCompleted](evs)
		if len(ends) != 1 || ends[0].Outcome != want {
			t.Errorf("%q: %+v", status, ends)
		}
		if want == event.Failure && ends[0].Error == nil {
			t.Errorf("%q: a failure without a sentence", status)
		}
	}
	// A turn that is called completed and carries an error contradicts itself.
	_, evs := opened(turnLine("turn/started", "main", "t", "inProgress"),
		`{"method":"turn/completed","params":{"threadId":"main","turn":{"id":"t","status":"completed","error":{"message":"x"}}}}`)
	if ends := of[event.TurnCompleted](evs); ends[0].Outcome != event.Failure {
		t.Errorf("%+v", ends)
	}
	for status, want := range map[string]event.Outcome{
		"completed": event.Success, "failed": event.Failure, "declined": event.Failure, "odd": event.Failure, "": event.Unknown,
	} {
		if got, _ := itemOutcome(status); got != want {
			t.Errorf("item %q: %s", status, got)
		}
	}
}

// A command that says "completed" with another exit code than 0 has failed; -1 and null are no exit codes.
func TestExitCodes(t *testing.T) {
	for code, want := range map[string]string{
		`0`: "success 0", `1`: "failure 1", `-1`: "failure nil", `null`: "failure nil", `137`: "failure 137",
	} {
		status := "completed"
		if strings.HasSuffix(want, "nil") {
			status = "failed"
		}
		_, evs := opened(fmt.Sprintf(
			`{"method":"item/completed","params":{"threadId":"main","turnId":"t","item":{"type":"commandExecution","id":"c","command":"x","status":%q,"exitCode":%s}}}`, status, code))
		end := of[event.ToolEnded](evs)[0]
		got := string(end.Outcome) + " nil"
		if end.ExitCode != nil {
			got = fmt.Sprintf("%s %d", end.Outcome, *end.ExitCode)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", code, got, want)
		}
		if len(of[event.ToolStarted](evs)) != 1 {
			t.Error("an end without a start needs a card all the same")
		}
	}
}

// The reply to turn/start and turn/started may come in either order, and an unasked turn stays the engine's.
func TestOrigins(t *testing.T) {
	ask := `> {"id":2,"method":"turn/start","params":{"threadId":"main","clientUserMessageId":"m","input":[{"type":"text","text":"x"}]}}`
	reply := `{"id":2,"result":{"turn":{"id":"t"}}}`
	start, end := turnLine("turn/started", "main", "t", ""), turnLine("turn/completed", "main", "t", "completed")
	for name, lines := range map[string][]string{
		"reply first":      {ask, reply, start, end},
		"start first":      {ask, start, reply, end},
		"end before reply": {ask, start, end, reply},
	} {
		_, evs := opened(lines...)
		starts, ends := of[event.TurnStarted](evs), of[event.TurnCompleted](evs)
		if len(starts) != 1 || len(ends) != 1 || starts[0].Origin != event.OriginUser {
			t.Errorf("%s: %+v %+v", name, starts, ends)
		}
		if len(ends[0].Messages) != 1 || ends[0].Messages[0] != "m" {
			t.Errorf("%s: %+v", name, ends[0])
		}
	}
	_, evs := opened(start, end)
	if of[event.TurnStarted](evs)[0].Origin != event.OriginEngine {
		t.Error("an unasked turn is the user's")
	}
	_, evs = opened(ask, `{"id":2,"error":{"code":-32600,"message":"no"}}`, start)
	if of[event.TurnStarted](evs)[0].Origin != event.OriginEngine {
		t.Error("a refused message started a turn")
	}
}

// A review's turn/started carries another turn id than its reply, its items and its end.
func TestReviewHasOneTurn(t *testing.T) {
	ask := `> {"id":2,"method":"review/start","params":{"threadId":"main","delivery":"inline"}}`
	reply := `{"id":2,"result":{"turn":{"id":"R"},"reviewThreadId":"main"}}`
	text := `{"method":"item/completed","params":{"threadId":"main","turnId":"R","item":{"type":"agentMessage","id":"a","text":"x"}}}`
	for name, lines := range map[string][]string{
		"reply first": {ask, reply, turnLine("turn/started", "main", "X", ""), text, turnLine("turn/completed", "main", "R", "completed")},
		"start first": {ask, turnLine("turn/started", "main", "X", ""), reply, text, turnLine("turn/completed", "main", "R", "completed")},
		"reply last":  {ask, turnLine("turn/started", "main", "X", ""), turnLine("turn/completed", "main", "R", "completed"), reply},
	} {
		_, evs := opened(lines...)
		turns := map[string]bool{}
		for _, e := range evs {
			if e.Turn != "" {
				turns[e.Turn] = true
			}
		}
		if len(turns) != 1 || len(of[event.TurnCompleted](evs)) != 1 {
			t.Errorf("%s: %v", name, turns)
		}
	}
}

const spawn = `{"method":"item/started","params":{"threadId":"main","turnId":"t","item":{"type":"subAgentActivity","id":"call-1","kind":"started","agentThreadId":"kid","agentPath":"/root/job"}}}`

// F13: whichever sign of a sub-agent comes first, there is one task.
func TestSubAgentIsFoundByAnySign(t *testing.T) {
	signs := map[string]string{
		"activity":  spawn,
		"v1 call":   `{"method":"item/completed","params":{"threadId":"main","turnId":"t","item":{"type":"collabAgentToolCall","id":"call-1","tool":"spawnAgent","status":"completed","receiverThreadIds":["kid"],"prompt":"Do it"}}}`,
		"status":    `{"method":"thread/status/changed","params":{"threadId":"kid","status":{"type":"active"}}}`,
		"its turn":  turnLine("turn/started", "kid", "k", ""),
		"its item":  `{"method":"item/started","params":{"threadId":"kid","turnId":"k","item":{"type":"reasoning","id":"r"}}}`,
		"its delta": `{"method":"item/agentMessage/delta","params":{"threadId":"kid","turnId":"k","itemId":"a","delta":"x"}}`,
		"request":   `{"method":"item/commandExecution/requestApproval","id":0,"params":{"threadId":"kid","turnId":"k","itemId":"c","command":"x"}}`,
	}
	for first, line := range signs {
		m, evs := opened(turnLine("turn/started", "main", "t", ""), line)
		for _, other := range sortedKeys(signs) {
			evs = append(evs, script(m, signs[other])...)
		}
		tasks := of[event.TaskStarted](evs)
		if len(tasks) != 1 || tasks[0].ID != "kid" || tasks[0].Task != event.TaskAgent {
			t.Errorf("%s first: %+v", first, tasks)
		}
	}
}

// A late end of an earlier run must not end the one that goes on.
func TestLateEndOfAnEarlierRun(t *testing.T) {
	late := `{"method":"item/completed","params":{"threadId":"main","turnId":"t","item":{"type":"subAgentActivity","id":"subagent-completed-k1","kind":"completed","agentThreadId":"kid","agentPath":"/root/job"}}}`
	_, evs := opened(turnLine("turn/started", "main", "t", ""), spawn,
		turnLine("turn/started", "kid", "k1", ""), turnLine("turn/completed", "kid", "k1", "completed"),
		turnLine("turn/started", "kid", "k2", ""), late, turnLine("turn/completed", "kid", "k1", "completed"))
	if starts, ends := of[event.TaskStarted](evs), of[event.TaskEnded](evs); len(starts) != 2 || len(ends) != 1 {
		t.Errorf("%d starts, %d ends", len(starts), len(ends))
	} else if starts[0].ToolID != "call-1" || starts[1].ToolID == "call-1" {
		t.Errorf("the second run names the first dispatch: %+v", starts)
	}
}

// Signals without the sub-agent's own end, each with its id.
func TestOtherEndsOfASubAgent(t *testing.T) {
	for line, want := range map[string]event.Outcome{
		`{"method":"item/completed","params":{"threadId":"main","turnId":"t","item":{"type":"subAgentActivity","id":"subagent-completed-k1","kind":"completed","agentThreadId":"kid"}}}`:                                                  event.Success,
		`{"method":"item/completed","params":{"threadId":"main","turnId":"t","item":{"type":"subAgentActivity","id":"x","kind":"interrupted","agentThreadId":"kid"}}}`:                                                                    event.Interrupted,
		`{"method":"item/completed","params":{"threadId":"main","turnId":"t","item":{"type":"collabAgentToolCall","id":"w","tool":"wait","status":"completed","receiverThreadIds":["kid"],"agentsStates":{"kid":{"status":"errored"}}}}}`: event.Failure,
		`{"method":"item/completed","params":{"threadId":"main","turnId":"t","item":{"type":"collabAgentToolCall","id":"w","tool":"wait","status":"completed","receiverThreadIds":["kid"],"agentsStates":{"kid":{"status":"odd"}}}}}`:     event.Failure,
		`{"method":"thread/status/changed","params":{"threadId":"kid","status":{"type":"notLoaded"}}}`:                                                                                                                                    event.Unknown,
		turnLine("turn/completed", "kid", "k1", "odd"): event.Failure,
	} {
		_, evs := opened(turnLine("turn/started", "main", "t", ""), spawn, turnLine("turn/started", "kid", "k1", ""), line, line)
		ends := of[event.TaskEnded](evs)
		if len(ends) != 1 || ends[0].Outcome != want || ends[0].ID != "kid" || ends[0].Via == "" {
			t.Errorf("%s: %+v", line, ends)
		}
	}
	// What says that it still works, or speaks of an earlier state, ends nothing.
	for _, line := range []string{
		`{"method":"thread/status/changed","params":{"threadId":"kid","status":{"type":"idle"}}}`,
		`{"method":"item/completed","params":{"threadId":"main","turnId":"t","item":{"type":"collabAgentToolCall","id":"w","tool":"sendInput","status":"completed","receiverThreadIds":["kid"],"agentsStates":{"kid":{"status":"completed"}}}}}`,
		`{"method":"item/completed","params":{"threadId":"main","turnId":"t","item":{"type":"collabAgentToolCall","id":"w","tool":"wait","status":"completed","receiverThreadIds":[],"agentsStates":{}}}}`,
		turnLine("turn/completed", "main", "t", "completed"),
	} {
		_, evs := opened(turnLine("turn/started", "main", "t", ""), spawn, turnLine("turn/started", "kid", "k1", ""), line)
		if ends := of[event.TaskEnded](evs); len(ends) != 0 {
			t.Errorf("%s: %+v", line, ends)
		}
	}
}

const command = `{"method":"item/started","params":{"threadId":"main","turnId":"t","item":{"type":"commandExecution","id":"c","command":"/bin/sh -lc 'sleep 9'","status":"inProgress"}}}`

// A command that outlives its turn is live work; one that never ran is none.
func TestCommandsThatOutliveTheirTurn(t *testing.T) {
	start := turnLine("turn/started", "main", "t", "")
	asked := `{"method":"item/commandExecution/requestApproval","id":0,"params":{"threadId":"main","turnId":"t","itemId":"c","command":"x"}}`
	done := turnLine("turn/completed", "main", "t", "completed")
	stopped := turnLine("turn/completed", "main", "t", "interrupted")
	list := `> {"id":3,"method":"thread/backgroundTerminals/list","params":{"threadId":"main"}}`
	listed := `{"id":3,"result":{"data":[{"itemId":"c","processId":"1"}]}}`
	for name, c := range map[string]struct {
		lines []string
		tasks int
	}{
		"runs on":                      {[]string{start, command, asked, `> {"id":0,"result":{"decision":"accept"}}`, done}, 1},
		"waits for an answer":          {[]string{start, command, asked, done}, 0},
		"was declined":                 {[]string{start, command, asked, `> {"id":0,"result":{"decision":"decline"}}`, done}, 0},
		"interrupted, nothing known":   {[]string{start, command, stopped}, 0},
		"interrupted, listed":          {[]string{start, command, stopped, list, listed}, 1},
		"interrupted, not in the list": {[]string{start, command, stopped, list, `{"id":3,"result":{"data":[]}}`}, 0},
	} {
		_, evs := opened(c.lines...)
		if tasks := of[event.TaskStarted](evs); len(tasks) != c.tasks {
			t.Errorf("%s: %+v", name, tasks)
		}
	}
	// A clean-up may be faster than the list: what it ended was interrupted, and did not fail.
	_, evs := opened(start, command, stopped, `> {"id":4,"method":"thread/backgroundTerminals/clean","params":{"threadId":"main"}}`,
		list, `{"id":3,"result":{"data":[]}}`,
		`{"method":"item/completed","params":{"threadId":"main","turnId":"t","item":{"type":"commandExecution","id":"c","status":"failed","exitCode":-1}}}`)
	if ends := of[event.ToolEnded](evs); len(ends) != 1 || ends[0].Outcome != event.Interrupted {
		t.Errorf("%+v", ends)
	}
	_, evs = opened(start, command, done,
		`{"method":"item/completed","params":{"threadId":"main","turnId":"t","item":{"type":"commandExecution","id":"c","status":"completed","exitCode":0}}}`)
	if ends := of[event.TaskEnded](evs); len(ends) != 1 || ends[0].ID != "c" || ends[0].Outcome != event.Success {
		t.Errorf("%+v", ends)
	}
}

// A request that the engine takes back before anybody answers is withdrawn; one that was answered stays answered.
func TestWithdrawnRequests(t *testing.T) {
	ask := `{"method":"item/commandExecution/requestApproval","id":0,"params":{"threadId":"main","turnId":"t","itemId":"c","command":"x"}}`
	gone := `{"method":"serverRequest/resolved","params":{"threadId":"main","requestId":0}}`
	_, evs := opened(ask, gone, `> {"id":0,"result":{"decision":"accept"}}`)
	if rs := of[event.ApprovalResolved](evs); len(rs) != 1 || rs[0].Decision != event.Withdrawn || rs[0].By != event.ByEngine {
		t.Errorf("%+v", rs)
	}
	_, evs = opened(ask, `> {"id":0,"result":{"decision":"decline"}}`, gone)
	if rs := of[event.ApprovalResolved](evs); len(rs) != 1 || rs[0].Decision != event.Deny {
		t.Errorf("%+v", rs)
	}
	// A stop decides, also when the engine closes the request before the answer that goes with the stop.
	_, evs = opened(turnLine("turn/started", "main", "t", ""), ask,
		`> {"id":9,"method":"turn/interrupt","params":{"threadId":"main","turnId":"t"}}`, gone)
	if rs := of[event.ApprovalResolved](evs); len(rs) != 1 || rs[0].Decision != event.Deny || rs[0].By != event.ByStop {
		t.Errorf("%+v", rs)
	}
	m, _ := opened(ask)
	if rs := of[event.ApprovalResolved](m.Map(engines.Frame{Dir: engines.Exit})); len(rs) != 1 || rs[0].Decision != event.Lost {
		t.Errorf("%+v", rs)
	}
}

// G2: each kind of request has a reply for yes and for no, and the mapper reads its own replies as they were meant.
func TestAnswersRoundTrip(t *testing.T) {
	asks := map[string]string{
		"item/commandExecution/requestApproval": `{"threadId":"main","turnId":"t","itemId":"c","command":"x"}`,
		"item/fileChange/requestApproval":       `{"threadId":"main","turnId":"t","itemId":"c"}`,
		"item/permissions/requestApproval":      `{"threadId":"main","turnId":"t","itemId":"c","cwd":"/","permissions":{"network":{"enabled":true}}}`,
		"applyPatchApproval":                    `{"conversationId":"main","callId":"c","fileChanges":{"/a":{"type":"add","content":"x\n"}}}`,
		"execCommandApproval":                   `{"conversationId":"main","callId":"c","command":["sh","-c","x"],"cwd":"/"}`,
		"mcpServer/elicitation/request":         `{"threadId":"main","serverName":"s","mode":"form","message":"?","_meta":{"codex_approval_kind":"mcp_tool_call","tool_name":"t"}}`,
		"mcpServer/elicitation/request ":        `{"threadId":"main","serverName":"s","mode":"url","message":"?","url":"http://x"}`,
	}
	for method, p := range asks {
		for _, d := range []event.Decision{event.Allow, event.Deny} {
			m, evs := opened(fmt.Sprintf(`{"method":%q,"id":0,"params":%s}`, strings.TrimSpace(method), p))
			as := of[event.ApprovalAsked](evs)
			if len(as) != 1 || as[0].Title == "" {
				t.Fatalf("%s: %+v", method, evs)
			}
			r := m.pendingByID(as[0].ID)
			reply := object("result", r.result(runtime.Answer{Decision: d}))
			rs := of[event.ApprovalResolved](script(m, `> {"id":0,`+string(reply[1:])))
			if len(rs) != 1 || rs[0].Decision != d || rs[0].ID != as[0].ID {
				t.Errorf("%s %s: %s gave %+v", method, d, reply, rs)
			}
		}
	}
}

// What the engine would not take for a yes is not shown as one.
func TestUnusableRepliesAreDenials(t *testing.T) {
	for _, reply := range []string{`"result":{}`, `"result":{"decision":"maybe"}`, `"result":5`, `"error":{"code":1,"message":"x"}`, `"result":{"decision":{"odd":1}}`} {
		_, evs := opened(`{"method":"item/commandExecution/requestApproval","id":0,"params":{"threadId":"main","turnId":"t","itemId":"c","command":"x"}}`,
			`> {"id":0,`+reply+`}`)
		if rs := of[event.ApprovalResolved](evs); len(rs) != 1 || rs[0].Decision != event.Deny {
			t.Errorf("%s: %+v", reply, rs)
		}
	}
}

// A form's answers go back in the types that it asked for.
func TestFormAnswers(t *testing.T) {
	m, evs := opened(`{"method":"mcpServer/elicitation/request","id":0,"params":{"threadId":"main","serverName":"s","mode":"form","message":"?","requestedSchema":{"properties":{` +
		`"age":{"type":"integer"},"ok":{"type":"boolean"},"name":{"type":"string"},"size":{"type":"string","enum":["S","L"]},"tags":{"type":"array","items":{"enum":["a","b"]}}}}}}`)
	q := of[event.QuestionAsked](evs)[0]
	if len(q.Questions) != 5 {
		t.Fatalf("%+v", q)
	}
	answers := map[string][]string{"age": {"30"}, "ok": {"true"}, "name": {"Ada"}, "size": {"L"}, "tags": {"a", "b"}}
	got := object("x", m.pendingByID(q.ID).result(runtime.Answer{Decision: event.Allow, Answers: answers}))
	want := `{"x":{"_meta":null,"action":"accept","content":{"age":30,"name":"Ada","ok":true,"size":"L","tags":["a","b"]}}}`
	if string(got) != want {
		t.Errorf("%s", got)
	}
	if got := object("x", m.pendingByID(q.ID).result(runtime.Answer{Decision: event.Deny})); !strings.Contains(string(got), `"decline"`) {
		t.Errorf("%s", got)
	}
}

// A patch whose item was never seen must not look like a harmless one.
func TestUnknownPatchSaysSo(t *testing.T) {
	_, evs := opened(`{"method":"item/fileChange/requestApproval","id":0,"params":{"threadId":"main","turnId":"t","itemId":"c","grantRoot":"/etc"}}`)
	a := of[event.ApprovalAsked](evs)[0]
	if len(a.Changes) != 0 || !strings.Contains(a.Title, "does not name") || !strings.Contains(a.Reason, "/etc") {
		t.Errorf("%+v", a)
	}
}

func TestErrorClasses(t *testing.T) {
	for info, want := range map[string]string{
		`"unauthorized"`: "auth 0", `"usageLimitExceeded"`: "limit 0", `"serverOverloaded"`: "overloaded 0",
		`"contextWindowExceeded"`: "context 0", `"modelNotFound"`: "model 0", `"brandNew"`: "other 0", `null`: "other 0",
		`{"httpConnectionFailed":{"httpStatusCode":401}}`:          "auth 401",
		`{"httpConnectionFailed":{"httpStatusCode":null}}`:         "network 0",
		`{"responseTooManyFailedAttempts":{"httpStatusCode":429}}`: "limit 429",
		`{"responseStreamDisconnected":{"httpStatusCode":503}}`:    "overloaded 503",
		`{"brandNew":{"httpStatusCode":500}}`:                      "server 500",
		`{"activeTurnNotSteerable":{"turnKind":"review"}}`:         "request 0",
	} {
		e := failure(&wireError{Message: "m", Info: []byte(info)})
		if got := fmt.Sprintf("%s %d", e.Class, e.Status); got != want || e.Message == "" || e.Detail == "" {
			t.Errorf("%s: %s, want %s (%+v)", info, got, want, e)
		}
	}
	e := failure(&wireError{Message: `{"error":{"message":"Invalid 'x'","type":"invalid_request_error"}}`, Info: []byte(`"other"`)})
	if e.Class != event.ClassRequest || !strings.Contains(e.Message, "Invalid 'x'") || strings.Contains(e.Message, "{") {
		t.Errorf("%+v", e)
	}
}

func TestUnwrap(t *testing.T) {
	for in, want := range map[string]string{
		`/bin/bash -lc 'touch x'`:      `touch x`,
		`/bin/sh -c ls`:                `ls`,
		`bash -lc "echo \"hi\" there"`: `echo "hi" there`,
		`/bin/zsh -lc 'it'"'"'s'`:      `it's`,
		`/bin/bash -lc 'it'\''s'`:      `it's`,
		`/bin/bash -lc 'unterminated`:  `/bin/bash -lc 'unterminated`,
		`/bin/bash -lc "$HOME"`:        `/bin/bash -lc "$HOME"`,
		`/bin/bash -lc 'a' 'b'`:        `/bin/bash -lc 'a' 'b'`,
		`/bin/bash -lc 'a'; rm -rf /`:  `/bin/bash -lc 'a'; rm -rf /`,
		`/bin/bash --rcfile x -lc 'a'`: `/bin/bash --rcfile x -lc 'a'`,
		`python3 -c 'print(1)'`:        `python3 -c 'print(1)'`,
		`/bin/bash -lc ''`:             `/bin/bash -lc ''`,
		"/bin/bash -lc 'two\nlines'":   "two\nlines",
		``:                             ``,
		`make`:                         `make`,
	} {
		if got := unwrap(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestChanges(t *testing.T) {
	w := wireChange{Path: "/a", Diff: "@@ -1,2 +1,3 @@ f()\n a\n-b\n+c\n+d\n\\ No newline at end of file\n@@ -9 +10 @@\n-x\n+y\n\n\nMoved to: /b"}
	w.Kind.Type, w.Kind.MovePath = "update", "/b"
	c := change(w)
	if c.Kind != event.ChangeMove || c.MovedTo != "/b" || c.Added != 3 || c.Removed != 2 || len(c.Hunks) != 2 || c.Note != "" {
		t.Errorf("%+v", c)
	}
	if h := c.Hunks[1]; h.OldStart != 9 || h.OldLines != 1 || h.NewStart != 10 || len(h.Lines) != 2 {
		t.Errorf("%+v", h)
	}
	w = wireChange{Path: "/a", Diff: "one\n\n+two"}
	w.Kind.Type = "add"
	if c := change(w); c.Added != 3 || c.Removed != 0 || c.Hunks[0].Lines[2] != "++two" || c.Hunks[0].NewLines != 3 {
		t.Errorf("%+v", c)
	}
	w.Kind.Type = "delete"
	if c := change(w); c.Added != 0 || c.Removed != 3 {
		t.Errorf("%+v", c)
	}
	w.Kind.Type = "rename"
	if c := change(w); c.Kind != event.ChangeUnknown || c.Note == "" || len(c.Hunks[0].Lines) != 3 {
		t.Errorf("%+v", c)
	}
	// What can't be read is shown and marked, never left out.
	w = wireChange{Path: "/a", Diff: "no hunk head\n@@ -1 +1 @@\nodd line"}
	w.Kind.Type = "update"
	if c := change(w); c.Note == "" || len(c.Hunks) != 2 || c.Hunks[1].Lines[0] != " odd line" {
		t.Errorf("%+v", c)
	}
	w.Diff = "@@ -99999999999999999999 +1 @@\n+x"
	if c := change(w); c.Added != 1 {
		t.Errorf("%+v", c)
	}
}

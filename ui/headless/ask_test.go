package headless

import (
	"io"
	"strings"
	"testing"

	"keva/agent/approval"
	"keva/agent/event"
	"keva/agent/runtime"
)

func newPipe() (io.Reader, io.WriteCloser) { return io.Pipe() }

// waitOpen returns once all of these requests were asked.
func (f *fake) waitOpen(ids ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, id := range ids {
		for !f.open[id] {
			f.answered.Wait()
		}
	}
}

func TestApproval(t *testing.T) {
	for _, c := range []struct {
		name, typed string
		answer      runtime.Answer
		shows       string
	}{
		{"allow", "a\n", runtime.Answer{Decision: event.Allow, By: event.ByUser}, "[a]llow once"},
		{"yes", "YES\n", runtime.Answer{Decision: event.Allow, By: event.ByUser}, ""},
		{"deny with a reason", "d not on Fridays\n", runtime.Answer{Decision: event.Deny, By: event.ByUser, Reason: "not on Fridays"}, ""},
		{"deny, then the reason", "n\nnot on Fridays\n", runtime.Answer{Decision: event.Deny, By: event.ByUser, Reason: "not on Fridays"}, "Reason"},
		{"deny without a reason", "d\n\n", runtime.Answer{Decision: event.Deny, By: event.ByUser}, ""},
		{"an empty line is no answer", "\na\n", runtime.Answer{Decision: event.Allow, By: event.ByUser}, "Type “a”"},
		{"yes, but is no yes", "a but not in /etc\nd\n\n", runtime.Answer{Decision: event.Deny, By: event.ByUser}, "only “a”"},
		{"show again", "?\na\n", runtime.Answer{Decision: event.Allow, By: event.ByUser}, ""},
		{"the input ends", "", runtime.Answer{Decision: event.Deny, By: event.ByRule, Reason: "Nobody answered: the input has ended."}, "answer is no"},
		{"the input ends in the reason", "d\n", runtime.Answer{Decision: event.Deny, By: event.ByRule, Reason: "Nobody answered: the input has ended."}, ""},
		{"a last line without its end", "a", runtime.Answer{Decision: event.Allow, By: event.ByUser}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(begin(), command("tool-1", "git push"), ask("1", "git push"), hold{"1"}, ended("tool-1", ""), done(event.Success))
			r := runFake(t, f, c.typed)
			if a := f.given(t, "1"); a.Decision != c.answer.Decision || a.By != c.answer.By || a.Reason != c.answer.Reason {
				t.Errorf("answered %+v, want %+v", a, c.answer)
			}
			want(t, r.err, "Run this command?", "│ git push", "the main agent", c.shows)
			if r.code != Success {
				t.Errorf("code %d", r.code)
			}
		})
	}
}

func TestSeveralPending(t *testing.T) {
	f := newFake(begin(), ask("1", "one"), ask("2", "two"), ask("3", "three"), hold{"1 2 3"}, done(event.Success))
	in, typed := newPipe()
	go func() {
		f.waitOpen("1", "2", "3")
		_, _ = io.WriteString(typed, "a\nd no\na\n")
		_ = typed.Close()
	}()
	r := runFake(t, f, "", func(o *Options) { o.In = in })
	for id, d := range map[string]event.Decision{"1": event.Allow, "2": event.Deny, "3": event.Allow} {
		if a := f.given(t, id); a.Decision != d {
			t.Errorf("request %s got %+v", id, a)
		}
	}
	want(t, r.err, "1 of 2", "one", "two", "three")
}

func TestNoTerminalDenies(t *testing.T) {
	f := newFake(begin(), ask("1", "rm"), event.QuestionAsked{ID: "2", Questions: []event.Question{{ID: "q", Text: "Which?"}}}, hold{"1 2"}, done(event.Success))
	r := runFake(t, f, "", noTerminal)
	for _, id := range []string{"1", "2"} {
		if a := f.given(t, id); a.Decision != event.Deny || a.By != event.ByRule || !strings.Contains(a.Reason, "without a terminal") {
			t.Errorf("request %s got %+v", id, a)
		}
	}
	want(t, r.out, "denied", "without a terminal")
}

func TestAllowBeforehand(t *testing.T) {
	f := newFake(begin(), ask("1", "cat x"), ask("2", "rm x"), hold{"1 2"}, done(event.Success))
	runFake(t, f, "", noTerminal, func(o *Options) {
		o.Allow = func(a event.ApprovalAsked) (event.Decision, string) {
			if a.Command == "cat x" {
				return event.Allow, ""
			}
			return "", ""
		}
	})
	if a := f.given(t, "1"); a.Decision != event.Allow || a.By != event.ByRule {
		t.Errorf("the allowed one got %+v", a)
	}
	if a := f.given(t, "2"); a.Decision != event.Deny {
		t.Errorf("the other one got %+v", a)
	}
}

func TestApprovalTellsRisks(t *testing.T) {
	f := newFake(begin(), ask("1", "rm -rf /srv"), hold{"1"}, done(event.Success))
	want(t, runFake(t, f, "d\n\n").err, "▲ ")
}

// What was allowed beforehand on the command line needs no question.
func TestAllowReads(t *testing.T) {
	f := newFake(begin(), ask("1", "cat x"), ask("2", "rm x"), hold{"1 2"}, done(event.Success))
	runFake(t, f, "", noTerminal, func(o *Options) { o.Allow = approval.AllowReads.Decide })
	if a := f.given(t, "1"); a.Decision != event.Allow || a.By != event.ByRule {
		t.Errorf("reading got %+v", a)
	}
	if a := f.given(t, "2"); a.Decision != event.Deny {
		t.Errorf("removing got %+v", a)
	}
}

// An answer that was typed for a request that went away must not decide the next one.
func TestAnswerIsNotTakenForAnotherRequest(t *testing.T) {
	f := newFake(begin(), ask("1", "harmless"), event.ApprovalResolved{ID: "1", Decision: event.Withdrawn, By: event.ByEngine},
		ask("2", "rm -rf"), hold{"2"}, done(event.Success))
	in, typed := newPipe()
	go func() {
		f.waitOpen("2")
		_, _ = io.WriteString(typed, "a\nd no\n")
		_ = typed.Close()
	}()
	r := runFake(t, f, "", func(o *Options) { o.In = in })
	if a := f.given(t, "2"); a.Decision != event.Deny || a.Reason != "no" {
		t.Errorf("the second request got %+v", a)
	}
	want(t, r.err, "is gone", "meant for a request that is gone")
}

func TestQuestions(t *testing.T) {
	q := event.QuestionAsked{ID: "1", Questions: []event.Question{
		{ID: "colour", Text: "Which colour?", Options: []event.Option{{Label: "Red"}, {Label: "Blue"}}},
		{ID: "sizes", Text: "Which sizes?", Options: []event.Option{{Label: "S"}, {Label: "L"}}, Multi: true, Free: true},
	}}
	for _, c := range []struct{ name, typed, colour, sizes string }{
		{"numbers", "2\n1,2\n", "Blue", "S+L"},
		{"own words where they are allowed", "red\n1\nmedium\n", "Red", "medium"},
		{"one skipped", "\n1\n", "", "S"},
		{"only one where one is asked", "1 2\n1\n1\n", "Red", "S"},
		{"all skipped", "\n\n", "", ""},
		{"the input ends", "1\n", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(begin(), q, hold{"1"}, done(event.Success))
			runFake(t, f, c.typed)
			a := f.given(t, "1")
			if got := strings.Join(a.Answers["colour"], "+"); got != c.colour {
				t.Errorf("colour %q, want %q", got, c.colour)
			}
			if got := strings.Join(a.Answers["sizes"], "+"); got != c.sizes {
				t.Errorf("sizes %q, want %q", got, c.sizes)
			}
			if none := c.colour+c.sizes == ""; none != (a.Decision == event.Deny) {
				t.Errorf("decided %q", a.Decision)
			}
		})
	}
}

// What is asked is shown whole and with everything in it that is not seen.
func TestApprovalShowsExactlyWhatWillRun(t *testing.T) {
	long := strings.Repeat("x", 5000)
	f := newFake(begin(),
		event.ApprovalAsked{ID: "1", Tool: event.ToolCommand, Title: "echo", Command: "echo \u202egnp.exe \u200bhi\x1b[2K\rrm -rf /\n" + long},
		event.ApprovalAsked{ID: "2", Tool: event.ToolEdit, Title: "a.go", Changes: []event.Change{{
			Path: "/p/a\u200d.go", Kind: event.ChangeUpdate, Added: 300,
			Hunks: []event.Hunk{{OldStart: 1, NewStart: 1, Lines: append(strings.Split(strings.Repeat("+y\n", 300), "\n"), "+\x1b]0;t\x07", "-end")}},
		}}},
		event.ApprovalAsked{ID: "3", Tool: event.ToolMCP, Name: "send", Title: "send", Input: []byte(`{"to":"you\u0000"}`)},
		hold{"1 2 3"}, done(event.Success))
	r := runFake(t, f, "a\na\na\n")
	want(t, r.err, `‹U+202E›gnp.exe ‹U+200B›hi‹U+001B›[2K‹U+000D›rm -rf /`, long, `a‹U+200D›.go`, `+‹U+001B›]0;t‹U+0007›`, "-end", `{"to":"you\u0000"}`, "can't be seen")
	never(t, r.err, "\x1b", "\r", "\u202e", "more line")
	if n := strings.Count(r.err, "+y\n"); n != 300 {
		t.Errorf("%d of 300 lines are shown", n)
	}
}

func TestAnswerThatDoesNotArriveIsTold(t *testing.T) {
	f := newFake(begin(), ask("1", "rm"), pause(1e6), event.EngineExited{Class: event.ExitCrashed})
	f.answerErr = &event.Error{Message: "The engine that asked is gone."}
	in, typed := newPipe()
	defer typed.Close()
	go func() { f.waitOpen("1"); _, _ = io.WriteString(typed, "a\n") }()
	r := runFake(t, f, "", func(o *Options) { o.In = in })
	if r.code != Unknown {
		t.Errorf("code %d", r.code)
	}
}

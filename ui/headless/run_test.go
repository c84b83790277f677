package headless

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"keva/agent/event"
)

func TestCodes(t *testing.T) {
	for _, c := range []struct {
		name   string
		script []any
		code   Code
		err    string
	}{
		{"success", []any{begin(), event.TextFinal{Block: "b", Text: "Hello."}, done(event.Success)}, Success, ""},
		{"failure", []any{begin(), event.TurnCompleted{Outcome: event.Failure, Origin: event.OriginUser, Error: &event.Error{Message: "Limit reached."}}}, Failure, "failed"},
		{"interrupted by the engine", []any{begin(), done(event.Interrupted)}, Interrupted, "Interrupted"},
		{"timeout of the engine", []any{begin(), done(event.Timeout)}, Timeout, "timed out"},
		{"a word that nobody knows", []any{begin(), done("splendid")}, Failure, "failed"},
		{"the engine dies in the turn", []any{begin(), event.EngineExited{Class: event.ExitKilled}}, Unknown, "not known"},
		{"the engine dies before the turn", []any{event.EngineExited{Class: event.ExitCode, Code: 3}}, Unknown, "not known"},
		{"a task that nobody saw end", []any{
			begin(),
			event.TaskStarted{ID: "a", Task: event.TaskAgent, Title: "Look"},
			done(event.Success),
			event.EngineExited{Class: event.ExitCrashed},
		}, Unknown, "not known"},
		{"an agent failed, the turn did not", []any{
			begin(), event.TaskStarted{ID: "a", Task: event.TaskAgent, Title: "Look"}, event.TaskEnded{ID: "a", Outcome: event.Failure}, done(event.Success),
		}, Success, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := runFake(t, newFake(c.script...), "")
			if r.code != c.code {
				t.Errorf("code %d, want %d\n%s%s", r.code, c.code, r.out, r.err)
			}
			want(t, r.err, c.err)
			if c.code == Success && r.err != "" {
				t.Errorf("a success said %q", r.err)
			}
		})
	}
}

func TestRefusedStart(t *testing.T) {
	for _, c := range []struct {
		err  error
		code Code
	}{
		{&event.Error{Class: event.ClassConfig, Message: "No engine.", Detail: "ENOENT"}, Refused},
		{&event.Error{Class: event.ClassRequest, Message: "The message is empty."}, Usage},
		{context.DeadlineExceeded, Timeout},
		{errors.New("odd \x1b[31m"), Refused},
	} {
		f := newFake()
		f.sendErr = c.err
		r := runFake(t, f, "")
		if r.code != c.code {
			t.Errorf("%v: code %d, want %d", c.err, r.code, c.code)
		}
		never(t, r.err, "\x1b")
		want(t, r.err, "keva: ")
	}
}

// I-7: an extra turn never ends the run instead of the user's, and the run waits for it after a background task.
func TestRunEndsWhenSettledOnly(t *testing.T) {
	f := newFake(begin(), command("1", "sleep 9 &"),
		event.TaskStarted{ID: "a", Task: event.TaskCommand, ToolID: "1", Title: "sleep", Background: true},
		event.ToolEnded{ID: "1", Outcome: event.Success, Background: "a"}, done(event.Success), pause(20*time.Millisecond),
		event.TaskEnded{ID: "a", Outcome: event.Success}, pause(20*time.Millisecond),
		turnIs("t2"), event.TurnStarted{Origin: event.OriginTask}, event.TextFinal{Block: "b", Text: "The job is done."},
		event.TurnCompleted{Outcome: event.Success, Origin: event.OriginTask})
	r := runFake(t, f, "", func(o *Options) { o.Grace = 5 * time.Second })
	if r.code != Success {
		t.Errorf("code %d", r.code)
	}
	want(t, r.out, "answered", "1 still running", "The job is done.")
}

// I-9: tasks that nobody hears of again are unknown, never done.
func TestSettleBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(begin(), event.TaskStarted{ID: "a", Task: event.TaskAgent, Title: "Look", Background: true}, done(event.Success))
		start := time.Now()
		r := runFake(t, f, "", noTerminal, func(o *Options) { o.Settle = 10 * time.Second })
		if r.code != Unknown || time.Since(start) != 10*time.Second {
			t.Errorf("code %d after %s", r.code, time.Since(start))
		}
		want(t, r.err, "1 task did not end", "not known")
		want(t, r.out, "1 still running")
	})
}

func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := runFake(t, newFake(begin()), "", noTerminal, func(o *Options) { o.Timeout = 15 * time.Second })
		if r.code != Timeout {
			t.Errorf("code %d", r.code)
		}
		want(t, r.err, "The time that was given (15s) is over.")
	})
}

func TestInterrupt(t *testing.T) {
	signals := make(chan struct{}, 2)
	signals <- struct{}{}
	f := newFake(begin(), waitInterrupt{}, done(event.Interrupted))
	// The first press comes before the prompt was sent; a turn that begins all the same is interrupted too.
	r := runFake(t, f, "", func(o *Options) { o.Signals = signals })
	if r.code != Interrupted {
		t.Errorf("code %d", r.code)
	}
	want(t, r.err, "Press Ctrl-C again")
}

func TestSecondInterruptStops(t *testing.T) {
	signals := make(chan struct{}, 2)
	signals <- struct{}{}
	signals <- struct{}{}
	r := runFake(t, newFake(begin()), "", func(o *Options) { o.Signals = signals })
	if r.code != Interrupted {
		t.Errorf("code %d", r.code)
	}
}

// Open requests are answered by the stop, with a reason (I-12).
func TestInterruptAnswersOpenRequests(t *testing.T) {
	signals := make(chan struct{}, 2)
	f := newFake(begin(), ask("1", "rm a"), ask("2", "rm b"), waitInterrupt{}, hold{"1 2"}, done(event.Interrupted))
	in, typed := newPipe()
	defer typed.Close()
	go func() {
		f.waitOpen("1", "2")
		signals <- struct{}{}
	}()
	r := runFake(t, f, "", func(o *Options) { o.Signals, o.In = signals, in })
	if r.code != Interrupted {
		t.Errorf("code %d", r.code)
	}
	for _, id := range []string{"1", "2"} {
		if a := f.given(t, id); a.Decision != event.Deny || a.By != event.ByStop || a.Reason == "" {
			t.Errorf("request %s got %+v", id, a)
		}
	}
}

func TestJSON(t *testing.T) {
	f := newFake(begin(), event.TextDelta{Block: "b", Text: "a\u009b31m\x1b"}, done(event.Success))
	f.history = []event.Event{{Seq: 1, Body: event.Notice{Text: "old"}}}
	r := runFake(t, f, "", func(o *Options) { o.JSON = true })
	var kinds []string
	for line := range strings.Lines(r.out) {
		var e event.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		kinds = append(kinds, string(e.Body.Kind()))
		if d, ok := e.Body.(event.TextDelta); ok && d.Text != "a\u009b31m\x1b" {
			t.Errorf("the text came as %q", d.Text)
		}
	}
	if got := strings.Join(kinds, " "); got != "user_message turn_started text_delta turn_completed engine_exited" {
		t.Errorf("events: %s", got)
	}
	never(t, r.out, "\u009b", "\x1b")
}

func TestReplay(t *testing.T) {
	evs := []event.Event{
		{Turn: "t", Body: begin()},
		{Turn: "t", Body: command("1", "ls")},
		{Turn: "t", Body: ask("r", "ls")},
		{Turn: "t", Body: event.TaskStarted{ID: "a", Task: event.TaskAgent, Title: "Look"}},
		{Body: event.Unrecognised{Type: "x"}},
	}
	var out bytes.Buffer
	if err := Replay(&out, evs, true, false); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != len(evs)+1 {
		t.Fatalf("%d lines", len(lines))
	}
	var last struct {
		State struct {
			Turns, Tasks, Items, Approvals []json.RawMessage
			Unrecognised                   map[string]int
		}
	}
	if err := json.Unmarshal([]byte(lines[len(evs)]), &last); err != nil {
		t.Fatal(err)
	}
	s := last.State
	if len(s.Turns) != 1 || len(s.Tasks) != 1 || len(s.Items) != 1 || len(s.Approvals) != 1 || s.Unrecognised["x"] != 1 {
		t.Errorf("the state is %s", lines[len(evs)])
	}
	out.Reset()
	if err := Replay(&out, evs, false, false); err != nil {
		t.Fatal(err)
	}
	want(t, out.String(), "agent started: Look", "1 task was still running", "request was still open", "not recognised")
	out.Reset()
	if err := Replay(&out, nil, true, false); err != nil || !strings.Contains(out.String(), `"turns":[]`) {
		t.Errorf("an empty recording: %v %s", err, out.String())
	}
}

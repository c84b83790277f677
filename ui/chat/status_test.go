package chat

import (
	"testing"
	"time"

	"keva/agent/event"
	"keva/agent/liveness"
	"keva/agent/session"
	"keva/agent/turn"
	"keva/ui/transcript"
)

// The status line states evidence. Each line here is a sentence that a user may read, and what must be known for it.
func TestStatusLine(t *testing.T) {
	now := time.Date(2026, 11, 30, 14, 2, 10, 0, time.Local)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	running := func(change func(*session.View)) session.View {
		v := session.View{Phase: turn.PhaseRunning, Engine: session.EngineRunning, Turn: turn.Turn{Started: ago(time.Hour)}, LastEvent: ago(time.Second)}
		change(&v)
		return v
	}
	settled := func(o event.Outcome, e *event.Error) session.View {
		return session.View{Phase: turn.PhaseSettled, Engine: session.EngineRunning, Verdict: o, Turn: turn.Turn{Outcome: o, Error: e}}
	}
	agent := turn.Task{ID: "a", Kind: event.TaskAgent}
	command := turn.Task{ID: "c", Kind: event.TaskCommand}
	for _, c := range []struct {
		name string
		view session.View
		want string
		mark transcript.Mark
	}{
		{"fresh text", running(func(v *session.View) { v.LastText = ago(400 * time.Millisecond); v.Live = []turn.Task{agent} }), "Receiving · 0.4 s ago · 1 agent running", transcript.MarkRunning},
		{"text of an earlier turn is no evidence", running(func(v *session.View) {
			v.Turn.Started, v.LastText, v.LastEvent = ago(time.Second), ago(2*time.Second), ago(time.Second)
		}), "Working", transcript.MarkRunning},
		{"command", running(func(v *session.View) {
			v.LastEvent = ago(40 * time.Second)
			v.Open = []turn.Item{{Tool: event.ToolCommand, Started: ago(40 * time.Second)}}
		}), "Command running 40 s", transcript.MarkRunning},
		{"a task's command is not the main agent's", running(func(v *session.View) {
			v.LastEvent = ago(31 * time.Second)
			v.Open = []turn.Item{{Tool: event.ToolCommand, Scope: "a", Started: ago(40 * time.Second)}}
		}), "Waiting for the provider, 31 s silent", transcript.MarkRunning},
		{"silence", running(func(v *session.View) { v.LastEvent = ago(31 * time.Second) }), "Waiting for the provider, 31 s silent", transcript.MarkRunning},
		{"long silence is dated", running(func(v *session.View) { v.LastEvent = ago(10 * time.Minute) }), "No evidence since 13:52", transcript.MarkRunning},
		{"nothing came yet", running(func(v *session.View) { v.LastEvent = time.Time{} }), "Sent, no answer yet", transcript.MarkRunning},
		{"retry", running(func(v *session.View) {
			v.Retry = &event.Retrying{Attempt: 2, Max: 5, Cause: event.Error{Class: event.ClassOverloaded}}
		}), "Retrying 2 of 5 · overloaded", transcript.MarkRunning},
		{"retry without bound", running(func(v *session.View) {
			v.Retry = &event.Retrying{Attempt: 3, Cause: event.Error{Class: event.ClassOther}}
		}), "Retrying 3", transcript.MarkRunning},
		{"background", running(func(v *session.View) { v.Live = []turn.Task{agent, agent, command} }), "Working · 2 agents running · 1 command in the background", transcript.MarkRunning},
		{"the gateway sees bytes, no text yet", running(func(v *session.View) {
			v.LastEvent, v.Reading = ago(20*time.Second), liveness.Reading{Kind: liveness.Receiving, Since: ago(1200 * time.Millisecond)}
		}), "Receiving · 1.2 s ago", transcript.MarkRunning},
		{"a command that computes", running(func(v *session.View) {
			v.Open = []turn.Item{{Tool: event.ToolCommand, Started: ago(40 * time.Second)}}
			v.Reading = liveness.Reading{Kind: liveness.Computing, CPU: 3100 * time.Millisecond}
		}), "Command running 40 s · 3.1 s CPU", transcript.MarkRunning},
		{"a request is under way", running(func(v *session.View) {
			v.LastEvent, v.Reading = ago(50*time.Second), liveness.Reading{Kind: liveness.Silent, Since: ago(31 * time.Second)}
		}), "Waiting for the provider, 31 s silent", transcript.MarkRunning},
		{"no request, no work", running(func(v *session.View) {
			v.LastEvent, v.Reading = ago(50*time.Second), liveness.Reading{Kind: liveness.None, Since: ago(31 * time.Second)}
		}), "Nothing heard for 31 s", transcript.MarkRunning},
		{"queued", running(func(v *session.View) { v.Queued = 1 }), "Working · 1 queued", transcript.MarkRunning},
		{"the prompt of the open turn is not queued", running(func(v *session.View) {
			v.Queued, v.Turn.ID, v.Turn.Origin = 1, "t", event.OriginUser
		}), "Working", transcript.MarkRunning},
		{"one question", session.View{Phase: turn.PhaseNeedsYou, Engine: session.EngineRunning, Pending: make([]turn.Request, 1)}, "Waiting for your answer", transcript.MarkWaiting},
		{"two questions", session.View{Phase: turn.PhaseNeedsYou, Engine: session.EngineRunning, Pending: make([]turn.Request, 2)}, "Waiting for 2 answers of yours", transcript.MarkWaiting},
		{"answered, not settled", session.View{Phase: turn.PhaseAnswered, Engine: session.EngineRunning, Live: []turn.Task{agent, command}}, "Answered, 2 still running", transcript.MarkRunning},
		{"starting", session.View{Engine: session.EngineStarting, Phase: turn.PhaseSettled}, "Starting the engine", transcript.MarkRunning},
		{"stopping", session.View{Engine: session.EngineStopping, Phase: turn.PhaseRunning}, "Stopping", transcript.MarkRunning},
		{"done", settled(event.Success, nil), "Done", transcript.MarkDone},
		{"failed", settled(event.Failure, &event.Error{Class: event.ClassLimit}), "Failed · limit reached", transcript.MarkFailed},
		{"failed without a class", settled(event.Failure, nil), "Failed", transcript.MarkFailed},
		{"timeout", settled(event.Timeout, nil), "Failed · took too long", transcript.MarkFailed},
		{"interrupted", settled(event.Interrupted, nil), "Interrupted", transcript.MarkInterrupted},
		{"unknown", settled(event.Unknown, nil), "Unknown: no end was seen", transcript.MarkUnknown},
		{"no outcome never reads as done", settled("", nil), "Unknown: no end was seen", transcript.MarkUnknown},
		{"a phase of a newer version", session.View{Phase: "dreaming"}, "State unknown", transcript.MarkUnknown},
		{"empty", session.View{Phase: turn.PhaseEmpty}, "Nothing sent yet", transcript.MarkWaiting},
	} {
		if got := StatusLine(c.view, now); got.Text != c.want || got.Mark != c.mark {
			t.Errorf("%s: %q %s, want %q %s", c.name, got.Text, got.Mark, c.want, c.mark)
		}
	}
}

func TestContextFill(t *testing.T) {
	for _, c := range []struct {
		used, window int64
		want         string
	}{{76_000, 200_000, "38% context"}, {0, 200_000, "0% context"}, {300, 200, "100% context"}, {5, 0, ""}} {
		if got := contextFill(event.Usage{ContextUsed: c.used, ContextWindow: c.window}); got != c.want {
			t.Errorf("%d of %d: %q, want %q", c.used, c.window, got, c.want)
		}
	}
}

func TestAge(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0.0 s", 400 * time.Millisecond: "0.4 s", 9900 * time.Millisecond: "9.9 s", 9990 * time.Millisecond: "9.9 s",
		75 * time.Second: "75 s", 100 * time.Second: "1 min", 59 * time.Minute: "59 min", 130 * time.Minute: "2 h 10 min",
	} {
		if got := Age(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

package chat

import (
	"fmt"
	"strings"
	"time"

	"keva/agent/event"
	"keva/agent/liveness"
	"keva/agent/session"
	"keva/agent/turn"
	"keva/ui/transcript"
)

// Status is the status line: evidence on the left, how full the context is on the right.
type Status struct {
	Text    string
	Mark    transcript.Mark
	Context string // "" when the engine does not tell
}

// Ages at which the sentence changes. They are words, not deadlines: nothing is ended because of them.
const (
	freshText  = 3 * time.Second  // text this young reads as "receiving"
	noEvidence = 90 * time.Second // silence this long is named by the clock, not counted
)

// StatusLine says what is known of a session at now, and no more. It is a pure function: the words depend on nothing else.
func StatusLine(v session.View, now time.Time) Status {
	s := Status{Context: contextFill(v.Usage)}
	switch v.Engine {
	case session.EngineStarting:
		s.Text, s.Mark = "Starting the engine", transcript.MarkRunning
		return s
	case session.EngineStopping:
		s.Text, s.Mark = "Stopping", transcript.MarkRunning
		return s
	case session.EngineNone, session.EngineRunning:
	}
	var parts []string
	switch v.Phase {
	case turn.PhaseNeedsYou:
		s.Mark = transcript.MarkWaiting
		parts = append(parts, "Waiting for your answer")
		if n := len(v.Pending); n > 1 {
			parts[0] = fmt.Sprintf("Waiting for %d answers of yours", n)
		}
	case turn.PhaseRunning:
		s.Mark = transcript.MarkRunning
		parts = append(parts, running(v, now)...)
		parts = append(parts, liveTasks(v.Live)...)
	case turn.PhaseAnswered:
		s.Mark = transcript.MarkRunning
		parts = append(parts, fmt.Sprintf("Answered, %d still running", len(v.Live)))
	case turn.PhaseSettled:
		s.Text, s.Mark = settled(v)
		parts = append(parts, s.Text)
	case turn.PhaseEmpty:
		s.Mark = transcript.MarkWaiting
		parts = append(parts, "Nothing sent yet")
	default: // a phase of a newer version, read from the store
		s.Mark = transcript.MarkUnknown
		parts = append(parts, "State unknown")
	}
	if n := queued(v); n > 0 {
		parts = append(parts, fmt.Sprintf("%d queued", n))
	}
	s.Text = strings.Join(parts, " · ")
	return s
}

// running names the strongest evidence there is of an open turn. Without a reading of the engine's process and traffic,
// its last event is all there is.
func running(v session.View, now time.Time) []string {
	step, r := openItem(v.Open), v.Reading
	switch {
	case v.Retry != nil:
		return []string{retrying(*v.Retry)}
	case !v.LastText.IsZero() && now.Sub(v.LastText).Abs() < freshText && !v.LastText.Before(v.Turn.Started):
		return []string{"Receiving", Age(now.Sub(v.LastText)) + " ago"}
	case step != nil:
		parts := []string{fmt.Sprintf("%s running %s", stepWord(step.Tool), Age(now.Sub(step.Started)))}
		if r.Kind == liveness.Computing {
			parts = append(parts, Age(r.CPU)+" CPU")
		}
		return parts
	case v.LastEvent.IsZero() && r.Since.IsZero():
		return []string{"Sent, no answer yet"}
	}
	switch r.Kind {
	case liveness.Receiving:
		return []string{"Receiving", Age(now.Sub(r.Since)) + " ago"}
	case liveness.Computing:
		return []string{"Working", Age(r.CPU) + " CPU"}
	case liveness.Speaking:
		return []string{"Working"}
	case liveness.None:
		return silence("Nothing heard for", "", later(v.LastEvent, r.Since), now)
	case liveness.Silent:
		return silence("Waiting for the provider,", "silent", later(v.LastEvent, r.Since), now)
	}
	return silence("Waiting for the provider,", "silent", v.LastEvent, now)
}

// silence counts how long nothing came; a long one is named by the clock.
func silence(head, tail string, since, now time.Time) []string {
	switch d := now.Sub(since); {
	case d <= -freshText: // whatever was heard, the clock was another one then
		return []string{"Nothing heard since the clock was set back"}
	case d < freshText:
		return []string{"Working"}
	case d >= noEvidence:
		return []string{"No evidence since " + since.Local().Format("15:04")}
	default:
		return []string{strings.TrimSpace(head + " " + Age(d) + " " + tail)}
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// queued is the number of messages that wait. The engine names the message that a turn has read only at the turn's end, so
// the prompt of the open turn is not counted.
func queued(v session.View) int {
	n := v.Queued
	if v.Turn.ID != "" && v.Turn.Outcome == "" && v.Turn.Origin == event.OriginUser && len(v.Turn.Messages) == 0 {
		n--
	}
	return max(n, 0)
}

// openItem is the tool call of the main agent that began last, nil when none runs. Those of tasks are told by the tasks.
func openItem(open []turn.Item) *turn.Item {
	for i := len(open) - 1; i >= 0; i-- {
		// An agent call is open as long as its task runs: the task says so already.
		if open[i].Scope == "" && open[i].Tool != event.ToolAgent {
			return &open[i]
		}
	}
	return nil
}

func retrying(r event.Retrying) string {
	s := fmt.Sprintf("Retrying %d", r.Attempt)
	if r.Max > 0 {
		s = fmt.Sprintf("Retrying %d of %d", r.Attempt, r.Max)
	}
	if w := ClassWord(r.Cause.Class); w != "" {
		s += " · " + w
	}
	return s
}

// ClassWord is a failure class in a word or two, "" for a class that says nothing to people.
func ClassWord(c event.Class) string {
	switch c {
	case event.ClassAuth:
		return "not signed in"
	case event.ClassBilling:
		return "no credit"
	case event.ClassLimit:
		return "limit reached"
	case event.ClassOverloaded:
		return "overloaded"
	case event.ClassServer:
		return "provider error"
	case event.ClassNetwork:
		return "no connection"
	case event.ClassModel:
		return "model refused"
	case event.ClassContext:
		return "conversation too long"
	case event.ClassRequest, event.ClassRefusal:
		return "refused"
	case event.ClassTooLong:
		return "answer too long"
	case event.ClassBudget:
		return "budget spent"
	case event.ClassDenied, event.ClassTool, event.ClassEngine, event.ClassEngineGone, event.ClassConfig,
		event.ClassInterrupted, event.ClassResume, event.ClassOther:
	}
	return ""
}

func stepWord(t event.Tool) string {
	switch t {
	case event.ToolCommand:
		return "Command"
	case event.ToolRead:
		return "Reading"
	case event.ToolSearch:
		return "Search"
	case event.ToolEdit:
		return "Edit"
	case event.ToolWeb:
		return "Web"
	case event.ToolAgent:
		return "Agent"
	case event.ToolPlan, event.ToolQuestion, event.ToolMCP, event.ToolImage, event.ToolOther:
	}
	return "Tool"
}

func liveTasks(live []turn.Task) []string {
	agents, others := 0, 0
	for _, t := range live {
		if t.Kind == event.TaskAgent {
			agents++
		} else {
			others++
		}
	}
	var parts []string
	if agents > 0 {
		parts = append(parts, plural(agents, "agent")+" running")
	}
	if others > 0 {
		parts = append(parts, plural(others, "command")+" in the background")
	}
	return parts
}

func settled(v session.View) (string, transcript.Mark) {
	t, outcome := v.Turn, v.Verdict
	if outcome == "" {
		outcome = t.Outcome
	}
	mark := transcript.MarkOf(outcome) // running for "", which here is unknown: settled, and nothing says how it went
	word := ""
	if t.Error != nil {
		word = ClassWord(t.Error.Class)
	}
	switch mark {
	case transcript.MarkDone:
		return "Done", mark
	case transcript.MarkFailed:
		if outcome == event.Timeout {
			return "Failed · took too long", mark
		}
		if word != "" {
			return "Failed · " + word, mark
		}
		return "Failed", mark
	case transcript.MarkInterrupted:
		return "Interrupted", mark
	case transcript.MarkUnknown, transcript.MarkRunning, transcript.MarkWaiting:
	}
	return "Unknown: no end was seen", transcript.MarkUnknown
}

func contextFill(u event.Usage) string {
	if u.ContextWindow <= 0 {
		return ""
	}
	return fmt.Sprintf("%d%% context", min(100, (u.ContextUsed*100+u.ContextWindow/2)/u.ContextWindow))
}

// Age is a duration for people: tenths under ten seconds, then seconds, minutes and hours.
func Age(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Truncate(100*time.Millisecond).Seconds())
	case d < 100*time.Second:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

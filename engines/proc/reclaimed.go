package proc

import (
	"fmt"
	"slices"

	"keva/agent/event"
)

// Notice is what to tell the user, in the session that the engine belonged to; false when there is nothing to tell.
func (r Reclaimed) Notice() (event.Notice, bool) {
	n := event.Notice{Level: event.LevelWarning, Class: event.ClassEngineGone, Detail: r.detail()}
	switch r.Found {
	case FoundReclaimed:
		if !slices.Contains(r.Ended, r.PID) {
			n.Text = fmt.Sprintf("The engine had left %s behind when Keva was gone. Keva ended %s now.",
				count(len(r.Ended), "process", "processes"), them(len(r.Ended)))
			break
		}
		n.Text = "The engine was still running after Keva was gone. Keva ended it now"
		if tools := len(r.Ended) - 1; tools > 0 {
			n.Text += ", with " + count(tools, "process", "processes") + " of its tools"
		}
		n.Text += ". What it did in between is not in the transcript; look at the project's changes."
	case FoundSurvived:
		n.Text = fmt.Sprintf("The engine left %s behind that the system does not let go. Restart the device if it stays busy.",
			count(len(r.Left), "process", "processes"))
	case FoundUnverified:
		n.Text = "Keva can't tell whether an engine that it started earlier still runs, so it left it alone. If the project changes by itself, restart the device."
	case FoundInUse:
		n.Text = "Another Keva that still runs has started an engine here. Close it before you go on."
	case FoundGone, FoundNotOurs, FoundTorn:
		return event.Notice{}, false
	}
	return n, true
}

func (r Reclaimed) detail() string {
	s := fmt.Sprintf("%s, engine %s, pid %d, started %s", r.Found, r.Engine, r.PID, r.Begun.Format("2006-01-02 15:04:05Z07:00"))
	if len(r.Ended) > 0 {
		s += fmt.Sprintf(", ended %v", r.Ended)
	}
	if len(r.Left) > 0 {
		s += fmt.Sprintf(", left %v", r.Left)
	}
	if r.Why != "" {
		s += ": " + r.Why
	}
	return s
}

func count(n int, one, many string) string {
	if n == 1 {
		return "one " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func them(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

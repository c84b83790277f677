package approval

import (
	"strings"

	"keva/agent/event"
)

// Policy is what the user allowed beforehand.
type Policy string

// The policies. Anything else allows nothing.
const (
	AllowNone  Policy = "none"  // every request is asked
	AllowReads Policy = "reads" // what certainly only looks is allowed
	AllowAll   Policy = "all"   // everything is allowed
)

// ParsePolicy reads a policy as it is written on the command line.
func ParsePolicy(s string) (Policy, error) {
	switch p := Policy(s); p {
	case AllowNone, AllowReads, AllowAll:
		return p, nil
	}
	return AllowNone, &event.Error{
		Class: event.ClassConfig, Message: "What may be allowed beforehand is none, reads or all.", Detail: "got " + s,
	}
}

// Decide answers a request, and says why; "" means that a person must be asked. It never denies: a policy says what needs
// no question, and whether there is anybody to ask is known elsewhere.
func (p Policy) Decide(a event.ApprovalAsked) (event.Decision, string) {
	switch p {
	case AllowAll:
		return event.Allow, "everything was allowed for this run"
	case AllowReads:
		if looks(a) {
			return event.Allow, "it only reads"
		}
	case AllowNone:
	}
	return "", ""
}

// Within is Decide for a session in the project dir. Reads that lead out of it are asked: what engines keep beside a project,
// such as their own sign-in, is not the project's to read.
func (p Policy) Within(dir string) func(event.ApprovalAsked) (event.Decision, string) {
	return func(a event.ApprovalAsked) (event.Decision, string) {
		if p == AllowReads && len(Risks(a, dir)) > 0 {
			return "", ""
		}
		return p.Decide(a)
	}
}

func looks(a event.ApprovalAsked) bool {
	if len(a.Changes) > 0 {
		return false
	}
	switch a.Tool {
	case event.ToolRead, event.ToolSearch, event.ToolImage:
		return a.Command == ""
	case event.ToolCommand:
		return ReadOnly(a.Command) && titled(a)
	case event.ToolEdit, event.ToolWeb, event.ToolAgent, event.ToolPlan, event.ToolQuestion, event.ToolMCP, event.ToolOther:
		return false // a look at the web sends the address; the others change things or can't be known
	default:
		return false
	}
}

// titled reports whether a request is titled with its command. One that is titled otherwise is about something else than
// running it: typing it into a terminal that runs already, or a connection that it wants to make.
func titled(a event.ApprovalAsked) bool {
	title := strings.TrimSpace(a.Title)
	if title == strings.TrimSpace(a.Command) {
		return true
	}
	inner, ok := unwrap(a.Command)
	return ok && title == strings.TrimSpace(inner)
}

package kill

import (
	"strings"
	"testing"

	"keva/agent/event"
)

// truth is the tiny second opinion on a stream that was cut: what its words say, entry by entry, and nothing else.
type truth struct {
	good      map[string]event.Outcome // the best that was ever said of an entry
	left      map[string]bool          // entries that are open at the end
	decisions map[string]event.Decision
	lastTurn  string // of the user
	any       bool
}

func read(evs []event.Event) *truth {
	r := &truth{good: map[string]event.Outcome{}, left: map[string]bool{}, decisions: map[string]event.Decision{}, any: len(evs) > 0}
	for _, e := range evs {
		switch b := e.Body.(type) {
		case event.UserMessage:
			r.left["message/"+b.ID] = true
			if b.Delivery == event.DeliveryUnknown {
				delete(r.left, "message/"+b.ID)
			}
		case event.TurnStarted:
			r.begin("turn/" + e.Turn)
			if b.Origin == event.OriginUser {
				r.lastTurn = e.Turn
			}
		case event.TurnCompleted:
			r.end("turn/"+e.Turn, b.Outcome)
			for _, m := range b.Messages {
				delete(r.left, "message/"+m)
			}
		case event.ToolStarted:
			r.begin("item/" + e.Turn + "/" + b.ID)
		case event.ToolEnded:
			r.end("item/"+e.Turn+"/"+b.ID, b.Outcome)
		case event.TaskStarted:
			r.begin("task/" + b.ID)
		case event.TaskEnded:
			r.end("task/"+b.ID, b.Outcome)
		case event.ApprovalAsked:
			r.left["request/"+b.ID] = true
		case event.ApprovalResolved:
			delete(r.left, "request/"+b.ID)
			if r.decisions[b.ID] == "" {
				r.decisions[b.ID] = b.Decision
			}
		case event.EngineExited:
			clear(r.left)
		}
	}
	return r
}

func (r *truth) begin(id string) {
	r.left[id] = true
	delete(r.good, id) // a new generation
}

func (r *truth) end(id string, o event.Outcome) {
	delete(r.left, id)
	if r.good[id] != event.Success {
		r.good[id] = o
	}
}

// check fails when an entry is shown as a success that nobody reported.
func (r *truth) check(t *testing.T, id string, shown event.Outcome) {
	t.Helper()
	if shown == "" {
		t.Fatalf("%s is shown as running after a restart", id)
	}
	if shown == event.Success && r.good[id] != event.Success {
		t.Fatalf("%s is shown as a success; the last that was said of it is %q", id, r.good[id])
	}
	if r.left[id] && shown != event.Unknown {
		t.Fatalf("%s was open when Keva was killed and is shown as %q", id, shown)
	}
}

// open reports whether anything was under way. A call without an end in a turn that ended is not.
func (r *truth) open() bool {
	return r.has("message/") || r.has("turn/") || r.has("task/") || r.has("request/")
}

func (r *truth) has(kind string) bool {
	for id := range r.left {
		if strings.HasPrefix(id, kind) {
			return true
		}
	}
	return false
}

// phase names what was going on.
func (r *truth) phase() string {
	switch {
	case !r.any:
		return "before the first event"
	case r.has("request/"):
		return "needs_you"
	case r.has("turn/"), r.has("message/"):
		return "running"
	case r.has("task/"):
		return "answered"
	}
	return "settled"
}

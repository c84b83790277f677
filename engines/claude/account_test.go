package claude

import (
	"testing"

	"keva/agent/event"
)

// I-1: a frame of a kind that nobody has seen yet is kept and counted, and ends nothing.
func TestUnknownFramesAreCounted(t *testing.T) {
	for _, l := range []string{
		`{"type":"system","subtype":"from_the_future","x":1}`,
		`{"type":"from_the_future","x":1}`,
		`{"type":"control_request","request_id":"r","request":{"subtype":"from_the_future"}}`,
		`not JSON at all`,
		`{"type":17}`,
	} {
		evs := script(NewMapper(""), wirePrompt0, wireRunning, wireInit, l)
		found := false
		for _, e := range evs {
			switch b := e.Body.(type) {
			case event.Unrecognised:
				found = found || b.Raw == l && b.Size == len(l)
			case event.TurnCompleted:
				t.Errorf("%s ended the turn", l)
			}
		}
		if !found {
			t.Errorf("%s left no trace", l)
		}
	}
}

// I-12: every request that is open at once reaches the user: an agent and the main agent may ask side by side.
func TestEveryOpenRequestIsAsked(t *testing.T) {
	ask := func(id, agent string) string {
		return `{"type":"control_request","request_id":"` + id + `","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"touch ` + id + `"},"tool_use_id":"t` + id + `","agent_id":"` + agent + `"}}`
	}
	evs := script(NewMapper(""), wirePrompt0, wireRunning, wireInit, ask("r1", ""), ask("r2", "a1"), ask("r3", "a2"))
	var asked []string
	for _, e := range evs {
		if a, ok := e.Body.(event.ApprovalAsked); ok {
			asked = append(asked, a.ID+" "+e.Scope+" "+a.Command)
		}
	}
	if len(asked) != 3 || asked[1] != "r2 a1 touch r2" {
		t.Fatalf("asked: %q", asked)
	}
}

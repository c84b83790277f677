package transcript_test

import (
	"testing"

	"keva/agent/event"
	"keva/ui/transcript"
)

// A request names files as the other rows do, and leaves the event as it was: the answer goes out for the real path.
func TestARequestNamesFilesInTheProject(t *testing.T) {
	asked := event.ApprovalAsked{ID: "q", Tool: event.ToolEdit, Title: "/p/a/b.go", Changes: []event.Change{
		{Path: "/p/a/b.go", Kind: event.ChangeMove, MovedTo: "/p/c.go"}, {Path: "/elsewhere/d.go", Kind: event.ChangeUpdate},
	}}
	b := transcript.New("/p")
	b.Apply(stream(asked)...)
	row, ok := b.Rows()[len(b.Rows())-1].(*transcript.Approval)
	if !ok {
		t.Fatalf("rows %v", b.Rows())
	}
	if c := row.Asked.Changes; row.Asked.Title != "a/b.go" || c[0].Path != "a/b.go" || c[0].MovedTo != "c.go" || c[1].Path != "/elsewhere/d.go" {
		t.Errorf("shown: %+v", row.Asked)
	}
	if asked.Changes[0].Path != "/p/a/b.go" {
		t.Error("the event was changed")
	}
}

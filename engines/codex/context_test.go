package codex

import (
	"encoding/json"
	"strings"
	"testing"

	"keva/agent/runtime"
)

// A brief goes out whole, apart from what the user wrote, and comes back from the frame as what it is. It is not given as
// additionalContext: the engine cuts the middle out of that and tells nobody.
func TestContextIsNotTheUsersText(t *testing.T) {
	a := &adapter{thread: "th"}
	brief := strings.Repeat("what was said ", 900)
	for _, context := range []string{"", brief} {
		raw, err := json.Marshal(a.input(runtime.Message{ID: "m", Text: "go on", Context: context}))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), "additionalContext") {
			t.Fatal("the engine would cut it")
		}
		var p userInput
		if !params(raw, &p) {
			t.Fatalf("%s", raw)
		}
		if c, text := inputText(p); c != context || text != "go on" || p.ClientID != "m" || p.ThreadID != "th" {
			t.Fatalf("context of %d characters, text %q of message %q", len(c), text, p.ClientID)
		}
	}
}

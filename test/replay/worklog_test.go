package replay

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/ui/headless"
)

// Every recording prints a worklog that a terminal can't be harmed by, and JSON that reads back: every event on a line of
// its own, then the state.
func TestRecordingsPrint(t *testing.T) {
	each(t, func(t *testing.T, evs []event.Event) {
		var text, lines bytes.Buffer
		if err := headless.Replay(&text, evs, false, false); err != nil {
			t.Fatal(err)
		}
		for _, r := range text.String() {
			if (r < 0x20 && r != '\n' && r != '\t') || (r >= 0x7f && r < 0xa0) {
				t.Fatalf("the worklog holds the control character %U", r)
			}
		}
		if os.Getenv("KEVA_SHOW") != "" {
			t.Log("\n" + text.String())
		}
		if err := headless.Replay(&lines, evs, true, false); err != nil {
			t.Fatal(err)
		}
		all := strings.Split(strings.TrimSuffix(lines.String(), "\n"), "\n")
		if len(all) != len(evs)+1 {
			t.Fatalf("%d lines for %d events", len(all), len(evs))
		}
		for i, e := range evs {
			var back event.Event
			if err := json.Unmarshal([]byte(all[i]), &back); err != nil || back.Body.Kind() != e.Body.Kind() {
				t.Fatalf("line %d is %s: %v", i, all[i], err)
			}
		}
		if !strings.HasPrefix(all[len(evs)], `{"state":{"turns":[`) {
			t.Errorf("the last line is %.80s", all[len(evs)])
		}
	})
}

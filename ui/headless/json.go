package headless

import (
	"encoding/json"
	"strconv"
	"strings"

	"keva/agent/event"
)

// event writes one event as a line of JSON.
func (p *pen) event(e event.Event) {
	data, err := json.Marshal(e)
	if err != nil { // an event that was never published; told, so that no line is missing
		data, _ = json.Marshal(map[string]any{"seq": e.Seq, "error": err.Error()})
	}
	p.json(data)
}

func (p *pen) json(data []byte) { p.line(jsonSafe(string(data))) }

// jsonSafe escapes the control characters that encoding/json leaves raw: a terminal may obey them, and to a reader of JSON
// the escape means the same.
func jsonSafe(s string) string {
	if !strings.ContainsFunc(s, raw) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if raw(r) {
			b.WriteString(`\u00` + strconv.FormatInt(int64(r), 16))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func raw(r rune) bool { return r >= 0x7f && r < 0xa0 }

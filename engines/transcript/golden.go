package transcript

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"keva/agent/event"
)

// Golden lists are read by people: identifiers are shortened and long texts are cut.
const (
	goldenText = 400
	goldenLine = 1200
)

var uuid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-([0-9a-f]{6})([0-9a-f]{6})`)

// Format prints events for golden files, one line each: seconds since Base, turn, scope, kind, body. Pieces of one text,
// and of one tool's output, that follow each other are one line that counts them; UUIDs are cut to their last six digits.
func Format(events []event.Event) string {
	var b strings.Builder
	for i := 0; i < len(events); {
		e, n := events[i], 1
		for i+n < len(events) {
			joined, ok := join(e, events[i+n])
			if !ok {
				break
			}
			e = joined
			n++
		}
		line := format(e)
		if n > 1 {
			line += fmt.Sprintf(" ×%d", n)
		}
		b.WriteString(uuid.ReplaceAllString(line, "~$2"))
		b.WriteByte('\n')
		i += n
	}
	return b.String()
}

func format(e event.Event) string {
	where := ""
	if e.Turn != "" {
		where += " turn=" + e.Turn
	}
	if e.Scope != "" {
		where += " scope=" + e.Scope
	}
	kind, body := event.Kind("no_body"), "{}"
	if e.Body != nil {
		kind, body = e.Body.Kind(), bodyText(e.Body)
	}
	return fmt.Sprintf("%8.3f%s %s %s", e.Time.Sub(Base).Seconds(), where, kind, body)
}

// bodyText prints a body as JSON whose long strings are cut.
func bodyText(body event.Body) string {
	raw, err := json.Marshal(body)
	if err != nil {
		return "unprintable: " + err.Error()
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return "unreadable: " + err.Error()
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(shorten(v)); err != nil {
		return "unprintable: " + err.Error()
	}
	return cut(strings.TrimSpace(b.String()), goldenLine)
}

func shorten(v any) any {
	switch v := v.(type) {
	case string:
		return cut(v, goldenText)
	case []any:
		for i := range v {
			v[i] = shorten(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = shorten(v[k])
		}
	}
	return v
}

func cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return fmt.Sprintf("%s…(%d bytes)", string([]rune(s)[:n]), len(s))
}

// join puts two pieces that follow each other together.
func join(a, b event.Event) (event.Event, bool) {
	if a.Turn != b.Turn || a.Scope != b.Scope {
		return a, false
	}
	switch x := a.Body.(type) {
	case event.TextDelta:
		if y, ok := b.Body.(event.TextDelta); ok && x.Block == y.Block {
			x.Text += y.Text
			a.Body = x
			return a, true
		}
	case event.ReasoningDelta:
		if y, ok := b.Body.(event.ReasoningDelta); ok && x.Block == y.Block {
			x.Text += y.Text
			a.Body = x
			return a, true
		}
	case event.ToolOutput:
		if y, ok := b.Body.(event.ToolOutput); ok && x.ID == y.ID {
			x.Text += y.Text
			a.Body = x
			return a, true
		}
	}
	return a, false
}

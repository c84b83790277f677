// Package handoff writes what a fresh engine must know to go on with a session: a brief for another engine, a replay for
// the same one. Both are made from the session's own events alone; no engine is asked, since the old one may have crashed
// or hold stale credentials (DESIGN §9). It must never claim more than the events show: what is unknown is called unknown.
package handoff

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"keva/agent/event"
	"keva/agent/turn"
)

// Limits of a replay: the last messages, cut at message borders.
const (
	MaxMessages   = 12
	MaxCharacters = 12000
)

// message is one thing that was said.
type message struct {
	who  string
	text string
}

// messages collects what user and main agent said, in order. What a task said is not the conversation (I-10).
func messages(evs []event.Event) []message {
	var list []message
	said := map[string]bool{}
	for _, e := range evs {
		if e.Scope != "" {
			continue
		}
		switch b := e.Body.(type) {
		case event.UserMessage:
			// A message may come twice: sent again to a fresh engine, or with the id alone when its fate is not known.
			if b.Text == "" || said[b.ID] && b.ID != "" {
				continue
			}
			said[b.ID] = true
			list = append(list, message{"User", b.Text})
		case event.TextFinal:
			if n := len(list); n > 0 && list[n-1].who == "Assistant" {
				list[n-1].text += "\n\n" + b.Text
			} else {
				list = append(list, message{"Assistant", b.Text})
			}
		}
	}
	return list
}

// tail keeps the last messages within both limits. A message is kept whole or not at all; only when the very last one is
// longer than the limit alone, its beginning is cut, and that is said.
func tail(list []message) []message {
	if len(list) > MaxMessages {
		list = list[len(list)-MaxMessages:]
	}
	n := 0
	for i := len(list) - 1; i >= 0; i-- {
		n += utf8.RuneCountInString(list[i].text)
		if n <= MaxCharacters {
			continue
		}
		if i < len(list)-1 {
			return list[i+1:]
		}
		const note = "(the beginning is left out) … "
		r := []rune(list[i].text)
		return []message{{list[i].who, note + string(r[len(r)-MaxCharacters+len([]rune(note)):])}}
	}
	return list
}

func write(b *strings.Builder, list []message) {
	for _, m := range list {
		fmt.Fprintf(b, "## %s\n\n%s\n\n", m.who, strings.TrimSpace(m.text))
	}
}

// Replay is the prefix for the same engine after its own session could not be continued: the last 12 messages, at most
// 12,000 characters, cut at message borders. It is "" when nothing was said.
func Replay(evs []event.Event) string {
	list := tail(messages(evs))
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("# Earlier in this session\n\nThis is a record of the conversation so far; your own memory of it was lost. It is not a new request.\n\n")
	write(&b, list)
	return b.String()
}

// Brief is what another engine is told: the goal, what was changed, what is open with its honest outcome, and the last
// messages. It is "" when nothing was said.
func Brief(evs []event.Event, s *turn.State) string {
	all := messages(evs)
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("# Handed over from another agent\n\nAnother agent worked on this session before you. This brief was made from the record of what it did; it is not a new request.\n\n")
	fmt.Fprintf(&b, "## Goal\n\n%s\n\n", cut(firstOf(all, "User"), 2000))
	if files := touched(evs); len(files) > 0 {
		b.WriteString("## Files changed\n\n")
		for _, f := range files {
			fmt.Fprintf(&b, "- %s\n", f)
		}
		b.WriteString("\n")
	}
	if steps := lastPlan(evs); len(steps) > 0 {
		b.WriteString("## Plan\n\n")
		for _, st := range steps {
			fmt.Fprintf(&b, "- [%s] %s\n", st.State, st.Text)
		}
		b.WriteString("\n")
	}
	if d := decisions(s); len(d) > 0 {
		b.WriteString("## The user decided\n\n")
		for _, l := range d {
			fmt.Fprintf(&b, "- %s\n", l)
		}
		b.WriteString("\n")
	}
	if open := open(s); len(open) > 0 {
		b.WriteString("## Open or unsure\n\n")
		for _, l := range open {
			fmt.Fprintf(&b, "- %s\n", l)
		}
		b.WriteString("\n")
	}
	b.WriteString("# The last messages\n\n")
	write(&b, tail(all))
	return b.String()
}

func firstOf(list []message, who string) string {
	for _, m := range list {
		if m.who == who {
			return m.text
		}
	}
	return ""
}

func cut(s string, n int) string {
	r := []rune(strings.TrimSpace(s))
	if len(r) <= n {
		return string(r)
	}
	return string(r[:n]) + " …"
}

// touched lists files with the outcome of the last change to each, in order of the first.
func touched(evs []event.Event) []string {
	var order []string
	last := map[string]string{}
	for _, e := range evs {
		b, ok := e.Body.(event.FileChange)
		if !ok {
			continue
		}
		for _, c := range b.Changes {
			if _, seen := last[c.Path]; !seen {
				order = append(order, c.Path)
			}
			last[c.Path] = fmt.Sprintf("%s (%s, %s)", c.Path, c.Kind, b.Outcome)
		}
	}
	for i, p := range order {
		order[i] = last[p]
	}
	return order
}

func lastPlan(evs []event.Event) []event.Step {
	for i := len(evs) - 1; i >= 0; i-- {
		if p, ok := evs[i].Body.(event.Plan); ok && evs[i].Scope == "" {
			return p.Steps
		}
	}
	return nil
}

// decisions lists what was refused: the next agent should not ask for the same again without a reason.
func decisions(s *turn.State) []string {
	var out []string
	for _, r := range s.Requests {
		if r.Decision != event.Deny || r.Approval == nil {
			continue
		}
		what := r.Approval.Command
		if what == "" {
			what = r.Approval.Title
		}
		l := "refused: " + cut(what, 300)
		if r.Reason != "" {
			l += " — " + cut(r.Reason, 300)
		}
		out = append(out, l)
	}
	return out
}

// open lists what has no good end, in the words of its outcome.
func open(s *turn.State) []string {
	var out []string
	word := func(o event.Outcome) string {
		if o == "" {
			return "was still running"
		}
		return string(o)
	}
	for _, t := range s.Turns {
		if t.Outcome != event.Success && t.Origin == event.OriginUser {
			l := "a turn: " + word(t.Outcome)
			if t.Error != nil && t.Error.Message != "" {
				l += " — " + cut(t.Error.Message, 300)
			}
			out = append(out, l)
		}
	}
	for _, t := range s.Tasks {
		if t.Outcome != event.Success {
			out = append(out, fmt.Sprintf("the task “%s”: %s", cut(t.Title, 200), word(t.Outcome)))
		}
	}
	for _, it := range s.Items {
		if it.Outcome == event.Unknown || it.Outcome == "" {
			out = append(out, fmt.Sprintf("%s “%s”: %s", it.Tool, cut(it.Title, 200), word(it.Outcome)))
		}
	}
	const most = 20
	if len(out) > most {
		out = append(out[:0:0], out[len(out)-most:]...)
	}
	return out
}

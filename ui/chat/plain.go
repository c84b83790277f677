package chat

import (
	"fmt"
	"strings"

	"keva/ui/mark"
	"keva/ui/transcript"
)

// Plain is the transcript as text, for the clipboard: what was said whole, what was done in a line each.
func Plain(rows []transcript.Row) string {
	var b strings.Builder
	block := func(s string) {
		if s = strings.TrimRight(s, "\n"); s == "" {
			return
		}
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		b.WriteString(s + "\n")
	}
	for _, row := range rows {
		block(plainRow(row))
	}
	return b.String()
}

func plainRow(row transcript.Row) string {
	switch r := row.(type) {
	case *transcript.User:
		return "> " + strings.ReplaceAll(r.Text, "\n", "\n> ")
	case *transcript.Text:
		return r.Text
	case *transcript.Reasoning:
		return ""
	case *transcript.Work:
		var lines []string
		for _, s := range r.Steps {
			lines = append(lines, fmt.Sprintf("[%s] %s %s", mark.Word(s.Mark), s.Name, s.Title))
		}
		return strings.Join(lines, "\n")
	case *transcript.Diff:
		return fmt.Sprintf("[%s] %s +%d −%d", mark.Word(r.Mark), r.Path, r.Change.Added, r.Change.Removed)
	case *transcript.Web:
		lines := []string{fmt.Sprintf("[%s] web: %s", mark.Word(r.Mark), r.Activity.Query)}
		for _, hit := range r.Activity.Results {
			lines = append(lines, "  "+hit.Title+" "+hit.URL)
		}
		return strings.Join(lines, "\n")
	case *transcript.Plan:
		var lines []string
		for _, s := range r.Steps {
			lines = append(lines, fmt.Sprintf("[%s] %s", s.State, s.Text))
		}
		return strings.Join(lines, "\n")
	case *transcript.Tasks:
		var lines []string
		for _, n := range r.Nodes {
			line := fmt.Sprintf("%s[%s] %s", strings.Repeat("  ", n.Depth), mark.Word(n.Mark), n.Title)
			if n.Summary != "" {
				line += ": " + n.Summary
			}
			lines = append(lines, line)
		}
		return strings.Join(lines, "\n")
	case *transcript.Approval:
		if r.Decision == "" {
			return "[asked] " + r.Asked.Title
		}
		return fmt.Sprintf("[%s by %s] %s", r.Decision, r.By, r.Asked.Title)
	case *transcript.Question:
		var lines []string
		for _, q := range r.Asked.Questions {
			lines = append(lines, fmt.Sprintf("%s %s", q.Text, strings.Join(r.Answers[q.ID], ", ")))
		}
		return strings.Join(lines, "\n")
	case *transcript.Notice:
		return r.Text
	case *transcript.End:
		s := fmt.Sprintf("— %s, %s", r.Outcome, Age(r.Duration))
		if r.Error != nil {
			s += ": " + r.Error.Message
		}
		return s
	}
	return ""
}

package card

import (
	"fyne.io/fyne/v2"

	"keva/ui/draw"
	"keva/ui/transcript"
)

// draw is the drawing of the row, whatever it is.
func (c *card) draw(b *draw.Board) float32 {
	switch r := c.row.(type) {
	case *transcript.User:
		return c.user(b, r)
	case *transcript.Text:
		return c.text(b, r)
	case *transcript.Reasoning:
		return c.reasoning(b, r)
	case *transcript.Work:
		return c.work(b, r)
	case *transcript.Diff:
		return c.diff(b, r)
	case *transcript.Web:
		return c.web(b, r)
	case *transcript.Plan:
		return c.plan(b, r)
	case *transcript.Tasks:
		return c.tasks(b, r)
	case *transcript.Approval:
		return c.approval(b, r)
	case *transcript.Question:
		return c.question(b, r)
	case *transcript.Notice:
		return c.notice(b, r)
	case *transcript.End:
		return c.end(b, r)
	}
	return 0
}

// AccessibilityLabel says what kind of row it is; its parts say the rest.
func (c *card) AccessibilityLabel() string {
	switch r := c.row.(type) {
	case *transcript.User:
		return "You: " + r.Text
	case *transcript.Text:
		return r.Text
	case *transcript.Reasoning:
		return "Thinking"
	case *transcript.Work:
		return "Work"
	case *transcript.Diff:
		return "Change of " + r.Path
	case *transcript.Web:
		return "Web"
	case *transcript.Plan:
		return "Plan"
	case *transcript.Tasks:
		return "Tasks"
	case *transcript.Approval:
		return approvalWords(r)
	case *transcript.Question:
		return "Question"
	case *transcript.Notice:
		return r.Text
	case *transcript.End:
		return endWords(r)
	}
	return ""
}

// AccessibilityRole makes a card accessible.
func (c *card) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleContainer }

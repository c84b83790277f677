package card

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"fyne.io/fyne/v2"

	"keva/agent/event"
	"keva/agent/turn"
	"keva/ui/draw"
	"keva/ui/mark"
	"keva/ui/markdown"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// maxExact is how much of a command is drawn, in bytes. No honest one is longer; the sheet says so when one is.
const maxExact = 32 << 10

// maxSheetLines is how many lines of a change stand in the sheet; the rest is behind "Show whole change".
const maxSheetLines = 400

// approvalSheet asks whether something may run: the question, who asks, the exact thing, the risk, two buttons.
type approvalSheet struct {
	frame
	denying bool // the reason is being written
	always  *mark.Button
}

// NewApprovalSheet makes the sheet of approvals.
func NewApprovalSheet(o SheetOptions) Sheet {
	s := &approvalSheet{}
	s.left = mark.NewBigButton("Deny…", mark.Secondary, s.tapLeft)
	s.right = mark.NewBigButton("Allow once", mark.Primary, s.tapRight)
	s.always = mark.NewButton("Always allow…", mark.Quiet, s.tapAlways)
	s.quiet = s.always
	s.field = newField("Why not? The engine reads it.", func() { s.setDenying(false) })
	s.field.entry.OnSubmitted = func(string) { s.deny() }
	s.field.Hide()
	s.refresh = s.update
	s.init(s, o, s.drawBody, s.drawFoot)
	return s
}

// Ask is part of Sheet.
func (s *approvalSheet) Ask(r turn.Request, n, total int) {
	if r.ID != s.request.ID {
		s.field.entry.SetText("")
		s.denying = false
		s.field.Hide()
	}
	s.ask(r, n, total)
	s.body.Changed()
	s.foot.Changed()
	s.update()
	s.Refresh()
}

// update brings the buttons in line with what may be tapped.
func (s *approvalSheet) update() {
	enable := func(b *mark.Button, on bool) {
		if on {
			b.Enable()
		} else {
			b.Disable()
		}
	}
	if s.denying {
		s.left.SetText("Back")
		s.right.SetText("Deny")
		s.right.SetKind(mark.Danger)
		enable(s.right, !s.answered)
		enable(s.left, s.armed && !s.answered) // a double tap on "Deny…" must not lead back
	} else {
		s.left.SetText("Deny…")
		s.right.SetText("Allow once")
		s.right.SetKind(mark.Primary)
		enable(s.right, s.armed && !s.answered)
		enable(s.left, !s.answered)
	}
	enable(s.always, s.armed && !s.answered)
	s.always.Hidden = s.o.Always == nil || s.denying
}

func (s *approvalSheet) tapLeft() { s.setDenying(!s.denying) }

func (s *approvalSheet) tapRight() {
	if s.denying {
		s.deny()
		return
	}
	if s.armed && s.o.Allow != nil {
		s.once(func() { s.o.Allow(s.request.ID) })
	}
}

func (s *approvalSheet) tapAlways() {
	if s.armed && s.o.Always != nil && !s.answered {
		s.o.Always(s.request.ID)
	}
}

func (s *approvalSheet) deny() {
	if s.o.Deny != nil {
		s.once(func() { s.o.Deny(s.request.ID, strings.TrimSpace(s.field.entry.Text)) })
	}
}

// setDenying opens or closes the field for the reason. The buttons are new ones: they have to be armed again.
func (s *approvalSheet) setDenying(on bool) {
	if s.denying == on || s.answered {
		return
	}
	s.denying = on
	s.field.Hidden = !on
	s.arm()
	s.resized()
	c := fyne.CurrentApp().Driver().CanvasForObject(s)
	if c == nil {
		return
	}
	if on {
		c.Focus(s.field.entry)
	} else {
		c.Focus(s.left)
	}
}

// FocusFirst is part of Sheet.
func (s *approvalSheet) FocusFirst(c fyne.Canvas) { c.Focus(s.left) }

func (s *approvalSheet) asked() *event.ApprovalAsked {
	if s.request.Approval == nil {
		return &event.ApprovalAsked{}
	}
	return s.request.Approval
}

// approvalQuestion is what is asked, in words.
func approvalQuestion(a *event.ApprovalAsked) string {
	if n := len(a.Changes); n > 1 {
		return fmt.Sprintf("Change %d files?", n)
	} else if n == 1 {
		switch a.Changes[0].Kind {
		case event.ChangeAdd:
			return "Create this file?"
		case event.ChangeDelete:
			return "Delete this file?"
		case event.ChangeMove:
			return "Move this file?"
		case event.ChangeUpdate, event.ChangeUnknown:
			return "Change this file?"
		}
	}
	switch a.Tool {
	case event.ToolCommand:
		return "Run this command?"
	case event.ToolRead:
		return "Read this file?"
	case event.ToolSearch:
		return "Search these files?"
	case event.ToolEdit:
		return "Change this file?"
	case event.ToolWeb:
		return "Use the web?"
	case event.ToolAgent:
		return "Start this agent?"
	case event.ToolPlan:
		return "Go ahead with this plan?"
	case event.ToolImage:
		return "Look at this image?"
	case event.ToolQuestion, event.ToolMCP, event.ToolOther:
	}
	if a.Name != "" {
		return "Use " + one(a.Name) + "?"
	}
	return "Allow this?"
}

func (s *approvalSheet) drawBody(b *draw.Board) float32 {
	a := s.asked()
	y := s.head(b, sheetTop, approvalQuestion(a))
	w := b.Width - 2*sheetPad
	where := ""
	if a.Dir != "" {
		where = "in " + short(head(a.Dir), s.o.Home)
	}
	y += 2 + b.Lines(sheetPad, y+2, w, visible(join(where, "asked by "+s.who())), draw.Label.In(theme.Muted))
	if a.Reason != "" {
		y += theme.Space1 + b.Lines(sheetPad, y+theme.Space1, w, "“"+visible(head(a.Reason))+"”", draw.Label.In(theme.Muted))
	}
	y += 10
	if a.Command != "" {
		y = block(b, y, a.Command)
	}
	cut := false
	if len(a.Changes) > 0 {
		layer, top := b.Layer(), y
		y, cut = changes(b, sheetPad+1, y, w-2, a.Changes, maxSheetLines, true, s.fileName)
		b.RectAt(layer, sheetPad, top, w, y-top, draw.Box{Fill: theme.Surface, Line: theme.Line, Radius: theme.BlockRadius})
		if s.o.ShowDiff != nil {
			h := theme.HeightFor(theme.Label, theme.TapRowHeight)
			b.Text(sheetPad, y, w, h, "Show whole change", draw.Style{Role: theme.Label, Color: theme.Accent, Bold: true}, fyne.TextAlignLeading)
			b.Tap("whole", sheetPad, y, w, h, draw.TapOptions{Label: "Show whole change", Radius: theme.BlockRadius, Tapped: func() { s.o.ShowDiff(s.request) }})
			y += h
		}
	}
	if cut {
		y += b.Lines(sheetPad, y, w, fmt.Sprintf("Only the first %d lines of each file are shown here.", maxSheetLines), draw.Secondary) + theme.Space1
	}
	if a.Command == "" && len(a.Changes) == 0 {
		y = s.drawInput(b, y, a)
	}
	return y + theme.Space1
}

// fileName is a path as the rows of the transcript have it: in the project relative to it, so that what tells files apart
// is not what is cut.
func (s *approvalSheet) fileName(path string) string {
	return short(transcript.Rel(s.o.Dir, path), s.o.Home)
}

// drawInput draws what a tool that is neither a command nor an edit would be given.
func (s *approvalSheet) drawInput(b *draw.Board, y float32, a *event.ApprovalAsked) float32 {
	w := b.Width - 2*sheetPad
	if a.Tool == event.ToolPlan {
		var in struct{ Plan string }
		if json.Unmarshal(a.Input, &in) == nil && in.Plan != "" {
			return markdown.Draw(b, "plan", sheetPad, y, w, markdown.Parse(visible(in.Plan[:min(len(in.Plan), 4*maxExact)])), markdown.Options{ShowAll: nil}) + theme.Space1
		}
	}
	text := a.Title
	var pretty bytes.Buffer
	if len(a.Input) > 0 && string(a.Input) != "{}" && !onlyTitle(a) && json.Indent(&pretty, a.Input, "", "  ") == nil {
		if text != "" {
			text += "\n"
		}
		text += pretty.String()
	}
	if text == "" {
		text = a.Name
	}
	return block(b, y, text)
}

// onlyTitle reports whether the title is all that the tool would be given: then it need not stand there twice.
func onlyTitle(a *event.ApprovalAsked) bool {
	var in map[string]any
	if json.Unmarshal(a.Input, &in) != nil || len(in) != 1 {
		return false
	}
	for _, v := range in {
		return v == a.Title
	}
	return false
}

// block draws exact text, wrapped, on the ground of code; what can't be seen stands there as an escape.
func block(b *draw.Board, y float32, text string) float32 {
	if len(text) > maxExact {
		text = draw.Head(text, maxExact)
	}
	text = visible(text)
	layer := b.Layer()
	w := b.Width - 2*sheetPad
	h := b.Lines(sheetPad+theme.Space3, y+10, w-2*theme.Space3, draw.Tabs(text, 0), draw.Mono) + 20
	b.RectAt(layer, sheetPad, y, w, h, draw.Box{Fill: theme.Code, Radius: theme.BlockRadius})
	return y + h
}

// drawFoot draws what must be seen without scrolling: the risks.
func (s *approvalSheet) drawFoot(b *draw.Board) float32 {
	y := theme.Space1
	a := s.asked()
	if hides(a.Command) {
		y = warn(b, "hidden", y, "Holds characters that can't be seen. They stand between ‹ and ›.")
	}
	if n := max(len(a.Command), len(a.Input)); n > maxExact {
		y = warn(b, "long", y, fmt.Sprintf("Too long to be shown whole: %d kB. Deny it when you do not know what it does.", n>>10))
	}
	for i, risk := range s.o.Risks {
		y = warn(b, fmt.Sprint(i), y, risk)
	}
	return y + theme.Space2
}

func countTag(n, total int) string { return fmt.Sprintf("%d of %d", n, total) }

// short writes a path below the user's home with ~.
func short(path, home string) string {
	if rest, ok := strings.CutPrefix(path, strings.TrimRight(home, "/")); ok && home != "" && (rest == "" || rest[0] == '/') {
		return "~" + rest
	}
	return path
}

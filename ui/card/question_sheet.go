package card

import (
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"

	"keva/agent/event"
	"keva/agent/turn"
	"keva/ui/draw"
	"keva/ui/mark"
	"keva/ui/theme"
)

// questionSheet asks what the engine asks: options to tap, words to write, or both.
type questionSheet struct {
	frame
	chosen map[string][]string // labels by question
	fields map[string]*field
}

// NewQuestionSheet makes the sheet of questions.
func NewQuestionSheet(o SheetOptions) Sheet {
	s := &questionSheet{chosen: map[string][]string{}, fields: map[string]*field{}}
	s.left = mark.NewBigButton("Dismiss", mark.Secondary, func() { s.answer(nil) })
	s.right = mark.NewBigButton("Answer", mark.Primary, s.tapAnswer)
	s.refresh = s.update
	s.init(s, o, s.drawBody, s.drawFoot)
	return s
}

// Ask is part of Sheet.
func (s *questionSheet) Ask(r turn.Request, n, total int) {
	if r.ID != s.request.ID {
		clear(s.chosen)
		clear(s.fields)
	}
	s.ask(r, n, total)
	s.body.Changed()
	s.foot.Changed()
	s.update()
	s.Refresh()
}

// FocusFirst is part of Sheet.
func (s *questionSheet) FocusFirst(c fyne.Canvas) { c.Focus(s.left) }

func (s *questionSheet) questions() []event.Question {
	if s.request.Question == nil {
		return nil
	}
	return s.request.Question.Questions
}

// given are the answers so far, and whether every question has one.
func (s *questionSheet) given() (answers map[string][]string, complete bool) {
	answers, complete = map[string][]string{}, true
	for _, q := range s.questions() {
		a := slices.Clone(s.chosen[q.ID])
		if f := s.fields[q.ID]; f != nil {
			if text := strings.TrimSpace(f.entry.Text); text != "" {
				if !q.Multi {
					a = nil // one answer: what was written
				}
				a = append(a, text)
			}
		}
		if len(a) == 0 {
			complete = false
			continue
		}
		answers[q.ID] = a
	}
	return answers, complete
}

func (s *questionSheet) update() {
	_, complete := s.given()
	if s.armed && !s.answered && complete {
		s.right.Enable()
	} else {
		s.right.Disable()
	}
	if s.answered {
		s.left.Disable()
	} else {
		s.left.Enable()
	}
}

func (s *questionSheet) tapAnswer() {
	if answers, complete := s.given(); complete && s.armed {
		s.answer(answers)
	}
}

func (s *questionSheet) answer(answers map[string][]string) {
	if s.o.Answer != nil && s.armed {
		s.once(func() { s.o.Answer(s.request.ID, answers) })
	}
}

// choose takes or leaves an option.
func (s *questionSheet) choose(q event.Question, label string) {
	if s.answered {
		return
	}
	has := slices.Contains(s.chosen[q.ID], label)
	switch {
	case has:
		s.chosen[q.ID] = slices.DeleteFunc(s.chosen[q.ID], func(l string) bool { return l == label })
	case q.Multi:
		// In the order in which they are offered, whatever the order of the taps.
		var all []string
		for _, o := range q.Options {
			if o.Label == label || slices.Contains(s.chosen[q.ID], o.Label) {
				all = append(all, o.Label)
			}
		}
		s.chosen[q.ID] = all
	default:
		s.chosen[q.ID] = []string{label}
		if f := s.fields[q.ID]; f != nil {
			f.entry.SetText("")
		}
	}
	s.body.Changed()
	s.update()
}

func (s *questionSheet) drawBody(b *draw.Board) float32 {
	qs := s.questions()
	title := "The engine asks"
	if len(qs) == 1 {
		title = visible(qs[0].Text)
	}
	y := s.head(b, sheetTop, title)
	y += 2 + b.Lines(sheetPad, y+2, b.Width-2*sheetPad, "asked by "+s.who(), draw.Label.In(theme.Muted)) + theme.Space2
	for i, q := range qs {
		if len(qs) > 1 {
			strong := draw.Body
			strong.Bold = true
			y += theme.Space2
			y += b.Lines(sheetPad, y, b.Width-2*sheetPad, visible(q.Text), strong) + theme.Space1
		}
		if q.Multi {
			y += b.Lines(sheetPad, y, b.Width-2*sheetPad, "More than one may be chosen.", draw.Secondary) + theme.Space1
		}
		for j, o := range q.Options {
			y = s.option(b, y, i, j, q, o)
		}
		if q.Free || len(q.Options) == 0 {
			y = s.field(b, y, q)
		}
	}
	return y + theme.Space1
}

// option draws one answer as a row to tap.
func (s *questionSheet) option(b *draw.Board, y float32, i, j int, q event.Question, o event.Option) float32 {
	chosen := slices.Contains(s.chosen[q.ID], o.Label)
	layer := b.Layer()
	x, right := sheetPad+theme.Space3, b.Width-sheetPad-theme.Space3
	side := theme.MarkSize + 2
	inner := x + side + theme.Space2 + 2
	top := y + theme.Space3
	h := b.Lines(inner, top, right-inner, visible(o.Label), draw.Body)
	if o.Detail != "" {
		h += b.Lines(inner, top+h, right-inner, visible(o.Detail), draw.Label.In(theme.Muted))
	}
	height := max(h+2*theme.Space3, theme.Touch)
	sign(b, x, top+(draw.Body.LineHeight()-side)/2, side, q.Multi, chosen)
	box := draw.Box{Fill: theme.Surface, Line: theme.Line, Radius: theme.CardRadius}
	if chosen {
		box.Fill, box.Line = theme.AccentSoft, theme.Accent
	}
	b.RectAt(layer, sheetPad, y, b.Width-2*sheetPad, height, box)
	word := "not chosen: "
	if chosen {
		word = "chosen: "
	}
	b.Tap("option "+strconv.Itoa(i)+"."+strconv.Itoa(j), sheetPad, y, b.Width-2*sheetPad, height, draw.TapOptions{
		Label: word + o.Label, Radius: theme.CardRadius, Tapped: func() { s.choose(q, o.Label) },
	})
	return y + height + theme.Space2
}

// sign draws the circle of one answer, or the box of one of many.
func sign(b *draw.Board, x, y, side float32, multi, chosen bool) {
	radius := side / 2
	if multi {
		radius = 4
	}
	if !chosen {
		b.Rect(x, y, side, side, draw.Box{Line: theme.Muted, Radius: radius})
		return
	}
	b.Rect(x, y, side, side, draw.Box{Fill: theme.Accent, Radius: radius})
	if multi {
		b.Tick(x, y, side, theme.OnAccent)
	} else {
		b.Rect(x+5, y+5, side-10, side-10, draw.Box{Fill: theme.OnAccent, Radius: radius})
	}
}

// field places the entry for words of the user's own.
func (s *questionSheet) field(b *draw.Board, y float32, q event.Question) float32 {
	f := s.fields[q.ID]
	if f == nil {
		hint := "Your answer"
		if len(q.Options) > 0 {
			hint = "Something else"
		}
		f = newField(hint, nil)
		f.entry.OnChanged = func(text string) {
			if text != "" && !q.Multi && len(s.chosen[q.ID]) > 0 {
				s.chosen[q.ID] = nil
				s.body.Changed()
			}
			s.update()
		}
		f.entry.OnSubmitted = func(string) { s.tapAnswer() }
		s.fields[q.ID] = f
	}
	h := f.MinSize().Height
	b.Object(f, sheetPad, y, b.Width-2*sheetPad, h)
	return y + h + theme.Space2
}

func (s *questionSheet) drawFoot(*draw.Board) float32 { return theme.Space2 }

package card

import (
	"strconv"
	"strings"
	"time"

	"keva/agent/event"
	"keva/ui/draw"
	"keva/ui/mark"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// work draws a run of tool calls. Closed, it shows the steps that did not go well, and the last one while it runs, so that
// the line says what is going on; opened, all of them.
func (c *card) work(b *draw.Board, r *transcript.Work) float32 {
	layer := b.Layer()
	key := r.Key()
	open := c.actions.open(key, false)
	steps := r.Steps
	if !open {
		steps = notable(r)
	}
	y := c.header(b, line{
		id: key, mark: r.Mark, text: workWords(r), right: words(workTime(r, c.now), draw.Secondary),
		fold: open || len(steps) < len(r.Steps), open: open, tap: c.toggle(key, false),
	})
	for i := range steps {
		y = c.step(b, y, &steps[i], 0)
	}
	return surface(b, layer, y)
}

// notable are the steps that a closed card shows: the last few that did not go well, and the last one while it runs.
func notable(r *transcript.Work) []transcript.WorkStep {
	const most = 3
	var steps []transcript.WorkStep
	for i := range r.Steps {
		s := &r.Steps[i]
		last := i == len(r.Steps)-1 && r.Mark == transcript.MarkRunning
		if last || s.Mark == transcript.MarkFailed || s.Mark == transcript.MarkUnknown {
			steps = append(steps, *s)
		}
	}
	return steps[max(len(steps)-most, 0):]
}

// workWords says what was done; of a single step, exactly what, while it has no row of its own.
func workWords(r *transcript.Work) []draw.Span {
	spans := headline(one(r.Title))
	if len(r.Steps) == 1 && r.Mark == transcript.MarkDone && r.Steps[0].Title != "" {
		spans = append(spans, draw.Span{Text: " · ", Style: draw.Label})
		spans = append(spans, stepTitle(&r.Steps[0])...)
	}
	return spans
}

// headline makes what stands before the first dot bold: "4 steps · read 2 files".
func headline(title string) []draw.Span {
	first, rest, ok := strings.Cut(title, " · ")
	if !ok {
		return words(title, draw.Strong)
	}
	return []draw.Span{{Text: first, Style: draw.Strong}, {Text: " · " + rest, Style: draw.Label}}
}

// workTime is how long it took from the first step to the last.
func workTime(r *transcript.Work, now time.Time) string {
	var from, to time.Time
	for i := range r.Steps {
		s := &r.Steps[i]
		if !s.Started.IsZero() && (from.IsZero() || s.Started.Before(from)) {
			from = s.Started
		}
		if s.Ended.After(to) {
			to = s.Ended
		}
	}
	if r.Mark == transcript.MarkRunning {
		return elapsed(from, now)
	}
	if from.IsZero() || to.IsZero() {
		return ""
	}
	return took(to.Sub(from))
}

// step draws one tool call; it opens when there is more to see than its line.
func (c *card) step(b *draw.Board, y float32, s *transcript.WorkStep, indent float32) float32 {
	key := "step/" + s.ID
	open := c.actions.open(key, false)
	l := line{id: key, mark: s.Mark, indent: indent, text: stepTitle(s), right: words(stepResult(s, c.now), draw.Secondary), open: open}
	if s.Mark == transcript.MarkUnknown {
		l.tag, l.tone = mark.Word(s.Mark), mark.Unclear
	}
	more := s.Output != "" || strings.Contains(s.Title, "\n") || len(s.Title) > 40
	if more {
		l.fold, l.tap = true, c.toggle(key, false)
	}
	if c.actions.Copy != nil {
		l.held = func() { c.actions.Copy(s.Title) }
	}
	y = c.entry(b, y, l)
	if !open || !more {
		return y
	}
	return c.output(b, y, s)
}

func stepTitle(s *transcript.WorkStep) []draw.Span {
	title := s.Title
	if title == "" {
		title = s.Name
	}
	style := draw.Mono
	switch s.Tool {
	case event.ToolAgent, event.ToolPlan, event.ToolQuestion, event.ToolOther, event.ToolMCP, event.ToolWeb:
		style = draw.Label
	case event.ToolCommand, event.ToolRead, event.ToolSearch, event.ToolEdit, event.ToolImage:
	}
	return words(one(title), style)
}

func stepResult(s *transcript.WorkStep, now time.Time) string {
	switch {
	case s.Denied:
		return "denied"
	case s.Mark == transcript.MarkRunning:
		return elapsed(s.Started, now)
	case s.Mark == transcript.MarkWaiting:
		return "waits for you"
	}
	exit, time := "", ""
	if s.ExitCode != nil && *s.ExitCode != 0 {
		exit = "exit " + strconv.Itoa(*s.ExitCode)
	}
	if !s.Ended.IsZero() && !s.Started.IsZero() {
		time = took(s.Ended.Sub(s.Started))
	}
	return join(exit, time)
}

// output draws the whole command and what it said, folded.
func (c *card) output(b *draw.Board, y float32, s *transcript.WorkStep) float32 {
	const lines = 12
	layer := b.Layer()
	top := y
	y += theme.Space2
	if strings.Contains(s.Title, "\n") || len(s.Title) > 40 {
		y = c.long(b, "title "+s.ID, pad, y, b.Width-2*pad, s.Title, draw.Mono) + theme.Space1
	}
	if s.Allowed != "" {
		y += b.Lines(pad, y, b.Width-2*pad, allowedBy(s.Allowed), draw.Secondary) + theme.Space1
	}
	shown, hidden := fold(s.Output, lines, s.Tool == event.ToolCommand)
	h := draw.Mono.LineHeight()
	whole := hidden == 0
	for _, text := range shown {
		if !b.Measuring {
			b.Clipped(pad, y, b.Width-2*pad, h, text, draw.Mono.In(theme.Muted))
		}
		whole = whole && draw.Width(text, draw.Mono) <= b.Width-2*pad
		y += h
	}
	y += theme.Space2
	b.RectAt(layer, 1, top, b.Width-2, y-top, draw.Box{Fill: theme.Code})
	if !whole && c.actions.ShowOutput != nil {
		word := "Show all"
		if hidden > 0 {
			word = "Show all " + count(hidden+len(shown), "line", "lines")
		}
		y = c.link(b, y, "all/"+s.ID, word, func() { c.actions.ShowOutput(s.Title, s.Output) })
	}
	return y
}

func allowedBy(by event.By) string {
	switch by {
	case event.ByUser:
		return "You allowed it."
	case event.ByRule:
		return "A rule of yours allowed it."
	case event.ByStop, event.ByEngine, event.ByError:
	}
	return "It was allowed."
}

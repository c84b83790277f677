package card

import (
	"fmt"
	"strconv"

	"keva/agent/event"
	"keva/ui/draw"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// plan draws the plan as it stands. Steps are whole sentences: they wrap.
func (c *card) plan(b *draw.Board, r *transcript.Plan) float32 {
	layer := b.Layer()
	key := r.Key()
	open := c.actions.open(key, true)
	done, state := 0, transcript.MarkWaiting
	for _, s := range r.Steps {
		switch m := stepMark(s.State); m {
		case transcript.MarkDone:
			done++
		case transcript.MarkRunning, transcript.MarkUnknown:
			if state != transcript.MarkUnknown {
				state = m
			}
		case transcript.MarkWaiting, transcript.MarkFailed, transcript.MarkInterrupted:
		}
	}
	if len(r.Steps) > 0 && done == len(r.Steps) {
		state = transcript.MarkDone
	}
	y := c.header(b, line{
		id: key, mark: state, text: words("Plan", draw.Strong), right: words(fmt.Sprintf("%d of %d", done, len(r.Steps)), draw.Secondary),
		fold: true, open: open, tap: c.toggle(key, true),
	})
	if open {
		if r.Note != "" {
			b.Rule(1, y, b.Width-2)
			y += theme.Space2
			y += b.Lines(pad, y, b.Width-2*pad, visible(head(r.Note)), draw.Label.In(theme.Muted)) + theme.Space2
		}
		for i, s := range r.Steps {
			y = c.planStep(b, y, i, s)
		}
	}
	return surface(b, layer, y)
}

func (c *card) planStep(b *draw.Board, y float32, i int, s event.Step) float32 {
	b.Rule(1, y, b.Width-2)
	style := draw.Label
	switch s.State {
	case event.StepActive:
		style = draw.Strong
	case event.StepDone:
		style = draw.Label.In(theme.Muted)
	case event.StepPending, event.StepUnknown:
	}
	x := c.mark(b, "plan "+strconv.Itoa(i), pad, y+6, theme.LineHeight(theme.Label), stepMark(s.State))
	return y + 6 + b.Lines(x, y+6, b.Width-pad-x, visible(head(s.Text)), style) + 6
}

func stepMark(s event.StepState) transcript.Mark {
	switch s {
	case event.StepPending:
		return transcript.MarkWaiting
	case event.StepActive:
		return transcript.MarkRunning
	case event.StepDone:
		return transcript.MarkDone
	case event.StepUnknown:
		return transcript.MarkUnknown
	}
	return transcript.MarkUnknown
}

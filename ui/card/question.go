package card

import (
	"strings"

	"keva/ui/draw"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// question draws what the engine asked, and the answer.
func (c *card) question(b *draw.Board, r *transcript.Question) float32 {
	layer := b.Layer()
	l := line{id: r.Key(), mark: transcript.MarkWaiting, text: words("Question", draw.Strong), right: words("waits for you", draw.Secondary.In(theme.Warning))}
	dismissed := r.Answered && r.Answers == nil
	switch {
	case dismissed:
		l.mark, l.right = transcript.MarkInterrupted, words("not answered", draw.Secondary)
	case r.Answered:
		l.mark, l.right = transcript.MarkDone, words("answered", draw.Secondary)
	}
	y := c.header(b, l)
	for _, q := range r.Asked.Questions {
		b.Rule(1, y, b.Width-2)
		y += theme.Space2
		y += b.Lines(pad, y, b.Width-2*pad, visible(head(q.Text)), draw.Label)
		if answer := strings.Join(r.Answers[q.ID], ", "); answer != "" {
			strong := draw.Strong.In(theme.Accent)
			y += theme.Space1 + b.Lines(pad, y+theme.Space1, b.Width-2*pad, visible(head(answer)), strong)
		}
		y += theme.Space2
	}
	return surface(b, layer, y)
}

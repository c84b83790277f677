package card

import (
	"keva/ui/draw"
	"keva/ui/mark"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// text draws one Markdown block of the answer.
func (c *card) text(b *draw.Board, r *transcript.Text) float32 {
	x, y := theme.Space1, float32(2)
	if r.Scope != "" { // a task speaks: its words stand aside
		x += theme.Space3
	}
	y += b.Lines(x, y, b.Width-x-theme.Space1, r.Text, draw.Body)
	y += 2
	if r.Cut {
		y += b.Lines(x, y, b.Width-x-theme.Space1, "The text was cut off here.", draw.Secondary.In(theme.Unknown))
	}
	if r.Scope != "" {
		b.Rect(theme.Space1, 2, 2, y-4, draw.Box{Fill: theme.Line})
	}
	return y
}

// reasoning draws visible thinking, folded.
func (c *card) reasoning(b *draw.Board, r *transcript.Reasoning) float32 {
	key := r.Key()
	open := c.actions.open(key, false)
	h := theme.HeightFor(theme.Secondary, theme.RowHeight)
	x := theme.Space1
	word := "Thought"
	if r.Live {
		word = "Thinking"
		x = c.mark(b, key, x, 0, h, transcript.MarkRunning)
	}
	used := b.Run(x, 0, b.Width-x, h, words(word, draw.Secondary))
	mark.DrawChevron(b, x+draw.Width(word, draw.Secondary)+6, (h-5)/2, open)
	_ = used
	b.Tap(key, 0, 0, b.Width, h, draw.TapOptions{Label: word, Radius: theme.CardRadius, Tapped: c.toggle(key, false)})
	if !open {
		return h
	}
	return h + b.Lines(theme.Space1, h, b.Width-2*theme.Space1, r.Text, draw.Label.In(theme.Muted)) + theme.Space1
}

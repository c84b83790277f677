package card

import (
	"strings"

	"fyne.io/fyne/v2"

	"keva/ui/draw"
	"keva/ui/mark"
	"keva/ui/markdown"
	"keva/ui/stream"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// maxLiveMarkdown is how much of a growing block is read as Markdown again with each piece, in bytes. A longer one is shown
// as it comes, at a cost that does not grow, and gets its form when it is whole.
const maxLiveMarkdown = 4 << 10

// text draws one Markdown block of the answer.
func (c *card) text(b *draw.Board, r *transcript.Text) float32 {
	x, y := theme.Space1, float32(2)
	if r.Scope != "" { // a task speaks: its words stand aside
		x += theme.Space3
	}
	w := b.Width - x - theme.Space1
	if c.actions.Copy != nil {
		b.Hold("copy", x, 0, w, c.HeightFor(b.Width), func() { c.actions.Copy(r.Text) })
	}
	switch {
	case r.Live && len(r.Text) > maxLiveMarkdown:
		t := b.Keep("stream", func() fyne.CanvasObject {
			t := stream.New(liveStyle(r.Text))
			t.SetCaret(true)
			return t
		}).(*stream.Text)
		t.SetText(r.Text)
		h := t.HeightFor(w)
		b.Object(t, x, y, w, h)
		y += h
	default:
		y = markdown.Draw(b, "text", x, y, w, c.blocks(r.Text), markdown.Options{
			Open: c.actions.OpenURL, Copy: c.actions.Copy, ShowAll: c.actions.ShowOutput, Caret: r.Live,
		})
	}
	y += 2
	if r.Cut {
		y += b.Lines(x, y, w, "The text was cut off here.", draw.Secondary.In(theme.Unknown)) + 2
	}
	if r.Scope != "" {
		b.Rect(theme.Space1, 2, 2, y-4, draw.Box{Fill: theme.Line})
	}
	return y
}

// liveStyle is the style of a block of which only the beginning is known.
func liveStyle(text string) draw.Style {
	if strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~") {
		return draw.Mono
	}
	return draw.Body
}

// blocks are the parsed text; measuring and drawing read it once.
func (c *card) blocks(source string) []markdown.Block {
	if c.parsed.blocks == nil || c.parsed.source != source {
		c.parsed.source, c.parsed.blocks = source, markdown.Parse(source)
	}
	return c.parsed.blocks
}

// reasoning draws visible thinking, folded.
func (c *card) reasoning(b *draw.Board, r *transcript.Reasoning) float32 {
	key := r.Key()
	open := c.actions.open(key, false)
	h := theme.HeightFor(theme.Secondary, theme.TapRowHeight)
	x := theme.Space1
	word := "Thought"
	if r.Live {
		word = "Thinking"
		x = c.mark(b, key, x, 0, h, transcript.MarkRunning)
	}
	used := b.Run(x, 0, b.Width-x, h, words(word, draw.Secondary))
	mark.DrawChevron(b, x+used+6, (h-5)/2, open)
	b.Tap(key, 0, 0, x+used+6+8+theme.Space2, h, draw.TapOptions{Label: word, Radius: theme.CardRadius, Tapped: c.toggle(key, false)})
	if !open {
		return h
	}
	return c.long(b, "thought", theme.Space1, h, b.Width-2*theme.Space1, r.Text, draw.Label.In(theme.Muted)) + theme.Space1
}

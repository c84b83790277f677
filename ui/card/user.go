package card

import (
	"fyne.io/fyne/v2"

	"keva/agent/event"
	"keva/ui/draw"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// user draws the user's own words: a bubble at the right, at most 84 % wide.
func (c *card) user(b *draw.Board, r *transcript.User) float32 {
	const padX, padY = theme.Space3, theme.Space2
	text, cut := r.Text, false
	if len(text) > maxShown {
		text, cut = draw.Head(text, maxShown), true
	}
	text = visible(text)
	lines := draw.Wrap(text, draw.Body, b.Width*0.84-2*padX)
	h := draw.Body.LineHeight()
	widest := float32(0)
	for _, l := range lines {
		widest = max(widest, draw.Width(l, draw.Body))
	}
	w := min(widest+1, b.Width*0.84-2*padX) + 2*padX
	x, height := b.Width-w, float32(len(lines))*h+2*padY
	if !b.Measuring {
		corners := draw.Corners{TopLeft: theme.BubbleRadius, TopRight: theme.BubbleRadius, BottomLeft: theme.BubbleRadius, BottomRight: theme.BubbleTail}
		b.Rect(x, 0, w, height, draw.Box{Fill: theme.AccentSoft, Corners: corners})
		if c.actions.Copy != nil {
			b.Hold("copy", x, 0, w, height, func() { c.actions.Copy(r.Text) })
		}
		for i, l := range lines {
			b.Clipped(x+padX, padY+float32(i)*h, w-padX, h, l, draw.Body)
		}
	}
	y := height
	if cut && c.actions.ShowOutput != nil {
		y = c.link(b, y, "all", "Show all", func() { c.actions.ShowOutput("Your message", r.Text) })
	}
	note, style := "", draw.Secondary
	switch r.Delivery {
	case event.DeliveryPrompt:
	case event.DeliverySteer:
		note = "joined the running turn"
	case event.DeliveryQueued:
		note = "queued"
	case event.DeliveryUnknown:
		note, style = "not known whether it arrived", style.In(theme.Unknown)
	}
	if note != "" {
		b.Text(0, y+2, b.Width-theme.Space1, theme.LineHeight(theme.Secondary), note, style, fyne.TextAlignTrailing)
		y += 2 + theme.LineHeight(theme.Secondary)
	}
	return y
}

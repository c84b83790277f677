package card

import (
	"fyne.io/fyne/v2"

	"keva/agent/event"
	"keva/ui/draw"
	"keva/ui/mark"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// notice draws a sentence with a level; its detail is folded.
func (c *card) notice(b *draw.Board, r *transcript.Notice) float32 {
	state, ground := mark.State(""), fyne.ThemeColorName("")
	style := draw.Label
	switch r.Level {
	case event.LevelWarning:
		state, ground = mark.Risk, theme.WarningSoft
	case event.LevelError:
		state, ground = transcript.MarkFailed, theme.ErrorSoft
	case event.LevelInfo:
		style = draw.Label.In(theme.Muted)
	}
	layer := b.Layer()
	key := r.Key()
	open := c.actions.open(key, false)
	x, y, right := pad, float32(10), b.Width-pad
	if ground == "" {
		x, y = theme.Space1, theme.Space1
	}
	line := style.LineHeight()
	top := y
	if state != "" {
		x = c.mark(b, key, x, y, line, state)
	}
	if r.Detail != "" {
		right -= chevron
	}
	y += b.Lines(x, y, right-x, visible(head(r.Text)), style)
	if r.Detail != "" {
		mark.DrawChevron(b, b.Width-pad-8, top+(line-5)/2, open)
		if open {
			y += theme.Space1
			shown, hidden := fold(r.Detail, 12, false)
			for _, text := range shown {
				y += b.Lines(x, y, b.Width-pad-x, text, draw.Mono.In(theme.Ink))
			}
			if hidden > 0 && c.actions.ShowOutput != nil {
				y = c.link(b, y, "all", "Show all", func() { c.actions.ShowOutput(r.Text, r.Detail) })
			}
		}
	}
	if ground == "" {
		y += theme.Space1
	} else {
		y += 10
	}
	if r.Detail != "" {
		y = max(y, theme.TapRowHeight)
		b.Tap(key, 0, 0, b.Width, max(top+line+10, theme.TapRowHeight), draw.TapOptions{Label: "Details: " + r.Text, Radius: theme.CardRadius, Tapped: c.toggle(key, false)})
	}
	if ground != "" {
		b.RectAt(layer, 0, 0, b.Width, y, draw.Box{Fill: ground, Radius: theme.CardRadius})
	}
	return y
}

package card

import (
	"keva/ui/draw"
)

func (c *card) draw(b *draw.Board) float32 {
	return b.Lines(0, 0, b.Width, c.row.Key(), draw.Body)
}

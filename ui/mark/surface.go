package mark

import (
	"fyne.io/fyne/v2"

	"keva/ui/draw"
	"keva/ui/theme"
)

// CardBox is the ground of a card.
func CardBox() draw.Box {
	return draw.Box{Fill: theme.Surface, Line: theme.Line, Radius: theme.CardRadius}
}

// Surface is the ground of a card or a sheet, to be stacked behind other objects.
type Surface struct {
	draw.Widget
	sheet bool
}

// NewCardSurface makes the ground of a card.
func NewCardSurface() *Surface { return newSurface(false) }

// NewSheetSurface makes the ground of a sheet that comes from the lower edge: round above only.
func NewSheetSurface() *Surface { return newSurface(true) }

func newSurface(sheet bool) *Surface {
	s := &Surface{sheet: sheet}
	s.Init(s, s.draw)
	return s
}

func (s *Surface) draw(b *draw.Board) float32 {
	h := s.Size().Height
	if !s.sheet {
		b.Rect(0, 0, b.Width, h, CardBox())
		return 0
	}
	r := draw.Corners{TopLeft: theme.SheetRadius, TopRight: theme.SheetRadius}
	b.Rect(0, 0, b.Width, h, draw.Box{Fill: theme.Line, Corners: r})
	b.Rect(0, theme.Border, b.Width, h-theme.Border, draw.Box{Fill: theme.Surface, Corners: r})
	return 0
}

// Resize draws again when only the height changes, too.
func (s *Surface) Resize(size fyne.Size) {
	changed := size.Height != s.Size().Height
	s.Widget.Resize(size)
	if changed {
		s.Refresh()
	}
}

// DrawChevron draws the sign that something opens, in a box of 8 x 5 dp, pointing down, or up when open.
func DrawChevron(b *draw.Board, x, y float32, open bool) {
	if b.Measuring {
		return
	}
	b.Object(newChevron(open), x, y, 8, 5)
}

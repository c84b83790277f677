package mark

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"keva/ui/theme"
)

// newChevron makes a small filled triangle.
func newChevron(up bool) fyne.CanvasObject {
	points := []fyne.Position{fyne.NewPos(0, 0), fyne.NewPos(8, 0), fyne.NewPos(4, 5)}
	if up {
		points = []fyne.Position{fyne.NewPos(0, 5), fyne.NewPos(8, 5), fyne.NewPos(4, 0)}
	}
	return canvas.NewArbitraryPolygon(points, theme.Color(theme.Muted))
}

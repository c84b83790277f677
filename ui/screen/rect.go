package screen

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"keva/ui/theme"
)

// Rect is a rectangle whose colours are tokens: it follows a change of theme, which a canvas.Rectangle does not.
type Rect struct {
	widget.BaseWidget
	Fill, Border fyne.ThemeColorName // "" = none
	Radius       float32
	least        fyne.Size
}

func newRect(fill, border fyne.ThemeColorName, radius float32) *Rect {
	r := &Rect{Fill: fill, Border: border, Radius: radius}
	r.ExtendBaseWidget(r)
	return r
}

// CreateRenderer is part of fyne.Widget.
func (r *Rect) CreateRenderer() fyne.WidgetRenderer {
	rr := &rectRenderer{r: r, box: canvas.NewRectangle(color.Transparent)}
	rr.paint()
	return rr
}

type rectRenderer struct {
	r   *Rect
	box *canvas.Rectangle
}

func (r *rectRenderer) paint() {
	r.box.FillColor, r.box.StrokeColor, r.box.StrokeWidth = color.Transparent, color.Transparent, 0
	if r.r.Fill != "" {
		r.box.FillColor = theme.Color(r.r.Fill)
	}
	if r.r.Border != "" {
		r.box.StrokeColor, r.box.StrokeWidth = theme.Color(r.r.Border), theme.Border
	}
	r.box.CornerRadius = r.r.Radius
}

func (r *rectRenderer) Layout(size fyne.Size)        { r.box.Resize(size) }
func (r *rectRenderer) MinSize() fyne.Size           { return r.r.least }
func (r *rectRenderer) Refresh()                     { r.paint(); r.box.Refresh() }
func (r *rectRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.box} }
func (r *rectRenderer) Destroy()                     {}

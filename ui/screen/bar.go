package screen

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"keva/ui/theme"
)

// Bar is the bar at the top of a screen: a leading button, title and second line, buttons.
type Bar struct {
	widget.BaseWidget
	Title, Second *Text
	lead          fyne.CanvasObject // nil when the screen is the first
	actions       []fyne.CanvasObject
}

// NewBar makes a bar. second may be ""; lead may be nil.
func NewBar(lead fyne.CanvasObject, title, second string, actions ...fyne.CanvasObject) *Bar {
	b := &Bar{
		Title: NewShrinking(title, TitleStyle), Second: NewShrinking(second, SecondaryStyle),
		lead: lead, actions: actions,
	}
	if lead == nil {
		b.Title.Style = ScreenStyle
	}
	b.ExtendBaseWidget(b)
	return b
}

// ShowLead shows or hides the leading button.
func (b *Bar) ShowLead(on bool) {
	if b.lead != nil && b.lead.Visible() != on {
		if on {
			b.lead.Show()
		} else {
			b.lead.Hide()
		}
		b.Refresh()
	}
}

// CreateRenderer is part of fyne.Widget.
func (b *Bar) CreateRenderer() fyne.WidgetRenderer {
	r := &barRenderer{b: b, ground: canvas.NewRectangle(nil), line: canvas.NewRectangle(nil)}
	r.objects = []fyne.CanvasObject{r.ground, r.line, b.Title, b.Second}
	if b.lead != nil {
		r.objects = append(r.objects, b.lead)
	}
	r.objects = append(r.objects, b.actions...)
	r.paint()
	return r
}

type barRenderer struct {
	b            *Bar
	ground, line *canvas.Rectangle
	objects      []fyne.CanvasObject
}

func (r *barRenderer) paint() {
	r.ground.FillColor = theme.Color(theme.Background)
	r.line.FillColor = theme.Color(theme.Line)
}

func (r *barRenderer) Layout(size fyne.Size) {
	b := r.b
	r.ground.Resize(size)
	r.line.Move(fyne.NewPos(0, size.Height-theme.Border))
	r.line.Resize(fyne.NewSize(size.Width, theme.Border))
	target := fyne.NewSquareSize(theme.Touch)
	y := (size.Height - theme.Touch) / 2
	x := float32(theme.Space4)
	if b.lead != nil && b.lead.Visible() {
		b.lead.Move(fyne.NewPos(0, y))
		b.lead.Resize(target)
		x = theme.Touch - 2
	}
	right := size.Width - theme.Space1
	for i := len(b.actions) - 1; i >= 0; i-- {
		right -= theme.Touch
		b.actions[i].Move(fyne.NewPos(right, y))
		b.actions[i].Resize(target)
	}
	w := max(0, right-x-theme.Space1)
	th, sh := b.Title.MinSize().Height, b.Second.MinSize().Height
	top := (size.Height - th) / 2
	if b.Second.Text() != "" {
		top = (size.Height - th - sh) / 2
		b.Second.Move(fyne.NewPos(x, top+th))
		b.Second.Resize(fyne.NewSize(w, sh))
	}
	b.Second.Hidden = b.Second.Text() == ""
	b.Title.Move(fyne.NewPos(x, top))
	b.Title.Resize(fyne.NewSize(w, th))
}

func (r *barRenderer) MinSize() fyne.Size {
	h := r.b.Title.MinSize().Height + theme.Space4
	if r.b.Second.Text() != "" {
		h += r.b.Second.MinSize().Height
	}
	return fyne.NewSize(theme.Touch*float32(1+len(r.b.actions))+theme.Space8, max(theme.BarHeight, h))
}

func (r *barRenderer) Refresh() {
	r.paint()
	r.Layout(r.b.Size())
	canvas.Refresh(r.b)
}
func (r *barRenderer) Objects() []fyne.CanvasObject { return r.objects }
func (r *barRenderer) Destroy()                     {}

// Page puts a bar over a body.
func Page(bar, body fyne.CanvasObject) *fyne.Container {
	return &fyne.Container{Layout: pageLayout{}, Objects: []fyne.CanvasObject{body, bar}}
}

type pageLayout struct{}

func (pageLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	h := o[1].MinSize().Height
	o[1].Move(fyne.NewPos(0, 0))
	o[1].Resize(fyne.NewSize(size.Width, h))
	o[0].Move(fyne.NewPos(0, h))
	o[0].Resize(fyne.NewSize(size.Width, max(0, size.Height-h)))
}

func (pageLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	a, b := o[0].MinSize(), o[1].MinSize()
	return fyne.NewSize(max(a.Width, b.Width), a.Height+b.Height)
}

package screen

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"keva/ui/draw"
	"keva/ui/theme"
)

// Para is a short wrapped paragraph: a sentence of the app, never a transcript. Its height follows its width.
type Para struct {
	widget.BaseWidget
	Style draw.Style
	Align fyne.TextAlign
	text  string
}

// NewPara makes a paragraph.
func NewPara(text string, s draw.Style) *Para {
	p := &Para{Style: s, text: text}
	p.ExtendBaseWidget(p)
	return p
}

// Text is the whole text.
func (p *Para) Text() string { return p.text }

// SetText changes the text.
func (p *Para) SetText(s string) {
	if p.text != s {
		p.text = s
		p.Refresh()
	}
}

// AccessibilityLabel is the whole text.
func (p *Para) AccessibilityLabel() string { return p.text }

// AccessibilityRole makes Para accessible.
func (p *Para) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleText }

// HeightFor is the height at a width.
func (p *Para) HeightFor(width float32) float32 {
	return float32(len(draw.Wrap(p.text, p.Style, width))) * theme.LineHeight(p.Style.Role)
}

// CreateRenderer is part of fyne.Widget.
func (p *Para) CreateRenderer() fyne.WidgetRenderer { return &paraRenderer{p: p} }

type paraRenderer struct {
	p     *Para
	lines []fyne.CanvasObject
}

func (r *paraRenderer) Layout(size fyne.Size) {
	p := r.p
	lines := draw.Wrap(p.text, p.Style, size.Width)
	r.lines = r.lines[:0]
	h := theme.LineHeight(p.Style.Role)
	for i, s := range lines {
		t := canvas.NewText(s, theme.Color(p.Style.Color))
		t.TextSize, t.TextStyle, t.Alignment = theme.Size(p.Style.Role), p.Style.TextStyle(), p.Align
		t.Move(fyne.NewPos(0, float32(i)*h))
		t.Resize(fyne.NewSize(size.Width, h))
		r.lines = append(r.lines, t)
	}
}

func (r *paraRenderer) MinSize() fyne.Size {
	w := r.p.Size().Width
	if w < 1 { // not laid out yet: a height for the narrowest screen keeps a first frame from overlapping
		w = 280
	}
	return fyne.NewSize(1, r.p.HeightFor(w))
}

func (r *paraRenderer) Refresh() {
	r.Layout(r.p.Size())
	canvas.Refresh(r.p)
}
func (r *paraRenderer) Objects() []fyne.CanvasObject { return r.lines }
func (r *paraRenderer) Destroy()                     {}

// Package screen is what every screen is put together from: bars, lists, sheets, fields and the text in them. It must
// never know a session, an engine or another screen.
package screen

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"keva/ui/draw"
	"keva/ui/theme"
)

// The styles that screens use most.
var (
	BodyStyle      = draw.Body
	StrongStyle    = draw.Style{Role: theme.Body, Color: theme.Ink, Bold: true}
	LineStyle      = draw.Style{Role: theme.Label, Color: theme.Muted}
	TitleStyle     = draw.Style{Role: theme.Title, Color: theme.Ink, Bold: true}
	ScreenStyle    = draw.Style{Role: theme.Screen, Color: theme.Ink, Bold: true}
	SecondaryStyle = draw.Secondary
	SectionStyle   = draw.Style{Role: theme.Secondary, Color: theme.Muted, Bold: true}
	ErrorStyle     = draw.Style{Role: theme.Label, Color: theme.Error}
	SheetTitle     = draw.Style{Role: theme.Sheet, Color: theme.Ink, Bold: true}
	LinkStyle      = draw.Style{Role: theme.Body, Color: theme.Accent, Bold: true}
)

// Text is one line, cut with an ellipsis where there is no room. It asks for no width of its own when it Shrinks.
type Text struct {
	widget.BaseWidget
	Style   draw.Style
	Align   fyne.TextAlign
	Shrinks bool
	text    string
}

// NewText makes a line that keeps its natural width.
func NewText(text string, s draw.Style) *Text {
	t := &Text{Style: s, text: text}
	t.ExtendBaseWidget(t)
	return t
}

// NewShrinking makes a line that gives way to its neighbours.
func NewShrinking(text string, s draw.Style) *Text {
	t := NewText(text, s)
	t.Shrinks = true
	return t
}

// Text is the whole text, also where it is drawn cut.
func (t *Text) Text() string { return t.text }

// SetText changes the text; the same text again costs nothing.
func (t *Text) SetText(s string) {
	if t.text != s {
		t.text = s
		t.Refresh()
	}
}

// SetColor changes the colour.
func (t *Text) SetColor(c fyne.ThemeColorName) {
	if t.Style.Color != c {
		t.Style.Color = c
		t.Refresh()
	}
}

// AccessibilityLabel is the whole text.
func (t *Text) AccessibilityLabel() string { return t.text }

// AccessibilityRole makes Text accessible.
func (t *Text) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleText }

// CreateRenderer is part of fyne.Widget.
func (t *Text) CreateRenderer() fyne.WidgetRenderer {
	r := &textRenderer{t: t, line: canvas.NewText("", theme.Color(t.Style.Color))}
	r.apply(t.Size())
	return r
}

type textRenderer struct {
	t    *Text
	line *canvas.Text
}

func (r *textRenderer) apply(size fyne.Size) {
	s := r.t.Style
	r.line.TextSize, r.line.TextStyle, r.line.Alignment = theme.Size(s.Role), s.TextStyle(), r.t.Align
	r.line.Color = theme.Color(s.Color)
	r.line.Text = draw.Cut(r.t.text, size.Width, s, "…")
	r.line.Resize(size)
}

func (r *textRenderer) Layout(size fyne.Size) { r.apply(size) }

func (r *textRenderer) MinSize() fyne.Size {
	h := theme.LineHeight(r.t.Style.Role)
	if r.t.Shrinks {
		return fyne.NewSize(1, h)
	}
	return fyne.NewSize(draw.Width(r.t.text, r.t.Style), h)
}

func (r *textRenderer) Refresh() {
	r.apply(r.t.Size())
	r.line.Refresh()
}
func (r *textRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.line} }
func (r *textRenderer) Destroy()                     {}

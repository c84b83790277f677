package mark

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"keva/ui/draw"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// Tone is what a tag or chip is about: it chooses text and ground together, so that they can be read.
type Tone int

// The tones.
const (
	Neutral   Tone = iota // muted on code
	Attention             // needs you, risk
	Active                // running
	Unclear               // unknown
	Failed
)

// ToneOf is the tone of a state.
func ToneOf(s State) Tone {
	switch s {
	case transcript.MarkRunning:
		return Active
	case transcript.MarkFailed:
		return Failed
	case transcript.MarkUnknown:
		return Unclear
	case Risk:
		return Attention
	case transcript.MarkDone, transcript.MarkInterrupted, transcript.MarkWaiting:
		return Neutral
	}
	return Unclear
}

func (t Tone) colors() (text, ground fyne.ThemeColorName) {
	switch t {
	case Neutral:
	case Attention:
		return theme.Warning, theme.WarningSoft
	case Active:
		return theme.Accent, theme.AccentSoft
	case Unclear:
		return theme.Unknown, theme.UnknownSoft
	case Failed:
		return theme.Error, theme.ErrorSoft
	}
	return theme.Muted, theme.Code
}

func tagStyle(c fyne.ThemeColorName) draw.Style {
	return draw.Style{Role: theme.Tiny, Color: c, Bold: true}
}

// TagWidth is how wide a tag is drawn.
func TagWidth(text string) float32 { return draw.Width(text, tagStyle(theme.Ink)) + 2*theme.Space2 }

// DrawTag draws a tag that ends at right, in the middle of height h, and returns where it starts.
func DrawTag(b *draw.Board, right, y, h float32, text string, tone Tone) float32 {
	ink, ground := tone.colors()
	w, th := TagWidth(text), theme.LineHeight(theme.Tiny)
	x := right - w
	b.Rect(x, y+(h-th)/2, w, th, draw.Box{Fill: ground, Radius: th / 2})
	b.Text(x, y+(h-th)/2, w+1, th, text, tagStyle(ink), fyne.TextAlignCenter)
	return x
}

// Tag is a small pill with a word.
type Tag struct {
	widget.BaseWidget
	text string
	tone Tone
}

// NewTag makes a tag.
func NewTag(text string, tone Tone) *Tag {
	t := &Tag{text: text, tone: tone}
	t.ExtendBaseWidget(t)
	return t
}

// Set changes the word and its tone.
func (t *Tag) Set(text string, tone Tone) {
	if t.text != text || t.tone != tone {
		t.text, t.tone = text, tone
		t.Refresh()
	}
}

// AccessibilityLabel is the word.
func (t *Tag) AccessibilityLabel() string { return t.text }

// AccessibilityRole makes Tag accessible.
func (t *Tag) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleText }

// MinSize is the pill.
func (t *Tag) MinSize() fyne.Size {
	return fyne.NewSize(TagWidth(t.text), theme.LineHeight(theme.Tiny))
}

// CreateRenderer is part of fyne.Widget.
func (t *Tag) CreateRenderer() fyne.WidgetRenderer {
	return newPill(t, func() pillLook {
		ink, ground := t.tone.colors()
		return pillLook{text: t.text, style: tagStyle(ink), ground: ground, height: theme.LineHeight(theme.Tiny)}
	})
}

// pillLook is how a pill is drawn now.
type pillLook struct {
	text         string
	style        draw.Style
	ground, line fyne.ThemeColorName
	over         fyne.ThemeColorName // a wash over the ground
	focused      bool
	height       float32
}

// pill draws a fully round ground of a height, in the middle of the widget, with a text on it.
type pill struct {
	self         fyne.Widget
	look         func() pillLook
	ground, over *canvas.Rectangle
	text         *canvas.Text
	height       float32
}

func newPill(self fyne.Widget, look func() pillLook) *pill {
	p := &pill{self: self, look: look, ground: canvas.NewRectangle(color.Transparent), over: canvas.NewRectangle(color.Transparent), text: canvas.NewText("", color.Transparent)}
	p.text.Alignment = fyne.TextAlignCenter
	p.paint()
	return p
}

func (p *pill) paint() {
	l := p.look()
	p.height = l.height
	p.ground.FillColor, p.over.FillColor = color.Transparent, color.Transparent
	p.ground.StrokeColor, p.ground.StrokeWidth = nil, 0
	if l.ground != "" {
		p.ground.FillColor = theme.Color(l.ground)
	}
	if l.line != "" {
		p.ground.StrokeColor, p.ground.StrokeWidth = theme.Color(l.line), theme.Border
	}
	if l.over != "" {
		p.over.FillColor = theme.Color(l.over)
	}
	p.over.StrokeColor, p.over.StrokeWidth = nil, 0
	if l.focused {
		p.over.StrokeColor, p.over.StrokeWidth = theme.Color(theme.FocusOutline), 2
	}
	p.text.Color, p.text.TextSize, p.text.TextStyle = theme.Color(l.style.Color), theme.Size(l.style.Role), l.style.TextStyle()
	p.text.Text = l.text
	if w := p.self.Size().Width; w > 0 {
		p.text.Text = draw.Cut(l.text, w-theme.Space2, l.style, "…")
	}
}

func (p *pill) Layout(s fyne.Size) {
	p.paint()
	y := (s.Height - p.height) / 2
	for _, r := range []*canvas.Rectangle{p.ground, p.over} {
		grow := float32(0)
		if r == p.over && r.StrokeWidth > 0 {
			grow = 2 // the ring of the focus stands around the ground
		}
		r.CornerRadius = p.height/2 + grow
		r.Move(fyne.NewPos(-grow, y-grow))
		r.Resize(fyne.NewSize(s.Width+2*grow, p.height+2*grow))
	}
	p.text.Move(fyne.NewPos(0, y))
	p.text.Resize(fyne.NewSize(s.Width, p.height))
}

func (p *pill) Refresh() {
	p.Layout(p.self.Size())
	canvas.Refresh(p.self)
}

func (p *pill) MinSize() fyne.Size           { return p.self.MinSize() }
func (p *pill) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{p.ground, p.over, p.text} }
func (p *pill) Destroy()                     {}

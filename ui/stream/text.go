// Package stream is the text that still grows: wrapped, append-only, with a caret at its end. What a piece costs does not
// depend on how much text there is. It must never be used for text that is finished: that is a Markdown block.
package stream

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"keva/ui/draw"
	"keva/ui/theme"
)

// unsettled is how many lines at the end may still change when text comes: the last, and the one before it, whose break
// may have hung on a letter that was not there yet.
const unsettled = 2

// Text shows text that grows. All methods belong to the thread of the user interface.
type Text struct {
	widget.BaseWidget

	style draw.Style
	caret bool
	all   strings.Builder

	width  float32 // that lines were broken for; 0 = not yet
	theme  *theme.Theme
	lines  []string // as they are drawn
	starts []int    // of the lines, in all
}

// New makes an empty text.
func New(style draw.Style) *Text {
	t := &Text{style: style}
	t.ExtendBaseWidget(t)
	return t
}

// Append adds text at the end. It reports whether the height has changed. Pieces end at a grapheme's border, as those of a
// pacer do.
func (t *Text) Append(piece string) bool {
	if piece == "" {
		return false
	}
	before := len(t.lines)
	t.all.WriteString(piece)
	if t.width > 0 {
		keep := max(len(t.lines)-unsettled, 0)
		from := 0
		if keep < len(t.starts) {
			from = t.starts[keep]
		}
		t.wrap(keep, from)
	}
	t.Refresh()
	return len(t.lines) != before
}

// SetText shows text. When it goes on from what is shown, only the rest costs.
func (t *Text) SetText(text string) bool {
	if rest, ok := strings.CutPrefix(text, t.all.String()); ok {
		return t.Append(rest)
	}
	t.all.Reset()
	t.all.WriteString(text)
	before := len(t.lines)
	t.rewrap()
	t.Refresh()
	return len(t.lines) != before
}

// Text is the whole text.
func (t *Text) Text() string { return t.all.String() }

// SetCaret shows or hides the caret at the end.
func (t *Text) SetCaret(on bool) {
	if t.caret != on {
		t.caret = on
		t.Refresh()
	}
}

// wrap breaks the text from byte from on into lines, behind the first keep lines.
func (t *Text) wrap(keep, from int) {
	lines, starts := draw.WrapStarts(t.all.String()[from:], t.style, t.width)
	t.lines, t.starts = append(t.lines[:keep], lines...), t.starts[:keep]
	for _, s := range starts {
		t.starts = append(t.starts, from+s)
	}
}

func (t *Text) rewrap() {
	t.theme = theme.Current()
	if t.width > 0 {
		t.wrap(0, 0)
	}
}

// lay breaks lines for a width, if they are not yet.
func (t *Text) lay(width float32) {
	if width > 0 && (width != t.width || t.theme != theme.Current()) {
		t.width = width
		t.rewrap()
	}
}

// HeightFor is the height at a width. Asking for another width than that which is drawn breaks all lines anew.
func (t *Text) HeightFor(width float32) float32 {
	t.lay(width)
	return float32(max(len(t.lines), 1)) * t.style.LineHeight()
}

// MinSize is the height at the present width.
func (t *Text) MinSize() fyne.Size { return fyne.NewSize(1, t.HeightFor(t.width)) }

// AccessibilityLabel is the text.
func (t *Text) AccessibilityLabel() string { return t.all.String() }

// AccessibilityRole makes Text accessible.
func (t *Text) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleText }

// CreateRenderer is part of fyne.Widget.
func (t *Text) CreateRenderer() fyne.WidgetRenderer {
	return &renderer{t: t, caret: canvas.NewRectangle(theme.Color(theme.Accent))}
}

type renderer struct {
	t       *Text
	lines   []*canvas.Text
	objects []fyne.CanvasObject // the lines, and the caret at the end while there is one
	caret   *canvas.Rectangle
	theme   *theme.Theme
	width   float32
}

// sync brings the objects in line with the lines: from the end, until one is as it should be.
func (r *renderer) sync() {
	t := r.t
	h := t.style.LineHeight()
	again := r.theme != theme.Current() || r.width != t.width
	r.theme, r.width = theme.Current(), t.width
	if n := len(t.lines); len(r.lines) > n {
		clear(r.lines[n:])
		r.lines = r.lines[:n]
	}
	r.objects = r.objects[:min(len(r.objects), len(r.lines))]
	old := len(r.lines)
	for i := old; i < len(t.lines); i++ {
		c := canvas.NewText("", nil)
		r.lines = append(r.lines, c)
		r.objects = append(r.objects, c)
	}
	for i := len(t.lines) - 1; i >= 0; i-- {
		c := r.lines[i]
		if !again && i < old-unsettled && c.Text == t.lines[i] {
			break
		}
		c.Text, c.Color = t.lines[i], theme.Color(t.style.Color)
		c.TextSize, c.TextStyle = theme.Size(t.style.Role), t.style.TextStyle()
		c.Move(fyne.NewPos(0, float32(i)*h))
		c.Resize(fyne.NewSize(t.width, h))
	}
	if t.caret {
		r.placeCaret(h)
	}
}

// placeCaret draws the caret behind the last letter, inside of the width.
func (r *renderer) placeCaret(h float32) {
	t := r.t
	x, y := float32(0), float32(0)
	if n := len(t.lines); n > 0 {
		x, y = draw.Width(t.lines[n-1], t.style)+1, float32(n-1)*h
	}
	w, high := theme.Size(t.style.Role)*0.3, theme.Size(t.style.Role)*1.2
	r.caret.FillColor = theme.Color(theme.Accent)
	r.caret.Move(fyne.NewPos(max(min(x, t.width-w), 0), y+(h-high)/2))
	r.caret.Resize(fyne.NewSize(w, high))
	r.objects = append(r.objects, r.caret)
}

func (r *renderer) Layout(s fyne.Size) {
	r.t.lay(s.Width)
	r.sync()
}

func (r *renderer) Refresh() {
	r.t.lay(r.t.width)
	r.sync()
	canvas.Refresh(r.t)
}

func (r *renderer) MinSize() fyne.Size           { return r.t.MinSize() }
func (r *renderer) Objects() []fyne.CanvasObject { return r.objects }
func (r *renderer) Destroy()                     {}

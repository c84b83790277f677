package diffview

import (
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"keva/ui/draw"
	"keva/ui/screen"
	"keva/ui/theme"
)

// View shows lines that scroll in both directions. Only what is in view is in the tree, so that a file of any length and
// a line of any width open at once.
type View struct {
	widget.BaseWidget
	lines  []Line
	gutter int // digits of the line numbers, 0 for none
	widest int // characters
	scroll *container.Scroll
	body   *body
}

// NewView makes a view of lines.
func NewView(lines []Line) *View {
	v := &View{lines: lines}
	for _, l := range lines {
		v.widest = max(v.widest, len([]rune(l.Text)))
		if n := max(l.Old, l.New); n > 0 {
			v.gutter = max(v.gutter, len(strconv.Itoa(n)))
		}
	}
	v.body = &body{v: v}
	v.body.ExtendBaseWidget(v.body)
	v.scroll = container.NewScroll(v.body)
	v.scroll.OnScrolled = func(fyne.Position) { v.body.build() }
	v.ExtendBaseWidget(v)
	return v
}

// CreateRenderer is part of fyne.Widget.
func (v *View) CreateRenderer() fyne.WidgetRenderer { return &viewRenderer{v} }

type viewRenderer struct{ v *View }

func (r *viewRenderer) Layout(size fyne.Size) {
	r.v.scroll.Resize(size)
	r.v.scroll.Refresh()
}
func (r *viewRenderer) MinSize() fyne.Size           { return fyne.NewSquareSize(theme.Touch) }
func (r *viewRenderer) Refresh()                     { r.v.scroll.Refresh() }
func (r *viewRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.v.scroll} }
func (r *viewRenderer) Destroy()                     {}

func cell() (w, h float32) { return draw.Width("m", draw.Mono), draw.Mono.LineHeight() }

// body is as large as all lines.
type body struct {
	widget.BaseWidget
	v       *View
	objects []fyne.CanvasObject
}

func (b *body) left() float32 {
	w, _ := cell()
	if b.v.gutter == 0 {
		return theme.Space3
	}
	return theme.Space3 + w*float32(b.v.gutter+1) + w*2 // numbers, a space, the sign and its space
}

func (b *body) build() {
	cw, lh := cell()
	view, off := b.v.scroll.Size(), b.v.scroll.Offset
	width := max(b.Size().Width, view.Width)
	b.objects = b.objects[:0]
	from := max(0, int((off.Y-theme.Space2)/lh))
	to := min(len(b.v.lines), int((off.Y+view.Height-theme.Space2)/lh)+1)
	col := max(0, int((off.X-b.left())/cw))
	cols := int(view.Width/cw) + 2
	for i := from; i < to; i++ {
		l := b.v.lines[i]
		y := theme.Space2 + float32(i)*lh
		sign, ground, ink := l.Kind.look()
		if ground != "" {
			r := canvas.NewRectangle(theme.Color(ground))
			r.Move(fyne.NewPos(0, y))
			r.Resize(fyne.NewSize(width, lh))
			b.objects = append(b.objects, r)
		}
		n := max(l.New, 0)
		if n == 0 {
			n = l.Old
		}
		if n > 0 {
			b.text(theme.Space3, y, strconv.Itoa(n), draw.Mono.In(theme.Muted), fyne.TextAlignTrailing, cw*float32(b.v.gutter))
		}
		if sign != "" {
			b.text(b.left()-2*cw, y, sign, draw.Mono.In(ink), fyne.TextAlignLeading, cw)
		}
		style := draw.Mono.In(ink)
		style.Bold = l.Kind == File
		if part, at := slice(l.Text, col, cols); part != "" {
			b.text(b.left()+float32(at)*cw, y, part, style, fyne.TextAlignLeading, float32(cols)*cw)
		}
	}
	canvas.Refresh(b)
}

// slice is the part of a line that is in view, and the column where it starts. A line with wide characters has no columns:
// it is drawn from its start.
func slice(s string, from, n int) (string, int) {
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) >= 0 {
		rs := []rune(s)
		return string(rs[:min(len(rs), from+n)]), 0
	}
	if from >= len(s) {
		return "", from
	}
	return s[from:min(len(s), from+n)], from
}

func (b *body) text(x, y float32, s string, st draw.Style, align fyne.TextAlign, w float32) {
	t := canvas.NewText(s, theme.Color(st.Color))
	t.TextSize, t.TextStyle, t.Alignment = theme.Size(st.Role), st.TextStyle(), align
	_, h := cell()
	t.Move(fyne.NewPos(x, y))
	t.Resize(fyne.NewSize(w, h))
	b.objects = append(b.objects, t)
}

// CreateRenderer is part of fyne.Widget.
func (b *body) CreateRenderer() fyne.WidgetRenderer { return &bodyRenderer{b} }

type bodyRenderer struct{ b *body }

func (r *bodyRenderer) Layout(fyne.Size) { r.b.build() }
func (r *bodyRenderer) MinSize() fyne.Size {
	w, h := cell()
	return fyne.NewSize(r.b.left()+w*float32(r.b.v.widest)+theme.Space3, h*float32(len(r.b.v.lines))+2*theme.Space2)
}
func (r *bodyRenderer) Refresh()                     { r.b.build() }
func (r *bodyRenderer) Objects() []fyne.CanvasObject { return r.b.objects }
func (r *bodyRenderer) Destroy()                     {}

// New makes the screen: a bar with the title, and the lines. copyAll puts the whole on the clipboard.
func New(title, second string, lines []Line, back, copyAll func()) fyne.CanvasObject {
	bar := screen.NewBar(
		screen.NewIconButton(screen.GlyphBack, "Back", back), title, second,
		screen.NewIconButton(screen.GlyphCopy, "Copy all", copyAll),
	)
	return screen.Page(bar, NewView(lines))
}

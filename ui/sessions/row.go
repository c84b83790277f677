package sessions

import (
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"keva/agent/session"
	"keva/ui/draw"
	"keva/ui/mark"
	"keva/ui/screen"
	"keva/ui/theme"
)

// row is one session of the list.
type row struct {
	draw.Widget
	meta     session.Meta
	now      time.Time
	selected bool
	open     func()
	menu     func()
}

func newRow(m session.Meta, now time.Time, selected bool, open, menu func()) *row {
	r := &row{meta: m, now: now, selected: selected, open: open, menu: menu}
	r.Init(r, r.draw)
	return r
}

func (r *row) draw(b *draw.Board) float32 {
	title, line := screen.StrongStyle, screen.LineStyle
	th, lh := title.LineHeight(), line.LineHeight()
	word, tone := badge(r.meta.Badge)
	text := Title(r.meta)
	w := b.Width - 2*theme.Space4 - theme.Space3 - mark.TagWidth(word)
	titles := []string{text}
	if large() && draw.Width(text, title) > w { // a title that says nothing any more is worth a second line
		titles = draw.Wrap(text, title, w)
		titles = append(titles[:1], strings.Join(titles[1:], ""))
	}
	head := th * float32(len(titles))
	h := max(theme.ListRowHeight, head+lh+2*theme.Space3)
	if r.selected {
		b.Rect(0, 0, b.Width, h-theme.Border, draw.Box{Fill: theme.AccentSoft})
	}
	b.Tap("open", 0, 0, b.Width, h, draw.TapOptions{Label: text + ", " + word, Tapped: r.open, Held: r.menu})
	y := (h - head - lh) / 2
	mark.DrawTag(b, b.Width-theme.Space4, y, th, word, tone)
	for i, t := range titles {
		b.Text(theme.Space4, y+th*float32(i), w, th, t, title, fyne.TextAlignLeading)
	}
	b.Text(theme.Space4, y+head, w, lh, second(r.meta, r.now), line, fyne.TextAlignLeading)
	b.Rule(0, h-theme.Border, b.Width)
	return h
}

// large reports whether the user has chosen large letters.
func large() bool { return theme.Current().Options().Scale.Factor() > 1.1 }

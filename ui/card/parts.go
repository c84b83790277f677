package card

import (
	"strings"

	"fyne.io/fyne/v2"

	"keva/ui/draw"
	"keva/ui/mark"
	"keva/ui/theme"
)

// Measures inside of cards, in dp.
const (
	pad     = theme.Space3 // left and right of everything
	gap     = theme.Space2
	chevron = 8 + 6 // the sign and its distance
)

// line is a header or a row of a card: what, how much, how long.
type line struct {
	id    string // unique in the card
	mark  mark.State
	text  []draw.Span
	right []draw.Span
	tag   string // a pill at the right
	tone  mark.Tone

	indent float32
	fold   bool // shows the sign that it opens
	open   bool
	tap    func()
	held   func()
	label  string // for screen readers; "" = the text
}

// header draws the first line of a card.
func (c *card) header(b *draw.Board, l line) float32 {
	return c.line(b, 0, theme.HeightFor(theme.Label, theme.HeaderHeight), l, draw.Corners{
		TopLeft: theme.CardRadius, TopRight: theme.CardRadius,
	})
}

// entry draws a row under a header.
func (c *card) entry(b *draw.Board, y float32, l line) float32 {
	b.Rule(1, y, b.Width-2)
	least := theme.RowHeight
	if l.tap != nil {
		least = theme.TapRowHeight
	}
	return c.line(b, y, theme.HeightFor(theme.Label, least), l, draw.Corners{})
}

func (c *card) line(b *draw.Board, y, h float32, l line, corners draw.Corners) float32 {
	if b.Measuring {
		return y + h
	}
	if l.tap != nil || l.held != nil {
		label := l.label
		if label == "" {
			label = plain(l.text)
		}
		b.Tap(l.id, 1, y+1, b.Width-2, h-1, draw.TapOptions{
			Label: mark.Word(l.mark) + ": " + label, Corners: corners, Tapped: l.tap, Held: l.held,
		})
	}
	x, right := pad+l.indent, b.Width-pad
	if l.mark != "" {
		x = c.mark(b, l.id, x, y, h, l.mark)
	}
	if l.fold {
		mark.DrawChevron(b, right-8, y+(h-5)/2, l.open)
		right -= chevron
	}
	if l.tag != "" {
		right = mark.DrawTag(b, right, y, h, l.tag, l.tone) - gap
	}
	if w := draw.RunWidth(l.right); w > 0 {
		w = min(w, (right-x)*0.6) // what it is comes before how long it took
		b.Run(right-w, y, w, h, l.right)
		right -= w + gap
	}
	b.Run(x, y, right-x, h, l.text)
	return y + h
}

// mark draws a state in the middle of height h and returns where the text behind it starts.
func (c *card) mark(b *draw.Board, id string, x, y, h float32, s mark.State) float32 {
	m := b.Keep("mark "+id, func() fyne.CanvasObject { return mark.New(s) }).(*mark.Mark)
	m.Set(s)
	side := mark.Side()
	b.Object(m, x, y+(h-side)/2, side, side)
	return x + side + gap
}

// surface draws the ground of the card behind what was drawn since layer.
func surface(b *draw.Board, layer int, height float32) float32 {
	b.RectAt(layer, 0, 0, b.Width, height, mark.CardBox())
	return height
}

// link draws a row with a word that does something, as high as a finger needs.
func (c *card) link(b *draw.Board, y float32, id, word string, tap func()) float32 {
	h := theme.HeightFor(theme.Label, theme.TapRowHeight)
	b.Text(pad, y, b.Width-2*pad, h, word, draw.Style{Role: theme.Label, Color: theme.Accent, Bold: true}, fyne.TextAlignLeading)
	b.Tap(id, 1, y, b.Width-2, h-1, draw.TapOptions{Label: word, Corners: draw.Corners{BottomLeft: theme.CardRadius, BottomRight: theme.CardRadius}, Tapped: tap})
	return y + h
}

// maxShown is how much of a long text is drawn in a card, in bytes; the rest is behind "Show all".
const maxShown = 4000

// long draws text that an engine wrote, and bounds it.
func (c *card) long(b *draw.Board, id string, x, y, w float32, text string, style draw.Style) float32 {
	shown := visible(head(text))
	if len(text) > maxShown {
		shown += "…"
	}
	y += b.Lines(x, y, w, shown, style)
	if len(text) > maxShown && c.actions.ShowOutput != nil {
		y = c.link(b, y, "long "+id, "Show all", func() { c.actions.ShowOutput("", text) })
	}
	return y
}

// head bounds a text to what is drawn of it.
func head(text string) string {
	if len(text) > maxShown {
		return draw.Head(text, maxShown)
	}
	return text
}

// one is the first line of a text, fit to be drawn.
func one(text string) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(head(text)), "\n")
	if rest != "" {
		first += " …"
	}
	return visible(first)
}

// words are spans of one style.
func words(s string, style draw.Style) []draw.Span {
	if s == "" {
		return nil
	}
	return []draw.Span{{Text: s, Style: style}}
}

func plain(spans []draw.Span) string {
	s := ""
	for _, p := range spans {
		s += p.Text
	}
	return s
}

package markdown

import (
	"strconv"

	"fyne.io/fyne/v2"

	"keva/ui/draw"
	"keva/ui/theme"
)

// Options are what a text can ask for. Nil functions are not offered.
type Options struct {
	Open    func(url string)
	Copy    func(text string)
	ShowAll func(title, text string)
	Caret   bool // the text still grows
}

// Draw draws blocks under each other from y on, and returns where they end. id is unique among what is drawn on the board.
func Draw(b *draw.Board, id string, x, y, w float32, blocks []Block, o Options) float32 {
	d := drawing{b: b, o: o}
	return d.blocks(id, x, y, w, blocks, 0)
}

type drawing struct {
	b *draw.Board
	o Options
}

func (d *drawing) blocks(id string, x, y, w float32, blocks []Block, depth int) float32 {
	o := d.o
	for i, block := range blocks {
		if i > 0 {
			y += distance(blocks[i-1], block)
		}
		d.o.Caret = o.Caret && i == len(blocks)-1
		y = d.block(id+"."+strconv.Itoa(i), x, y, w, block, depth)
	}
	d.o = o
	return y
}

// distance is the room between two blocks.
func distance(above, below Block) float32 {
	if _, ok := below.(Heading); ok {
		return theme.Space3
	}
	if _, ok := above.(Heading); ok {
		return theme.Space1
	}
	return theme.Space2
}

func (d *drawing) block(id string, x, y, w float32, block Block, depth int) float32 {
	switch k := block.(type) {
	case Paragraph:
		return d.paragraph(id, x, y, w, k)
	case Heading:
		return d.flow(id, x, y, w, k.Text, headingStyle(k.Level))
	case List:
		return d.list(id, x, y, w, k, depth)
	case Quote:
		end := d.blocks(id, x+theme.Space3, y, w-theme.Space3, k.Blocks, depth+1)
		d.b.Rect(x, y, 2, end-y, draw.Box{Fill: theme.Line, Radius: 1})
		return end
	case Code:
		return d.code(id, x, y, w, k)
	case Table:
		return d.table(id, x, y, w, k)
	case Rule:
		d.b.Rule(x, y+theme.Space2, w)
		return y + 2*theme.Space2 + theme.Border
	}
	return y
}

// paragraph draws running text; of a huge one, the beginning.
func (d *drawing) paragraph(id string, x, y, w float32, p Paragraph) float32 {
	if len(p.Text) != 1 || len(p.Text[0].Text) <= maxSource {
		return d.flow(id, x, y, w, p.Text, draw.Body)
	}
	whole := p.Text[0].Text
	y = d.flow(id, x, y, w, []Inline{{Text: draw.Head(whole, maxSource/4) + "…"}}, draw.Body)
	return d.showAll(id, x, y, w, "Show all", "", whole)
}

// showAll draws the way to the whole of something.
func (d *drawing) showAll(id string, x, y, w float32, word, title, text string) float32 {
	if d.o.ShowAll == nil {
		return y
	}
	h := theme.HeightFor(theme.Label, theme.TapRowHeight)
	d.b.Text(x, y, w, h, word, draw.Style{Role: theme.Label, Color: theme.Accent, Bold: true}, fyne.TextAlignLeading)
	d.b.Tap(id+" all", x, y, w, h, draw.TapOptions{Label: word, Radius: theme.BlockRadius, Tapped: func() { d.o.ShowAll(title, text) }})
	return y + h
}

func headingStyle(level int) draw.Style {
	s := draw.Style{Role: theme.Body, Color: theme.Ink, Bold: true}
	switch level {
	case 1:
		s.Role = theme.Sheet
	case 2:
		s.Role = theme.Title
	}
	return s
}

// flow draws running text, with the caret behind it while it grows.
func (d *drawing) flow(id string, x, y, w float32, text []Inline, style draw.Style) float32 {
	h, last := d.b.Flow(id, x, y, w, style.LineHeight(), spans(text, style), d.o.Open)
	if d.o.Caret {
		size := theme.Size(style.Role)
		cw, ch := size*0.3, size*1.2
		d.b.Rect(x+max(min(last+1, w-cw), 0), y+h-style.LineHeight()+(style.LineHeight()-ch)/2, cw, ch, draw.Box{Fill: theme.Accent})
	}
	return y + h
}

func spans(text []Inline, style draw.Style) []draw.Span {
	out := make([]draw.Span, 0, len(text))
	for _, t := range text {
		s := style
		s.Bold, s.Italic, s.Strike = s.Bold || t.Bold, t.Italic, t.Strike
		if t.Code {
			s.Mono, s.Ground = true, theme.Code
			if style.Role == theme.Body || style.Role == theme.Label {
				s.Role = theme.Mono
			}
		}
		if t.Link != "" {
			s.Color = theme.Accent
		}
		out = append(out, draw.Span{Text: t.Text, Style: s, Link: t.Link})
	}
	return out
}

// list draws items behind their marks. Deep lists stop moving to the right: there must be room for words.
func (d *drawing) list(id string, x, y, w float32, l List, depth int) float32 {
	sign := func(int) string { return "•" }
	if l.Ordered {
		sign = func(i int) string { return strconv.Itoa(l.Start+i) + "." }
	}
	indent := float32(0)
	for i := range l.Items {
		indent = max(indent, draw.Width(sign(i), draw.Body))
	}
	indent += theme.Space2
	if depth > 3 {
		indent = theme.Space3
	}
	o := d.o
	for i, item := range l.Items {
		if i > 0 {
			y += theme.Space1
		}
		d.o.Caret = o.Caret && i == len(l.Items)-1
		h := draw.Body.LineHeight()
		if item.Task == NoTask {
			d.b.Text(x, y, indent+theme.Space2, h, sign(i), draw.Body.In(theme.Muted), fyne.TextAlignLeading)
		} else {
			indent = 16 + theme.Space2
			d.box(x, y+(h-14)/2, item.Task == DoneTask)
		}
		end := d.blocks(id+"."+strconv.Itoa(i), x+indent, y, w-indent, item.Blocks, depth+1)
		y = max(end, y+h)
	}
	d.o = o
	return y
}

// box draws the box of a task.
func (d *drawing) box(x, y float32, done bool) {
	if !done {
		d.b.Rect(x, y, 14, 14, draw.Box{Line: theme.Muted, Radius: 3})
		return
	}
	d.b.Rect(x, y, 14, 14, draw.Box{Fill: theme.OK, Radius: 3})
	d.b.Tick(x, y, 14, theme.Surface)
}

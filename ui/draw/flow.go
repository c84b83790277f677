package draw

import (
	"math"
	"strings"

	"github.com/rivo/uniseg"
)

// Span is a run of text of one style. Link is the address that it leads to, "" for none.
type Span struct {
	Text  string
	Style Style
	Link  string
}

// Piece is the part of a span that stands on one line.
type Piece struct {
	Span int
	Text string
	X, W float32
}

// FlowLine is one line, from left to right. A line without pieces is empty.
type FlowLine []Piece

// Flow breaks spans into lines of width, by the Unicode line breaking rules, and inside a word at a grapheme where the word
// alone is longer than a line. It is linear in the length of the text.
func Flow(spans []Span, width float32) []FlowLine {
	lines, _ := flowStarts(spans, width)
	return lines
}

// flowStarts also tells at which byte of the whole text each line starts.
func flowStarts(spans []Span, width float32) ([]FlowLine, []int) {
	f := flow{spans: spans, width: width, starts: []int{0}}
	var all strings.Builder
	for _, s := range spans {
		all.WriteString(s.Text)
	}
	rest, state, at := all.String(), -1, 0
	for rest != "" {
		var segment string
		var must bool
		segment, rest, must, state = uniseg.FirstLineSegmentInString(rest, state)
		if must && rest == "" && !uniseg.HasTrailingLineBreakInString(segment) {
			must = false // the end of the text is no line break
		}
		f.segment(segment, at)
		at += len(segment)
		if must {
			f.newLine(at)
		}
	}
	return append(f.lines, f.line), f.starts
}

type flow struct {
	spans []Span
	width float32

	lines  []FlowLine
	starts []int
	line   FlowLine
	x      float32

	span, spanStart int // the span that the next byte belongs to, and where it starts in the whole text
}

// newLine ends the line; the next starts at byte at of the whole text.
func (f *flow) newLine(at int) {
	f.lines, f.starts = append(f.lines, f.line), append(f.starts, at)
	f.line, f.x = nil, 0
}

// maxLine is more bytes than any line shows.
const maxLine = 2048

// part is what one span gives to a segment.
type part struct {
	span int
	text string
}

// segment places an unbreakable run of text with the spaces behind it.
func (f *flow) segment(segment string, at int) {
	word := strings.TrimRight(segment, " \t\r\n\v\f\u0085\u2028\u2029")
	space := strings.TrimRight(segment[len(word):], "\r\n\v\f\u0085\u2028\u2029")
	parts := f.parts(word, at)
	var w float32
	for _, p := range parts {
		if len(p.text) > maxLine { // a hostile word is not measured whole: no line holds it anyway
			w = math.MaxFloat32
			break
		}
		w += Width(p.text, f.spans[p.span].Style)
	}
	if f.x > 0 && f.x+w > f.width+0.5 {
		f.newLine(at)
	}
	if w > f.width+0.5 && f.width > 0 {
		f.long(parts, at)
	} else {
		for _, p := range parts {
			f.place(p.span, p.text, Width(p.text, f.spans[p.span].Style))
		}
	}
	// Spaces may hang over the end of the line: they move nothing to the next.
	column := 0
	for _, p := range f.parts(space, at+len(word)) {
		text := Tabs(p.text, column)
		column += len(text)
		f.place(p.span, text, float32(len(text))*Width(" ", f.spans[p.span].Style))
	}
}

// long breaks a word that no line holds.
func (f *flow) long(parts []part, at int) {
	for _, p := range parts {
		style := f.spans[p.span].Style
		start, w := 0, float32(0)
		g := uniseg.NewGraphemes(p.text)
		for g.Next() {
			from, to := g.Positions()
			gw := Width(p.text[from:to], style)
			if f.x+w+gw > f.width+0.5 && f.x+w > 0 {
				f.place(p.span, p.text[start:from], w)
				f.newLine(at + from)
				start, w = from, 0
			}
			w += gw
		}
		f.place(p.span, p.text[start:], w)
		at += len(p.text)
	}
}

func (f *flow) place(span int, text string, w float32) {
	if text == "" {
		return
	}
	if n := len(f.line); n > 0 && f.line[n-1].Span == span {
		f.line[n-1].Text += text
		f.line[n-1].W += w
	} else {
		f.line = append(f.line, Piece{Span: span, Text: text, X: f.x, W: w})
	}
	f.x += w
}

// parts cuts text, which starts at byte at of the whole, at the borders of spans. Calls come in order of the text.
func (f *flow) parts(text string, at int) []part {
	var ps []part
	for text != "" {
		for at >= f.spanStart+len(f.spans[f.span].Text) {
			f.spanStart += len(f.spans[f.span].Text)
			f.span++
		}
		n := min(f.spanStart+len(f.spans[f.span].Text)-at, len(text))
		ps = append(ps, part{f.span, text[:n]})
		text, at = text[n:], at+n
	}
	return ps
}

// Wrap breaks text of one style into lines.
func Wrap(text string, s Style, width float32) []string {
	lines, _ := WrapStarts(text, s, width)
	return lines
}

// WrapStarts also tells at which byte of text each line starts.
func WrapStarts(text string, s Style, width float32) ([]string, []int) {
	flowed, starts := flowStarts([]Span{{Text: text, Style: s}}, width)
	lines := make([]string, len(flowed))
	for i, l := range flowed {
		if len(l) > 0 {
			lines[i] = l[0].Text
		}
	}
	return lines, starts
}

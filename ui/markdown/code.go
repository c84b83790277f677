package markdown

import (
	"strconv"
	"strings"

	"fyne.io/fyne/v2"

	"keva/ui/draw"
	"keva/ui/theme"
)

// maxCodeLines is how much of a block of code is drawn among the text; the rest is one tap away.
const maxCodeLines = 40

// code draws a block of code: its language, a way to copy it, and its lines, broken where they are too long for the
// screen, so that all of it can be read.
func (d *drawing) code(id string, x, y, w float32, k Code) float32 {
	layer := d.b.Layer()
	const padX = theme.Space3
	top := y
	title := k.Language
	lines, hidden := headLines(k.Text, maxCodeLines)
	if title != "" || d.o.Copy != nil && !d.o.Caret {
		y = d.codeHeader(id, x, y, w, title, k.Text)
	} else {
		y += 10
	}
	text := draw.Mono
	h, last := d.b.Flow(id+" code", x+padX, y, w-2*padX, text.LineHeight(), []draw.Span{{Text: draw.Tabs(lines, 0), Style: text}}, nil)
	if d.o.Caret {
		d.b.Rect(x+padX+max(min(last+1, w-2*padX-4), 0), y+h-text.LineHeight()+2, 4, text.LineHeight()-4, draw.Box{Fill: theme.Accent})
	}
	y += h
	if hidden > 0 && d.o.ShowAll != nil {
		word := "Show all " + strconv.Itoa(strings.Count(k.Text, "\n")+1) + " lines"
		y = d.showAll(id, x+padX, y, w-2*padX, word, title, k.Text)
	} else {
		y += 10
	}
	d.b.RectAt(layer, x, top, w, y-top, draw.Box{Fill: theme.Code, Radius: theme.BlockRadius})
	return y
}

func (d *drawing) codeHeader(id string, x, y, w float32, language, text string) float32 {
	const padX = theme.Space3
	h := theme.HeightFor(theme.Secondary, theme.Space8)
	right := x + w - padX
	if d.o.Copy != nil {
		quiet := draw.Style{Role: theme.Secondary, Color: theme.Accent, Bold: true}
		cw := draw.Width("Copy", quiet)
		d.b.Text(right-cw, y, cw+1, h, "Copy", quiet, fyne.TextAlignLeading)
		d.b.Tap(id+" copy", right-max(cw+2*theme.Space3, theme.Touch)+padX, y, max(cw+2*theme.Space3, theme.Touch), h, draw.TapOptions{
			Label: "Copy the code", Radius: theme.BlockRadius, Tapped: func() { d.o.Copy(text) },
		})
		right -= cw + theme.Space3
	}
	d.b.Text(x+padX, y, right-x-padX, h, language, draw.Secondary, fyne.TextAlignLeading)
	return y + h
}

// headLines are the first lines of a text, and how many are left out. A line without end counts as many.
func headLines(text string, most int) (head string, hidden int) {
	const longest = 8 << 10 // bytes
	end, n := 0, 0
	for end < len(text) && n < most && end < longest {
		i := strings.IndexByte(text[end:], '\n')
		if i < 0 {
			end = len(text)
			break
		}
		end += i + 1
		n++
	}
	if end > longest {
		return draw.Head(text, longest), 1 + strings.Count(text[longest:], "\n")
	}
	if end >= len(text) {
		return text, 0
	}
	return strings.TrimSuffix(text[:end], "\n"), strings.Count(text[end:], "\n") + 1
}

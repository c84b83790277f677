package draw

import (
	"strings"

	"fyne.io/fyne/v2"
	"github.com/rivo/uniseg"

	"keva/ui/theme"
)

type widthKey struct {
	text               string
	size               float32
	bold, italic, mono bool
}

// widths remembers how wide words are: the words of an answer repeat, and shaping is what text costs. It belongs to the
// thread of the user interface and is emptied when the theme, so the face, changes.
var widths = struct {
	theme *theme.Theme
	words map[widthKey]float32
}{words: map[widthKey]float32{}}

const (
	maxWidths = 8192 // entries; some 0.5 MB
	maxWord   = 64   // bytes; longer strings rarely repeat
)

// Width is how wide text is on one line.
func Width(text string, s Style) float32 {
	if text == "" {
		return 0
	}
	size := theme.Size(s.Role)
	if s.Mono {
		if n := printable(text); n > 0 {
			return float32(n) * word("m", widthKey{"m", size, s.Bold, s.Italic, true})
		}
	}
	return word(text, widthKey{text, size, s.Bold, s.Italic, s.Mono})
}

func word(text string, k widthKey) float32 {
	if t := theme.Current(); t != widths.theme {
		clear(widths.words)
		widths.theme = t
	}
	if w, ok := widths.words[k]; ok {
		return w
	}
	w := fyne.MeasureText(text, k.size, fyne.TextStyle{Bold: k.bold, Italic: k.italic, Monospace: k.mono}).Width
	if len(text) <= maxWord {
		if len(widths.words) >= maxWidths {
			clear(widths.words)
		}
		widths.words[k] = w
	}
	return w
}

// printable is the length of text when it is printable ASCII, else 0.
func printable(text string) int {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return 0
		}
	}
	return len(text)
}

// Cut shortens text to width at a grapheme border; what was left out shows as the ellipsis, which may be "". Only the
// first line counts.
func Cut(text string, width float32, s Style, ellipsis string) string {
	whole := true
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		text, whole = text[:i], false
	}
	text = Tabs(text, 0)
	head := text
	if len(head) > maxLine { // a hostile line must not be measured whole
		head, whole = Head(head, maxLine), false
	}
	if whole && Width(head, s) <= width+0.5 {
		return head
	}
	return strings.TrimRight(prefix(head, width-Width(ellipsis, s), s), " ") + ellipsis
}

// Head returns the first graphemes of text, n bytes or a little less.
func Head(text string, n int) string {
	g := uniseg.NewGraphemes(text)
	end := 0
	for g.Next() {
		if _, to := g.Positions(); to <= n {
			end = to
		} else {
			break
		}
	}
	return text[:end]
}

// prefix is the longest head of text, in whole graphemes, that fits width.
func prefix(text string, width float32, s Style) string {
	if s.Mono && printable(text) > 0 {
		if n := int((width + 0.5) / Width("m", s)); n < len(text) {
			return text[:max(n, 0)]
		}
		return text
	}
	var ends []int
	for g := uniseg.NewGraphemes(text); g.Next(); {
		_, to := g.Positions()
		ends = append(ends, to)
	}
	lo, hi := 0, len(ends)
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if Width(text[:ends[mid-1]], s) <= width+0.5 {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	if lo == 0 {
		return ""
	}
	return text[:ends[lo-1]]
}

// Tabs replaces tabs by spaces up to the next fourth column; column is where the text starts.
func Tabs(text string, column int) string {
	if strings.IndexByte(text, '\t') < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch r {
		case '\t':
			n := 4 - column%4
			b.WriteString("    "[:n])
			column += n
		case '\n':
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteRune(r)
			column++
		}
	}
	return b.String()
}

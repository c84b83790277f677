package headless

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes text from outside harmless for a terminal: what would move the cursor, change colours or titles, or turn
// the reading direction is written as an escape. Line breaks and tabs stay; a lone carriage return becomes a line break,
// so that nothing is written over.
func clean(s string) string { return escape(s, false) }

// exact is clean for what the user decides on: it also writes out characters that take no space, so that two texts that
// look the same are the same.
func exact(s string) string { return escape(s, true) }

func escape(s string, all bool) string {
	if plain(s) {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n', r == '\t':
			b.WriteRune(r)
		case r == '\r' && !all:
			b.WriteByte('\n')
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case hidden(r) && (all || !joins(r)):
			if r > 0xffff {
				fmt.Fprintf(&b, `\U%08x`, r)
			} else {
				fmt.Fprintf(&b, `\u%04x`, r)
			}
		default:
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// plain reports whether s has nothing but printable ASCII and line breaks.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '\n' && c != '\t' && (c < 0x20 || c >= 0x7f) {
			return false
		}
	}
	return true
}

// hidden reports whether r is a character that is not seen as itself.
func hidden(r rune) bool {
	switch r {
	case 0x115f, 0x1160, 0x3164, 0xffa0, 0x2800: // fillers and an empty pattern that look like spaces
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp, unicode.Variation_Selector) ||
		(r != ' ' && unicode.Is(unicode.Zs, r))
}

// joins reports whether r is hidden but has its place in honest text: emoji, scripts that need joiners, wide spaces.
func joins(r rune) bool {
	return r == 0x200c || r == 0x200d || r == 0xad || r == 0x2060 || r == 0xfeff ||
		unicode.Is(unicode.Variation_Selector, r) || unicode.Is(unicode.Zs, r) || unicode.Is(unicode.Co, r)
}

// oneLine is clean text folded into one line of at most max characters.
func oneLine(s string, max int) string {
	return cut(strings.Join(strings.Fields(clean(s)), " "), max)
}

// cut shortens a line to max characters.
func cut(s string, max int) string {
	if len(s) <= max || utf8.RuneCountInString(s) <= max {
		return s
	}
	return string([]rune(s)[:max-1]) + "…"
}

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
//
// What the user decides on is shown by approval.Display instead, which also writes out what takes no space.
func clean(s string) string {
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
		case r == '\r':
			b.WriteByte('\n')
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		case moves(r):
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

// moves reports whether r does something else than stand in its place. Joiners, odd spaces and variation selectors stay:
// emoji and many scripts need them.
func moves(r rune) bool {
	switch r {
	case 0x200c, 0x200d, 0xad, 0x2060, 0xfeff:
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Cs, unicode.Zl, unicode.Zp)
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

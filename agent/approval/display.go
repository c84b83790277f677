package approval

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Display returns text with everything visible that can't be seen, so that what is shown is exactly what will run:
// control, bidirectional, zero-width and other format characters, odd spaces and broken bytes become escapes such as
// ‹U+202E›. hidden reports whether there were any. Line ends and tabs stay: they are seen.
func Display(text string) (shown string, hidden bool) {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, hides) {
		return text, false
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "‹%02X›", text[i])
		case hides(r):
			fmt.Fprintf(&b, "‹U+%04X›", r)
		default:
			b.WriteString(text[i : i+n])
		}
		i += n
	}
	return b.String(), true
}

// hides reports whether a character can't be seen, or looks like another than it is.
func hides(r rune) bool {
	switch r {
	case '\n', '\t', ' ':
		return false
	case 0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800: // letters and a pattern that are blank
		return true
	case 0x034F, 0x17B4, 0x17B5: // marks that are drawn as nothing
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zs, unicode.Zl, unicode.Zp, unicode.Variation_Selector) ||
		r >= 0xE0000
}

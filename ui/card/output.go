package card

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fold returns the first lines of an output, or the last ones when the end tells more (a command's result), cleaned for
// drawing, and how many lines are left out. It looks only at what it returns, however long the output is.
func fold(output string, lines int, tail bool) (shown []string, hidden int) {
	output = strings.TrimRight(output, "\r\n \t")
	if output == "" {
		return nil, 0
	}
	total := strings.Count(output, "\n") + 1
	rest := output
	for len(shown) < lines && rest != "" {
		var text string
		if tail {
			if i := strings.LastIndexByte(rest, '\n'); i >= 0 {
				text, rest = rest[i+1:], rest[:i]
			} else {
				text, rest = rest, ""
			}
			shown = append([]string{clean(text)}, shown...)
		} else {
			text, rest, _ = strings.Cut(rest, "\n")
			shown = append(shown, clean(text))
		}
	}
	return shown, total - len(shown)
}

// escapes are the control sequences of terminals: colours, cursor, window titles.
var escapes = regexp.MustCompile("\x1b(\\[[0-9;:?<=>]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)?|[@-Z\\\\-_])")

const maxClean = 2048 // bytes; no screen shows more of one line

// clean makes one line of output fit to be drawn: without terminal escapes, and of a line that was overwritten by carriage
// returns (a progress bar) what was left.
func clean(text string) string {
	text = strings.TrimRight(text, "\r")
	if i := strings.LastIndexByte(text, '\r'); i >= 0 {
		text = text[i+1:]
	}
	if len(text) > maxClean {
		text = text[:maxClean]
	}
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == 0x200D || !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(escapes.ReplaceAllString(text, ""), "�"))
}

// Visible makes everything that can't be seen visible, so that what is shown is exactly what there is: control,
// bidirectional, zero-width and other format characters, odd spaces and broken bytes become escapes such as ‹U+202E›. Line
// ends and tabs stay. Text that is harmless comes back unchanged.
func Visible(text string) string {
	if !strings.ContainsFunc(text, hides) && utf8.ValidString(text) {
		return text
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
	return b.String()
}

// Hides reports whether Visible changes text: the user should be told.
func Hides(text string) bool {
	return strings.ContainsFunc(text, hides) || !utf8.ValidString(text)
}

// hides reports whether a character can't be seen, or looks like another than it is.
func hides(r rune) bool {
	switch r {
	case '\n', '\t', ' ':
		return false
	case 0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800: // letters and a pattern that are blank
		return true
	}
	return r != utf8.RuneError && (unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zs, unicode.Zl, unicode.Zp, unicode.Variation_Selector) || r >= 0xE0000)
}

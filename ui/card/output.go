package card

import (
	"regexp"
	"strings"
	"unicode"

	"keva/agent/approval"
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

// visible is text with everything shown that can't be seen: approval.Display's one rule.
func visible(text string) string {
	shown, _ := approval.Display(text)
	return shown
}

// hides reports whether text holds what can't be seen: the user should be told.
func hides(text string) bool {
	_, hidden := approval.Display(text)
	return hidden
}

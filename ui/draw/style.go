// Package draw is a thin layer over canvas objects: text measured and broken into lines, and a widget that lays itself out
// for a width. Cards, Markdown blocks and sheets are drawn with it, so that what is measured is what is drawn. It must
// never know a row, a session or an engine.
package draw

import (
	"fyne.io/fyne/v2"

	"keva/ui/theme"
)

// Style is how a run of text looks.
type Style struct {
	Role  fyne.ThemeSizeName  // theme.Body, theme.Mono, …
	Color fyne.ThemeColorName // theme.Ink, theme.Muted, …

	Bold, Italic, Mono, Strike, Underline bool

	Ground fyne.ThemeColorName // behind the letters, as of inline code; "" for none
}

// The styles that are used most.
var (
	Body      = Style{Role: theme.Body, Color: theme.Ink}
	Label     = Style{Role: theme.Label, Color: theme.Ink}
	Strong    = Style{Role: theme.Label, Color: theme.Ink, Bold: true}
	Mono      = Style{Role: theme.Mono, Color: theme.Ink, Mono: true}
	Secondary = Style{Role: theme.Secondary, Color: theme.Muted}
)

// In returns the style in another colour.
func (s Style) In(c fyne.ThemeColorName) Style { s.Color = c; return s }

// TextStyle is the style as canvas objects take it.
func (s Style) TextStyle() fyne.TextStyle {
	return fyne.TextStyle{Bold: s.Bold, Italic: s.Italic, Monospace: s.Mono, Strikethrough: s.Strike, Underline: s.Underline}
}

// LineHeight is the height of a line of this style.
func (s Style) LineHeight() float32 { return theme.LineHeight(s.Role) }

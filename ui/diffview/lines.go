// Package diffview is the screen that shows the whole of a change, or of an output, that a card shows folded. It must never
// change a file.
package diffview

import (
	"fmt"
	"strings"

	"fyne.io/fyne/v2"

	"keva/agent/event"
	"keva/ui/draw"
	"keva/ui/theme"
)

// Kind is what a line is.
type Kind int

// The kinds of line.
const (
	Plain   Kind = iota // output, or context of a diff
	Added               //
	Removed             //
	Hunk                // where the next lines are
	File                // a file of several
	Note                // what is not known
)

// Line is one line of the screen. Old and New are line numbers, 0 for none.
type Line struct {
	Kind     Kind
	Text     string
	Old, New int
}

// OfText makes lines of an output.
func OfText(text string) []Line {
	text = strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	var lines []Line
	for _, s := range strings.Split(text, "\n") {
		lines = append(lines, Line{Kind: Plain, Text: draw.Tabs(s, 0)})
	}
	return lines
}

// OfChanges makes lines of changes. name shortens paths.
func OfChanges(changes []event.Change, name func(string) string) []Line {
	var lines []Line
	for _, c := range changes {
		title := name(c.Path)
		if c.MovedTo != "" {
			title += " → " + name(c.MovedTo)
		}
		if len(changes) > 1 {
			lines = append(lines, Line{Kind: File, Text: title})
		}
		if c.Note != "" {
			lines = append(lines, Line{Kind: Note, Text: c.Note})
		}
		for _, h := range c.Hunks {
			lines = append(lines, ofHunk(h)...)
		}
		if len(c.Hunks) == 0 && c.Note == "" {
			lines = append(lines, Line{Kind: Note, Text: "The engine sent no lines of this change."})
		}
	}
	return lines
}

func ofHunk(h event.Hunk) []Line {
	place := fmt.Sprintf("@@ −%d +%d", h.OldStart, h.NewStart)
	if !h.Placed() {
		place = "@@ line not known"
	}
	lines := []Line{{Kind: Hunk, Text: place}}
	old, now := h.OldStart, h.NewStart
	for _, s := range h.Lines {
		l := Line{Text: s}
		switch {
		case strings.HasPrefix(s, "+"):
			l.Kind, l.New = Added, now
			now++
		case strings.HasPrefix(s, "-"):
			l.Kind, l.Old = Removed, old
			old++
		case strings.HasPrefix(s, `\`): // "\ No newline at end of file"
			l.Kind = Note
		default:
			l.Old, l.New = old, now
			old, now = old+1, now+1
		}
		if l.Kind != Note && s != "" { // the sign is drawn apart, so that tabs stop where they do in the file
			l.Text = draw.Tabs(s[1:], 0)
		}
		if !h.Placed() {
			l.Old, l.New = 0, 0
		}
		lines = append(lines, l)
	}
	return lines
}

// Unified is the text of changes as a patch, for the clipboard.
func Unified(changes []event.Change) string {
	var b strings.Builder
	for _, c := range changes {
		to := c.Path
		if c.MovedTo != "" {
			to = c.MovedTo
		}
		fmt.Fprintf(&b, "--- %s\n+++ %s\n", c.Path, to)
		for _, h := range c.Hunks {
			fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
			for _, s := range h.Lines {
				b.WriteString(s + "\n")
			}
		}
	}
	return b.String()
}

// Counts is "+2 −1" of changes.
func Counts(changes []event.Change) string {
	a, r := 0, 0
	for _, c := range changes {
		a, r = a+c.Added, r+c.Removed
	}
	return fmt.Sprintf("+%d −%d", a, r)
}

func (k Kind) look() (sign string, ground, ink fyne.ThemeColorName) {
	switch k {
	case Added:
		return "+", theme.AddedBG, theme.Ink
	case Removed:
		return "−", theme.RemovedBG, theme.Ink
	case Hunk:
		return "", theme.Code, theme.Muted
	case File:
		return "", theme.Code, theme.Ink
	case Note:
		return "", "", theme.Muted
	case Plain:
	}
	return "", "", theme.Ink
}

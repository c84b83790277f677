package codex

import (
	"regexp"
	"strconv"
	"strings"

	"keva/agent/event"
)

// movedTo is the line that the engine appends to the diff of a moved file.
const movedTo = "\n\nMoved to: "

var hunkHead = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

// changes turns the files of a patch into what the approval card and the diff card show.
func changes(ws []wireChange) []event.Change {
	var out []event.Change
	for _, w := range ws {
		out = append(out, change(w))
	}
	return out
}

func change(w wireChange) event.Change {
	c := event.Change{Path: w.Path}
	switch w.Kind.Type {
	case "add":
		c.Kind = event.ChangeAdd
		c.Hunks = whole(w.Diff, '+')
	case "delete":
		c.Kind = event.ChangeDelete
		c.Hunks = whole(w.Diff, '-')
	case "update":
		c.Kind = event.ChangeUpdate
		diff := w.Diff
		if w.Kind.MovePath != "" {
			c.Kind, c.MovedTo = event.ChangeMove, w.Kind.MovePath
			diff = strings.TrimSuffix(diff, movedTo+w.Kind.MovePath)
		}
		var ok bool
		if c.Hunks, ok = hunks(diff); !ok {
			c.Note = "The engine sent this difference in a form that could not be read in full."
		}
	default:
		c.Kind = event.ChangeUnknown
		c.Note = "The engine called this change " + strconv.Quote(w.Kind.Type) + ", which is not known."
		c.Hunks, _ = hunks(w.Diff)
	}
	for _, h := range c.Hunks {
		for _, l := range h.Lines {
			switch l[0] {
			case '+':
				c.Added++
			case '-':
				c.Removed++
			}
		}
	}
	return c
}

// whole makes one hunk of a whole content.
func whole(content string, sign byte) []event.Hunk {
	if content == "" {
		return nil
	}
	var h event.Hunk
	for _, l := range strings.Split(strings.TrimSuffix(content, "\n"), "\n") {
		h.Lines = append(h.Lines, string(sign)+l)
	}
	if sign == '+' {
		h.NewStart, h.NewLines = 1, len(h.Lines)
	} else {
		h.OldStart, h.OldLines = 1, len(h.Lines)
	}
	return []event.Hunk{h}
}

// hunks reads unified hunks without a file header. What it can't read is shown as context and reported, never left out:
// an approval must show all that will change.
func hunks(diff string) (out []event.Hunk, ok bool) {
	ok = true
	if diff == "" {
		return nil, true
	}
	for _, l := range strings.Split(strings.TrimSuffix(diff, "\n"), "\n") {
		if m := hunkHead.FindStringSubmatch(l); m != nil {
			out = append(out, event.Hunk{
				OldStart: number(m[1], 0), OldLines: number(m[2], 1),
				NewStart: number(m[3], 0), NewLines: number(m[4], 1),
			})
			continue
		}
		if len(out) == 0 {
			out = append(out, event.Hunk{})
			ok = false
		}
		h := &out[len(out)-1]
		switch {
		case strings.HasPrefix(l, `\ `): // "\ No newline at end of file" is about the line before, no line itself
			continue
		case l == "":
			l = " "
		case l[0] != ' ' && l[0] != '+' && l[0] != '-':
			l, ok = " "+l, false
		}
		h.Lines = append(h.Lines, l)
	}
	return out, ok
}

func number(s string, missing int) int {
	if s == "" {
		return missing
	}
	n, err := strconv.Atoi(s)
	if err != nil { // more digits than an int has
		return missing
	}
	return n
}

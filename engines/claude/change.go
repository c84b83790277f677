package claude

import (
	"strings"

	"keva/agent/event"
)

// Notes for what a change can't tell.
const (
	noteAll     = "Every occurrence of this text is replaced."
	noteOld     = "The old content was not sent; the file may exist already and would be replaced."
	noteCell    = "The old content of the cell was not sent."
	notePartial = "The engine sent the change in a form that Keva can't show."
)

// changesAsked computes what an edit would do from its input alone: the mapper may not read files, so line numbers, and
// the old content of a file that is written whole, are not known and said not to be.
func changesAsked(name string, in toolInput) []event.Change {
	c := event.Change{Path: pathOf(in), Kind: event.ChangeUpdate}
	switch {
	case name == "Write" && in.Content != nil:
		c.Kind, c.Note = event.ChangeUnknown, noteOld
		c.Hunks = []event.Hunk{hunkOf("", *in.Content, 1)}
	case name == "Edit" && in.OldString != nil && in.NewString != nil:
		at := 0 // the engine sends the changed text alone
		if *in.OldString == "" {
			c.Kind, at = event.ChangeAdd, 1
		}
		c.Hunks = []event.Hunk{hunkOf(*in.OldString, *in.NewString, at)}
		if in.ReplaceAll {
			c.Note = noteAll
		}
	case name == "MultiEdit" && len(in.Edits) > 0:
		for _, e := range in.Edits {
			c.Hunks = append(c.Hunks, hunkOf(e.Old, e.New, 0))
			if e.All {
				c.Note = noteAll
			}
		}
	case name == "NotebookEdit":
		c.Note = noteCell
		c.Hunks = []event.Hunk{hunkOf("", in.NewSource, 1)}
	default:
		c.Kind, c.Note = event.ChangeUnknown, notePartial
	}
	count(&c)
	return []event.Change{c}
}

// changeDone tells what an edit did. structured is false for the edits of sub-agents, whose results carry no patch: then
// the input is all that is known.
func changeDone(name string, in toolInput, r toolResult, structured bool) (event.Change, bool) {
	c := event.Change{Path: r.FilePath, Kind: event.ChangeUpdate}
	if c.Path == "" {
		c.Path = pathOf(in)
	}
	switch {
	case !structured, name == "NotebookEdit", len(r.Patch) == 0 && r.Type == "":
		if pathOf(in) == "" {
			return c, false
		}
		return changesAsked(name, in)[0], true
	case r.Type == "update" && len(r.Patch) == 0: // the same content again
	case r.Type == "create" && r.Content != nil:
		c.Kind = event.ChangeAdd
		c.Hunks = []event.Hunk{hunkOf("", *r.Content, 1)}
	default:
		c.Hunks = hunksOf(r)
	}
	count(&c)
	return c, true
}

// hunksOf reads the engine's patch. In it leading tabs are two spaces; they are put back where both versions of the file
// are known.
func hunksOf(r toolResult) []event.Hunk {
	var hunks []event.Hunk
	restore := restorer(r)
	for _, p := range r.Patch {
		h := event.Hunk{OldStart: p.OldStart, OldLines: p.OldLines, NewStart: p.NewStart, NewLines: p.NewLines}
		h.Lines = restore(p)
		hunks = append(hunks, h)
	}
	return hunks
}

// restorer returns a function that gives the lines of a hunk as they are in the files.
func restorer(r toolResult) func(wireHunk) []string {
	asSent := func(p wireHunk) []string { return p.Lines }
	if r.OriginalFile == nil || !strings.Contains(*r.OriginalFile+r.NewString, "\t") {
		return asSent
	}
	n := 1
	if r.ReplaceAll {
		n = -1
	}
	whole := strings.Replace(*r.OriginalFile, r.OldString, r.NewString, n)
	if r.Content != nil {
		whole = *r.Content
	}
	before, after := strings.Split(*r.OriginalFile, "\n"), strings.Split(whole, "\n")
	return func(p wireHunk) []string {
		lines := make([]string, len(p.Lines))
		o, w := p.OldStart-1, p.NewStart-1
		for i, line := range p.Lines {
			lines[i] = line
			if line == "" {
				continue
			}
			switch line[0] {
			case '-':
				lines[i] = "-" + original(before, o, line[1:])
				o++
			case '+':
				lines[i] = "+" + original(after, w, line[1:])
				w++
			case ' ':
				lines[i] = " " + original(before, o, line[1:])
				o++
				w++
			}
		}
		return lines
	}
}

// original returns line n of file if it is what shown was made from, else shown.
func original(file []string, n int, shown string) string {
	if n < 0 || n >= len(file) || untab(file[n]) != untab(shown) {
		return shown
	}
	return file[n]
}

// untab replaces leading tabs as the engine does.
func untab(line string) string {
	rest := strings.TrimLeft(line, "\t")
	return strings.Repeat("  ", len(line)-len(rest)) + rest
}

// hunkOf is the change from old to new as one hunk that starts at line at. Lines that both begin or end with are context.
func hunkOf(old, now string, at int) event.Hunk {
	a, b := splitLines(old), splitLines(now)
	if old != "" && now != "" && strings.HasSuffix(old, "\n") != strings.HasSuffix(now, "\n") {
		a, b = strings.Split(old, "\n"), strings.Split(now, "\n") // the newline itself is part of the change
	}
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	h := event.Hunk{OldStart: at, OldLines: len(a), NewStart: at, NewLines: len(b)}
	add := func(sign string, lines []string) {
		for _, l := range lines {
			h.Lines = append(h.Lines, sign+l)
		}
	}
	add(" ", a[:head])
	add("-", a[head:len(a)-tail])
	add("+", b[head:len(b)-tail])
	add(" ", a[len(a)-tail:])
	if len(a) == 0 {
		h.OldStart = 0
	}
	if len(b) == 0 {
		h.NewStart = 0
	}
	return h
}

// splitLines gives the lines of text; a newline at the end ends the last one and starts none.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func count(c *event.Change) {
	for _, h := range c.Hunks {
		for _, l := range h.Lines {
			switch {
			case strings.HasPrefix(l, "+"):
				c.Added++
			case strings.HasPrefix(l, "-"):
				c.Removed++
			}
		}
	}
}

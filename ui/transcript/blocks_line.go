package transcript

import "bytes"

// lineKind is what the first characters of a line say, without its neighbours.
type lineKind struct {
	blank     bool
	kind      blockKind // the block that it starts, if it starts one
	indent    int       // columns
	weak      bool      // a list item that can't interrupt a paragraph
	underline bool      // of nothing but = or -: makes the paragraph above a heading
	fence     fence     // the fence that it opens
}

// classify reads a line, or its beginning as far as Splitter.decided wanted it.
func classify(line []byte) lineKind {
	rest := trimIndent(line)
	l := lineKind{indent: columns(line[:len(line)-len(rest)]), kind: blockParagraph}
	rest = bytes.TrimRight(rest, " \t")
	if len(rest) == 0 {
		l.blank = true
		return l
	}
	l.fence = opensFence(rest)
	l.underline = allOf(rest, '=') || allOf(rest, '-')
	item, weak := listItem(line[len(line)-len(trimIndent(line)):])
	switch {
	case l.indent >= 4:
		l.kind = blockIndented
	case l.fence.open():
		l.kind = blockFence
	case rest[0] == '>':
		l.kind = blockQuote
	case isRule(rest), isHeading(rest):
		l.kind = blockHeading
	case item:
		l.kind, l.weak = blockList, weak
	}
	return l
}

// fence is an open code fence; the zero value is none.
type fence struct {
	mark byte
	n    int
}

func (f fence) open() bool { return f.n > 0 }

// closedBy reports whether line ends the fence.
func (f fence) closedBy(line []byte) bool {
	if !f.open() || len(line) > maxMark {
		return false
	}
	rest := bytes.TrimRight(trimIndent(line), " \t")
	return len(rest) >= f.n && allOf(rest, f.mark)
}

// mayClose reports whether a line that goes on like this could still end the fence.
func (f fence) mayClose(line []byte) bool {
	if len(line) > maxMark {
		return false
	}
	rest := bytes.TrimRight(trimIndent(line), " \t")
	return len(rest) == 0 || allOf(rest, f.mark)
}

// opensFence reads the fence that a line without indent opens.
func opensFence(line []byte) fence {
	mark := line[0]
	if mark != '`' && mark != '~' {
		return fence{}
	}
	n := leading(line, mark)
	if n < 3 || (mark == '`' && bytes.IndexByte(line[n:], '`') >= 0) {
		return fence{}
	}
	return fence{mark, n}
}

// mayOpenFence reports whether a line that begins like this could still open a fence.
func mayOpenFence(line []byte) bool {
	n := leading(line, line[0])
	if n == len(line) {
		return true
	}
	return n >= 3 && (line[0] == '~' || bytes.IndexByte(line[n:], '`') < 0)
}

func isHeading(line []byte) bool {
	n := leading(line, '#')
	return n >= 1 && n <= 6 && (n == len(line) || line[n] == ' ' || line[n] == '\t')
}

// isRule reports whether line is a thematic break.
func isRule(line []byte) bool {
	mark, n := line[0], 0
	if mark != '-' && mark != '*' && mark != '_' {
		return false
	}
	for _, c := range line {
		switch c {
		case mark:
			n++
		case ' ', '\t':
		default:
			return false
		}
	}
	return n >= 3
}

// listItem reports whether line starts a list item, and whether it is too weak to interrupt a paragraph.
func listItem(line []byte) (item, weak bool) {
	n, first := 0, true
	switch line[0] {
	case '-', '*', '+':
		n = 1
	default:
		for n < len(line) && line[n] >= '0' && line[n] <= '9' {
			n++
		}
		if n == 0 || n > 9 || n == len(line) || (line[n] != '.' && line[n] != ')') {
			return false, false
		}
		first = n == 1 && line[0] == '1'
		n++
	}
	if n < len(line) && line[n] != ' ' && line[n] != '\t' {
		return false, false
	}
	return true, !first || len(bytes.TrimSpace(line[n:])) == 0
}

func trimIndent(line []byte) []byte { return bytes.TrimLeft(line, " \t") }

func columns(indent []byte) int {
	n := 0
	for _, c := range indent {
		if c == '\t' {
			n += 4 - n%4
		} else {
			n++
		}
	}
	return n
}

func leading(line []byte, c byte) int {
	n := 0
	for n < len(line) && line[n] == c {
		n++
	}
	return n
}

func allOf(line []byte, c byte) bool { return len(line) > 0 && leading(line, c) == len(line) }

package transcript

import "strings"

// Splitter cuts a growing Markdown text into blocks: paragraph, heading, list, fence, table, quote. It reads each byte
// once, so a token-wise stream costs no more than the whole text, and the block that still grows never shrinks: a line
// whose first characters don't yet tell whether it starts a new block is held back until they do. Any way of cutting the
// text into pieces gives the same blocks.
//
// Link reference definitions work only inside their own block; the engines don't write them.
type Splitter struct {
	kind    blockKind
	text    strings.Builder // the open block, without the line end that would follow it
	blanks  int             // line ends that belong to the block if it goes on
	line    []byte          // the current line while it is held back
	open    bool            // the current line's start was decided and its bytes go straight to text
	current []byte          // the start of the current line once it is open: what its end must look at
	opens   bool            // the current line opened the fence, so it can't close it
	fence   fence           // the fence that the block is in, also inside a list
	done    []string
}

type blockKind int

const (
	blockNone blockKind = iota
	blockParagraph
	blockHeading
	blockList
	blockQuote
	blockFence
	blockIndented
)

// Write takes the next piece and returns the blocks that it finished. They never change any more.
func (s *Splitter) Write(piece string) []string {
	s.done = nil
	for len(piece) > 0 {
		if s.open {
			n := strings.IndexByte(piece, '\n')
			if n < 0 {
				s.append(piece)
				break
			}
			s.append(piece[:n])
			s.endLine()
			piece = piece[n+1:]
			continue
		}
		c := piece[0]
		piece = piece[1:]
		if c == '\n' {
			s.startLine()
			s.endLine()
			continue
		}
		if c == '\r' { // only ever part of a line end here
			continue
		}
		s.line = append(s.line, c)
		if s.decided() {
			s.startLine()
		}
	}
	return s.done
}

// Tail is the block that may still grow, "" when there is none.
func (s *Splitter) Tail() string { return s.text.String() }

// Close ends the text and returns the blocks that were still open. The Splitter is empty afterwards.
func (s *Splitter) Close() []string {
	s.done = nil
	if len(s.line) > 0 {
		s.startLine()
	}
	s.endLine()
	s.finish()
	done := s.done
	*s = Splitter{}
	return done
}

// Split cuts a whole text into blocks.
func Split(text string) []string {
	var s Splitter
	return append(s.Write(text), s.Close()...)
}

// decided reports whether the bytes of the held line tell what it starts.
func (s *Splitter) decided() bool {
	if s.fence.open() {
		return !s.fence.mayClose(s.line)
	}
	trimmed := trimIndent(s.line)
	if len(trimmed) == 0 {
		return false
	}
	switch trimmed[0] {
	case '`', '~':
		// Only the whole line tells a fence from inline code.
		return !mayOpenFence(trimmed)
	case '>', '|':
		return true
	}
	for _, c := range trimmed {
		if !strings.ContainsRune("#-*+_= \t.)0123456789", rune(c)) {
			return true
		}
	}
	// A line of nothing but marks is a rule or an underline only when it is whole; a list mark is one as soon as
	// something follows it.
	return len(trimmed) > maxMark
}

// maxMark is the longest line, in bytes, that is still looked at whole as a rule, an underline or the end of a fence.
const maxMark = 80

// startLine gives the held line to the open block, or finishes that one and opens the next.
func (s *Splitter) startLine() {
	line := s.line
	s.line, s.open = s.line[:0], true
	if s.fence.open() {
		s.join(line)
		return
	}
	l := classify(line)
	switch {
	case l.blank:
		return
	case s.continues(l):
		if l.underline && s.kind == blockParagraph {
			s.kind = blockHeading // a setext heading: this line is its last
		}
		if s.kind == blockList {
			s.fence, s.opens = l.fence, l.fence.open()
		}
	default:
		s.finish()
		s.kind = l.kind
		if s.kind == blockFence {
			s.fence, s.opens = l.fence, true
		}
	}
	s.join(line)
}

// continues reports whether a line belongs to the open block.
func (s *Splitter) continues(l lineKind) bool {
	afterBlank := s.blanks > 1
	switch s.kind {
	case blockParagraph:
		return !afterBlank && (l.kind == blockParagraph || l.kind == blockIndented || l.underline || l.weak)
	case blockList:
		if l.indent >= 2 || l.kind == blockList {
			return true
		}
		return !afterBlank && l.kind == blockParagraph
	case blockQuote:
		return !afterBlank && (l.kind == blockQuote || l.kind == blockParagraph)
	case blockIndented:
		return l.kind == blockIndented
	case blockNone, blockHeading, blockFence:
		return false
	}
	return false
}

func (s *Splitter) join(line []byte) {
	for ; s.blanks > 0 && s.text.Len() > 0; s.blanks-- {
		s.text.WriteByte('\n')
	}
	s.blanks = 0
	s.current = s.current[:0]
	s.append(string(line))
}

func (s *Splitter) append(piece string) {
	if strings.IndexByte(piece, '\r') >= 0 {
		piece = strings.ReplaceAll(piece, "\r", "")
	}
	s.text.WriteString(piece)
	if room := maxMark + 1 - len(s.current); room > 0 {
		s.current = append(s.current, piece[:min(room, len(piece))]...)
	}
}

// endLine closes the line that startLine opened.
func (s *Splitter) endLine() {
	line, opens := s.current, s.opens
	s.current, s.open, s.opens = s.current[:0], false, false
	if s.kind == blockNone {
		return
	}
	blank := len(line) == 0
	s.blanks++
	switch s.kind {
	case blockHeading:
		s.finish()
	case blockFence:
		if !opens && s.fence.closedBy(line) {
			s.finish()
		}
	case blockParagraph, blockQuote:
		if blank {
			s.finish()
		}
	case blockList:
		if !opens && s.fence.closedBy(line) {
			s.fence = fence{}
		}
	case blockNone, blockIndented:
	}
}

func (s *Splitter) finish() {
	if s.text.Len() > 0 {
		s.done = append(s.done, s.text.String())
	}
	s.text = strings.Builder{}
	s.kind, s.fence, s.blanks = blockNone, fence{}, 0
}

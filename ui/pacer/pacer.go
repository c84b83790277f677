// Package pacer is the LiveTextPacer: it reveals arriving text evenly, whether an engine sends tokens or whole blocks. It is
// pure: no clock, no goroutine, no widget. It must never lose, repeat or reorder a character, never split a grapheme, and
// never ask for a timer when there is nothing to reveal.
package pacer

import (
	"time"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

const (
	// TickEvery is how often Tick is called while the pacer is not Idle.
	TickEvery = 33 * time.Millisecond
	// MaxTicks is the longest that a character waits, in ticks, once it is a whole character: 1.2 s.
	MaxTicks = 36

	// share is the part of the backlog that one tick reveals: a fifth.
	share = 5
	// most is the longest backlog that a tick leaves behind. It is what makes the delay bounded.
	most = 2000
	// maxCluster is the longest grapheme, in bytes, that is kept whole. Nothing that anybody writes is near it; a hostile
	// letter with a thousand accents must not be held back for ever.
	maxCluster = 256
)

// Reveal is how many characters (grapheme clusters) one tick reveals of a backlog: the one rule of the pacer. How the text
// arrived does not enter.
func Reveal(backlog int) int {
	if backlog <= 0 {
		return 0
	}
	return max((backlog+share-1)/share, backlog-most)
}

// Pacer holds the text that has arrived and is not shown yet. The zero value is ready. It is not safe for concurrent use.
type Pacer struct {
	text    []byte   // what is not revealed, from head on: whole clusters, then the tail
	head    int      // in text
	lens    []uint16 // lengths of the whole clusters, from first on
	first   int      // in lens
	whole   int      // end of the whole clusters in text
	reduced bool
}

// Feed takes the next piece. Pieces may be cut anywhere, also inside a character.
func (p *Pacer) Feed(piece string) {
	p.text = append(p.text, piece...)
	p.segment()
}

// segment moves the border between whole clusters and the tail. The last cluster stays in the tail: what comes next may
// still belong to it.
func (p *Pacer) segment() {
	open := p.text[p.whole : len(p.text)-partial(p.text[p.whole:])]
	for len(open) > 0 {
		// The window is bounded, or each cut of a hostile cluster would look at all of it again.
		cluster, _, _, _ := uniseg.FirstGraphemeCluster(open[:min(len(open), maxCluster+2*utf8.UTFMax)], -1)
		n := len(cluster)
		switch {
		case n > maxCluster:
			for n = maxCluster; n > 1 && !utf8.RuneStart(open[n]); n-- {
			}
		case n == len(open):
			return
		}
		p.lens = append(p.lens, uint16(n))
		p.whole += n
		open = open[n:]
	}
}

// partial is the number of bytes at the end of b that may be the start of a character.
func partial(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if tail := b[len(b)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return n
			}
			return 0
		}
	}
	return 0
}

// Backlog is the number of whole characters that wait.
func (p *Pacer) Backlog() int { return len(p.lens) - p.first }

// Idle reports that a tick would reveal nothing: no timer is needed until the next Feed.
func (p *Pacer) Idle() bool { return p.Backlog() == 0 }

// Reduce turns pacing off (reduced motion): a tick reveals all that is whole.
func (p *Pacer) Reduce(on bool) { p.reduced = on }

// Tick reveals the next characters. Its cost is that of what it returns.
func (p *Pacer) Tick() string {
	n := Reveal(p.Backlog())
	if p.reduced {
		n = p.Backlog()
	}
	size := 0
	for _, l := range p.lens[p.first : p.first+n] {
		size += int(l)
	}
	out := string(p.text[p.head : p.head+size])
	p.first += n
	p.head += size
	p.compact()
	return out
}

// Finish reveals everything at once, also a character that is not whole, and leaves the pacer empty.
func (p *Pacer) Finish() string {
	out := string(p.text[p.head:])
	*p = Pacer{reduced: p.reduced}
	return out
}

// compact gives revealed memory back. It moves what is left only when that is the smaller half, so it costs no more than
// what was revealed.
func (p *Pacer) compact() {
	if p.head > len(p.text)/2 {
		n := copy(p.text, p.text[p.head:])
		p.text, p.whole, p.head = p.text[:n], p.whole-p.head, 0
	}
	if p.first > len(p.lens)/2 {
		n := copy(p.lens, p.lens[p.first:])
		p.lens, p.first = p.lens[:n], 0
	}
}

package chat

import (
	"slices"
	"strings"

	"keva/ui/pacer"
	"keva/ui/transcript"
)

// reveal is what of the transcript is on the screen. Rows that come while the reader watches are let in one after the
// other: text through the pacer, and what follows a text not before it. So an answer that came whole and one that came
// letter by letter look the same (DESIGN §8), also where an answer becomes many rows.
type reveal struct {
	rows  []transcript.Row
	shown int // rows[:shown] are on the screen
	pacer pacer.Pacer
	parts []*part // the texts that are not drawn whole, in order: the pacer holds what is missing of them
}

// part is a text row of which some is still in the pacer.
type part struct {
	key        string
	drawn, fed int  // bytes of its text
	closed     bool // the line break behind it was fed, without which the pacer keeps its last character
}

// hugeFeed is how much of a text is paced at most, in bytes: a huge block that comes at once is not worth counting.
const hugeFeed = 16 << 10

// Len is the number of rows on the screen.
func (r *reveal) Len() int { return r.shown }

// Row is row i as it is on the screen: a text that is not drawn whole is a shorter one that still grows.
func (r *reveal) Row(i int) transcript.Row { return r.cut(r.rows[i]) }

func (r *reveal) cut(row transcript.Row) transcript.Row {
	t, ok := row.(*transcript.Text)
	if !ok {
		return row
	}
	p := r.part(t.Key())
	if p == nil || p.drawn >= len(t.Text) {
		return row
	}
	short := *t
	short.Text, short.Live = t.Text[:p.drawn], true
	return &short
}

func (r *reveal) part(key string) *part {
	for _, p := range r.parts {
		if p.key == key {
			return p
		}
	}
	return nil
}

// Take applies changes of the transcript and returns those of the screen. whole says that what comes is history, or that
// nothing is to be held back any more.
func (r *reveal) Take(changes []transcript.Change, whole bool) []transcript.Change {
	var out []transcript.Change
	for _, c := range changes {
		switch c.Kind {
		case transcript.Insert:
			r.rows = slices.Insert(r.rows, c.Index, c.Row)
			if t, ok := c.Row.(*transcript.Text); ok && !whole {
				r.parts = append(r.parts, &part{key: t.Key()})
				r.feed(t)
			}
			if c.Index < r.shown {
				r.shown++
				c.Row = r.cut(c.Row)
				out = append(out, c)
			}
		case transcript.Update:
			old := r.rows[c.Index]
			r.rows[c.Index] = c.Row
			if t, ok := c.Row.(*transcript.Text); ok && !whole {
				r.update(old, t)
			}
			if c.Index < r.shown {
				c.Row = r.cut(c.Row)
				out = append(out, c)
			}
		case transcript.Remove:
			r.rows = slices.Delete(r.rows, c.Index, c.Index+1)
			if p := r.part(c.Row.Key()); p != nil {
				r.parts = slices.DeleteFunc(r.parts, func(q *part) bool { return q == p })
				r.refeed()
			}
			if c.Index < r.shown {
				r.shown--
				out = append(out, c)
			}
		}
	}
	if whole {
		return append(out, r.Drain()...)
	}
	return append(out, r.admit()...)
}

// update brings a changed text to the pacer. One that has only grown goes on where it was; one that was corrected is
// drawn as far as the two agree.
func (r *reveal) update(old transcript.Row, t *transcript.Text) {
	p := r.part(t.Key())
	if p == nil {
		o, ok := old.(*transcript.Text)
		if !ok || o.Text == t.Text && !t.Live {
			return
		}
		n := common(o.Text, t.Text)
		p = &part{key: t.Key(), drawn: n, fed: n}
		r.parts = append(r.parts, p)
	}
	fed := ""
	if o, ok := old.(*transcript.Text); ok {
		fed = o.Text[:min(p.fed, len(o.Text))]
	}
	switch last := r.parts[len(r.parts)-1]; {
	case p.closed && fed == t.Text: // nothing new
	case p == last && !p.closed && strings.HasPrefix(t.Text, fed):
		r.feed(t)
	default:
		p.drawn = common(fed[:p.drawn], t.Text)
		r.refeed()
	}
}

// common is the length of the common beginning, at a character's border.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(b) && b[n]&0xC0 == 0x80 {
		n--
	}
	return n
}

// feed gives the pacer what is new of the last part.
func (r *reveal) feed(t *transcript.Text) {
	p := r.parts[len(r.parts)-1]
	if rest := len(t.Text) - p.fed; rest > hugeFeed {
		p.drawn = len(t.Text) - hugeFeed
		for p.drawn < len(t.Text) && t.Text[p.drawn]&0xC0 == 0x80 {
			p.drawn++
		}
		p.fed = p.drawn
		r.refeed()
		return
	}
	r.pacer.Feed(t.Text[p.fed:])
	p.fed = len(t.Text)
	if !t.Live {
		r.pacer.Feed("\n")
		p.closed = true
	}
}

// refeed fills the pacer anew.
func (r *reveal) refeed() {
	r.pacer.Finish()
	texts := map[string]*transcript.Text{}
	for _, row := range r.rows[r.low():] {
		if t, ok := row.(*transcript.Text); ok {
			texts[t.Key()] = t
		}
	}
	all := r.parts
	r.parts = nil
	for _, p := range all {
		if t := texts[p.key]; t != nil {
			p.fed, p.closed = p.drawn, false
			r.parts = append(r.parts, p)
			r.feed(t)
		}
	}
}

// Reduce turns pacing off, under reduced motion.
func (r *reveal) Reduce(on bool) { r.pacer.Reduce(on) }

// Idle reports that a tick would change nothing.
func (r *reveal) Idle() bool { return r.pacer.Idle() && r.shown == len(r.rows) }

// Tick draws more, and returns the changes of the screen.
func (r *reveal) Tick() []transcript.Change {
	n := len(r.pacer.Tick())
	var out []transcript.Change
	for n > 0 && len(r.parts) > 0 {
		p := r.parts[0]
		step := min(n, p.fed-p.drawn)
		p.drawn, n = p.drawn+step, n-step
		done := p.drawn == p.fed && p.closed && n > 0
		if done {
			n-- // the line break
			r.parts = r.parts[1:]
		}
		if i := r.index(p.key); i >= 0 && i < r.shown {
			out = append(out, transcript.Change{Kind: transcript.Update, Index: i, Row: r.cut(r.rows[i])})
		}
		if !done {
			break
		}
		out = append(out, r.admit()...) // the next text may begin in this tick
	}
	return append(out, r.admit()...)
}

func (r *reveal) index(key string) int {
	for i := len(r.rows) - 1; i >= 0; i-- {
		if r.rows[i].Key() == key {
			return i
		}
	}
	return -1
}

// low is the first row that may not be drawn whole.
func (r *reveal) low() int {
	if len(r.parts) == 0 {
		return r.shown
	}
	low := r.shown
	for _, p := range r.parts {
		if i := r.index(p.key); i >= 0 {
			low = min(low, i)
		}
	}
	return low
}

// admit lets rows in, up to and including the first text that has to be drawn.
func (r *reveal) admit() []transcript.Change {
	stop := len(r.rows)
	if !r.pacer.Idle() {
		for _, p := range r.parts {
			if p.drawn < p.fed {
				stop = min(stop, r.index(p.key)+1)
				break
			}
		}
	}
	var out []transcript.Change
	for r.shown < stop {
		r.shown++
		out = append(out, transcript.Change{Kind: transcript.Insert, Index: r.shown - 1, Row: r.cut(r.rows[r.shown-1])})
	}
	return out
}

// Drain shows everything at once.
func (r *reveal) Drain() []transcript.Change {
	r.pacer.Finish()
	parts := r.parts
	r.parts = nil
	var out []transcript.Change
	for _, p := range parts {
		if i := r.index(p.key); i >= 0 && i < r.shown {
			out = append(out, transcript.Change{Kind: transcript.Update, Index: i, Row: r.rows[i]})
		}
	}
	return append(out, r.admit()...)
}

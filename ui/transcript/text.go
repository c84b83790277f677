package transcript

import (
	"hash/maphash"
	"strconv"
	"strings"

	"keva/agent/event"
)

// blockKey names a block of the stream. Ids are only as unique as the engine makes them, so the turn is part of it.
type blockKey struct{ turn, id string }

// textBlock is a text block of the main agent: a stream of Markdown that becomes a row for each of its own blocks.
type textBlock struct {
	id    string // prefix of the rows' ids
	turn  string
	raw   strings.Builder // the deltas, until the block ends
	split Splitter
	rows  []*entry
	live  *entry // the last of rows while it may grow
	count int    // rows that were ever made, for their ids
	ended bool
	cut   bool   // closed without its end; the end may still come
	sum   uint64 // of the final text, to know it when it comes again
}

var seed = maphash.MakeSeed()

func (b *Builder) textDelta(e event.Event, d event.TextDelta) {
	if d.Text == "" {
		return
	}
	if e.Scope != "" {
		b.taskText(e, d.Block, d.Text, false)
		return
	}
	t := b.text(e.Turn, d.Block)
	if t.ended {
		t = b.newText(e.Turn, d.Block) // the id is used again
	}
	if t.cut && t.raw.Len() == 0 {
		b.openTexts = append(b.openTexts, t) // it goes on after all, and may be cut again
	}
	b.nowStreams(t)
	t.raw.WriteString(d.Text)
	b.grow(t, t.split.Write(d.Text))
}

func (b *Builder) textFinal(e event.Event, f event.TextFinal) {
	if e.Scope != "" {
		b.taskText(e, f.Block, f.Text, true)
		return
	}
	t := b.text(e.Turn, f.Block)
	sum := maphash.String(seed, f.Text)
	if t.ended {
		if t.sum == sum {
			return // told twice
		}
		t = b.newText(e.Turn, f.Block)
	}
	b.nowStreams(t)
	if rest, ok := strings.CutPrefix(f.Text, t.raw.String()); ok && !t.cut {
		b.grow(t, t.split.Write(rest))
		b.grow(t, t.split.Close())
	} else {
		b.replace(t, Split(f.Text))
	}
	b.end(t)
	t.sum = sum
}

func (b *Builder) text(turn, block string) *textBlock {
	if t := b.texts[blockKey{turn, block}]; t != nil {
		return t
	}
	return b.newText(turn, block)
}

func (b *Builder) newText(turn, block string) *textBlock {
	t := &textBlock{id: b.free("block", turn+"/"+block), turn: turn}
	b.texts[blockKey{turn, block}] = t
	b.openTexts = append(b.openTexts, t)
	return t
}

// nowStreams makes t the block that the main agent speaks. One voice speaks at a time: a block before it that has not
// ended was cut (a steered turn, a stream that broke and was tried again).
func (b *Builder) nowStreams(t *textBlock) {
	b.stopThinking()
	if old := b.streaming; old != nil && old != t && old.live != nil {
		r := *old.live.row.(*Text)
		r.Live, r.Cut = false, true
		b.set(old.live, &r)
	}
	b.streaming = t
}

// grow shows the Markdown blocks that were finished, and the tail.
func (b *Builder) grow(t *textBlock, done []string) {
	for _, text := range done {
		b.put(t, text, false)
	}
	if tail := t.split.Tail(); tail != "" {
		b.put(t, tail, true)
	}
}

// put shows text as the live row, or as the next one when none is live.
func (b *Builder) put(t *textBlock, text string, live bool) {
	if t.live != nil {
		r := *t.live.row.(*Text)
		if r.Text != text || r.Live != live || r.Cut {
			r.Text, r.Live, r.Cut = text, live, false
			b.set(t.live, &r)
		}
	} else {
		t.count++
		r := &Text{ID: t.id + "#" + strconv.Itoa(t.count), Text: text, Live: live}
		if n := len(t.rows); n > 0 {
			t.live = b.after(t.rows[n-1], r)
		} else {
			t.live = b.add(r)
		}
		t.rows = append(t.rows, t.live)
	}
	if !live {
		t.live = nil
	}
}

// replace shows blocks instead of what the deltas said. What is equal stays untouched.
func (b *Builder) replace(t *textBlock, blocks []string) {
	old := t.rows
	keep := min(len(old), len(blocks))
	for i, e := range old[:keep] {
		r := *e.row.(*Text)
		if r.Text != blocks[i] || r.Live || r.Cut {
			r.Text, r.Live, r.Cut = blocks[i], false, false
			b.set(e, &r)
		}
	}
	for _, e := range old[keep:] {
		b.remove(e)
	}
	t.rows, t.live = old[:keep:keep], nil
	for _, text := range blocks[keep:] {
		b.put(t, text, false)
	}
}

func (b *Builder) end(t *textBlock) {
	t.ended, t.live = true, nil
	t.raw, t.split = strings.Builder{}, Splitter{}
	if b.streaming == t {
		b.streaming = nil
	}
}

// cutTexts ends the open blocks of a turn, or all with all: their own end will not come any more.
func (b *Builder) cutTexts(turn string, all bool) {
	b.stopThinking()
	open := b.openTexts[:0]
	for _, t := range b.openTexts {
		switch {
		case t.ended:
		case t.turn == turn || all:
			b.grow(t, t.split.Close())
			if n := len(t.rows); n > 0 {
				r := *t.rows[n-1].row.(*Text)
				r.Live, r.Cut = false, true
				b.set(t.rows[n-1], &r)
			}
			t.cut, t.live, t.raw, t.split = true, nil, strings.Builder{}, Splitter{}
			if b.streaming == t {
				b.streaming = nil
			}
		default:
			open = append(open, t)
		}
	}
	b.openTexts = open
}

// reasoning is a block of visible thinking: one row.
type reasoning struct {
	e    *entry
	id   string
	text strings.Builder
}

func (b *Builder) reasoningDelta(e event.Event, d event.ReasoningDelta) {
	if e.Scope != "" || d.Text == "" {
		return // what a sub-agent thinks is kept in the store; its node has no room for it
	}
	r := b.reasoning(e.Turn, d.Block)
	if b.thinking != r {
		b.stopThinking()
	}
	b.thinking = r
	r.text.WriteString(d.Text)
	b.showReasoning(r, true)
}

func (b *Builder) reasoningFinal(e event.Event, f event.ReasoningFinal) {
	if e.Scope != "" {
		return
	}
	r := b.reasoning(e.Turn, f.Block)
	if r.text.String() != f.Text {
		r.text = strings.Builder{}
		r.text.WriteString(f.Text)
	}
	b.showReasoning(r, false)
	if b.thinking == r {
		b.thinking = nil
	}
}

func (b *Builder) reasoning(turn, block string) *reasoning {
	k := blockKey{turn, block}
	if b.reasonings[k] == nil {
		b.reasonings[k] = &reasoning{id: b.free("reasoning", turn+"/"+block)}
	}
	return b.reasonings[k]
}

func (b *Builder) showReasoning(r *reasoning, live bool) {
	row := &Reasoning{ID: r.id, Text: r.text.String(), Live: live}
	switch {
	case r.e != nil:
		if old := r.e.row.(*Reasoning); *old != *row {
			b.set(r.e, row)
		}
	case strings.TrimSpace(row.Text) != "":
		r.e = b.add(row)
	}
}

// stopThinking ends the live mark of the thinking that goes on: something else came after it.
func (b *Builder) stopThinking() {
	if r := b.thinking; r != nil {
		b.thinking = nil
		b.showReasoning(r, false)
	}
}

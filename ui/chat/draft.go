package chat

import (
	"sync"
	"time"
)

// draftDelay is how long the user pauses before the draft is kept.
const draftDelay = 600 * time.Millisecond

// draft keeps what is written and not sent. Writing goes to the disk, so it happens off the thread of the user interface,
// one at a time and the latest last.
type draft struct {
	deps    *Deps
	text    string
	changed bool
	waiting bool

	mu      sync.Mutex
	next    *string
	writing bool
}

func (d *draft) set(text string) {
	d.text, d.changed = text, true
	if d.waiting {
		return
	}
	d.waiting = true
	d.deps.After(draftDelay, func() {
		d.waiting = false
		d.flush()
	})
}

// flush keeps the draft now.
func (d *draft) flush() {
	if !d.changed {
		return
	}
	d.changed = false
	text := d.text
	d.mu.Lock()
	d.next = &text
	start := !d.writing
	d.writing = true
	d.mu.Unlock()
	if start {
		d.deps.Go(d.write)
	}
}

func (d *draft) write() {
	for {
		d.mu.Lock()
		text := d.next
		d.next = nil
		if text == nil {
			d.writing = false
			d.mu.Unlock()
			return
		}
		d.mu.Unlock()
		d.deps.Session.SetDraft(*text)
	}
}

func (s *Screen) draftChanged(text string) { s.draft.set(text) }

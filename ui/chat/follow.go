package chat

// Mode is what the transcript does when rows arrive below.
type Mode int

// The modes. REPORTS O3: one flag can't tell "reads further up" from "has opened a card at the end", and then either the
// reader is yanked away or the view stops following for good.
const (
	// Following: the end stays in view. From the others on jump, on sending, and on the reader's own scroll to the end.
	Following Mode = iota
	// Free: the reader has scrolled away, and nothing moves what is being read. From any mode on a scroll up.
	Free
	// Anchored: the reader has opened or closed a card; its header stays put, also at the very end. From Following, on a
	// touch that changes a card's height.
	Anchored
)

// reattach is how near to the end a scroll downward must come to follow again, in dp.
const reattach = 32

// follow decides, and moves nothing itself. The zero value follows.
type follow struct {
	mode   Mode
	unseen int // rows that came while not following
}

// scrolled tells of a scroll by the reader: up is its direction, below the distance to the end afterwards.
func (f *follow) scrolled(up bool, below float32) {
	switch {
	case up && below > 1: // also by a little: wheel-up during a stream must win over the next tick
		f.mode = Free
	case below <= reattach:
		f.attach()
	case f.mode == Following, f.mode == Anchored:
		f.mode = Free
	}
}

// touched tells that the reader has changed the height of a card.
func (f *follow) touched() {
	if f.mode == Following {
		f.mode = Anchored
	}
}

// attach follows from now on: the jump button, and sending a message.
func (f *follow) attach() { f.mode, f.unseen = Following, 0 }

// appended tells that n rows came at the end.
func (f *follow) appended(n int) {
	if f.mode != Following && n > 0 {
		f.unseen += n
	}
}

// jump reports whether the jump button is shown, below being the distance to the end.
func (f *follow) jump(below float32) bool { return f.mode != Following && below > reattach }

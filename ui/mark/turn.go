package mark

import (
	"time"

	"fyne.io/fyne/v2/canvas"

	"keva/ui/theme"
)

const (
	turnEvery  = 150 * time.Millisecond
	turnBy     = 24 // degrees: a turn takes 2.25 s
	unseenTill = 2  // steps without being painted after which a mark is given up
)

// turner turns the rings that are on the screen. It has a timer only while there are any: a ring that is scrolled away,
// covered or in a hidden window is not painted, and is forgotten after two steps.
type turner struct {
	after   func(time.Duration, func())
	rings   map[*markRenderer]int // steps since it was last painted
	waiting bool
}

var turning = &turner{rings: map[*markRenderer]int{}}

// TurnWith gives the timer that turns running marks: it must call back on the thread of the user interface, after the
// delay. Without one, as in tests, marks stand still. The app calls it once.
func TurnWith(after func(time.Duration, func())) { turning.after = after }

func (t *turner) seen(r *markRenderer) {
	t.rings[r] = 0
	t.wait()
}

func (t *turner) remove(r *markRenderer) { delete(t.rings, r) }

func (t *turner) wait() {
	if t.waiting || t.after == nil || len(t.rings) == 0 || !theme.Motion() {
		return
	}
	t.waiting = true
	t.after(turnEvery, t.step)
}

func (t *turner) step() {
	t.waiting = false
	for r, unseen := range t.rings {
		if r.ring == nil || unseen >= unseenTill {
			delete(t.rings, r)
			continue
		}
		t.rings[r] = unseen + 1
		r.m.turn += turnBy
		if r.m.turn >= 360 {
			r.m.turn -= 360
		}
		r.ring.StartAngle, r.ring.EndAngle = r.m.turn, r.m.turn+270
		canvas.Refresh(r.ring)
	}
	t.wait()
}

package chat

import (
	"context"
	"time"

	"keva/agent/event"
	"keva/agent/session"
	"keva/ui/pacer"
	"keva/ui/transcript"
)

// Ticks of the screen. Nothing ticks while nothing changes.
const (
	tick   = pacer.TickEvery        // while text is being drawn, and the least distance of two updates
	second = 500 * time.Millisecond // while the status line counts
)

// batch is what one tick brings to the screen.
type batch struct {
	changes []transcript.Change
	view    session.View
	known   bool // view is set
	history bool // these are the stored events
	ended   bool // a turn has ended: nothing is held back any more
}

// pump takes the session's updates, makes rows of them off the thread of the user interface, and brings them to the
// screen: at most once in a tick, all that is pending at a time, and not before the screen is done with the last one.
type pump struct {
	rows  *transcript.Builder
	apply func(batch) time.Duration // runs on the thread of the user interface; returns when to tick again, 0 for not at all
	do    func(func())              // runs a function there and waits
	now   func() time.Time
	kick  chan struct{} // asks for a tick now
}

func newPump(rows *transcript.Builder, now func() time.Time, do func(func()), apply func(batch) time.Duration) *pump {
	return &pump{rows: rows, now: now, do: do, apply: apply, kick: make(chan struct{}, 1)}
}

// wake asks for a tick, from any goroutine.
func (p *pump) wake() {
	select {
	case p.kick <- struct{}{}:
	default:
	}
}

// run ends when ctx does, or after the last update was shown.
func (p *pump) run(ctx context.Context, updates <-chan session.Update) {
	var pending batch
	var last time.Time
	timer := time.NewTimer(0)
	stop(timer)
	armed := false
	arm := func(d time.Duration) {
		stop(timer)
		timer.Reset(d)
		armed = true
	}
	for {
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case u, ok := <-updates:
			if !ok {
				updates = nil
				if !armed {
					return
				}
				continue
			}
			p.add(&pending, u)
			arm(max(0, tick-p.now().Sub(last)))
		case <-p.kick:
			arm(max(0, tick-p.now().Sub(last)))
		case <-timer.C:
			armed = false
			next := time.Duration(0)
			b := pending
			pending = batch{}
			p.do(func() {
				if ctx.Err() == nil {
					next = p.apply(b)
				}
			})
			last = p.now()
			if next > 0 {
				arm(next)
			} else if updates == nil {
				return
			}
		}
	}
}

func (p *pump) add(b *batch, u session.Update) {
	b.changes = append(b.changes, p.rows.Apply(u.Events...)...)
	b.view, b.known = u.View, true
	b.history = b.history || u.History
	for _, e := range u.Events {
		switch e.Body.(type) {
		case event.TurnCompleted, event.EngineExited:
			b.ended = true
		}
	}
}

func stop(t *time.Timer) {
	if !t.Stop() {
		select {
		case <-t.C:
		default:
		}
	}
}

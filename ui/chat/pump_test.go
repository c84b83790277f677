package chat

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"keva/agent/event"
	"keva/agent/session"
	"keva/ui/transcript"
)

// pumped runs a pump in a bubble of synthetic time and records the ticks.
func pumped(t *testing.T, next time.Duration, play func(send func(...event.Body))) (ticks []time.Duration, changes int) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		p := newPump(transcript.New("/p"), time.Now, func(f func()) { f() }, func(b batch) time.Duration {
			ticks = append(ticks, time.Since(start))
			changes += len(b.changes)
			d := next
			next = 0
			return d
		})
		ctx, cancel := context.WithCancel(t.Context())
		updates := make(chan session.Update)
		go p.run(ctx, updates)
		seq := int64(0)
		play(func(bodies ...event.Body) {
			var evs []event.Event
			for _, b := range bodies {
				seq++
				evs = append(evs, event.Event{Seq: seq, Turn: "t", Body: b})
			}
			updates <- session.Update{Events: evs}
		})
		time.Sleep(10 * time.Second) // synthetic: all timers that there are have fired
		cancel()
		synctest.Wait()
	})
	return ticks, changes
}

// A burst is one tick, and the next one keeps its distance; after that nothing ticks.
func TestPumpGathers(t *testing.T) {
	ticks, changes := pumped(t, 0, func(send func(...event.Body)) {
		for range 50 {
			send(event.Notice{Text: "x"})
		}
		time.Sleep(time.Millisecond)
		for range 50 {
			send(event.Notice{Text: "y"})
		}
	})
	if len(ticks) > 3 || changes != 100 {
		t.Fatalf("%d ticks brought %d changes: %v", len(ticks), changes, ticks)
	}
	for i := 1; i < len(ticks); i++ {
		if ticks[i]-ticks[i-1] < tick {
			t.Fatalf("two ticks within %v: %v", ticks[i]-ticks[i-1], ticks)
		}
	}
}

// The screen says when it wants to tick again, and is asked no more when it does not.
func TestPumpTicksOnRequest(t *testing.T) {
	ticks, _ := pumped(t, second, func(send func(...event.Body)) { send(event.Notice{Text: "x"}) })
	if len(ticks) != 2 || ticks[1]-ticks[0] != second {
		t.Fatalf("ticks at %v", ticks)
	}
}

package replay

import (
	"testing"
	"time"

	"keva/agent/event"
	"keva/agent/turn"
)

// clock runs what is due when it is moved.
type clock struct {
	t   time.Time
	due []struct {
		at time.Time
		f  func()
	}
}

func (c *clock) after(d time.Duration, f func()) {
	c.due = append(c.due, struct {
		at time.Time
		f  func()
	}{c.t.Add(d), f})
}

func (c *clock) move(d time.Duration) {
	end := c.t.Add(d)
	for {
		next := -1
		for i, x := range c.due {
			if !x.at.After(end) && (next < 0 || x.at.Before(c.due[next].at)) {
				next = i
			}
		}
		if next < 0 {
			c.t = end
			return
		}
		x := c.due[next]
		c.due = append(c.due[:next], c.due[next+1:]...)
		c.t = x.at
		x.f()
	}
}

// A recording plays at its recorded pace: what came a minute later comes a minute later.
func TestRecordedPace(t *testing.T) {
	base := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(s int, b event.Body) event.Event {
		return event.Event{Seq: int64(s + 1), Time: base.Add(time.Duration(s) * time.Second), Turn: "t", Body: b}
	}
	evs := []event.Event{
		at(0, event.TurnStarted{Origin: event.OriginUser}),
		at(2, event.TextFinal{Block: "b", Text: "hello"}),
		at(62, event.TurnCompleted{Outcome: event.Success, Origin: event.OriginUser}),
	}
	c := &clock{t: time.Date(2030, 5, 5, 0, 0, 0, 0, time.UTC)}
	p := NewPlayer("x", evs, func() time.Time { return c.t }, c.after)
	updates := p.Subscribe(t.Context())
	if u := <-updates; !u.History || len(u.Events) != 1 || u.View.Phase != turn.PhaseRunning {
		t.Fatalf("%+v", u)
	}
	c.move(2 * time.Second)
	if u := <-updates; u.History || len(u.Events) != 1 || u.Events[0].Body.Kind() != event.KindTextFinal {
		t.Fatalf("%+v", u)
	}
	c.move(59 * time.Second)
	if p.View().Phase != turn.PhaseRunning {
		t.Fatal("the end came too early")
	}
	c.move(time.Second)
	if u := <-updates; u.View.Phase != turn.PhaseSettled {
		t.Fatalf("%+v", u.View)
	}
	if !p.Now().Equal(base.Add(62 * time.Second)) {
		t.Fatal(p.Now())
	}
	if err := p.Send(t.Context(), "x"); err == nil {
		t.Fatal("a recording took a message")
	}
}

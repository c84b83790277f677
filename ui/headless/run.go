package headless

import (
	"context"
	"errors"
	"fmt"
	"time"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/agent/session"
	"keva/ui/transcript"
)

// run is one prompt from sending to settled. All of its state belongs to the goroutine of loop.
type run struct {
	Options
	s    Session
	log  *worklog
	err  pen // requests, and the last word
	view *transcript.Builder
	asks *asker

	turns     int  // user turns that were there before the prompt
	delivered bool // the prompt is in the stream
	exited    bool // the engine went, and none came since
	outlived  bool // a task ended outside of any turn, and no turn came since
	waited    bool // the grace was spent since the engine went
	presses   int  // of Ctrl-C
	again     bool // a turn began after Ctrl-C: it must be interrupted too
	closing   bool

	settle, grace *time.Timer // nil while they don't run
}

// Run sends the prompt and follows the session until it is settled: the turn was answered and no task is live. Then it
// closes the session and returns the code. It returns early when it is stopped, when the time is over, and when tasks stay
// silent for longer than the settle budget; what is live then is unknown.
func Run(ctx context.Context, s Session, o Options) Code {
	if o.Settle == 0 {
		o.Settle = budget.Settle.Time
	}
	if o.Grace == 0 {
		o.Grace = budget.ExtraTurn.Time
	}
	r := &run{
		Options: o, s: s, log: newWorklog(pen{w: o.Out, colour: o.Colour}), err: pen{w: o.Err, colour: o.Colour},
		view: transcript.New(o.Dir),
	}
	r.asks = newAsker(r)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	updates := s.Subscribe(ctx)
	code := r.loop(ctx, updates)
	r.close(ctx, updates)
	return code
}

func (r *run) loop(ctx context.Context, updates <-chan session.Update) Code {
	var deadline <-chan time.Time
	if r.Timeout > 0 {
		t := time.NewTimer(r.Timeout)
		defer t.Stop()
		deadline = t.C
	}
	sent := make(chan error, 1)
	begun := false
	sending, cancel := context.WithCancel(ctx)
	defer cancel()
	for {
		select {
		case u, ok := <-updates:
			if !ok {
				return r.last(Unknown, "The session ended while this was running; how it went is not known.")
			}
			r.take(u)
			if u.History && !begun {
				begun = true
				go func() { sent <- r.s.Send(sending, r.Prompt) }()
				continue
			}
			if r.again {
				r.again = false
				r.interrupt(ctx)
			}
			r.asks.look(ctx)
		case err := <-sent:
			if err != nil {
				if r.presses > 0 && errors.Is(err, context.Canceled) {
					return r.last(Interrupted, "Stopped before it began.")
				}
				return Fail(r.Err, err)
			}
			r.delivered = true
		case a := <-r.asks.lines:
			r.asks.answered(ctx, a)
		case err := <-r.asks.failed:
			if ctx.Err() == nil {
				r.err.line("keva: " + clean(err.Error()))
			}
		case <-r.Signals:
			if r.presses++; r.presses > 1 {
				return r.last(Interrupted, "Stopped.")
			}
			r.err.line("Stopping the turn. Press Ctrl-C again to end at once.")
			if !r.delivered {
				cancel()
			}
			r.interrupt(ctx)
		case <-deadline:
			return r.last(Timeout, fmt.Sprintf("The time that was given (%s) is over.", r.Timeout))
		case <-fired(r.settle):
			return r.unsettled()
		case <-fired(r.grace):
			r.grace, r.outlived, r.waited = nil, false, true
		case <-ctx.Done():
			return r.last(Interrupted, "Stopped.")
		}
		if code, over := r.over(); over {
			return code
		}
	}
}

func fired(t *time.Timer) <-chan time.Time {
	if t == nil {
		return nil
	}
	return t.C
}

// take shows an update.
func (r *run) take(u session.Update) {
	for _, e := range u.Events {
		if !u.History {
			r.note(e)
		}
	}
	changes := r.view.Apply(u.Events...)
	if u.History {
		r.turns = len(userTurns(r.view.State()))
		return
	}
	if r.JSON {
		for _, e := range u.Events {
			r.log.event(e)
		}
	} else if !r.closing {
		r.log.show(changes)
	}
}

// note keeps what over needs to know of the order of events.
func (r *run) note(e event.Event) {
	switch e.Body.(type) {
	case event.UserMessage:
		r.delivered = true
	case event.SessionReady:
		r.exited = false
	case event.TurnStarted:
		r.outlived, r.exited = false, false
		r.again = r.presses > 0
		r.stopTimers()
	case event.EngineExited:
		r.exited, r.waited = true, false
	case event.TaskEnded:
		if r.view.State().OpenTurn() == nil {
			r.outlived = true
		}
	}
	if r.settle != nil {
		r.settle.Reset(r.Settle) // a sign of life
	}
}

func (r *run) stopTimers() {
	if r.settle != nil {
		r.settle.Stop()
	}
	if r.grace != nil {
		r.grace.Stop()
	}
	r.settle, r.grace = nil, nil
}

// last says the last sentence on the error output, where it does not disturb the worklog or the JSON lines.
func (r *run) last(c Code, sentence string) Code {
	r.err.line("keva: " + sentence)
	return c
}

func (r *run) interrupt(ctx context.Context) {
	r.asks.stop(ctx)
	go func() {
		if err := r.s.Interrupt(ctx); err != nil && ctx.Err() == nil {
			r.asks.fail(err)
		}
	}()
}

// close ends the session and shows what still comes as JSON: the stream ends with the engine.
func (r *run) close(ctx context.Context, updates <-chan session.Update) {
	r.closing = true
	r.stopTimers()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), budget.EngineStop.Time)
	defer cancel()
	closed := make(chan error, 1)
	go func() { closed <- r.s.Close(ctx) }()
	ran := r.view.State().Exit == nil && r.delivered
	var quiet <-chan time.Time
	for {
		select {
		case u, ok := <-updates:
			if !ok {
				updates = nil
				continue
			}
			r.take(u)
			if r.view.State().Exit != nil && quiet != nil {
				return
			}
		case err := <-closed:
			if err != nil {
				r.err.line("keva: The engine could not be stopped: " + clean(err.Error()))
			}
			closed = nil
			if !ran || !r.JSON || updates == nil || r.view.State().Exit != nil {
				return
			}
			t := time.NewTimer(r.Grace)
			defer t.Stop()
			quiet = t.C
		case <-quiet:
			return
		}
	}
}

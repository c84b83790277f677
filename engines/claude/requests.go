package claude

import (
	"context"
	"errors"
	"strings"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/agent/runtime"
	"keva/engines/proc"
)

// Send implements runtime.Runtime.
func (e *engine) Send(ctx context.Context, m runtime.Message) error {
	if strings.TrimSpace(m.Text) == "" {
		return &event.Error{Class: event.ClassRequest, Message: "The message is empty. Write what you want done."}
	}
	if e.gone() {
		return goneError(proc.ErrGone)
	}
	return goneError(e.write(ctx, userLine(m), nil))
}

// Answer implements runtime.Runtime. The mapper's table of open requests is the only one: an answer takes the request out
// of it before it is written, so that no second answer can follow (I-12).
func (e *engine) Answer(ctx context.Context, id string, a runtime.Answer) (bool, error) {
	switch a.Decision {
	case event.Allow, event.Deny:
	case event.Withdrawn, event.Lost:
		return false, &event.Error{Class: event.ClassRequest, Message: "Only allow and deny are answers.", Detail: string(a.Decision)}
	default:
		return false, &event.Error{Class: event.ClassRequest, Message: "Only allow and deny are answers.", Detail: string(a.Decision)}
	}
	select {
	case e.writing <- struct{}{}:
	case <-ctx.Done():
		return false, ctx.Err()
	case <-e.done:
		return false, goneError(proc.ErrGone)
	}
	defer func() { <-e.writing }()
	e.mu.Lock()
	q := e.mapper.process.requests[id]
	if q == nil {
		e.mu.Unlock()
		return false, nil
	}
	l := replyTo(id, q, a)
	e.mapSent(l, func(evs []event.Event) { decidedBy(evs, id, a) })
	e.mu.Unlock()
	return true, goneError(e.proc.Write(ctx, l))
}

// decidedBy puts into the events who decided: the wire does not carry it.
func decidedBy(evs []event.Event, id string, a runtime.Answer) {
	for i, ev := range evs {
		switch b := ev.Body.(type) {
		case event.ApprovalResolved:
			if b.ID == id && b.By == event.ByUser {
				b.By, b.Reason = a.By, a.Reason
				evs[i].Body = b
			}
		case event.QuestionAnswered:
			if b.ID == id && b.By == event.ByUser {
				b.By = a.By
				evs[i].Body = b
			}
		}
	}
}

// Interrupt implements runtime.Runtime.
func (e *engine) Interrupt(ctx context.Context) error {
	return goneError(e.write(ctx, controlLine(e.nextID(), object{"subtype": "interrupt"}), nil))
}

// StopTask implements runtime.Runtime.
func (e *engine) StopTask(ctx context.Context, id string) error {
	return goneError(e.write(ctx, controlLine(e.nextID(), object{"subtype": "stop_task", "task_id": id}), nil))
}

// Stop implements runtime.Runtime: open requests are denied, an open turn is interrupted and gets a moment for its result,
// then the ladder of proc goes on with a closed stdin. When ctx ends, the ladder goes on without the caller.
func (e *engine) Stop(ctx context.Context) error {
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		e.denyAll()
		e.proc.Stop(proc.Rung{Name: "interrupt", Do: e.interruptTurn})
		select {
		case <-e.done:
		case <-ctx.Done():
		}
	}()
	select {
	case <-stopped:
	case <-ctx.Done():
	}
	if e.gone() {
		return nil
	}
	return &event.Error{
		Class: event.ClassEngine, Message: "Claude Code is still ending. Wait a moment, then try again.",
		Detail: "the stop ladder is under way",
	}
}

// denyAll answers what is still asked (G10).
func (e *engine) denyAll() {
	ctx, cancel := context.WithTimeout(context.Background(), budget.InterruptReply.Time)
	defer cancel()
	e.mu.Lock()
	ids := sortedKeys(e.mapper.process.requests)
	e.mu.Unlock()
	for _, id := range ids {
		_, err := e.Answer(ctx, id, runtime.Answer{Decision: event.Deny, By: event.ByStop, Reason: "The session was stopped."})
		if err != nil {
			return // the process takes nothing any more; its end closes the rest
		}
	}
}

// interruptTurn interrupts an open turn and waits for its end, for a bounded time.
func (e *engine) interruptTurn() {
	e.mu.Lock()
	if e.mapper.process.turn == nil {
		e.mu.Unlock()
		return
	}
	settled := make(chan struct{})
	e.settled = settled
	e.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), budget.InterruptReply.Time)
	defer cancel()
	if e.Interrupt(ctx) != nil {
		return
	}
	select {
	case <-settled:
	case <-e.proc.Done():
	case <-ctx.Done():
	}
}

func (e *engine) gone() bool {
	select {
	case <-e.done:
		return true
	default:
		return false
	}
}

// goneError puts a failed write into words. A write that the caller gave up keeps its cause.
func goneError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, proc.ErrGone):
		return &event.Error{
			Class: event.ClassEngineGone, Message: "Claude Code has ended. Send the message again to start it anew.", Detail: err.Error(),
		}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &event.Error{
			Class:   event.ClassEngine,
			Message: "Claude Code did not take the message in time. It may be stuck: stop it, then send again.", Detail: err.Error(),
		}
	}
	return &event.Error{Class: event.ClassEngine, Message: "Claude Code could not be reached. Stop it, then send again.", Detail: err.Error()}
}

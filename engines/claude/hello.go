package claude

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/engines/proc"
	launchplan "keva/engines/userland/plan"
)

// hello is the id of the first control request.
const hello = "keva-hello"

// greet sends the first control request and waits for its answer: the proof that this is an engine that speaks. It also
// asks for the texts of sub-agents.
func (e *engine) greet(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, budget.Handshake.Time)
	defer cancel()
	request := object{"subtype": "initialize", "forwardSubagentText": true}
	if err := e.write(ctx, controlLine(hello, request), nil); err != nil && !errors.Is(err, proc.ErrGone) && ctx.Err() == nil {
		return err
	}
	select {
	case <-e.ready:
		return nil
	case <-e.done:
		return e.failedStart()
	case <-ctx.Done():
		select {
		case <-e.ready:
			return nil
		default:
		}
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return e.problem("Claude Code started but never answered. Install it again; if the device is busy, try once more.")
		}
		return &event.Error{Class: event.ClassInterrupted, Message: "The start of Claude Code was stopped.", Detail: ctx.Err().Error()}
	}
}

// failedStart explains a process that ended before its first word.
func (e *engine) failedStart() error {
	e.mu.Lock()
	held := e.held
	e.mu.Unlock()
	exit := e.proc.Exit()
	for _, ev := range held {
		if c, ok := ev.Body.(event.TurnCompleted); ok && c.Error != nil {
			return c.Error
		}
	}
	if noConversation(exit.Stderr) {
		return resumeError(exit.Stderr)
	}
	text := "Claude Code ended right after its start. " + exit.Advice
	if exit.Class == event.ExitClean {
		text = "Claude Code ended right after its start without saying why. Install it again, or check its path in the settings."
	}
	return launchplan.Died(e.problem(text), exit)
}

// problem is an error of the start, with what the engine said as its detail.
func (e *engine) problem(text string) *event.Error {
	e.mu.Lock()
	defer e.mu.Unlock()
	strange := 0
	var detail bytes.Buffer
	for _, ev := range e.held {
		switch b := ev.Body.(type) {
		case event.Unrecognised:
			if strange++; strange <= 3 {
				fmt.Fprintf(&detail, "stdout: %.200s\n", b.Raw)
			}
		case event.EngineExited:
			fmt.Fprintf(&detail, "exit %s, code %d %s\n%s", b.Class, b.Code, b.Signal, b.Stderr)
		}
	}
	if strange > 0 {
		text += " What it printed is not its protocol: this may be another program or another version."
		fmt.Fprintf(&detail, "\n%d lines were not understood", strange)
	}
	return &event.Error{Class: event.ClassEngine, Message: text, Detail: detail.String()}
}

// greets reports whether a line is the answer to the first control request.
func greets(l []byte) bool {
	var m line
	var r controlResponse
	return decode(l, &m) == nil && m.Type == "control_response" && decode(m.Response, &r) == nil &&
		r.RequestID == hello && r.Subtype == "success"
}

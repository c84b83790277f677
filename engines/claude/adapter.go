package claude

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/agent/runtime"
	"keva/engines"
	"keva/engines/proc"
)

// engine is one running CLI. All that goes in or comes out passes the mapper and the sink under mu, in the order in which
// it went over the pipes.
type engine struct {
	proc *proc.Process

	writing chan struct{} // one token: lines are mapped and written in the same order

	mu       sync.Mutex
	mapper   *Mapper
	sink     runtime.Sink
	held     []event.Event // until the engine has said hello: a start that fails leaves nothing in the session
	greeted  bool
	settled  chan struct{} // closed when no turn is open; made by Stop
	requests int
	refused  bool // the engine runs in a mode that asks nobody

	ready chan struct{} // closed when it has said hello
	done  chan struct{}
}

var _ runtime.Runtime = (*engine)(nil)

// launch starts the process and waits for its first word.
func launch(ctx context.Context, o Options, s runtime.Start, sink runtime.Sink) (*engine, error) {
	spec, temp, err := o.spec(s)
	if err != nil {
		remove(temp)
		return nil, err
	}
	spec.Record = o.record(s.Session)
	e := &engine{
		writing: make(chan struct{}, 1), mapper: NewMapper(s.Resume), sink: sink,
		ready: make(chan struct{}), done: make(chan struct{}),
	}
	started := make(chan struct{}) // the readers may be faster than the assignment of e.proc
	spec.OnLine = func(l []byte) { <-started; e.read(engines.Out, l) }
	spec.OnErr = func(l []byte) { <-started; e.read(engines.Err, l) }
	spec.OnEOF = func() { <-started; go e.mute() }
	if !slices.ContainsFunc(spec.Env, func(kv string) bool { return strings.HasPrefix(kv, "SHELL=") }) {
		e.held = append(e.held, event.Event{Time: time.Now().UTC(), Body: event.Notice{
			Level: event.LevelWarning, Class: event.ClassConfig,
			Text: "No bash or zsh was found, so Claude Code can't run commands. Install bash and start the session again.",
		}})
	}
	e.proc, err = proc.Start(spec)
	close(started)
	if err != nil {
		remove(temp)
		return nil, err
	}
	go e.wait(temp)
	if err := e.greet(ctx); err != nil {
		e.proc.Stop()
		<-e.done
		return nil, err
	}
	return e, nil
}

func remove(files []string) {
	for _, file := range files {
		_ = os.Remove(file) // a leftover in the engine's tmp folder is swept with it
	}
}

// wait delivers the end of the process after everything that it said.
func (e *engine) wait(temp []string) {
	<-e.proc.Done()
	remove(temp)
	exit := e.proc.Exit()
	e.mu.Lock()
	e.deliver(e.mapper.Map(engines.Frame{Time: time.Now().UTC(), Dir: engines.Exit, Exit: &exit}))
	e.mu.Unlock()
	close(e.done)
}

// mute ends an engine that closed its stdout and lives on: nothing that it does could be seen or approved any more.
func (e *engine) mute() {
	t := time.NewTimer(budget.Mute.Time)
	defer t.Stop()
	select {
	case <-e.proc.Done():
		return
	case <-t.C:
	}
	e.mu.Lock()
	e.deliver([]event.Event{{Time: time.Now().UTC(), Turn: e.mapper.turnID(), Body: event.Notice{
		Level: event.LevelError, Class: event.ClassEngine,
		Text: "Claude Code stopped talking to Keva while it was still running, so Keva ends it. Send the message again to start it anew.",
	}}})
	e.mu.Unlock()
	e.proc.Stop()
}

// read takes a line of the engine.
func (e *engine) read(dir engines.Dir, l []byte) {
	e.mu.Lock()
	evs := e.mapper.Map(engines.Frame{Time: time.Now().UTC(), Dir: dir, Line: l})
	if !e.greeted && dir == engines.Out && bytes.Contains(l, []byte(hello)) && greets(l) {
		e.greeted = true
		held := e.held
		e.held = nil
		e.deliver(held)
		close(e.ready)
	}
	e.deliver(evs)
	asks := dir == engines.Out && bytes.Contains(l, []byte(`"control_request"`))
	var reply []byte
	if asks {
		reply = e.declineUnasked(l, evs)
	}
	e.mu.Unlock()
	if reply != nil {
		go e.replyLater(reply) // never from here: a full stdin must not stop the reading of stdout
	}
}

// deliver gives events to the sink. mu is held.
func (e *engine) deliver(evs []event.Event) {
	for _, ev := range evs {
		if !e.greeted {
			e.held = append(e.held, ev)
			continue
		}
		e.sink(ev)
		if r, ok := ev.Body.(event.SessionReady); ok {
			e.checkMode(ev, r.Mode)
		}
	}
	if e.settled != nil && e.mapper.process.turn == nil {
		close(e.settled)
		e.settled = nil
	}
}

// checkMode stops an engine that would not ask before it changes something: approvals that reach nobody are worse than no
// session (I-16).
func (e *engine) checkMode(ev event.Event, mode string) {
	switch mode {
	case "", "default", "plan", "manual":
		return
	}
	if e.refused {
		return
	}
	e.refused = true
	ev.Body = event.Notice{
		Level: event.LevelError, Class: event.ClassConfig,
		Text:   "Claude Code runs in a mode that does not ask before it changes something, so Keva stops it. Remove the permission mode from its settings.",
		Detail: "permission mode " + mode,
	}
	e.sink(ev)
	go e.proc.Stop() // not from here: the ladder waits for what this goroutine reads
}

// declineUnasked answers a request that reached no user: one that can't be read, or of a kind that Keva never asked for.
// An engine that waits for an answer for ever would hang (I-12). mu is held.
func (e *engine) declineUnasked(l []byte, evs []event.Event) []byte {
	for _, ev := range evs {
		switch ev.Body.(type) {
		case event.ApprovalAsked, event.QuestionAsked:
			return nil
		}
	}
	var m line
	if decode(l, &m) != nil || m.Type != "control_request" || m.RequestID == "" {
		return nil
	}
	var r controlRequest
	_ = decode(m.Request, &r) // what can't be read is declined below
	if r.Subtype != "can_use_tool" {
		return errorLine(m.RequestID, "Keva does not serve this request.")
	}
	const reason = "Keva could not read this request, so it was declined."
	e.deliver([]event.Event{{
		Time: time.Now().UTC(),
		Body: event.ApprovalResolved{ID: m.RequestID, Decision: event.Deny, By: event.ByError, Reason: reason},
	}})
	return denyLine(m.RequestID, reason)
}

func (e *engine) replyLater(l []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), budget.LateReply.Time)
	defer cancel()
	// When the process is gone nobody waits for the reply; when it does not read, the next Send will tell.
	_ = e.write(ctx, l, nil)
}

// write maps a line and writes it. What was sent is in the stream before the engine can answer it. change may alter the
// events before they are delivered.
func (e *engine) write(ctx context.Context, l []byte, change func([]event.Event)) error {
	select {
	case e.writing <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	case <-e.done:
		return proc.ErrGone
	}
	defer func() { <-e.writing }()
	e.mu.Lock()
	e.mapSent(l, change)
	e.mu.Unlock()
	return e.proc.Write(ctx, l)
}

// mapSent maps a line that is about to be written. mu is held.
func (e *engine) mapSent(l []byte, change func([]event.Event)) {
	evs := e.mapper.Map(engines.Frame{Time: time.Now().UTC(), Dir: engines.In, Line: l})
	if change != nil {
		change(evs)
	}
	e.deliver(evs)
}

// nextID names a control request of ours.
func (e *engine) nextID() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.requests++
	return "keva-" + strconv.Itoa(e.requests)
}

// Done implements runtime.Runtime.
func (e *engine) Done() <-chan struct{} { return e.done }

// Capabilities implements runtime.Runtime.
func (e *engine) Capabilities() runtime.Capabilities { return capabilities }

package codex

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/engines"
	"keva/engines/proc"
)

// errGone is what waits of a call end with when the process is gone.
var errGone = errors.New("the engine is gone")

// callError is the engine's refusal of a request.
type callError struct {
	method string
	rpcError
}

func (e *callError) Error() string { return e.method + ": " + e.Message }

// line takes one line of the engine. It runs on the reader's goroutine and never blocks on the engine's input.
func (a *adapter) line(line []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	evs := a.m.Map(engines.Frame{Time: a.now(), Dir: engines.Out, Line: line})
	a.deliver(evs)
	for _, e := range evs {
		switch e.Body.(type) {
		case event.TurnCompleted, event.TaskEnded:
			close(a.ended)
			a.ended = make(chan struct{})
			a.ask()
		}
	}
	msg := a.m.msg // decoding 20 MB twice is felt
	switch a.m.shape {
	case shapeReply:
		if wait, ok := a.calls[string(msg.ID)]; ok {
			delete(a.calls, string(msg.ID))
			wait <- msg // buffered
		}
	case shapeRequest:
		if r := a.m.pending[string(msg.ID)]; r == nil || r.refuse {
			reply := refusal(msg, r)
			go a.reply(reply)
		}
	case shapeNotification:
		switch msg.Method {
		case "thread/settings/updated":
			a.checkPolicy(msg.Params)
		case "thread/status/changed":
			a.checkIdle(msg.Params)
		}
	case shapeNone:
	}
}

// ask lets the engine list the commands that run on, where a turn's end left that open. Called with mu held.
func (a *adapter) ask() {
	for _, id := range sortedKeys(a.m.threads) {
		if !a.m.threads[id].openCommands() {
			continue
		}
		// If it can't be written, the engine is gone, and its exit says so.
		go func() {
			_, _ = a.begin(context.Background(), "thread/backgroundTerminals/list", map[string]any{"threadId": id})
		}()
	}
}

// checkIdle looks again, a moment after a thread became idle, whether its turn has ended: the end comes right after, and
// if it does not, the engine's record knows (E5). Called with mu held.
func (a *adapter) checkIdle(raw json.RawMessage) {
	var p statusParams
	if !params(raw, &p) || p.Status.Type == "active" {
		return
	}
	t := a.m.threads[p.ThreadID]
	if t == nil || t.open == "" {
		return
	}
	turn := t.open
	time.AfterFunc(a.o.endGrace, func() {
		a.mu.Lock()
		lost := t.open == turn && !a.exited
		a.mu.Unlock()
		if lost {
			// If it can't be written, the engine is gone, and its exit says so.
			_, _ = a.begin(context.Background(), "thread/turns/list", map[string]any{"threadId": p.ThreadID, "limit": 5})
		}
	})
}

// reply writes the answer to a request that no person is asked about. If it can't be written, the engine is gone, and
// its exit says so.
func (a *adapter) reply(m message) {
	_ = a.write(context.Background(), m)
}

// refusal answers what is not asked of anybody: requests that Keva does not know, can't read or can't fulfil (I-12).
func refusal(msg message, r *request) message {
	out := message{ID: msg.ID}
	if r != nil {
		switch r.method {
		case "item/tool/call":
			out.Result = json.RawMessage(`{"contentItems":[{"type":"inputText","text":"Keva offers no such tool."}],"success":false}`)
			return out
		case "mcpServer/elicitation/request":
			out.Result = json.RawMessage(`{"action":"decline","content":null,"_meta":null}`)
			return out
		}
	}
	out.Error = &rpcError{Code: -32601, Message: "Keva can't answer " + msg.Method}
	return out
}

// deliver hands events on, or keeps them until the start has succeeded. Called with mu held, so the order is the order
// of mapping (I-4).
func (a *adapter) deliver(evs []event.Event) {
	if a.held != nil {
		*a.held = append(*a.held, evs...)
		return
	}
	for _, e := range evs {
		a.sink(e)
	}
}

// write maps a frame, tells its events, and then writes it: what Keva says is in the stream before the engine knows it.
// Frames are written in the order in which they were mapped.
func (a *adapter) write(ctx context.Context, m message) error {
	return a.writeFrame(ctx, func() (message, bool) { return m, true }, nil)
}

// writeFrame is write for a frame that is decided on under the lock. prepare reports false to write nothing; by says who
// is behind an answer.
func (a *adapter) writeFrame(ctx context.Context, prepare func() (message, bool), by *runtime.Answer) error {
	select {
	case a.writing <- struct{}{}:
	case <-ctx.Done():
		return a.writeError(ctx.Err())
	case <-a.done:
		return a.writeError(errGone)
	}
	defer func() { <-a.writing }()
	a.mu.Lock()
	if a.exited {
		a.mu.Unlock()
		return a.writeError(errGone)
	}
	m, ok := prepare()
	if !ok {
		a.mu.Unlock()
		return nil
	}
	line, err := json.Marshal(m)
	if err != nil {
		a.mu.Unlock()
		return &event.Error{Class: event.ClassEngine, Message: "Keva could not write a message for Codex.", Detail: err.Error()}
	}
	evs := a.m.Map(engines.Frame{Time: a.now(), Dir: engines.In, Line: line})
	for i := range evs {
		evs[i].Body = attribute(evs[i].Body, by)
	}
	a.deliver(evs)
	a.mu.Unlock()
	return a.writeError(a.p.Write(ctx, line))
}

// attribute fills in who answered and why, which is not on the wire.
func attribute(b event.Body, by *runtime.Answer) event.Body {
	if by == nil {
		return b
	}
	switch b := b.(type) {
	case event.ApprovalResolved:
		b.By, b.Reason = by.By, by.Reason
		return b
	case event.QuestionAnswered:
		b.By = by.By
		return b
	}
	return b
}

// writeError makes a sentence of a failed write.
func (a *adapter) writeError(err error) error {
	var e *event.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		return e
	case errors.Is(err, errGone), errors.Is(err, proc.ErrGone):
		return &event.Error{
			Class: event.ClassEngineGone, Message: "Codex is not running any more. Send the message again to start it.", Detail: err.Error(),
		}
	}
	return &event.Error{
		Class: event.ClassEngine, Message: "Codex does not take any input. Stop it and send the message again.", Detail: err.Error(),
	}
}

// begin writes a request and returns where its reply will arrive.
func (a *adapter) begin(ctx context.Context, method string, params any) (<-chan message, error) {
	wait := make(chan message, 1)
	raw, err := marshalParams(params)
	if err != nil {
		return nil, &event.Error{Class: event.ClassEngine, Message: "Keva could not write a message for Codex.", Detail: err.Error()}
	}
	err = a.writeFrame(ctx, func() (message, bool) {
		a.next++
		id := json.RawMessage(jsonInt(a.next))
		a.calls[string(id)] = wait
		return message{ID: id, Method: method, Params: raw}, true
	}, nil)
	return wait, err
}

// call writes a request and waits for its reply.
func (a *adapter) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	wait, err := a.begin(ctx, method, params)
	if err != nil {
		return nil, err
	}
	return a.await(ctx, method, wait)
}

func (a *adapter) await(ctx context.Context, method string, wait <-chan message) (json.RawMessage, error) {
	select {
	case msg := <-wait:
		return result(method, msg)
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-a.done:
		select { // the reply was the last thing that it said
		case msg := <-wait:
			return result(method, msg)
		default:
			return nil, errGone
		}
	}
}

func result(method string, msg message) (json.RawMessage, error) {
	if msg.Error != nil {
		return nil, &callError{method, *msg.Error}
	}
	return msg.Result, nil
}

func marshalParams(params any) (json.RawMessage, error) {
	if params == nil {
		return nil, nil
	}
	return json.Marshal(params)
}

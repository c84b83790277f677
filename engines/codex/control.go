package codex

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/agent/runtime"
)

// Send implements runtime.Runtime. While a turn runs the message steers it; if the turn is over before the message
// arrives, the message starts the next one.
func (a *adapter) Send(ctx context.Context, msg runtime.Message) error {
	a.mu.Lock()
	turn := ""
	if t := a.m.threads[a.thread]; t != nil {
		turn = t.open
	}
	a.mu.Unlock()
	if turn == "" {
		_, err := a.begin(ctx, "turn/start", a.turnStart(msg))
		return err
	}
	p := a.input(msg)
	p["expectedTurnId"] = turn
	wait, err := a.begin(ctx, "turn/steer", p)
	if err != nil {
		return err
	}
	go func() {
		var refused *callError
		if _, err := a.await(context.Background(), "turn/steer", wait); errors.As(err, &refused) {
			// If this can't be written either, the engine is gone, and its exit tells that the message was not read.
			_, _ = a.begin(context.Background(), "turn/start", a.turnStart(msg))
		}
	}()
	return nil
}

// input is what turn/start and turn/steer have in common. What Keva puts before a message is an input of its own, marked as
// a whole. The protocol's additionalContext would be the place for it, but of that the engine cuts the middle out when it
// is longer than some thousand characters, and gives the rest the weight of its developer (measured).
func (a *adapter) input(msg runtime.Message) map[string]any {
	input := []any{map[string]any{"type": "text", "text": msg.Text, "text_elements": []any{}}}
	if msg.Context != "" {
		whole := map[string]any{"placeholder": contextMark, "byteRange": map[string]any{"start": 0, "end": len(msg.Context)}}
		input = append([]any{map[string]any{"type": "text", "text": msg.Context, "text_elements": []any{whole}}}, input...)
	}
	return map[string]any{"threadId": a.thread, "clientUserMessageId": msg.ID, "input": input}
}

// turnStart is the start of a turn. The sandbox is named in every turn because a resumed thread forgets it; the words
// mean that Keva, which asks about everything, is the fence.
func (a *adapter) turnStart(msg runtime.Message) map[string]any {
	p := a.input(msg)
	p["approvalPolicy"] = asks
	p["sandboxPolicy"] = map[string]any{"type": "externalSandbox", "networkAccess": "enabled"}
	p["summary"] = "auto" // else the current models show none of their reasoning
	if a.s.Effort != "" {
		p["effort"] = a.s.Effort
	}
	return p
}

// Answer implements runtime.Runtime.
func (a *adapter) Answer(ctx context.Context, id string, ans runtime.Answer) (bool, error) {
	if ans.Decision != event.Allow && ans.Decision != event.Deny {
		return false, &event.Error{Class: event.ClassRequest, Message: "An answer must be to allow or to deny.", Detail: string(ans.Decision)}
	}
	if ans.Decision == event.Deny && ans.Reason != "" && ans.By != event.ByStop {
		if err := a.explain(ctx, id, ans.Reason); err != nil {
			return false, err
		}
	}
	ours := false
	err := a.writeFrame(ctx, func() (message, bool) {
		r := a.m.pendingByID(id)
		if r == nil || r.refuse {
			return message{}, false
		}
		raw, err := json.Marshal(r.result(ans))
		if err != nil { // an answer holds only strings
			return message{}, false
		}
		ours = true
		return message{ID: r.wire, Result: raw}, true
	}, &ans)
	return ours, err
}

// explain tells the model why it is about to be declined. A reply to an approval has no place for words, but a steer that
// is written while the approval is open reaches the model together with the refusal (measured). A sub-agent takes no
// direct input, so it is declined without a reason.
func (a *adapter) explain(ctx context.Context, id, reason string) error {
	return a.writeFrame(ctx, func() (message, bool) {
		r := a.m.pendingByID(id)
		if r == nil || r.refuse || r.question || r.thread != a.thread {
			return message{}, false
		}
		t := a.m.threads[a.thread]
		if t == nil || t.open == "" {
			return message{}, false
		}
		p := a.input(runtime.Message{ID: reasonID + id, Text: "I declined this: " + reason})
		p["expectedTurnId"] = t.open
		raw, err := json.Marshal(p)
		if err != nil { // strings only
			return message{}, false
		}
		a.next++
		return message{ID: json.RawMessage(jsonInt(a.next)), Method: "turn/steer", Params: raw}, true
	}, nil)
}

// target is a running turn.
type target struct{ thread, turn string }

// running lists the turns that run: the main one first, then those of sub-agents. Threads lists all threads that may
// hold background terminals.
func (a *adapter) running() (turns []target, threads []string, open []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	add := func(t *thread) {
		if t == nil {
			return
		}
		threads = append(threads, t.id)
		if t.open != "" {
			turns = append(turns, target{t.id, t.open})
		}
	}
	add(a.m.threads[a.thread])
	for _, id := range sortedKeys(a.m.threads) {
		if t := a.m.threads[id]; !t.own {
			add(t)
		}
	}
	for _, wire := range sortedKeys(a.m.pending) {
		open = append(open, a.m.pending[wire].id)
	}
	return turns, threads, open
}

// Interrupt implements runtime.Runtime. An interrupt of the main turn stops neither its sub-agents nor its commands, so
// each is stopped by itself (measured).
func (a *adapter) Interrupt(ctx context.Context) error {
	turns, threads, open := a.running()
	var waits []<-chan message
	for _, t := range turns {
		wait, err := a.begin(ctx, "turn/interrupt", map[string]any{"threadId": t.thread, "turnId": t.turn})
		if err != nil {
			return err
		}
		waits = append(waits, wait)
	}
	for _, id := range open { // after the interrupt, so that the model does not go on because of the "no"
		if _, err := a.Answer(ctx, id, runtime.Answer{Decision: event.Deny, By: event.ByStop, Reason: "The turn was stopped."}); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, budget.InterruptReply.Time)
	defer cancel()
	for _, wait := range waits {
		// A refusal means that the turn had ended; no reply at all is the caller's budget to judge.
		if _, err := a.await(ctx, "turn/interrupt", wait); errors.Is(err, errGone) {
			return nil
		}
	}
	for _, id := range threads {
		if _, err := a.begin(ctx, "thread/backgroundTerminals/clean", map[string]any{"threadId": id}); err != nil {
			return err
		}
	}
	return nil
}

// StopTask implements runtime.Runtime: a sub-agent's turn is interrupted, a background command terminated.
func (a *adapter) StopTask(ctx context.Context, id string) error {
	a.mu.Lock()
	var turn, owner string
	t := a.m.threads[id]
	if t != nil && !t.own {
		turn = t.open
	}
	for _, other := range a.m.threads {
		if it := other.items[id]; it != nil && it.task {
			owner = other.id
		}
	}
	a.mu.Unlock()
	switch {
	case owner != "":
		return a.terminate(ctx, owner, id)
	case turn != "":
		if _, err := a.call(ctx, "turn/interrupt", map[string]any{"threadId": id, "turnId": turn}); err != nil {
			return taskError(err)
		}
		_, err := a.begin(ctx, "thread/backgroundTerminals/clean", map[string]any{"threadId": id})
		return err
	}
	return &event.Error{Class: event.ClassRequest, Message: "This task is not running."}
}

// terminate ends one background command. Its process is known by the id of its item.
func (a *adapter) terminate(ctx context.Context, thread, item string) error {
	raw, err := a.call(ctx, "thread/backgroundTerminals/list", map[string]any{"threadId": thread})
	if err != nil {
		return taskError(err)
	}
	var list struct {
		Data []struct {
			ItemID    string `json:"itemId"`
			ProcessID string `json:"processId"`
		} `json:"data"`
	}
	if !params(raw, &list) {
		return taskError(errors.New("unreadable list of background terminals"))
	}
	for _, d := range list.Data {
		if d.ItemID != item {
			continue
		}
		if _, err := a.call(ctx, "thread/backgroundTerminals/terminate",
			map[string]any{"threadId": thread, "processId": d.ProcessID}); err != nil {
			return taskError(err)
		}
		return nil
	}
	return &event.Error{Class: event.ClassRequest, Message: "This command is not running any more."}
}

func taskError(err error) error {
	var refused *callError
	if errors.As(err, &refused) && strings.HasPrefix(refused.Message, "no active turn") {
		return &event.Error{Class: event.ClassRequest, Message: "This task is not running any more.", Detail: refused.Error()}
	}
	return &event.Error{Class: event.ClassEngine, Message: "The task could not be stopped. Stop the whole turn instead.", Detail: err.Error()}
}

// Stop implements runtime.Runtime. A turn that runs is interrupted first and gets a moment to end, so that the engine
// keeps it as interrupted and not as cut.
func (a *adapter) Stop(ctx context.Context) error {
	a.farewell(ctx)
	gone := make(chan struct{})
	go func() {
		a.p.Stop() // until its tools are gone, too
		<-a.done
		close(gone)
	}()
	select {
	case <-gone:
		return nil
	case <-ctx.Done():
		return &event.Error{Class: event.ClassEngine, Message: "Codex is still being stopped.", Detail: ctx.Err().Error()}
	}
}

func (a *adapter) farewell(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, budget.Farewell.Time)
	defer cancel()
	if turns, _, open := a.running(); len(turns)+len(open) == 0 {
		return
	}
	if a.Interrupt(ctx) != nil {
		return // it does not take input: the ladder goes on
	}
	for {
		a.mu.Lock()
		ended := a.ended
		a.mu.Unlock()
		if turns, _, _ := a.running(); len(turns) == 0 {
			return
		}
		select {
		case <-ended:
		case <-a.done:
			return
		case <-ctx.Done():
			return
		}
	}
}

// Package toyengine is a third engine, to prove that adding one touches no consumer (I-5): it has other capabilities than
// the real ones (heartbeats, whole blocks, no resume), runs no process, and is driven by the same session service, rows and
// headless surface, which never ask which engine they have.
package toyengine

import (
	"context"
	"strings"
	"sync"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/slot"
)

// Factory makes toy engines.
type Factory struct{}

// ID implements runtime.Factory.
func (Factory) ID() string { return "toy" }

// Label implements runtime.Factory.
func (Factory) Label() string { return "Toy" }

// Check implements runtime.Factory.
func (Factory) Check(context.Context, *slot.Lease) (string, error) { return "1", nil }

// Start implements runtime.Factory.
func (Factory) Start(_ context.Context, l *slot.Lease, s runtime.Start, sink runtime.Sink) (runtime.Runtime, error) {
	if !l.Valid() {
		return nil, &event.Error{Class: event.ClassEngine, Message: "no lease"}
	}
	t := &toy{sink: sink, done: make(chan struct{}), answers: make(chan runtime.Answer, 1)}
	t.emit("", event.SessionReady{EngineSession: "toy-session", Engine: "Toy 1", Dir: s.Dir})
	return t, nil
}

// toy repeats what it is told, after asking.
type toy struct {
	emitting sync.Mutex
	sink     runtime.Sink
	done     chan struct{}
	answers  chan runtime.Answer

	mu    sync.Mutex
	asked bool
	once  sync.Once
	wait  sync.WaitGroup
}

func (t *toy) emit(turn string, b event.Body) {
	t.emitting.Lock()
	defer t.emitting.Unlock()
	t.sink(event.Event{Turn: turn, Body: b})
}

func (t *toy) Capabilities() runtime.Capabilities {
	return runtime.Capabilities{Heartbeats: true, DenyWithReason: true}
}

func (t *toy) Send(_ context.Context, m runtime.Message) error {
	t.emit("t1", event.TurnStarted{Origin: event.OriginUser})
	t.emit("t1", event.UserMessage{ID: m.ID, Text: m.Text, Delivery: event.DeliveryPrompt})
	t.wait.Go(func() { t.turn(m.Text) })
	return nil
}

func (t *toy) turn(text string) {
	t.emit("t1", event.Heartbeat{})
	t.mu.Lock()
	t.asked = true
	t.mu.Unlock()
	t.emit("t1", event.ToolStarted{ID: "i1", Tool: event.ToolCommand, Name: "shout", Title: "shout " + text})
	t.emit("t1", event.ApprovalAsked{ID: "r1", Tool: event.ToolCommand, Name: "shout", ToolID: "i1", Title: "shout " + text, Command: "shout " + text})
	select {
	case a := <-t.answers:
		end := event.ToolEnded{ID: "i1", Outcome: event.Failure, Class: event.ClassDenied}
		say := "You said no: " + a.Reason
		if a.Decision == event.Allow {
			end = event.ToolEnded{ID: "i1", Outcome: event.Success, Output: strings.ToUpper(text)}
			say = strings.ToUpper(text)
		}
		t.emit("t1", end)
		t.emit("t1", event.TextFinal{Block: "b1", Text: say})
		t.emit("t1", event.TurnCompleted{Outcome: event.Success, Origin: event.OriginUser})
	case <-t.done:
	}
}

func (t *toy) Answer(_ context.Context, id string, a runtime.Answer) (bool, error) {
	t.mu.Lock()
	first := t.asked && id == "r1"
	t.asked = false
	t.mu.Unlock()
	if first {
		t.emit("t1", event.ApprovalResolved{ID: id, Decision: a.Decision, By: a.By, Reason: a.Reason})
		t.answers <- a
	}
	return first, nil
}

func (t *toy) Interrupt(context.Context) error        { return nil }
func (t *toy) StopTask(context.Context, string) error { return nil }
func (t *toy) Done() <-chan struct{}                  { return t.done }

func (t *toy) Stop(context.Context) error {
	t.once.Do(func() {
		t.emit("", event.EngineExited{Class: event.ExitStopped})
		close(t.done)
	})
	t.wait.Wait()
	return nil
}

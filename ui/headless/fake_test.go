package headless

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/session"
)

// fake is a session whose engine is a list of bodies. It waits for an answer where the list has an ApprovalAsked or a
// QuestionAsked with hold, and for an interrupt where the list has waitInterrupt.
type fake struct {
	script []any

	mu          sync.Mutex
	out         chan session.Update
	seq         int64
	open        map[string]bool
	answered    *sync.Cond
	answers     map[string]runtime.Answer
	interrupted chan struct{}
	closed      bool
	history     []event.Event
	sendErr     error
	answerErr   error
}

type (
	hold          struct{ ids string } // wait until all of these requests are answered
	waitInterrupt struct{}
	pause         time.Duration
	scope         string
	turnIs        string
)

func newFake(script ...any) *fake {
	f := &fake{
		script: script, out: make(chan session.Update, 1000), open: map[string]bool{}, answers: map[string]runtime.Answer{},
		interrupted: make(chan struct{}, 10),
	}
	f.answered = sync.NewCond(&f.mu)
	return f
}

func (f *fake) Subscribe(context.Context) <-chan session.Update {
	f.seq = int64(len(f.history))
	f.out <- session.Update{History: true, Events: f.history}
	return f.out
}

func (f *fake) emit(turn, scope string, b event.Body) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed && b.Kind() != event.KindEngineExited {
		return
	}
	f.seq++
	e := event.Event{Seq: f.seq, Time: time.Date(2026, 1, 1, 0, 0, int(f.seq), 0, time.UTC), Session: "s", Turn: turn, Scope: scope, Body: b}
	switch r := b.(type) {
	case event.ApprovalAsked:
		f.open[r.ID] = true
	case event.QuestionAsked:
		f.open[r.ID] = true
	case event.ApprovalResolved:
		delete(f.open, r.ID)
	case event.QuestionAnswered:
		delete(f.open, r.ID)
	}
	f.answered.Broadcast()
	f.out <- session.Update{Events: []event.Event{e}}
}

func (f *fake) Send(_ context.Context, text string) error {
	if f.sendErr != nil {
		return f.sendErr
	}
	f.emit("", "", event.UserMessage{ID: "m", Text: text, Delivery: event.DeliveryPrompt})
	go f.play()
	return nil
}

func (f *fake) play() {
	turn, in := "t1", ""
	for _, s := range f.script {
		switch s := s.(type) {
		case event.TurnCompleted: // an engine names the message that a turn has answered
			if s.Origin == event.OriginUser && s.Messages == nil {
				s.Messages = []string{"m"}
			}
			f.emit(turn, in, s)
		case event.Body:
			f.emit(turn, in, s)
		case turnIs:
			turn = string(s)
		case scope:
			in = string(s)
		case pause:
			time.Sleep(time.Duration(s))
		case waitInterrupt:
			<-f.interrupted
		case hold:
			f.mu.Lock()
			for _, id := range strings.Fields(s.ids) {
				for f.open[id] {
					f.answered.Wait()
				}
			}
			f.mu.Unlock()
		}
	}
}

func (f *fake) Answer(_ context.Context, id string, a runtime.Answer) (bool, error) {
	f.mu.Lock()
	open, err := f.open[id], f.answerErr
	if _, twice := f.answers[id]; twice {
		f.answers[id] = runtime.Answer{Reason: "answered twice"}
	} else {
		f.answers[id] = a
	}
	f.mu.Unlock()
	if err != nil || !open {
		return false, err
	}
	if a.Answers != nil {
		f.emit("t1", "", event.QuestionAnswered{ID: id, Answers: a.Answers, By: a.By})
	} else {
		f.emit("t1", "", event.ApprovalResolved{ID: id, Decision: a.Decision, By: a.By, Reason: a.Reason})
	}
	return true, nil
}

func (f *fake) Interrupt(context.Context) error {
	f.interrupted <- struct{}{}
	return nil
}

func (f *fake) Close(context.Context) error {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.emit("", "", event.EngineExited{Class: event.ExitStopped})
	return nil
}

// given is the answer that a request got.
func (f *fake) given(t *testing.T, id string) runtime.Answer {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	a, ok := f.answers[id]
	if !ok {
		t.Errorf("the request %s was not answered", id)
	}
	return a
}

// ran is the result of a run.
type ran struct {
	code     Code
	out, err string
}

// runFake runs the script with what a person types.
func runFake(t *testing.T, f *fake, typed string, change ...func(*Options)) ran {
	t.Helper()
	var out, errs bytes.Buffer
	o := Options{Prompt: "do it", Dir: "/p", Out: &out, Err: &errs, In: strings.NewReader(typed), Ask: true, Grace: time.Millisecond}
	for _, c := range change {
		c(&o)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	code := Run(ctx, f, o)
	if ctx.Err() != nil {
		t.Fatalf("the run did not end by itself\n%s\n%s", out.String(), errs.String())
	}
	return ran{code, out.String(), errs.String()}
}

// noTerminal is a run that nobody can be asked in; its input must not be read.
func noTerminal(o *Options) { o.Ask, o.In = false, untouched{} }

type untouched struct{}

func (untouched) Read([]byte) (int, error) { panic("the input was read without a terminal") }

func want(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is missing in\n%s", p, text)
		}
	}
}

func never(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if strings.Contains(text, p) {
			t.Errorf("%q must not be in\n%s", p, text)
		}
	}
}

// Short forms of bodies.
func begin() event.Body { return event.TurnStarted{Origin: event.OriginUser} }

func done(o event.Outcome) event.Body {
	return event.TurnCompleted{Outcome: o, Origin: event.OriginUser}
}

func command(id, title string) event.Body {
	return event.ToolStarted{ID: id, Tool: event.ToolCommand, Name: "Bash", Title: title}
}

func ended(id, output string) event.Body {
	return event.ToolEnded{ID: id, Outcome: event.Success, Output: output}
}

func ask(id, cmd string) event.Body {
	return event.ApprovalAsked{ID: id, ToolID: "tool-" + id, Tool: event.ToolCommand, Name: "Bash", Title: cmd, Command: cmd, Dir: "/p"}
}

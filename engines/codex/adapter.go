package codex

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"time"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/engines"
	"keva/engines/proc"
)

// capabilities of Codex. A reason is passed on for the main agent only: see explain.
var capabilities = runtime.Capabilities{
	PartialText: true, Steer: true, Resume: true, TaskStop: true, ApprovesReads: true, Images: true, ContextMeter: true,
	TurnsUnasked: true, DenyWithReason: true,
}

// adapter is a running app-server that serves one thread of ours.
type adapter struct {
	o    Options
	s    runtime.Start
	sink runtime.Sink
	p    *proc.Process

	thread string // ours; set before Start returns

	writing chan struct{} // holds one token: who has it maps and writes a frame

	mu     sync.Mutex // the mapper, the order of events, and what follows
	m      *Mapper
	held   *[]event.Event // events of the start, nil once it has succeeded
	calls  map[string]chan message
	next   int
	exited bool
	ended  chan struct{} // closed and replaced whenever a turn or a task ends

	done chan struct{} // closed after the last event
}

var _ runtime.Runtime = (*adapter)(nil)

func newAdapter(o Options, s runtime.Start, sink runtime.Sink) *adapter {
	return &adapter{
		o: o, s: s, sink: sink, m: NewMapper(), held: &[]event.Event{}, calls: map[string]chan message{},
		writing: make(chan struct{}, 1), done: make(chan struct{}), ended: make(chan struct{}),
	}
}

func (a *adapter) now() time.Time { return time.Now().UTC() }

func jsonInt(n int) string { return strconv.Itoa(n) }

// Capabilities implements runtime.Runtime.
func (a *adapter) Capabilities() runtime.Capabilities { return capabilities }

// Done implements runtime.Runtime.
func (a *adapter) Done() <-chan struct{} { return a.done }

// watch tells the end of the process, which is the last event.
func (a *adapter) watch() {
	<-a.p.Done()
	exit := a.p.Exit()
	exit.Stderr = withoutKey(exit.Stderr, a.s.Provider)
	a.mu.Lock()
	a.exited = true
	a.deliver(a.m.Map(engines.Frame{Time: a.now(), Dir: engines.Exit, Exit: &exit}))
	a.mu.Unlock()
	close(a.done)
}

// release delivers what was held back, now that the start has succeeded.
func (a *adapter) release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	held := *a.held
	a.held = nil
	a.deliver(held)
}

// handshake brings the engine to a thread of ours, and makes sure that it will ask about everything (I-16).
func (a *adapter) handshake(ctx context.Context) error {
	_, err := a.call(ctx, "initialize", map[string]any{
		"clientInfo":   map[string]any{"name": "keva", "title": "Keva", "version": a.o.AppVersion},
		"capabilities": map[string]any{"experimentalApi": true},
	})
	if err != nil {
		return err
	}
	if err := a.write(ctx, message{Method: "initialized"}); err != nil {
		return err
	}
	method, open := openThread(a.s)
	raw, err := a.call(ctx, method, open)
	if err != nil {
		return err
	}
	var r openReply
	if !params(raw, &r) || r.Thread.ID == "" {
		return &event.Error{Class: event.ClassEngine, Message: "Codex answered in a way that Keva does not understand.", Detail: clip(string(raw), 2000)}
	}
	if err := checkAsks(r.ApprovalPolicy, r.Reviewer); err != nil {
		return err
	}
	a.thread = r.Thread.ID
	return nil
}

// asks is the only approval policy under which the engine asks about every command and every edit.
const asks = "untrusted"

// checkAsks refuses a session in which something could run unasked.
func checkAsks(policy json.RawMessage, reviewer string) error {
	if word(policy) == asks && (reviewer == "" || reviewer == "user") {
		return nil
	}
	return &event.Error{
		Class: event.ClassConfig,
		Message: "This session does not start: Codex would run commands and change files without asking. " +
			"Install the version that Keva was made for (" + Version + "): run `make engines`.",
		Detail: "approval policy " + word(policy) + ", reviewer " + reviewer,
	}
}

// checkPolicy ends a session whose policy was changed under way. Called with mu held.
func (a *adapter) checkPolicy(raw json.RawMessage) {
	var p struct {
		ThreadID string `json:"threadId"`
		Settings struct {
			ApprovalPolicy json.RawMessage `json:"approvalPolicy"`
			Reviewer       string          `json:"approvalsReviewer"`
		} `json:"threadSettings"`
	}
	if !params(raw, &p) || checkAsks(p.Settings.ApprovalPolicy, p.Settings.Reviewer) == nil {
		return
	}
	a.deliver([]event.Event{{Time: a.now(), Body: event.Notice{
		Level: event.LevelError, Class: event.ClassConfig,
		Text:   "Codex was stopped: its settings changed so that it would no longer ask before it runs commands or changes files.",
		Detail: "approval policy " + word(p.Settings.ApprovalPolicy) + ", reviewer " + p.Settings.Reviewer,
	}}})
	go a.p.Stop()
}

// startError explains a start that failed.
func (a *adapter) startError(err error) error {
	var known *event.Error
	var refused *callError
	exit := a.p.Exit()
	exit.Stderr = withoutKey(exit.Stderr, a.s.Provider)
	switch {
	case errors.As(err, &known) && known.Class != event.ClassEngineGone:
		return known
	case errors.As(err, &refused) && refused.method == "thread/resume":
		return &event.Error{
			Class: event.ClassResume, Message: "Codex can't continue its old session.", Detail: refused.Message,
		}
	case errors.As(err, &refused):
		return &event.Error{
			Class: event.ClassConfig, Message: "Codex refused to open a session. It said: " + clip(refused.Message, 300), Detail: refused.Error(),
		}
	case errors.Is(err, context.DeadlineExceeded):
		return &event.Error{
			Class: event.ClassEngine,
			Message: "Codex did not answer within " + a.o.Handshake.String() +
				", so it was stopped. Try again; if it stays so, the engine may be damaged. " + a.o.Place.Reinstall(),
			Detail: exit.Stderr,
		}
	case errors.Is(err, context.Canceled):
		return &event.Error{Class: event.ClassInterrupted, Message: "The start was stopped."}
	}
	return exitError("Codex ended before it was ready.", exit)
}

package kill

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/slot"
	"keva/engines/proc"
)

// The scripted engine: a process as the real ones are, with tools in sessions of their own, approvals, background work and
// a session of its own that it can continue. It costs milliseconds, so it can be killed often. Its wire is the event stream
// itself.

// wish is a line to the scripted engine.
type wish struct {
	Message string `json:"message,omitempty"`
	ID      string `json:"id"`
	Allow   bool   `json:"allow,omitempty"`
}

// hello is the prompt that needs no tour, for the real engines as well.
const hello = "#script hello"

const (
	stateEnv   = "KEVA_KILL_STATE"  // where the scripted engine keeps its sessions
	resumeEnv  = "KEVA_KILL_RESUME" // the session to continue
	sessionEnv = "KEVA_SESSION"     // as the real adapters mark what they start
)

// factory starts scripted engines whose files lie below dir.
type factory struct{ dir string }

func (factory) ID() string                                         { return "scripted" }
func (factory) Label() string                                      { return "Scripted" }
func (factory) Check(context.Context, *slot.Lease) (string, error) { return "1", nil }

func (f factory) Start(_ context.Context, l *slot.Lease, s runtime.Start, sink runtime.Sink) (runtime.Runtime, error) {
	if !l.Valid() {
		return nil, errors.New("started without a lease")
	}
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(f.dir, s.Resume)); s.Resume != "" && err != nil {
		return nil, &event.Error{Class: event.ClassResume, Message: "no such session", Detail: err.Error()}
	}
	r := &scripted{sink: sink, done: make(chan struct{}), open: map[string]bool{}}
	started := make(chan struct{})
	p, err := proc.Start(proc.Spec{
		Path: os.Args[0], Dir: s.Dir,
		Env:    []string{"PATH=" + os.Getenv("PATH"), roleEnv + "=" + roleEngine, stateEnv + "=" + f.dir, resumeEnv + "=" + s.Resume, sessionEnv + "=" + s.Session},
		OnLine: func(line []byte) { <-started; r.line(line) },
		Record: proc.RecordSpec{Dir: recordDir(filepath.Dir(f.dir)), Engine: f.ID(), Session: s.Session},
	})
	r.proc = p
	close(started)
	if err != nil {
		return nil, err
	}
	go r.wait()
	return r, nil
}

// scripted is the adapter of one scripted engine.
type scripted struct {
	proc *proc.Process
	done chan struct{}

	mu   sync.Mutex // the order of events
	sink runtime.Sink
	open map[string]bool
}

func (r *scripted) line(line []byte) {
	var e event.Event
	if err := json.Unmarshal(line, &e); err != nil {
		e = event.Event{Body: event.Unrecognised{Type: "torn", Raw: string(line)}}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if a, ok := e.Body.(event.ApprovalAsked); ok {
		r.open[a.ID] = true
	}
	r.sink(e)
}

func (r *scripted) wait() {
	<-r.proc.Done()
	r.mu.Lock()
	r.sink(event.Event{Body: r.proc.Exit()})
	r.mu.Unlock()
	close(r.done)
}

func (r *scripted) write(ctx context.Context, w wish, b event.Body) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sink(event.Event{Body: b}) // what is said is in the stream before the engine hears it
	line, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return r.proc.Write(ctx, line)
}

func (r *scripted) Send(ctx context.Context, m runtime.Message) error {
	return r.write(ctx, wish{Message: m.Text, ID: m.ID}, event.UserMessage{ID: m.ID, Text: m.Text, Context: m.Context, Delivery: event.DeliveryPrompt})
}

func (r *scripted) Answer(ctx context.Context, id string, a runtime.Answer) (bool, error) {
	r.mu.Lock()
	first := r.open[id]
	delete(r.open, id)
	r.mu.Unlock()
	if !first {
		return false, nil
	}
	return true, r.write(ctx, wish{ID: id, Allow: a.Decision == event.Allow}, event.ApprovalResolved{ID: id, Decision: a.Decision, By: a.By})
}

func (r *scripted) Capabilities() runtime.Capabilities {
	return runtime.Capabilities{PartialText: true, Resume: true}
}
func (r *scripted) Interrupt(context.Context) error        { return nil }
func (r *scripted) StopTask(context.Context, string) error { return nil }
func (r *scripted) Done() <-chan struct{}                  { return r.done }

func (r *scripted) Stop(context.Context) error {
	r.proc.Stop()
	<-r.done
	return nil
}

// engineMain is the program. Half of the engines end when Keva does, as the real ones do. Others miss that while they are
// on a tour, and a few hear no signal either.
func engineMain() {
	stubborn := rand.IntN(2) == 0
	if stubborn {
		signal.Ignore(syscall.SIGPIPE)
	}
	e := &program{out: json.NewEncoder(os.Stdout), answers: make(chan bool, 1)}
	id := os.Getenv(resumeEnv)
	if id == "" {
		id = fmt.Sprintf("s%x", rand.Uint64())
		if err := os.WriteFile(filepath.Join(os.Getenv(stateEnv), id), nil, 0o600); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	e.say("", "", event.SessionReady{EngineSession: id, Engine: "Scripted 1"})
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var w wish
		if json.Unmarshal(in.Bytes(), &w) != nil {
			os.Exit(3)
		}
		if w.Message == "" {
			e.answers <- w.Allow
			continue
		}
		e.turns++
		if stubborn = stubborn && !strings.HasPrefix(w.Message, hello); stubborn && deaf() {
			signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		}
		go e.turn(fmt.Sprint("t", e.turns), w)
	}
	if stubborn {
		time.Sleep(time.Hour)
	}
}

type program struct {
	mu      sync.Mutex
	out     *json.Encoder
	turns   int
	answers chan bool
}

func (e *program) say(turn, scope string, b event.Body) {
	e.mu.Lock()
	defer e.mu.Unlock()
	_ = e.out.Encode(event.Event{Turn: turn, Scope: scope, Body: b}) // whoever does not listen any more misses it
}

// turn is one answer, of some fifty events within a fifth of a second.
func (e *program) turn(turn string, w wish) {
	e.say(turn, "", event.TurnStarted{Origin: event.OriginUser})
	end := event.TurnCompleted{Outcome: event.Success, Origin: event.OriginUser, Messages: []string{w.ID}}
	if strings.HasPrefix(w.Message, hello) {
		e.text(turn, "", "h", "Hello.")
		e.say(turn, "", end)
		return
	}
	for step := range 4 {
		id := func(kind string) string { return fmt.Sprint(turn, kind, step) }
		e.text(turn, "", id("b"), "I look at it and go on, one word after the other.")
		tool := command()
		e.say(turn, "", event.ToolStarted{ID: id("i"), Tool: event.ToolCommand, Name: "sh", Title: "make test"})
		e.say(turn, "", event.ApprovalAsked{ID: id("r"), Tool: event.ToolCommand, ToolID: id("i"), Command: "make test"})
		outcome, class := event.Success, event.Class("")
		if !<-e.answers {
			outcome, class = event.Failure, event.ClassDenied
		}
		e.say(turn, "", event.ToolOutput{ID: id("i"), Text: "ok\n"})
		e.say(turn, "", event.ToolEnded{ID: id("i"), Outcome: outcome, Class: class, Output: "ok\n"})
		tool()
		e.say(turn, "", event.TaskStarted{ID: id("a"), Task: event.TaskAgent, Title: "look for more", Background: step == 3})
		e.say(turn, id("a"), event.ToolStarted{ID: id("j"), Tool: event.ToolRead, Title: "README.md"})
		e.text(turn, id("a"), id("c"), "An agent says something.")
		if step == 3 {
			break
		}
		e.say(turn, id("a"), event.ToolEnded{ID: id("j"), Outcome: event.Success})
		e.say(turn, "", event.TaskEnded{ID: id("a"), Outcome: event.Success})
	}
	background := command()
	e.say(turn, "", end)
	time.Sleep(30 * time.Millisecond) // answered, and one still runs
	e.say(turn, "", event.TaskEnded{ID: turn + "a3", Outcome: event.Success})
	background()
}

func (e *program) text(turn, scope, block, text string) {
	for _, word := range strings.SplitAfter(text, " ") {
		e.say(turn, scope, event.TextDelta{Block: block, Text: word})
		time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
	}
	e.say(turn, scope, event.TextFinal{Block: block, Text: text})
}

// command starts a tool in a session of its own, and one below it.
func command() (end func()) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"="+roleTool)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if cmd.Start() != nil {
		return func() {}
	}
	return func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // how it ended is known
	}
}

// Package runtime is the port through which the domain drives an engine: what an engine can do, how one is started, and
// what it is asked. It is implemented below engines/ and must never learn which engines exist (I-5): a consumer asks
// Capabilities.
package runtime

import (
	"context"
	"time"

	"keva/agent/event"
	"keva/agent/slot"
	"keva/agent/trust"
)

// Capabilities are declared by a Runtime. A zero field means "no": nothing is assumed from the kind of an engine.
type Capabilities struct {
	Heartbeats     bool // sends Heartbeat events while it works; only then is a watchdog armed
	PartialText    bool // sends TextDelta; else whole blocks
	Steer          bool // a message sent while busy joins the running turn
	Queue          bool // a message sent while busy may wait for the next turn
	Resume         bool // can continue a session of its own after a restart
	TaskStop       bool // a single task can be stopped
	ApprovesReads  bool // asks also before it only reads
	Images         bool // takes images
	ContextMeter   bool // tells how full the context is
	TurnsUnasked   bool // may start turns that nobody asked for
	DenyWithReason bool // passes the reason of a denial on to the model
}

// Provider is where inference happens.
type Provider struct {
	Name    string // for people
	BaseURL string // "" = the engine's own default
	Key     string // secret; never logged, never in argv
	Model   string // what is asked for when the user chose none; "" = the engine's default
	// Aliases say which model stands for a name that the engine uses by itself (opus, sonnet, haiku).
	Aliases map[string]string
	// Traffic tells what passes between engine and provider, where Keva can see it; nil where it can't.
	Traffic func() Traffic
}

// Traffic is evidence from the road between engine and provider.
type Traffic struct {
	LastIn    time.Time // last byte from the provider, zero when there was none
	Open      int       // requests under way
	LastError string    // why the provider could not be reached, "" when it last could
}

// Vitals is evidence from the engine's process tree.
type Vitals struct {
	PID      int
	CPU      time.Duration // of the whole tree, as far as it could be read
	CPUKnown bool
	Children int // living descendants
}

// Witness is implemented by a Runtime that can tell its vitals. It may walk the process table: call it seldom.
type Witness interface{ Vitals() Vitals }

// Start is all that an engine needs to begin.
type Start struct {
	Session string // Keva's session id; marks the process
	Dir     string // absolute path of the project; must exist
	Model   string // "" = the engine's default
	Effort  string // "" = the engine's default
	// Resume is the engine session to continue; "" = a new one. An engine that has lost it refuses with an error of
	// event.ClassResume; one that opens another one instead says so with a notice of that class.
	Resume       string
	Provider     Provider
	Instructions string // appended to the engine's system prompt: the project's own CLAUDE.md / AGENTS.md
	// Trusted is what the project would run or allow and the user has agreed to. Nothing else of the project's own
	// settings is obeyed.
	Trusted []trust.Entry
}

// Message is a prompt of the user.
type Message struct {
	ID   string // unique in the session, a UUID
	Text string // valid UTF-8, not empty
	// Context is sent before Text as a block of its own: a handoff brief or a replay; usually "".
	Context string
}

// Answer is the reply to an ApprovalAsked or a QuestionAsked.
type Answer struct {
	Decision event.Decision // Allow or Deny
	By       event.By
	Reason   string              // why not, for the model
	Answers  map[string][]string // of a question, by Question.ID
}

// Sink takes the events of one engine in delivery order. It is called from one goroutine at a time, must not block for
// long, and must not call back into the Runtime. What the sink has taken is what the user will see.
type Sink func(event.Event)

// Runtime is one running engine, serving one session. Its methods may be called from any goroutine.
//
// Whatever is sent to the engine becomes an event before it is written (a UserMessage, an ApprovalResolved), so the
// stream tells what the engine was told. After the process is gone the last event is an EngineExited.
type Runtime interface {
	Capabilities() Capabilities
	// Send gives the engine a message. It returns once the message is written.
	Send(ctx context.Context, m Message) error
	// Answer replies to request id. It reports whether this call was the one that resolved it: the first answer wins,
	// a later one returns false and a nil error.
	Answer(ctx context.Context, id string, a Answer) (bool, error)
	// Interrupt stops the running turn, its tasks and their commands. The end comes as an event.
	Interrupt(ctx context.Context) error
	// StopTask stops one task, where Capabilities.TaskStop.
	StopTask(ctx context.Context, id string) error
	// Stop ends the process by the stop ladder and returns when it is gone. Calling it again is harmless.
	Stop(ctx context.Context) error
	// Done is closed after the last event was delivered.
	Done() <-chan struct{}
}

// Factory makes Runtimes of one engine.
type Factory interface {
	ID() string    // stable key for settings and the store
	Label() string // for people
	// Start launches the engine. The lease proves that no other surface runs one (I-13). Errors are *event.Error.
	Start(ctx context.Context, l *slot.Lease, s Start, sink Sink) (Runtime, error)
	// Check runs the engine's version command and compares it with the pinned version. Errors are *event.Error with a
	// remedy.
	Check(ctx context.Context, l *slot.Lease) (version string, err error)
}

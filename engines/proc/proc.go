// Package proc runs child processes: session leader, line reader without a limit, run record, stop ladder, death classes;
// and it ends those that outlived an earlier Keva. It knows no engine and no protocol, and it must never signal a process
// that it did not start or can't prove to descend from one that it started.
package proc

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"keva/agent/event"
)

// Spec says what to run. Env is the whole environment: nothing is inherited.
type Spec struct {
	Path string
	Args []string // without argv[0]
	Env  []string
	Dir  string
	// OnLine is called for each line of stdout, in order, from one goroutine, without the newline. The slice is only
	// valid during the call. There is no limit to a line's length. A last line without a newline is delivered too.
	OnLine func([]byte)
	// OnErr is the same for stderr, from another goroutine. It may be nil; the tail is kept anyway.
	OnErr func([]byte)
	// OnEOF is called once after the last line of stdout, from the goroutine of OnLine, also while the process still runs:
	// an engine that closed its stdout is lost, and only its adapter can say so. It may be nil.
	OnEOF func()
	// Record asks for a run record. When it can't be written the start fails: see Reclaim.
	Record RecordSpec
}

// Rung is one step of a stop ladder: Do asks the process to end, then up to Wait is spent waiting for it. Do must return;
// one that waits itself (for the end of a turn, say) gives up when the process is Done.
type Rung struct {
	Name string
	Do   func()
	Wait time.Duration
}

// ErrGone is returned by Write after the process ended or its stdin was closed.
var ErrGone = errors.New("the process is gone")

// Process is a running child. Its methods may be called from any goroutine.
type Process struct {
	id    identity // of the leader
	os    *os.Process
	stdin *lineWriter
	tail  *tail
	run   *run

	reaped chan struct{} // closed when the leader was waited for
	done   chan struct{} // closed when reaped and all output was delivered

	mu     sync.Mutex
	rung   string             // the rung of the ladder that was climbed last, "" outside of a stop
	ours   map[os.Signal]bool // the signals that the ladder sent
	exited event.EngineExited // valid after done

	stopping sync.Mutex // one ladder at a time
	budgets  budgets
	kin      *kin
}

// PID is the process id, also after it ended.
func (p *Process) PID() int { return p.id.pid }

// Write writes line and a newline to stdin, one caller at a time. It gives up with ctx.
//
// An error means that nothing of the line was written, or that the process is gone, with one exception: when ctx ends
// while the child has taken a part of the line, the rest follows before any other line, because half a frame would
// spoil the next one. The error then is a *PartialError.
func (p *Process) Write(ctx context.Context, line []byte) error { return p.stdin.write(ctx, line) }

// CloseStdin closes stdin, cutting a line that is being written. Calling it again is harmless.
func (p *Process) CloseStdin() { p.stdin.close() }

// Done is closed when the process was reaped and all of its output was delivered. A descendant that holds stdout open
// after the process died does not hold Done: what it writes later than budget.Output is not read.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit tells how it ended; valid after Done. Before that its class is event.ExitUnknown.
func (p *Process) Exit() event.EngineExited {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exited
}

// Package proc runs child processes: session leader, line reader without a limit, stop ladder, death classes. It knows
// no engine and no protocol.
package proc

import (
	"context"
	"errors"

	"keva/agent/event"
)

// Spec says what to run. Env is the whole environment: nothing is inherited.
type Spec struct {
	Path string
	Args []string // without argv[0]
	Env  []string
	Dir  string
	// OnLine is called for each line of stdout, in order, from one goroutine, without the newline. The slice is only
	// valid during the call. There is no limit to a line's length.
	OnLine func([]byte)
	// OnErr is the same for stderr, from another goroutine. It may be nil; the tail is kept anyway.
	OnErr func([]byte)
}

// Rung is one step of a stop ladder: Do asks the process to end, then up to Wait is spent waiting for it.
type Rung struct {
	Name string
	Do   func()
	Wait Duration
}

// ErrGone is returned by Write after the process ended or its stdin was closed.
var ErrGone = errors.New("the process is gone")

// Process is a running child.
type Process struct{ impl }

// Start launches spec as a session leader. A process that can't be started gives an *event.Error of class
// event.ClassEngine whose message names the cause and the remedy (missing file, missing loader, not executable, wrong
// format, missing directory).
func Start(spec Spec) (*Process, error) { return start(spec) }

// PID is the process id, also after it ended.
func (p *Process) PID() int { return p.pid() }

// Write writes line and a newline to stdin, whole or not at all as far as the caller can see, one caller at a time. It
// gives up with ctx.
func (p *Process) Write(ctx context.Context, line []byte) error { return p.write(ctx, line) }

// CloseStdin closes stdin. Calling it again is harmless.
func (p *Process) CloseStdin() { p.closeStdin() }

// Done is closed when the process was reaped and all of its output was delivered.
func (p *Process) Done() <-chan struct{} { return p.done() }

// Exit tells how it ended; valid after Done.
func (p *Process) Exit() event.EngineExited { return p.exit() }

// Stop climbs the ladder until the process is gone: the given rungs first, then close stdin, SIGINT, SIGTERM, SIGKILL,
// then verified descendants. The rung that worked is in Exit().Rung. It returns when the process is gone.
func (p *Process) Stop(rungs ...Rung) { p.stop(rungs) }

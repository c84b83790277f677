// Package headless is the surface without a screen: it runs one prompt on a terminal or in a pipe, prints what happens as
// a worklog or as JSON lines, asks approvals, and says by its exit code how it went. It shows what the screen shows: the
// rows of ui/transcript. It must never start an engine, decide how something ended, or let text from outside reach the
// terminal with control characters in it.
package headless

import (
	"context"
	"errors"
	"io"
	"time"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/session"
)

// Session is what a run needs of a session. *session.Session has it.
type Session interface {
	Subscribe(ctx context.Context) <-chan session.Update
	Send(ctx context.Context, text string) error
	Answer(ctx context.Context, requestID string, a runtime.Answer) (bool, error)
	Interrupt(ctx context.Context) error
	Close(ctx context.Context) error
}

var _ Session = (*session.Session)(nil)

// Code is an exit code of the process.
type Code int

// The exit codes. They are documented in the README; scripts rely on them.
const (
	Success     Code = 0 // the turn succeeded, and nothing is running any more
	Failure     Code = 1 // the turn failed
	Usage       Code = 2 // bad flags, or a prompt that no engine can read
	Unknown     Code = 3 // nobody can tell how it went: the engine died, or a task was never heard of again
	Interrupted Code = 4 // Ctrl-C
	Refused     Code = 5 // it did not begin: no engine, settings that can't work, no such folder
	Timeout     Code = 6 // the time that was given is over
)

// CodeOf maps an outcome. "" is Unknown: what was not seen to succeed did not succeed.
func CodeOf(o event.Outcome) Code {
	switch o {
	case event.Success:
		return Success
	case event.Failure:
		return Failure
	case event.Interrupted:
		return Interrupted
	case event.Timeout:
		return Timeout
	case event.Unknown, "":
		return Unknown
	}
	return Unknown
}

// RefusalCode maps the error of a session that could not be made or begun.
func RefusalCode(err error) Code {
	var e *event.Error
	switch {
	case err == nil:
		return Success
	case errors.Is(err, context.DeadlineExceeded):
		return Timeout
	case errors.As(err, &e) && e.Class == event.ClassRequest:
		return Usage
	}
	return Refused
}

// Options say how a run talks to the world.
type Options struct {
	Prompt string
	Dir    string // the project; paths inside are shown relative to it

	Out io.Writer // the worklog or the JSON lines
	Err io.Writer // requests, and why it did not succeed
	In  io.Reader // answers; read only while something is asked, and only if Ask

	Ask    bool // In and Err are a terminal: a person can be asked
	Colour bool // Out and Err understand colours; see Colour
	JSON   bool // print events, not the worklog

	// Allow answers without a person what the user has allowed beforehand (approval.Policy.Decide); it may be nil. It returns event.Allow,
	// event.Deny, or "" when it has no opinion, and why.
	Allow func(event.ApprovalAsked) (event.Decision, string)

	// Signals brings Ctrl-C: the first interrupts the turn, the second ends the run. It may be nil.
	Signals <-chan struct{}

	Timeout time.Duration // of the whole run; 0 = none
	Settle  time.Duration // how long tasks may be silent after the turn was answered; 0 = the budget
	Grace   time.Duration // how long to wait for the engine's word on a task that ended; 0 = the budget
}

// Colour reports whether to use colours on an output. getenv is os.Getenv.
func Colour(terminal bool, getenv func(string) string) bool {
	return terminal && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}

// Fail prints why something did not begin, and returns its code.
func Fail(w io.Writer, err error) Code {
	p := &pen{w: w}
	p.line("keva: " + clean(err.Error()))
	var e *event.Error
	if errors.As(err, &e) && e.Detail != "" {
		p.fold(e.Detail, "  ", 4, 8)
	}
	return RefusalCode(err)
}

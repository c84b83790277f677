package plan

import (
	"context"
	"errors"
	"fmt"
	"time"

	"keva/agent/event"
	"keva/engines/proc"
)

// trial is how programs are tried.
type trial struct {
	limit   time.Duration
	records string
}

// run runs a program that ends by itself, as an engine would be run, and names what stopped it; nil when it did its work.
func (t trial) run(ctx context.Context, place Place, program Program, args ...string) *Problem {
	failed := func(err error) *Problem {
		r := ReasonOf(Explain(place, program, err))
		if r == "" {
			r = StartFailed
		}
		return place.problem(r, program.Binary, err.Error())
	}
	plan, err := New(Request{Place: place, Program: program, Args: args, Dir: place.Home})
	if err != nil {
		return failed(err)
	}
	spec := plan.Spec()
	spec.OnLine = func([]byte) {}
	spec.Record = proc.RecordSpec{Dir: t.records, Engine: program.ID}
	p, err := proc.Start(spec)
	if err != nil {
		return failed(err)
	}
	p.CloseStdin()
	limit := time.NewTimer(t.limit)
	defer limit.Stop()
	select {
	case <-p.Done():
	case <-limit.C:
		p.Stop()
		return place.problem(NoAnswer, program.Binary, t.limit.String())
	case <-ctx.Done(): // it might have answered
		p.Stop()
		out := place.problem(NoAnswer, program.Binary, ctx.Err().Error())
		out.Weight, out.Message, out.Remedy = Unknown, "Whether "+program.Binary+" runs was not found out.", "Try again."
		return out
	}
	exit := p.Exit()
	if exit.Class == event.ExitClean {
		return nil
	}
	reason, known := deaths[exit.Class]
	if !known {
		reason = StartFailed
	}
	if reason == InterpreterMissing { // it began: its interpreter was there
		reason = LibraryMissing
	}
	return place.problem(reason, program.Binary, fmt.Sprintf("exit %s, code %d %s\n%s", exit.Class, exit.Code, exit.Signal, exit.Stderr))
}

// deaths are the reasons behind classes of death. Other classes are the engine's own doing.
var deaths = map[event.ExitClass]Reason{
	event.ExitNotFound:   ProgramMissing,
	event.ExitNoLoader:   InterpreterMissing,
	event.ExitNotAllowed: ExecDenied,
	event.ExitBlocked:    SyscallBlocked,
	event.ExitKilled:     Killed,
	event.ExitCrashed:    Crashed,
}

// Explain gives the error of a failed start its reason: what the files show, else the class of death that engines/proc
// found. An error that has nothing to do with the launch is returned as it is.
func Explain(place Place, program Program, err error) error {
	if err == nil || ReasonOf(err) != "" {
		return err
	}
	reason, known := deaths[proc.DeathOf(err)]
	if !known {
		return err
	}
	if p := blocked(Static(place, program)); p != nil {
		p.Detail += " (" + err.Error() + ")"
		return p
	}
	return Because(reason, err)
}

// Died gives the error of an engine that ended before its first word its reason.
func Died(err error, exit event.EngineExited) error {
	reason, known := deaths[exit.Class]
	if err == nil || !known || ReasonOf(err) != "" {
		return err
	}
	if reason == InterpreterMissing {
		reason = LibraryMissing
	}
	return Because(reason, err)
}

// Because gives an error a reason and keeps what it says to people.
func Because(r Reason, err error) error {
	p := &Problem{Reason: r, Weight: Blocks, Message: err.Error(), Detail: err.Error()}
	if e := (*event.Error)(nil); errors.As(err, &e) {
		p.cause, p.Message, p.Detail = e, e.Message, e.Detail
	}
	return p
}

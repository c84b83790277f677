package proc

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"keva/agent/budget"
	"keva/agent/event"
)

// MarkerEnv is a variable that Start adds to the child's environment. Its value is unique to the child, and descendants
// inherit it: it proves that a process is ours even after every ancestor between died.
const MarkerEnv = "KEVA_CHILD"

var children atomic.Int64

// Start launches spec as a session leader. A process that can't be started gives (by errors.As) an *event.Error of class
// event.ClassEngine whose message names the cause and the remedy (missing file, missing loader, not executable, wrong
// format, missing directory, no run record).
func Start(spec Spec) (*Process, error) { return start(spec, system{}) }

func start(spec Spec, pr probe) (*Process, error) {
	path, err := filepath.Abs(spec.Path)
	if err != nil || spec.Path == "" {
		return nil, startError(spec.Path, spec.Dir, errors.Join(os.ErrNotExist, err))
	}
	spec.Path = path
	if err := checkDir(spec.Dir); err != nil {
		return nil, err
	}
	var ps pipes
	if err := ps.open(); err != nil {
		return nil, startError(spec.Path, spec.Dir, err)
	}
	mark := strconv.Itoa(os.Getpid()) + "." + strconv.FormatInt(time.Now().UnixNano(), 36) + "." +
		strconv.FormatInt(children.Add(1), 10)
	note, err := begin(pr, spec.Record, mark)
	if err != nil {
		ps.closeChildEnds()
		ps.closeOwnEnds()
		note.remove()
		return nil, recordError(spec.Record.Dir, err)
	}
	cmd, err := launch(spec, &ps, mark)
	ps.closeChildEnds()
	if err != nil {
		ps.closeOwnEnds()
		note.remove()
		return nil, startError(spec.Path, spec.Dir, err)
	}
	p := &Process{
		os:      cmd.Process,
		stdin:   newLineWriter(ps.in[1]),
		tail:    newTail(int(budget.Stderr.Size)),
		run:     note,
		reaped:  make(chan struct{}),
		done:    make(chan struct{}),
		ours:    map[os.Signal]bool{},
		exited:  event.EngineExited{Class: event.ExitUnknown},
		budgets: defaultBudgets,
	}
	// The leader is not reaped yet, so its pid can't belong to anybody else.
	p.id, err = identify(pr, cmd.Process.Pid)
	p.kin = newKin(pr, mark, p.id)
	if err = errors.Join(err, note.complete(pr, p.id)); err != nil && note != nil {
		p.abort(cmd, &ps)
		return nil, recordError(spec.Record.Dir, err)
	}
	p.pump(cmd, &ps, spec)
	return p, nil
}

// abort ends a child that got no byte yet and whose output nobody reads.
func (p *Process) abort(cmd *exec.Cmd, ps *pipes) {
	_ = cmd.Process.Kill() // it can't have been reaped, and SIGKILL to a child is always allowed
	_ = cmd.Wait()         // how it ended is known
	p.stdin.close()
	ps.closeOwnEnds()
	close(p.reaped)
	p.sweep()
}

// launch starts the program. A program file that was just installed may still be open for writing in a child that
// another goroutine is forking (ETXTBSY); that passes within milliseconds.
func launch(spec Spec, ps *pipes, mark string) (*exec.Cmd, error) {
	for try := 0; ; try++ {
		cmd := &exec.Cmd{
			Path:        spec.Path,
			Args:        append([]string{spec.Path}, spec.Args...),
			Env:         append(append([]string{}, spec.Env...), MarkerEnv+"="+mark),
			Dir:         spec.Dir,
			Stdin:       ps.in[0],
			Stdout:      ps.out[1],
			Stderr:      ps.err[1],
			SysProcAttr: &syscall.SysProcAttr{Setsid: true},
		}
		err := cmd.Start()
		if err == nil {
			return cmd, nil
		}
		if !errors.Is(err, syscall.ETXTBSY) || try == 5 {
			return nil, err
		}
		time.Sleep(time.Millisecond << (2 * try))
	}
}

// pump reads both outputs, reaps the leader and closes Done.
func (p *Process) pump(cmd *exec.Cmd, ps *pipes, spec Spec) {
	out, errs := newDrain(ps.out[0]), newDrain(ps.err[0])
	var readers sync.WaitGroup
	readers.Go(func() {
		readLines(out, spec.OnLine)
		if spec.OnEOF != nil {
			spec.OnEOF()
		}
	})
	readers.Go(func() { readLines(p.tail.tee(errs), spec.OnErr) })
	go func() {
		err := cmd.Wait()
		close(p.reaped)
		p.stdin.close()
		// A tool that the engine left behind may hold the pipes open for hours; the engine's own output is all in them.
		out.expire(budget.Output.Time)
		errs.expire(budget.Output.Time)
		readers.Wait()
		ps.closeOwnEnds()
		p.mu.Lock()
		p.exited = classify(cmd.ProcessState, err, p.rung, p.ours, p.tail.text())
		p.mu.Unlock()
		close(p.done)
		// An engine that ended by itself leaves tools behind too. A ladder that is under way does it itself.
		p.stopping.Lock()
		defer p.stopping.Unlock()
		p.sweep()
	}()
}

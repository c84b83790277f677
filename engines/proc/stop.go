package proc

import (
	"os"
	"syscall"
	"time"

	"keva/agent/budget"
)

// budgets are the waits of the ladder's own rungs.
type budgets struct{ stdin, sigint, sigterm, sigkill, kin time.Duration }

var defaultBudgets = budgets{
	stdin:   budget.StopStdin.Time,
	sigint:  budget.StopInt.Time,
	sigterm: budget.StopTerm.Time,
	sigkill: budget.StopKill.Time,
	kin:     budget.StopKin.Time,
}

// Stop climbs the ladder until the process is gone: the given rungs first, then close stdin, SIGINT, SIGTERM, SIGKILL,
// then verified descendants. The rung that worked is in Exit().Rung. It returns when the process is gone; only one that
// the kernel can't end (stuck in a device) outlives it, and then Done stays open.
//
// Calling it again, or for a process that ended by itself, is harmless and still ends descendants. It must not be called
// from OnLine, OnErr or OnEOF: it waits for what they read.
func (p *Process) Stop(rungs ...Rung) {
	p.stopping.Lock()
	defer p.stopping.Unlock()
	b := p.budgets
	ladder := append(append([]Rung{}, rungs...),
		Rung{"stdin", p.CloseStdin, b.stdin},
		Rung{"SIGINT", func() { p.signal(syscall.SIGINT) }, b.sigint},
		Rung{"SIGTERM", func() { p.signal(syscall.SIGTERM) }, b.sigterm},
		Rung{"SIGKILL", func() { p.signal(syscall.SIGKILL) }, b.sigkill},
	)
	for _, r := range ladder {
		// Tools have sessions of their own and new parents once the leader is dead: who they are must be known before.
		_, _ = p.kin.look() // when it fails, those of the last look are still known
		if !p.climb(r) {
			break
		}
		if p.gone(r.Wait) {
			break
		}
	}
	p.sweep()
	select {
	case <-p.reaped:
		<-p.done
	default:
	}
}

// sweep ends what is left of the descendants, and removes the run record when nothing of ours can be left: one that
// might be is for the next Reclaim. stopping is held.
func (p *Process) sweep() {
	_, left, err := p.kin.end(p.id.pid, p.budgets.kin, p.budgets.sigkill)
	select {
	case <-p.reaped:
		if len(left) == 0 && err == nil {
			p.run.remove()
		}
	default:
	}
}

// climb does one rung unless the process is gone already, and reports whether it did.
func (p *Process) climb(r Rung) bool {
	p.mu.Lock()
	select {
	case <-p.reaped:
		p.mu.Unlock()
		return false
	default:
	}
	p.rung = r.Name
	p.mu.Unlock()
	if r.Do != nil {
		r.Do()
	}
	return true
}

// gone waits up to d for the leader to be reaped.
func (p *Process) gone(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.reaped:
		return true
	case <-t.C:
		return false
	}
}

// signal sends s to the leader alone. os.Process never signals a pid that was reaped.
func (p *Process) signal(s os.Signal) {
	p.mu.Lock()
	p.ours[s] = true
	p.mu.Unlock()
	_ = p.os.Signal(s) // os.ErrProcessDone is what we want
}

// Package doctor runs checks and says what they found: what works, what does not and what to do about it, and what can't be
// known. It knows no check itself: those come from whoever knows the thing that is checked.
package doctor

import (
	"context"
	"fmt"
	"sync"
	"time"

	"keva/agent/budget"
)

// State is what is known of one thing. There is no default that reads as fine.
type State string

// The states.
const (
	OK      State = "ok"
	Warning State = "warning" // it works, and something will go wrong
	Failed  State = "failed"
	Unknown State = "unknown" // it could not be found out
	Absent  State = "absent"  // there is no such thing on this machine, and nothing needs it
)

// Finding is what a check found.
type Finding struct {
	ID     string `json:"id"` // stable, e.g. "storage"
	Group  string `json:"group"`
	Title  string `json:"title"`
	State  State  `json:"state"`
	Says   string `json:"says"`             // one sentence: what is so
	Remedy string `json:"remedy,omitempty"` // one sentence: what to do
	Detail string `json:"detail,omitempty"` // for somebody who helps; may hold paths, never secrets
}

// Check looks at one thing. Run may block; it must end with its context, and returns findings without Group: one that finds
// nothing is unknown. It is called from a goroutine of its own.
type Check struct {
	ID, Group, Title string
	Run              func(context.Context) []Finding
}

// Run runs all checks side by side and returns what they found in the order of the checks. A check that takes longer than
// budget.Doctor or that panics is unknown, and says so: one broken check never hides what the others found.
func Run(ctx context.Context, checks []Check) []Finding {
	return run(ctx, checks, budget.Doctor.Time)
}

func run(ctx context.Context, checks []Check, each time.Duration) []Finding {
	results := make([][]Finding, len(checks))
	var all sync.WaitGroup
	for i, c := range checks {
		all.Go(func() { results[i] = c.run(ctx, each) })
	}
	all.Wait()
	var out []Finding
	for i, c := range checks {
		for _, f := range results[i] {
			out = append(out, c.fill(f))
		}
	}
	return out
}

// run waits for the check, and not longer than each: what it finds later is lost.
func (c Check) run(ctx context.Context, each time.Duration) []Finding {
	ctx, cancel := context.WithTimeout(ctx, each)
	defer cancel()
	found := make(chan []Finding, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				found <- []Finding{{State: Unknown, Says: "The check itself broke.", Detail: fmt.Sprint(p)}}
			}
		}()
		found <- c.Run(ctx)
	}()
	select {
	case f := <-found:
		if len(f) == 0 {
			f = []Finding{{State: Unknown, Says: "The check found out nothing."}}
		}
		return f
	case <-ctx.Done():
		return []Finding{{
			State: Unknown, Says: "The check did not end in time.",
			Remedy: "Try again when the device is less busy.", Detail: ctx.Err().Error(),
		}}
	}
}

// fill completes a finding with what the check is about.
func (c Check) fill(f Finding) Finding {
	if f.ID == "" {
		f.ID = c.ID
	}
	if f.Title == "" {
		f.Title = c.Title
	}
	f.Group = c.Group
	switch f.State {
	case OK, Warning, Failed, Unknown, Absent:
	default: // a check that forgot to say is not fine
		f.State = Unknown
	}
	return f
}

// Worst is the state that stands for all of them.
func Worst(list []Finding) State {
	rank := map[State]int{Absent: 0, OK: 1, Unknown: 2, Warning: 3, Failed: 4}
	worst := Absent
	for _, f := range list {
		if rank[f.State] > rank[worst] {
			worst = f.State
		}
	}
	return worst
}

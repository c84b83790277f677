package headless

import (
	"fmt"
	"time"

	"keva/agent/event"
	"keva/agent/turn"
)

// over reports whether the session is settled, and how it went. While tasks live after the answer it keeps the settle
// timer running. Where more may come by itself it waits a moment: for the turn in which an engine tells of a task that
// ended, for the second try of an engine that died before it began.
func (r *run) over() (Code, bool) {
	st := r.view.State()
	begun := len(userTurns(st)) > r.turns
	if !r.delivered || !(begun || r.exited) || st.OpenTurn() != nil || len(st.PendingRequests()) > 0 {
		return 0, false
	}
	if len(st.Queue) > 0 && !r.exited {
		return 0, false
	}
	if len(st.LiveTasks()) > 0 {
		if r.settle == nil {
			r.settle = time.NewTimer(r.Settle)
		}
		return 0, false
	}
	if r.presses == 0 && ((r.outlived && !r.exited) || (!begun && !r.waited)) {
		if r.grace == nil {
			r.grace = time.NewTimer(r.Grace)
		}
		return 0, false
	}
	return r.verdict(), true
}

func userTurns(st *turn.State) []turn.Turn {
	var list []turn.Turn
	for _, t := range st.Turns {
		if t.Origin == event.OriginUser || t.Origin == event.OriginUnknown {
			list = append(list, t)
		}
	}
	return list
}

// verdict is how the prompt's turn went, tasks included, with a last sentence where that is not success.
func (r *run) verdict() Code {
	st := r.view.State()
	outcome := st.Verdict()
	if mine := userTurns(st); len(mine) <= r.turns {
		outcome = event.Unknown // the engine went before it began
	} else if last := mine[len(mine)-1]; last.Origin == event.OriginUnknown {
		outcome = last.Outcome
	}
	switch code := CodeOf(outcome); code {
	case Failure:
		return r.last(code, "It failed.")
	case Unknown:
		return r.last(code, "How it went is not known. What was shown above is what was seen.")
	case Interrupted:
		return r.last(code, "Interrupted.")
	case Timeout:
		return r.last(code, "It timed out.")
	case Success, Usage, Refused:
		return code
	}
	return Unknown
}

// unsettled gives up on tasks that nobody heard of for the settle budget (I-9: unknown, never done).
func (r *run) unsettled() Code {
	live := r.view.State().LiveTasks()
	code := Unknown
	if mine := userTurns(r.view.State()); len(mine) > r.turns && mine[len(mine)-1].Outcome != event.Success {
		code = CodeOf(mine[len(mine)-1].Outcome)
	}
	return r.last(code, fmt.Sprintf("Answered, but %s did not end within %s. How that went is not known.",
		count(len(live), "task", "tasks"), r.Settle))
}

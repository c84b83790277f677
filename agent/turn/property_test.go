package turn

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"keva/agent/event"
)

// engine makes random but legal engine behaviour: turns with and without a prompt, agents and commands, each ending by
// several signals of which some carry no id, requests, restarts, and a death at any point. faults duplicates, loses, delays
// and reorders what it sent.
type engine struct {
	r     *rand.Rand
	out   []event.Event
	turn  int
	tasks []string // started, the simulator's own list
	said  []string // messages that no turn has named yet
	n     int
}

func (g *engine) say(turn, scope string, b event.Body) {
	g.out = append(g.out, event.Event{Turn: turn, Scope: scope, Body: b})
}

func (g *engine) id(kind string) string { g.n++; return fmt.Sprint(kind, g.n) }

var outcomes = []event.Outcome{event.Success, event.Failure, event.Interrupted, event.Timeout, event.Unknown, "", "completed"}

func (g *engine) outcome() event.Outcome { return outcomes[g.r.IntN(len(outcomes))] }

func (g *engine) message(turn string, d event.Delivery) {
	id := g.id("m")
	g.said = append(g.said, id)
	if g.r.IntN(5) == 0 {
		turn = "" // its turn has not begun, or is not known
	}
	g.say(turn, "", event.UserMessage{ID: id, Delivery: d})
	if g.r.IntN(20) == 0 {
		g.say("", "", event.UserMessage{ID: id, Delivery: event.DeliveryUnknown})
	}
}

func (g *engine) endTask(turn, id string) {
	for range 1 + g.r.IntN(3) { // update, notification, tool result: any of them, in any number
		named := id
		if g.r.IntN(3) == 0 {
			named = "" // the signal that can't name its entry
		}
		g.say(turn, "", event.TaskEnded{ID: named, Outcome: g.outcome()})
	}
}

func (g *engine) run(steps int) {
	turn := ""
	for range steps {
		switch k := g.r.IntN(12); {
		case turn == "" && k < 6:
			g.turn++
			turn = fmt.Sprint("t", g.turn)
			origins := []event.Origin{event.OriginUser, event.OriginUser, event.OriginTask, event.OriginResume, event.OriginEngine}
			g.say(turn, "", event.TurnStarted{Origin: origins[g.r.IntN(len(origins))]})
			g.message(turn, event.DeliveryPrompt)
		case k == 0 && g.r.IntN(2) == 0:
			g.message(turn, []event.Delivery{event.DeliveryQueued, event.DeliverySteer, event.DeliveryPrompt}[g.r.IntN(3)])
		case k < 2:
			id := g.id("a")
			g.tasks = append(g.tasks, id)
			g.say(turn, "", event.TaskStarted{ID: id, Task: event.TaskAgent, ToolID: g.id("d"), Background: g.r.IntN(2) == 0})
		case k < 5 && len(g.tasks) > 0:
			id := g.tasks[g.r.IntN(len(g.tasks))]
			switch g.r.IntN(5) {
			case 0, 1:
				g.endTask(turn, id)
			case 2:
				g.say(turn, "", event.TaskProgress{ID: id, Doing: "x"})
			case 3:
				g.say(turn, id, event.ToolStarted{ID: g.id("i")})
			case 4:
				g.say(turn, "", event.TaskStarted{ID: id, Task: event.TaskAgent, ToolID: g.id("d")}) // restarted
			}
		case k < 7:
			id := g.id("i")
			g.say(turn, "", event.ToolStarted{ID: id})
			if g.r.IntN(3) > 0 {
				g.say(turn, "", event.ToolEnded{ID: id, Outcome: g.outcome()})
			}
		case k < 9:
			id := g.id("r")
			g.say(turn, "", event.ApprovalAsked{ID: id})
			for range g.r.IntN(3) {
				g.say(turn, "", event.ApprovalResolved{ID: id, Decision: []event.Decision{event.Allow, event.Deny, event.Withdrawn}[g.r.IntN(3)], By: event.ByUser})
			}
		case k < 10:
			g.say(turn, "", event.EngineState{Activity: []event.Activity{event.Idle, event.Running, event.Waiting}[g.r.IntN(3)]})
		case turn != "":
			n := g.r.IntN(len(g.said) + 1) // the turn has read some, all or none of what was said
			g.say(turn, "", event.TurnCompleted{Outcome: g.outcome(), Origin: event.OriginUnknown, Messages: g.said[:n:n]})
			g.said = g.said[n:]
			turn = ""
		}
	}
	if g.r.IntN(4) == 0 {
		g.say("", "", event.EngineExited{Class: []event.ExitClass{event.ExitKilled, event.ExitStopped, event.ExitClean}[g.r.IntN(3)]})
	}
}

// faults is the road between engine and ledger.
func faults(r *rand.Rand, evs []event.Event) []event.Event {
	var out []event.Event
	for _, e := range evs {
		switch r.IntN(20) {
		case 0: // lost
		case 1: // twice
			out = append(out, e, e)
		case 2: // late
			i := r.IntN(len(out) + 1)
			out = append(out[:i:i], append([]event.Event{e}, out[i:]...)...)
		default:
			out = append(out, e)
		}
	}
	return out
}

// oracle is the tiny second opinion: for each id, only what was said about that very id.
type oracle struct {
	good, bad, named map[string]bool // of the present generation
	dispatch         map[string]string
	first            map[string]event.Decision
	turnEnd          map[string]event.Outcome
	turns            map[string]bool
	open             map[string]bool // turn/, task/, req/
}

func newOracle() *oracle {
	return &oracle{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]string{}, map[string]event.Decision{}, map[string]event.Outcome{}, map[string]bool{}, map[string]bool{}}
}

func (o *oracle) see(e event.Event) {
	switch b := e.Body.(type) {
	case event.UserMessage:
		switch {
		case b.Delivery == event.DeliveryUnknown:
			delete(o.open, "msg/"+b.ID)
		case !o.turns[e.Turn] || b.Delivery == event.DeliveryQueued:
			o.open["msg/"+b.ID] = true
		}
	case event.TurnStarted:
		o.turns[e.Turn] = true
		if _, ended := o.turnEnd[e.Turn]; !ended {
			o.open["turn/"+e.Turn] = true
		}
	case event.TurnCompleted:
		o.turns[e.Turn] = true
		delete(o.open, "turn/"+e.Turn)
		if old, ended := o.turnEnd[e.Turn]; !ended || old == event.Unknown {
			for _, id := range b.Messages {
				delete(o.open, "msg/"+id)
			}
		}
		if old, ended := o.turnEnd[e.Turn]; !ended || old == event.Unknown {
			o.turnEnd[e.Turn] = orFailure(b.Outcome)
		}
	case event.TaskStarted:
		if o.named[b.ID] && o.dispatch[b.ID] == b.ToolID {
			return
		}
		if o.named[b.ID] {
			delete(o.good, b.ID)
			delete(o.bad, b.ID)
			delete(o.named, b.ID)
		}
		o.dispatch[b.ID] = b.ToolID
		o.open["task/"+b.ID] = true
	case event.TaskProgress:
		if !o.named[b.ID] {
			o.open["task/"+b.ID] = true
		}
	case event.TaskEnded:
		if b.ID == "" {
			return
		}
		o.named[b.ID] = true
		delete(o.open, "task/"+b.ID)
		switch b.Outcome {
		case event.Success:
			o.good[b.ID] = true
		case event.Unknown:
		case event.Failure, event.Interrupted, event.Timeout:
			o.bad[b.ID] = true
		default: // no outcome at all
			o.bad[b.ID] = true
		}
	case event.ApprovalAsked:
		if _, done := o.first[b.ID]; !done {
			o.open["req/"+b.ID] = true
		}
	case event.ApprovalResolved:
		if _, done := o.first[b.ID]; !done {
			o.first[b.ID] = b.Decision
		}
		delete(o.open, "req/"+b.ID)
	case event.EngineExited:
		for k := range o.open {
			if id, ok := cut(k, "task/"); ok {
				o.named[id] = true
			}
			if id, ok := cut(k, "turn/"); ok {
				o.turnEnd[id] = event.Unknown
				if b.Class == event.ExitStopped {
					o.turnEnd[id] = event.Interrupted
				}
			}
			if id, ok := cut(k, "req/"); ok {
				o.first[id] = event.Lost
			}
			delete(o.open, k)
		}
	}
}

func cut(s, prefix string) (string, bool) {
	if len(s) > len(prefix) && s[:len(prefix)] == prefix {
		return s[len(prefix):], true
	}
	return "", false
}

func orFailure(o event.Outcome) event.Outcome {
	if !o.Valid() {
		return event.Failure
	}
	return o
}

func (o *oracle) check(s *State) error {
	open := map[string]bool{}
	for _, t := range s.Turns {
		if t.Outcome == "" {
			open["turn/"+t.ID] = true
		} else if want := o.turnEnd[t.ID]; t.Outcome != want {
			return fmt.Errorf("turn %s is %q, its own end said %q", t.ID, t.Outcome, want)
		}
	}
	for _, id := range s.Queue {
		open["msg/"+id] = true
	}
	for _, t := range s.Tasks {
		switch {
		case t.Live():
			open["task/"+t.ID] = true
		case !o.named[t.ID]:
			return fmt.Errorf("task %s ended, and no signal named it", t.ID)
		case t.Outcome == event.Success && (!o.good[t.ID] || o.bad[t.ID]):
			return fmt.Errorf("task %s is shown as done; good %v, bad %v", t.ID, o.good[t.ID], o.bad[t.ID])
		case o.bad[t.ID] && t.Outcome == event.Unknown:
			return fmt.Errorf("task %s is unknown, though a signal named its failure", t.ID)
		}
	}
	for _, r := range s.Requests {
		if r.Pending() {
			open["req/"+r.ID] = true
		} else if r.Decision != o.first[r.ID] {
			return fmt.Errorf("request %s is %s, first was %s", r.ID, r.Decision, o.first[r.ID])
		}
	}
	if len(open) != len(o.open) {
		return fmt.Errorf("open: ledger %v, oracle %v", open, o.open)
	}
	for k := range open {
		if !o.open[k] {
			return fmt.Errorf("%s is open in the ledger only", k)
		}
	}
	if s.Settled() != (len(o.open) == 0) {
		return fmt.Errorf("settled %v with %v open", s.Settled(), o.open)
	}
	if p := s.Phase(); (p == PhaseSettled || p == PhaseEmpty) && len(o.open) > 0 {
		return fmt.Errorf("phase %s with %v open", p, o.open)
	}
	return nil
}

// Whatever an engine does within its protocol, and whatever the road does to it, the ledger agrees with what was said about
// each id, and with nothing else. KEVA_SEQUENCES sets how many sequences are tried.
func TestLedgerAgainstOracle(t *testing.T) {
	n := 20000
	if v, err := strconv.Atoi(os.Getenv("KEVA_SEQUENCES")); err == nil && v > 0 {
		n = v
	}
	events := 0
	seed := uint64(time.Now().UnixNano())
	if v, err := strconv.ParseUint(os.Getenv("KEVA_SEED"), 10, 64); err == nil {
		seed = v
	}
	for i := range n {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		g := &engine{r: r}
		g.run(5 + r.IntN(60))
		evs := g.out
		if i%2 == 1 {
			evs = faults(r, evs)
		}
		s, o := &State{}, newOracle()
		for k, e := range evs {
			e.Seq, e.Time = int64(k+1), t0.Add(time.Duration(k)*time.Millisecond)
			s.Apply(e)
			o.see(e)
			if err := o.check(s); err != nil {
				t.Fatalf("KEVA_SEED=%d, sequence %d, event %d (%s %+v): %v", seed, i, k, e.Body.Kind(), e.Body, err)
			}
			events++
		}
	}
	t.Logf("%d sequences, %d events", n, events)
}

package transcript

import (
	"time"

	"keva/agent/event"
)

func (b *Builder) userMessage(e event.Event, m event.UserMessage) {
	row := &User{ID: m.ID, Text: m.Text, Delivery: m.Delivery, Time: e.Time}
	if old := b.users[m.ID]; old != nil && m.ID != "" {
		was := old.row.(*User)
		row.ID, row.Time = was.ID, was.Time
		if row.Text == "" { // what became of it comes with the id alone
			row.Text = was.Text
		}
		b.set(old, row)
		return
	}
	row.ID = b.free("user", m.ID)
	b.users[m.ID] = b.add(row)
}

// turnStarted heads a turn that the user did not ask for.
func (b *Builder) turnStarted(e event.Event, t event.TurnStarted) {
	if b.started[e.Turn] {
		return
	}
	b.started[e.Turn] = true
	var text string
	switch t.Origin {
	case event.OriginUser:
		return
	case event.OriginTask:
		text = "A background task ended, so the engine goes on by itself."
	case event.OriginResume:
		text = "Work left over from before the restart."
	case event.OriginEngine:
		text = "The engine goes on by itself."
	case event.OriginUnknown:
		text = "The engine began a turn; nothing says who asked for it."
	default:
		text = "The engine began a turn of a kind that this version of Keva does not know."
	}
	b.add(&Notice{ID: b.free("notice", "turn/"+e.Turn), Level: event.LevelInfo, Text: text, Time: e.Time})
}

func (b *Builder) turnCompleted(e event.Event) {
	b.cutTexts(e.Turn, false)
	b.settleOpen(e, func(s *step) bool { return s.turn == e.Turn && s.Scope == "" })
	b.settleNodes(e, func(n *node) bool { return n.turn == e.Turn })
	b.closeRequests(e)
	b.showEnd(e.Turn, len(b.state.LiveTasks()))
}

// showEnd draws the end of a turn as the accounting has it.
func (b *Builder) showEnd(id string, live int) {
	t := b.state.Turn(id)
	if t == nil || t.Outcome == "" {
		return
	}
	sum := b.sum(id)
	row := &End{
		Outcome: t.Outcome, Origin: t.Origin, Error: t.Error, Files: len(sum.files), Added: sum.added, Removed: sum.removed, Live: live,
	}
	if d := t.Ended.Sub(t.Started); d > 0 && !t.Started.IsZero() {
		row.Duration = d.Round(time.Millisecond)
	}
	if old := b.ends[id]; old != nil {
		before := old.row.(*End)
		row.ID = before.ID
		if before.Outcome != row.Outcome {
			b.set(old, row)
		}
		return
	}
	row.ID = b.free("end", id)
	b.ends[id] = b.add(row)
	delete(b.trees, id) // a task that the turn's late signals start gets a tree below the end
}

// engineExited closes everything that was open: its end will not come (I-9, I-11).
func (b *Builder) engineExited(e event.Event, x event.EngineExited) {
	b.cutTexts("", true)
	b.settleOpen(e, func(*step) bool { return true })
	b.settleNodes(e, func(*node) bool { return true })
	b.closeRequests(e)
	b.compaction = nil
	var cut []string
	for i := range b.state.Turns {
		t := &b.state.Turns[i]
		if b.ends[t.ID] == nil && t.Outcome != "" {
			cut = append(cut, t.ID)
		}
	}
	quiet := x.Class == event.ExitStopped || (x.Class == event.ExitClean && len(cut) == 0)
	if !quiet {
		b.addNotice(e, exitNotice(x))
	}
	for _, id := range cut {
		b.showEnd(id, 0)
		if end := b.ends[id]; end != nil && !quiet {
			row := *end.row.(*End)
			row.Error = nil // the notice above says it
			b.set(end, &row)
		}
	}
}

func exitNotice(x event.EngineExited) *Notice {
	n := &Notice{Level: event.LevelError, Class: event.ClassEngineGone, Text: x.Advice, Detail: x.Stderr}
	if n.Text != "" {
		if x.Class == event.ExitUnknown {
			n.Level = event.LevelWarning
		}
		return n
	}
	switch x.Class {
	case event.ExitClean:
		n.Text = "The engine ended before it was done. Send a message to go on."
	case event.ExitCode:
		n.Text = "The engine ended with an error. Send a message to start it again."
	case event.ExitStopped:
		n.Text = "The engine was stopped."
	case event.ExitKilled:
		n.Text = "The system ended the engine, most likely for want of memory. Close other apps, then send a message to go on."
	case event.ExitCrashed:
		n.Text = "The engine crashed. Send a message to start it again."
	case event.ExitBlocked:
		n.Text = "The system forbids something that the engine needs, so it was ended. Another version of the engine may work."
	case event.ExitNotFound:
		n.Text = "The engine's program is not there. Install the engine again in the settings."
	case event.ExitNoLoader:
		n.Text = "The engine's program can't be started on this system: its loader is missing. Install the engine again in the settings."
	case event.ExitNotAllowed:
		n.Text = "The engine's program may not be run. Check its permissions, or install it again in the settings."
	case event.ExitUnknown:
		n.Level = event.LevelWarning
		n.Text = "The engine is gone, and nobody saw how. What was shown is kept; send a message to go on."
	default:
		n.Text = "The engine ended. Send a message to start it again."
	}
	return n
}

package transcript

import (
	"strings"
	"time"

	"keva/agent/event"
)

// step is one tool call, wherever it is shown: in a run of the main agent, in the node of a task, as a card of its own, or
// (still) nowhere.
type step struct {
	WorkStep
	turn    string
	out     strings.Builder // pieces of the output
	outcome event.Outcome
	fate    event.Decision // of the request that it waits for; "" when there is none or it is open
	waiting bool           // a request is open
	started bool           // its own start was seen, not only a request for it
	shown   bool
	rows    []func() // put a change on the screen; none while it is shown nowhere
}

// watch adds a row that shows the step.
func (s *step) watch(changed func()) { s.rows = append(s.rows, changed) }

// refresh works out the mark and tells the row.
func (s *step) refresh() {
	s.Mark = s.mark()
	for _, changed := range s.rows {
		changed()
	}
}

func (s *step) mark() Mark {
	switch {
	case s.outcome != "":
		return MarkOf(s.outcome)
	case s.waiting:
		return MarkWaiting
	}
	switch s.fate {
	case event.Deny:
		return MarkFailed
	case event.Withdrawn:
		return MarkInterrupted
	case event.Lost:
		return MarkUnknown
	case event.Allow, "":
		return MarkRunning
	}
	return MarkUnknown
}

func (b *Builder) toolStarted(e event.Event, t event.ToolStarted) {
	if s := b.steps[t.ID]; s != nil && s.started && (s.outcome == "" || s.turn == e.Turn) {
		return // told twice
	}
	s := b.step(e, t.ID, t.Tool)
	s.started = true
	s.Tool, s.Name, s.Title, s.Started = t.Tool, t.Name, t.Title, e.Time
	if t.Tool == event.ToolRead || t.Tool == event.ToolEdit || t.Tool == event.ToolImage {
		s.Title = b.rel(t.Title)
	}
	if e.Scope == "" {
		b.stopThinking()
		b.stopRetry()
	}
	b.place(e, s)
	b.adoptRequest(s)
	s.refresh()
}

// step returns the open step id, or makes it.
func (b *Builder) step(e event.Event, id string, tool event.Tool) *step {
	if s := b.steps[id]; s != nil && (s.outcome == "" || s.turn == e.Turn) {
		return s
	}
	s := &step{turn: e.Turn}
	s.ID, s.Tool, s.Scope, s.Started, s.Mark = id, tool, e.Scope, e.Time, MarkRunning
	b.steps[id] = s
	b.open = append(b.open, s)
	delete(b.edits, id)
	delete(b.webs, id)
	return s
}

// place shows a step that has begun. Some tools only speak through other events: an agent through its task, a plan through
// the plan, a question through its card. Their step is shown at its end, if nothing else tells of it.
func (b *Builder) place(e event.Event, s *step) {
	if s.shown {
		return
	}
	if s.Scope != "" {
		b.showInNode(e, s)
		return
	}
	switch s.Tool {
	case event.ToolEdit:
		b.showEdit(b.edit(s))
	case event.ToolWeb:
		b.showWeb(s)
	case event.ToolAgent, event.ToolPlan, event.ToolQuestion:
	case event.ToolCommand, event.ToolRead, event.ToolSearch, event.ToolMCP, event.ToolImage, event.ToolOther:
		b.showInRun(s)
	default: // a word of a later version
		b.showInRun(s)
	}
}

// run is a Work row that may still get steps.
type run struct {
	id, turn string
	steps    []*step
}

// showInRun appends a step to the run that is the last thing on the screen, or begins one.
func (b *Builder) showInRun(s *step) {
	s.shown = true
	if e := b.last(); e != nil && e.run != nil && e.run.turn == s.turn {
		e.run.steps = append(e.run.steps, s)
		s.watch(func() { b.touch(e) })
		b.touch(e)
		return
	}
	r := &run{id: b.free("work", s.ID), turn: s.turn, steps: []*step{s}}
	e := &entry{run: r, build: r.row}
	b.insert(len(b.entries), e)
	s.watch(func() { b.touch(e) })
}

func (r *run) row() Row {
	w := &Work{ID: r.id, Steps: copySteps(r.steps)}
	w.Mark, w.Title = workMark(w.Steps), workTitle(w.Steps)
	return w
}

func copySteps(steps []*step) []WorkStep {
	list := make([]WorkStep, len(steps))
	for i, s := range steps {
		list[i] = s.WorkStep
	}
	return list
}

// workMark sums up a run. A step that was done again with the same title counts as it went the last time: a test that
// failed first and passed then does not make the run a failed one.
func workMark(steps []WorkStep) Mark {
	type what struct {
		tool  event.Tool
		title string
	}
	seen := make(map[what]bool, len(steps))
	worst := MarkDone
	for i := len(steps) - 1; i >= 0; i-- {
		s := &steps[i]
		if w := (what{s.Tool, s.Title}); seen[w] && s.Mark != MarkRunning && s.Mark != MarkWaiting {
			continue
		} else {
			seen[w] = true
		}
		if rank(s.Mark) > rank(worst) {
			worst = s.Mark
		}
	}
	return worst
}

func rank(m Mark) int {
	switch m {
	case MarkDone:
		return 0
	case MarkUnknown:
		return 1
	case MarkInterrupted:
		return 2
	case MarkFailed:
		return 3
	case MarkWaiting:
		return 4
	case MarkRunning:
		return 5
	}
	return 1
}

func (b *Builder) toolOutput(o event.ToolOutput) {
	s := b.steps[o.ID]
	if s == nil || s.outcome != "" || o.Text == "" {
		return // late pieces: the whole output has replaced them
	}
	s.out.WriteString(o.Text)
	s.Output = s.out.String()
	s.refresh()
}

func (b *Builder) toolEnded(e event.Event, t event.ToolEnded) {
	s := b.steps[t.ID]
	if s == nil { // its start was lost; the end is shown all the same
		s = b.step(e, t.ID, event.ToolOther)
	}
	if t.Output != "" {
		s.out = strings.Builder{}
		s.Output = t.Output
	}
	if t.ExitCode != nil {
		s.ExitCode = t.ExitCode
	}
	if t.Class == event.ClassDenied {
		s.Denied = true
	}
	if s.Ended = e.Time; t.Millis > 0 {
		s.Started = e.Time.Add(-time.Duration(t.Millis) * time.Millisecond)
	}
	b.settle(e, s)
	b.taskAnswered(t)
	if t.Background != "" {
		b.revealTask(t.Background)
	}
}

// settle takes the end of a step from the accounting.
func (b *Builder) settle(e event.Event, s *step) {
	it := b.state.Item(s.ID)
	switch {
	case it == nil: // only asked for, never begun, and now its turn is over
		if s.fate == "" || s.fate == event.Allow {
			s.outcome = event.Unknown
		}
		if d := b.edits[s.ID]; d != nil && d.result != "" {
			s.outcome = d.result
		}
	case it.Outcome == "":
		return
	default:
		s.outcome = it.Outcome
	}
	if s.Ended.IsZero() {
		s.Ended = e.Time
	}
	s.waiting = false
	if !s.shown && (it == nil || !b.toldElsewhere(s)) {
		b.showLate(e, s)
	}
	s.refresh()
}

// toldElsewhere reports whether a step that ended without being shown is told by another row.
func (b *Builder) toldElsewhere(s *step) bool {
	switch s.Tool {
	case event.ToolAgent:
		return b.dispatched(s.ID) != nil
	case event.ToolPlan:
		return s.outcome == event.Success
	case event.ToolQuestion:
		return s.outcome == event.Success || b.asked[s.ID] != nil
	case event.ToolCommand, event.ToolRead, event.ToolSearch, event.ToolEdit, event.ToolWeb, event.ToolMCP,
		event.ToolImage, event.ToolOther:
	}
	return false
}

func (b *Builder) showLate(e event.Event, s *step) {
	if s.Scope != "" {
		b.showInNode(e, s)
		return
	}
	b.showInRun(s)
}

// settleOpen closes the steps that the accounting has closed in the meantime, at the end of a turn, a task or the engine.
func (b *Builder) settleOpen(e event.Event, over func(*step) bool) {
	open := b.open[:0]
	for _, s := range b.open {
		if s.outcome == "" && (b.state.Item(s.ID) != nil || over(s)) {
			b.settle(e, s)
		}
		if s.outcome == "" {
			open = append(open, s)
		}
	}
	clear(b.open[len(open):])
	b.open = open
}

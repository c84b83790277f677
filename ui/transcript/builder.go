package transcript

import (
	"keva/agent/event"
	"keva/agent/turn"
)

// Builder makes rows of events, one after the other, and never looks back further than to the rows that an event is
// about. How something ended it takes from the accounting (agent/turn); it never decides that by itself.
//
// It has no clock and no goroutine. It is not safe for concurrent use; the rows that it returns are.
type Builder struct {
	list
	dir   string // the project
	state turn.State

	texts      map[blockKey]*textBlock
	openTexts  []*textBlock
	streaming  *textBlock // of the main agent
	reasonings map[blockKey]*reasoning
	thinking   *reasoning
	steps      map[string]*step // by tool id, the latest
	open       []*step          // those whose end was not seen, in order of start
	edits      map[string]*edit
	webs       map[string]*web
	nodes      map[string]*node // by task id
	nodeList   []*node
	trees      map[string]*tree  // by turn
	tools      map[string]string // the task that a tool call dispatched
	started    map[string]bool   // turns whose start was seen
	requests   map[string]*request
	pending    []*request
	asked      map[string]*request // by tool id, the latest
	users      map[string]*entry
	plans      map[string]*entry   // by turn
	ends       map[string]*entry   // by turn
	sums       map[string]*fileSum // by turn
	retry      *entry
	compaction *entry
	notices    int
}

// New returns a Builder for a session in the project dir, an absolute path; paths inside are shown relative to it. An
// empty dir is taken from the first SessionReady that has one.
func New(dir string) *Builder {
	return &Builder{
		list: newList(), dir: dir,
		texts: map[blockKey]*textBlock{}, reasonings: map[blockKey]*reasoning{}, steps: map[string]*step{},
		edits: map[string]*edit{}, webs: map[string]*web{}, nodes: map[string]*node{}, trees: map[string]*tree{},
		requests: map[string]*request{}, asked: map[string]*request{}, users: map[string]*entry{},
		plans: map[string]*entry{}, ends: map[string]*entry{}, sums: map[string]*fileSum{},
		tools: map[string]string{}, started: map[string]bool{},
	}
}

// Apply takes the next events and returns what they change. The rows are the same however the events are cut into calls;
// one call for many events only saves work.
func (b *Builder) Apply(evs ...event.Event) []Change {
	for _, e := range evs {
		b.state.Apply(e)
		b.apply(e)
	}
	return b.flush()
}

// Rows returns the rows as they are now.
func (b *Builder) Rows() []Row {
	rows := make([]Row, len(b.entries))
	for i, e := range b.entries {
		rows[i] = e.row
	}
	return rows
}

// Len is the number of rows.
func (b *Builder) Len() int { return len(b.entries) }

// Row is the row at i.
func (b *Builder) Row(i int) Row { return b.entries[i].row }

// Index finds a row by its key.
func (b *Builder) Index(key string) (int, bool) {
	if e := b.keys[key]; e != nil {
		return e.index, true
	}
	return 0, false
}

// Version counts the forms that the row with this key has had; 0 means that there is no such row.
func (b *Builder) Version(key string) int {
	if e := b.keys[key]; e != nil {
		return e.version
	}
	return 0
}

// State is the accounting behind the rows. It must not be changed.
func (b *Builder) State() *turn.State { return &b.state }

func (b *Builder) apply(e event.Event) {
	switch body := e.Body.(type) {
	case event.SessionReady:
		if b.dir == "" {
			b.dir = body.Dir
		}
	case event.TurnStarted:
		b.turnStarted(e, body)
	case event.UserMessage:
		b.userMessage(e, body)
	case event.TextDelta:
		b.textDelta(e, body)
	case event.TextFinal:
		b.textFinal(e, body)
	case event.ReasoningDelta:
		b.reasoningDelta(e, body)
	case event.ReasoningFinal:
		b.reasoningFinal(e, body)
	case event.ToolStarted:
		b.toolStarted(e, body)
	case event.ToolOutput:
		b.toolOutput(body)
	case event.ToolEnded:
		b.toolEnded(e, body)
	case event.FileChange:
		b.fileChange(e, body)
	case event.WebActivity:
		b.webActivity(e, body)
	case event.Plan:
		b.plan(e, body)
	case event.ApprovalAsked:
		b.approvalAsked(e, body)
	case event.ApprovalResolved:
		b.approvalResolved(e, body)
	case event.QuestionAsked:
		b.questionAsked(e, body)
	case event.QuestionAnswered:
		b.questionAnswered(e, body)
	case event.TaskStarted:
		b.taskStarted(e, body)
	case event.TaskProgress:
		b.taskProgress(e, body)
	case event.TaskEnded:
		b.taskEnded(e, body)
	case event.Retrying:
		b.retrying(e, body)
	case event.Compaction:
		b.compacting(e, body)
	case event.Notice:
		b.notice(e, body)
	case event.TurnCompleted:
		b.turnCompleted(e)
	case event.EngineExited:
		b.engineExited(e, body)
	case event.Usage, event.Limits, event.Heartbeat, event.EngineState, event.Unrecognised:
		// The status line and the diagnostics show these; they are not rows.
	}
	if b.retry != nil && b.state.Retry == nil {
		b.stopRetry()
	}
}

package transcript

import (
	"strings"

	"keva/agent/event"
)

// node is one task: a sub-agent or a command in the background. What happens in its scope goes into it and nowhere else
// (I-10).
type node struct {
	TaskNode
	turn   string
	parent *node
	tree   *tree // nil while the task is not shown: its step tells enough
	steps  []*step
	block  string // the text block that it speaks
	text   strings.Builder
	told   bool // TaskStarted was seen
}

// tree is the row of the tasks that a turn dispatched.
type tree struct {
	e     *entry
	id    string
	nodes []*node
	tail  *entry // the last row that stands below the tree because it belongs to it
}

// node returns task id, or makes it.
func (b *Builder) node(e event.Event, id string) *node {
	if n := b.nodes[id]; n != nil {
		return n
	}
	n := &node{turn: e.Turn}
	n.ID, n.Kind, n.Started, n.Generation, n.Mark = id, event.TaskAgent, e.Time, 1, MarkRunning
	b.nodes[id] = n
	b.nodeList = append(b.nodeList, n)
	return n
}

func (b *Builder) taskStarted(e event.Event, t event.TaskStarted) {
	st := b.state.Task(t.ID)
	if st == nil {
		return // names no task
	}
	n := b.node(e, t.ID)
	if t.Agent != "" {
		n.Agent = t.Agent
	}
	if t.ToolID != "" {
		b.tools[t.ToolID] = t.ID
	}
	if !n.told {
		n.told, n.turn, n.Started = true, st.Turn, e.Time
		if e.Scope != t.ID {
			n.parent = b.nodes[e.Scope]
		}
	}
	if st.Generation > n.Generation {
		n.Generation, n.Started, n.Summary, n.Class = st.Generation, e.Time, "", ""
	}
	b.refreshNode(n)
	if s := b.steps[t.ToolID]; s != nil && st.Kind == event.TaskCommand && !st.Background {
		return // a command in the foreground: its step shows it
	}
	b.reveal(n)
}

func (b *Builder) taskProgress(e event.Event, p event.TaskProgress) {
	if b.state.Task(p.ID) == nil {
		return
	}
	n := b.node(e, p.ID)
	if p.Doing != "" && len(n.steps) == 0 {
		n.Doing = p.Doing
	}
	b.refreshNode(n)
	if !n.told || p.Background {
		b.reveal(n)
	}
}

func (b *Builder) taskEnded(e event.Event, t event.TaskEnded) {
	st := b.state.Task(t.ID)
	if st == nil {
		return // ends nothing (I-6)
	}
	n := b.node(e, t.ID)
	if t.Summary != "" && (n.Summary == "" || t.Outcome != event.Success) {
		n.Summary = t.Summary // what it said itself is better than the engine's word on it, unless that is bad news
	}
	b.settleOpen(e, func(s *step) bool { return s.Scope == t.ID })
	b.refreshNode(n)
	if !n.told {
		b.reveal(n)
	}
}

// taskText keeps what a task says: the block that it spoke last.
func (b *Builder) taskText(e event.Event, block, text string, whole bool) {
	n := b.node(e, e.Scope)
	if n.block != block || whole {
		n.block, n.text = block, strings.Builder{}
	}
	n.text.WriteString(text)
	if strings.TrimSpace(n.text.String()) != "" {
		n.Summary = n.text.String()
	}
	b.reveal(n)
	b.touchNode(n)
}

// showInNode appends a step to the task whose scope it is in.
func (b *Builder) showInNode(e event.Event, s *step) {
	s.shown = true
	n := b.node(e, s.Scope)
	n.steps = append(n.steps, s)
	if n.Mark == MarkRunning || n.Mark == MarkWaiting {
		n.Doing = s.Title
	}
	b.reveal(n)
	s.watch(func() { b.touchNode(n) })
	b.touchNode(n)
}

// refreshNode takes the state of a task from the accounting.
func (b *Builder) refreshNode(n *node) {
	if st := b.state.Task(n.ID); st != nil {
		n.Kind, n.Background, n.Class, n.Ended = st.Kind, st.Background, st.Class, st.Ended
		if st.Title != "" {
			n.Title = st.Title
		}
		n.Mark = MarkOf(st.Outcome)
		if !st.Live() {
			n.Doing = ""
		}
	}
	b.touchNode(n)
}

func (b *Builder) touchNode(n *node) {
	if n.tree != nil {
		b.touch(n.tree.e)
	}
}

// revealTask shows a task that was hidden behind its step.
func (b *Builder) revealTask(id string) {
	if n := b.nodes[id]; n != nil {
		b.refreshNode(n)
		b.reveal(n)
	}
}

// reveal puts a node into the tree of the turn that dispatched it, below its parent.
func (b *Builder) reveal(n *node) {
	if n.tree != nil {
		return
	}
	var t *tree
	if n.parent != nil {
		b.reveal(n.parent)
		t, n.Depth = n.parent.tree, n.parent.Depth+1
	} else {
		t = b.trees[n.turn]
	}
	if t == nil {
		t = &tree{id: b.free("tasks", n.turn)}
		b.trees[n.turn] = t
	}
	at := len(t.nodes)
	if n.parent != nil {
		for i, p := range t.nodes {
			if p == n.parent {
				for at = i + 1; at < len(t.nodes) && t.nodes[at].Depth > p.Depth; at++ {
				}
			}
		}
	}
	t.nodes = append(t.nodes[:at], append([]*node{n}, t.nodes[at:]...)...)
	n.tree = t
	if t.e == nil {
		t.e = &entry{build: func() Row { return b.treeRow(t) }}
		b.insert(len(b.entries), t.e)
	}
	b.touch(t.e)
}

func (b *Builder) treeRow(t *tree) Row {
	r := &Tasks{ID: t.id, Nodes: make([]TaskNode, len(t.nodes))}
	for i, n := range t.nodes {
		r.Nodes[i] = n.TaskNode
		r.Nodes[i].Steps = copySteps(n.steps)
		if n.Mark == MarkRunning && b.waits(n.ID) {
			r.Nodes[i].Mark = MarkWaiting
		}
	}
	return r
}

// underTree shows a row that belongs to a task below the tree that the task is in.
func (b *Builder) underTree(scope string, r Row) *entry {
	n := b.nodes[scope]
	if n == nil || n.tree == nil {
		return b.add(r)
	}
	t := n.tree
	at := t.e
	if t.tail != nil && t.tail.index > at.index {
		at = t.tail
	}
	t.tail = b.after(at, r)
	return t.tail
}

// dispatched returns the task that tool call id dispatched, or nil.
func (b *Builder) dispatched(id string) *node { return b.nodes[b.tools[id]] }

// taskAnswered takes what the call that dispatched a task returned: its answer, when it was waited for.
func (b *Builder) taskAnswered(t event.ToolEnded) {
	n := b.dispatched(t.ID)
	if n == nil || n.Kind != event.TaskAgent || t.Background != "" || n.Background || strings.TrimSpace(t.Output) == "" {
		return
	}
	n.Summary = t.Output
	b.touchNode(n)
}

// settleNodes closes what the accounting has closed, or never heard of: nobody will tell how it went (I-9).
func (b *Builder) settleNodes(e event.Event, over func(*node) bool) {
	for _, n := range b.nodeList {
		if n.Mark != MarkRunning {
			continue
		}
		if b.state.Task(n.ID) == nil && over(n) {
			n.Mark, n.Ended, n.Doing = MarkUnknown, e.Time, ""
			for _, s := range n.steps {
				if s.outcome == "" {
					s.outcome, s.Ended = event.Unknown, e.Time
					s.refresh()
				}
			}
			b.touchNode(n)
			continue
		}
		if st := b.state.Task(n.ID); st != nil && !st.Live() {
			b.refreshNode(n)
		}
	}
}

// who names a scope for people.
func (b *Builder) who(scope string) string {
	switch n := b.nodes[scope]; {
	case scope == "":
		return "the main agent"
	case n == nil || n.Title == "":
		return "a sub-agent"
	default:
		return n.Title
	}
}

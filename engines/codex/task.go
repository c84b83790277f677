package codex

import (
	"encoding/json"
	"strings"

	"keva/agent/event"
)

// childInfo is what is known of a sub-agent's thread.
type childInfo struct {
	parent string // its parent's scope: "" for the main agent
	turn   string // the main turn that it works for
	found  bool   // its task was opened once
	live   bool
	toolID string // the item that dispatched it
	prompt string
	agent  string // path or role, the engine's word
	title  string
	rank   int    // how good the title is
	last   string // the last thing it said
}

// Titles by quality: a better one replaces a worse one.
const (
	rankNone = iota
	rankNickname
	rankPath
	rankPrompt
)

const unnamed = "Sub-agent"

// titleLen is how many characters of a prompt make a title, summaryLen how many of a result are kept with the task.
const (
	titleLen   = 80
	summaryLen = 2000
)

// discover opens the ledger entry of a sub-agent, whichever sign came first: nothing announces one reliably (F13).
func (m *Mapper) discover(t *thread, parent, turn string) {
	if t.own || t.child.live {
		return
	}
	c := &t.child
	if c.parent == "" {
		c.parent = parent
	}
	if turn != "" {
		c.turn = turn
	}
	if c.turn == "" {
		if mt := m.mainThread(); mt != nil {
			c.turn = mt.open
		}
	}
	c.live, c.found = true, true
	if c.toolID == "" && c.rank == rankNone {
		m.spawned(t)
	}
	title := c.title
	if title == "" {
		title = unnamed
	}
	m.emit(c.turn, c.parent, event.TaskStarted{
		ID: t.id, Task: event.TaskAgent, Title: title, Agent: c.agent, ToolID: c.toolID, Prompt: c.prompt,
	})
}

// spawned describes a sub-agent whose first sign of life came before the spawnAgent call returned and named it: it is the
// one of the only such call that is open. With several, its name comes a moment later.
func (m *Mapper) spawned(t *thread) {
	var only *wireItem
	for _, p := range m.threads {
		for _, it := range p.items {
			if it.Type != "collabAgentToolCall" || it.Tool != "spawnAgent" {
				continue
			}
			if only != nil {
				return
			}
			only = it
		}
	}
	if only == nil {
		return
	}
	c := &t.child
	c.toolID, c.prompt = only.ID, only.Prompt
	if title := firstLine(only.Prompt, titleLen); title != "" {
		c.title, c.rank = title, rankPrompt
	}
}

// named takes a title if it is better than the one before.
func (m *Mapper) named(t *thread, title string, rank int) {
	if title == "" || rank <= t.child.rank {
		return
	}
	t.child.title, t.child.rank = title, rank
	if t.child.live {
		m.emit(t.child.turn, t.child.parent, event.TaskProgress{ID: t.id, Title: title})
	}
}

// ended closes the ledger entry of a sub-agent that lives. Every caller has a frame that carries the thread's id (I-6).
// A signal about one that has ended says nothing new.
func (m *Mapper) ended(t *thread, o event.Outcome, class event.Class, summary, via string) {
	if t.own || !t.child.live {
		return
	}
	t.child.live, t.open = false, ""
	t.child.toolID = "" // a run that follows has another dispatch
	m.emit(t.child.turn, t.child.parent, event.TaskEnded{
		ID: t.id, Outcome: o, Class: class, Summary: clip(summary, summaryLen), Via: via,
	})
}

// progress says that a sub-agent does something.
func (m *Mapper) progress(t *thread, p event.TaskProgress) {
	p.ID = t.id
	m.emit(t.child.turn, t.child.parent, p)
}

// childTurnStarted (re)opens a sub-agent: a follow-up makes an ended one work again.
func (m *Mapper) childTurnStarted(t *thread, turn wireTurn) {
	root := ""
	if turn.RootTurnID != turn.ID {
		root = turn.RootTurnID
	}
	if root != "" {
		t.child.turn = root
	}
	if info := t.turns[turn.ID]; info != nil {
		return // a repetition, perhaps of a turn that has ended: it must not open the task again
	}
	t.turns[turn.ID] = &turnInfo{origin: event.OriginEngine}
	t.open, t.err, t.retries, t.child.last = turn.ID, nil, 0, ""
	m.discover(t, "", root)
}

// childTurnCompleted ends a sub-agent. It never ends a turn of the main agent (I-10).
func (m *Mapper) childTurnCompleted(t *thread, turn wireTurn, via string) {
	if info := t.turns[turn.ID]; info != nil {
		info.ended = true
	}
	if t.open != "" && t.open != turn.ID {
		return // the end of an earlier run, come late: the run that goes on is not meant
	}
	if !t.child.live && t.open == "" && t.turns[turn.ID] != nil {
		return // told already
	}
	m.discover(t, "", "")
	o := outcome(turn.Status)
	summary, class := t.child.last, event.Class("")
	for _, raw := range turn.Items {
		if it, ok := decodeItem(raw); ok && it.Type == "agentMessage" && it.Text != "" {
			summary = it.Text
		}
	}
	err := failure(turn.Error)
	if err == nil && o == event.Failure {
		err = t.err
	}
	if err != nil {
		class, summary = err.Class, err.Message
		if o == event.Success {
			o = event.Failure
		}
	}
	if o == event.Interrupted {
		class = event.ClassInterrupted
	}
	m.outlived(t, turn.ID, o)
	m.ended(t, o, class, summary, via)
	t.open = ""
}

// completedBy is the prefix of the item that tells a parent that a run of its sub-agent is complete; the run's turn id
// follows.
const completedBy = "subagent-completed-"

// activity is the parent's remark about a sub-agent: it names the sub-agent's thread.
func (m *Mapper) activity(parent *thread, turn string, it *wireItem, done bool) {
	if it.AgentThreadID == "" {
		return
	}
	t, _ := m.lookup(it.AgentThreadID)
	if t.own {
		return
	}
	if !t.child.found {
		t.child.agent = it.AgentPath
		if it.Kind == "started" {
			t.child.toolID = it.ID
		}
		if t.child.rank < rankPath && it.AgentPath != "" {
			t.child.title, t.child.rank = pathTitle(it.AgentPath), rankPath
		}
		m.discover(t, parent.scope(), m.turnFor(parent, turn))
	}
	m.named(t, pathTitle(it.AgentPath), rankPath)
	switch it.Kind {
	case "started":
	case "interacted":
		if !t.child.live {
			t.child.toolID = it.ID
		} else if done {
			m.progress(t, event.TaskProgress{Doing: "got a message"})
		}
	case "completed", "interrupted":
		// The item opens just before the sub-agent's own end, which knows more, and closes just after it.
		if !done || (strings.HasPrefix(it.ID, completedBy) && t.open != "" && it.ID != completedBy+t.open) {
			return
		}
		o, class := event.Success, event.Class("")
		if it.Kind == "interrupted" {
			o, class = event.Interrupted, event.ClassInterrupted
		}
		m.ended(t, o, class, t.child.last, "subAgentActivity "+it.Kind)
	default:
		m.in(parent, turn, event.NewUnrecognised("subAgentActivity "+it.Kind, []byte(it.ID)))
	}
}

// collab is a call of the older sub-agent tools; receiverThreadIds and agentsStates name the sub-agents.
func (m *Mapper) collab(parent *thread, turn string, it *wireItem, done bool) {
	for _, id := range it.Receivers {
		t, _ := m.lookup(id)
		if t.own {
			continue
		}
		title := ""
		if it.Tool == "spawnAgent" {
			title = firstLine(it.Prompt, titleLen)
		}
		if !t.child.found {
			if it.Tool == "spawnAgent" {
				t.child.toolID, t.child.prompt = it.ID, it.Prompt
			}
			t.child.title, t.child.rank = title, rankPrompt
			if title == "" {
				t.child.rank = rankNone
			}
			m.discover(t, parent.scope(), m.turnFor(parent, turn))
		}
		m.named(t, title, rankPrompt)
		if !done && !t.child.live {
			t.child.toolID = it.ID // should it wake the sub-agent up, this is the dispatch
		}
	}
	// Other calls carry the states as they were before the call: sendInput says "completed" and wakes the sub-agent up.
	if !done || (it.Tool != "wait" && it.Tool != "closeAgent") {
		return
	}
	for _, id := range sortedKeys(it.Agents) {
		t, s := m.threads[id], it.Agents[id]
		if t == nil || t.own {
			continue
		}
		via := it.Tool + " agentsStates"
		switch s.Status {
		case "pendingInit", "running":
		case "completed":
			m.ended(t, event.Success, "", s.Message, via)
		case "interrupted", "shutdown":
			m.ended(t, event.Interrupted, event.ClassInterrupted, s.Message, via)
		case "notFound":
			m.ended(t, event.Unknown, "", s.Message, via)
		default: // errored, and any word that is not known
			m.ended(t, event.Failure, event.ClassOther, s.Message, via)
		}
	}
}

// outlived deals with the commands that a turn leaves open. After a turn that completed they run on as background
// terminals: tasks of their own, and the session is not settled before they end. After any other end nobody knows: a
// command that was interrupted just after it was allowed never runs, and no frame says so. It becomes a task when the
// engine lists it.
func (m *Mapper) outlived(t *thread, turn string, o event.Outcome) {
	waits := map[string]bool{}
	for _, r := range m.pending {
		if r.thread == t.id {
			waits[r.item] = true
		}
	}
	for _, id := range sortedKeys(t.items) {
		it := t.items[id]
		switch {
		case it.turn != turn || it.task:
		case it.Type != "commandExecution" || it.refused || waits[id]:
			delete(t.items, id) // the accounting closes it with its turn
		case o == event.Success:
			m.backgroundTask(t, it)
		}
	}
}

func (m *Mapper) backgroundTask(t *thread, it *wireItem) {
	it.task = true
	m.emit(m.turnFor(t, it.turn), t.scope(), event.TaskStarted{
		ID: it.ID, Task: event.TaskCommand, Title: firstLine(unwrap(it.Command), titleLen), ToolID: it.ID, Background: true,
	})
}

// listed takes the engine's list of background terminals: those commands run.
func (m *Mapper) listed(t *thread, result json.RawMessage) {
	var r struct {
		Data []struct {
			ItemID    string `json:"itemId"`
			ProcessID string `json:"processId"`
		} `json:"data"`
	}
	if t == nil || !params(result, &r) {
		return
	}
	runs := map[string]bool{}
	for _, d := range r.Data {
		runs[d.ItemID] = true
		it := t.items[d.ItemID]
		if it == nil {
			continue // of a turn that Keva did not see
		}
		it.ProcessID = d.ProcessID
		if !it.task && it.turn != t.open {
			m.backgroundTask(t, it)
		}
	}
	for id, it := range t.items {
		if it.Type == "commandExecution" && !it.task && !it.stopped && it.turn != t.open && !runs[id] {
			delete(t.items, id) // it never ran; should it end after all, its end is told
		}
	}
}

// openCommands reports whether a turn left commands behind of which nobody knows whether they run.
func (t *thread) openCommands() bool {
	for _, it := range t.items {
		if it.Type == "commandExecution" && !it.task && !it.stopped && it.turn != t.open {
			return true
		}
	}
	return false
}

// scope is the scope of what comes from the thread.
func (t *thread) scope() string {
	if t.own {
		return ""
	}
	return t.id
}

// turnFor is the main turn that a frame of the thread belongs to.
func (m *Mapper) turnFor(t *thread, turn string) string {
	if !t.own {
		return t.child.turn
	}
	if turn = t.turnID(turn); turn != "" {
		return turn
	}
	return t.open
}

func pathTitle(path string) string {
	return path[strings.LastIndexByte(path, '/')+1:]
}

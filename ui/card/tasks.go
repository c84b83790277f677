package card

import (
	"fmt"
	"time"

	"keva/agent/event"
	"keva/ui/draw"
	"keva/ui/mark"
	"keva/ui/theme"
	"keva/ui/transcript"
)

// maxIndent is how deep the tree is drawn; deeper tasks stand at this depth.
const maxIndent = 4

// tasks draws the tree of sub-agents and background commands.
func (c *card) tasks(b *draw.Board, r *transcript.Tasks) float32 {
	layer := b.Layer()
	key := r.Key()
	open := c.actions.open(key, true)
	title, right, state := tasksTitle(r)
	y := c.header(b, line{
		id: key, mark: state, text: words(title, draw.Strong), right: words(right, draw.Secondary), fold: true, open: open, tap: c.toggle(key, true),
	})
	if open {
		for i := range r.Nodes {
			y = c.node(b, y, &r.Nodes[i])
		}
	}
	return surface(b, layer, y)
}

// tasksTitle counts by identity of state: what is unknown is named, and is never part of what is done.
func tasksTitle(r *transcript.Tasks) (title, right string, state transcript.Mark) {
	var agents, commands, others, running, failed, unknown, interrupted int
	for i := range r.Nodes {
		n := &r.Nodes[i]
		switch n.Kind {
		case event.TaskAgent:
			agents++
		case event.TaskCommand:
			commands++
		case event.TaskOther:
			others++
		}
		switch n.Mark {
		case transcript.MarkRunning, transcript.MarkWaiting:
			running++
		case transcript.MarkFailed:
			failed++
		case transcript.MarkUnknown:
			unknown++
		case transcript.MarkInterrupted:
			interrupted++
		case transcript.MarkDone:
		}
	}
	part := func(n int, one, many string) string {
		if n == 0 {
			return ""
		}
		return count(n, one, many)
	}
	title = part(agents, "agent", "agents")
	for _, more := range []string{part(commands, "command", "commands"), part(others, "task", "tasks")} {
		if title != "" && more != "" {
			title += ", "
		}
		title += more
	}
	state = transcript.MarkDone
	for _, s := range []struct {
		n    int
		mark transcript.Mark
	}{{interrupted, transcript.MarkInterrupted}, {failed, transcript.MarkFailed}, {unknown, transcript.MarkUnknown}, {running, transcript.MarkRunning}} {
		if s.n > 0 {
			state = s.mark
			right = fmt.Sprintf("%d %s", s.n, mark.Word(s.mark))
		}
	}
	if len(r.Nodes) == 1 {
		right = ""
	}
	return title, right, state
}

// node draws one task; it opens when it said or did more than its line.
func (c *card) node(b *draw.Board, y float32, n *transcript.TaskNode) float32 {
	key := "task/" + n.ID
	open := c.actions.open(key, false)
	indent := float32(min(n.Depth, maxIndent)) * (theme.MarkSize + gap)
	title := n.Title
	if title == "" {
		title = n.Agent
	}
	style := draw.Label
	if n.Kind == event.TaskCommand {
		style = draw.Mono
	}
	l := line{id: key, mark: n.Mark, indent: indent, text: words(one(title), style), right: words(nodeRight(n, c.now), draw.Secondary), open: open}
	switch n.Mark {
	case transcript.MarkUnknown, transcript.MarkFailed:
		l.tag, l.tone = mark.Word(n.Mark), mark.ToneOf(n.Mark)
	case transcript.MarkWaiting, transcript.MarkRunning, transcript.MarkDone, transcript.MarkInterrupted:
	}
	more := n.Summary != "" || len(n.Steps) > 0
	if more {
		l.fold, l.tap = true, c.toggle(key, false)
	}
	y = c.entry(b, y, l)
	if !open || !more {
		return y
	}
	inner := indent + theme.MarkSize + gap
	for i := range n.Steps {
		y = c.step(b, y, &n.Steps[i], inner)
	}
	if n.Summary != "" {
		b.Rule(1, y, b.Width-2)
		y += theme.Space2
		y = c.long(b, "summary "+n.ID, pad+inner, y, b.Width-2*pad-inner, n.Summary, draw.Label.In(theme.Muted)) + theme.Space2
	}
	return y
}

// nodeRight is what it does, and for how long.
func nodeRight(n *transcript.TaskNode, now time.Time) string {
	again := ""
	if n.Generation > 1 {
		again = fmt.Sprintf("run %d", n.Generation)
	}
	switch n.Mark {
	case transcript.MarkRunning:
		doing := n.Doing
		if doing == "" && n.Background {
			doing = "background"
		}
		return join(again, doing, elapsed(n.Started, now))
	case transcript.MarkUnknown, transcript.MarkFailed:
		return again
	case transcript.MarkInterrupted:
		return join(again, "stopped")
	case transcript.MarkWaiting:
		return "waits for you"
	case transcript.MarkDone:
		if !n.Ended.IsZero() && !n.Started.IsZero() {
			return join(again, took(n.Ended.Sub(n.Started)))
		}
	}
	return again
}

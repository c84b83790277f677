package transcript

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"keva/agent/event"
)

func (b *Builder) notice(e event.Event, n event.Notice) {
	row := &Notice{Level: n.Level, Class: n.Class, Text: n.Text, Detail: n.Detail}
	if e.Scope != "" {
		row.Text = b.who(e.Scope) + ": " + n.Text
	}
	b.addNotice(e, row)
}

func (b *Builder) addNotice(e event.Event, row *Notice) *entry {
	b.notices++
	row.ID, row.Time = b.free("notice", strconv.Itoa(b.notices)), e.Time
	return b.add(row)
}

// retrying keeps one row while the engine tries again, and takes it away when work goes on.
func (b *Builder) retrying(e event.Event, r event.Retrying) {
	if e.Scope != "" {
		n := b.node(e, e.Scope)
		n.Doing = "trying again, " + attempt(r)
		b.reveal(n)
		b.touchNode(n)
		return
	}
	text := r.Cause.Message
	if text == "" {
		text = "The provider could not be reached."
	}
	row := &Notice{
		Level: event.LevelWarning, Class: r.Cause.Class, Detail: r.Cause.Detail,
		Text: sentence(text) + " Trying again, " + attempt(r) + wait(r.DelayMillis) + ".",
	}
	if b.retry != nil {
		row.ID, row.Time = b.retry.row.(*Notice).ID, e.Time
		b.set(b.retry, row)
		return
	}
	b.retry = b.addNotice(e, row)
	b.retry.passing = true
}

// sentence ends a text with a full stop, unless it has an end.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?:") {
		return s
	}
	return s + "."
}

func attempt(r event.Retrying) string {
	if r.Max > 0 {
		return fmt.Sprintf("%d of %d", r.Attempt, r.Max)
	}
	return fmt.Sprintf("attempt %d", r.Attempt)
}

func wait(millis int64) string {
	d := time.Duration(millis) * time.Millisecond
	if d < 500*time.Millisecond {
		return ""
	}
	return ", in " + d.Round(time.Second).String()
}

func (b *Builder) stopRetry() {
	if b.retry != nil {
		b.remove(b.retry)
		b.retry = nil
	}
}

// compacting keeps one row for each shortening of the conversation.
func (b *Builder) compacting(e event.Event, c event.Compaction) {
	if e.Scope != "" {
		return // a sub-agent's own conversation
	}
	row := &Notice{Level: event.LevelInfo, Detail: c.Message}
	switch c.State {
	case event.CompactionStarted:
		row.Text = "The conversation is being shortened so that it fits."
	case event.CompactionDone:
		row.Text = "The conversation was shortened so that it fits."
		if c.Before > 0 && c.After > 0 {
			row.Text = fmt.Sprintf("The conversation was shortened from %d to %d tokens.", c.Before, c.After)
		}
	case event.CompactionFailed:
		row.Level = event.LevelWarning
		row.Text = "The conversation could not be shortened. If it no longer fits, begin a new session."
	default:
		row.Text = "The conversation is being shortened."
	}
	if b.compaction != nil {
		row.ID, row.Time = b.compaction.row.(*Notice).ID, e.Time
		b.set(b.compaction, row)
	} else {
		b.compaction = b.addNotice(e, row)
	}
	if c.State != event.CompactionStarted {
		b.compaction = nil
	}
}

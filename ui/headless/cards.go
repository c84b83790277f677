package headless

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"keva/agent/approval"
	"keva/agent/event"
	"keva/ui/transcript"
)

// maxDiff is how many lines of a made change the worklog shows. What is asked for is always shown whole.
const maxDiff = 200

func (l *worklog) diff(r *transcript.Diff) {
	if !l.changed(r.Key(), r.Mark) {
		return
	}
	path := oneLine(r.Path, 200)
	if r.Change.MovedTo != "" {
		path += " → " + oneLine(r.Change.MovedTo, 200)
	}
	l.line(l.mark(r.Mark) + " " + did(r.Change.Kind) + " " + l.in(bold, path) +
		l.in(muted, details(word(r.Mark, r.Denied), size(r.Change), allowed(r.Allowed), oneLine(r.Change.Note, 200))))
	if key := hunkKey(r.Change); len(r.Change.Hunks) > 0 && !l.diffs[key] {
		l.diffs[key] = true
		l.hunks(r.Change.Hunks, maxDiff)
	}
}

// hunkKey tells whether a change is the one that was shown when it was asked for.
func hunkKey(c event.Change) string { return fmt.Sprint(c.Path, c.Hunks) }

func did(k event.ChangeKind) string {
	switch k {
	case event.ChangeAdd:
		return "added"
	case event.ChangeUpdate:
		return "edited"
	case event.ChangeDelete:
		return "deleted"
	case event.ChangeMove:
		return "moved"
	case event.ChangeUnknown:
		return "changed"
	}
	return "changed"
}

func size(c event.Change) string {
	if c.Added == 0 && c.Removed == 0 {
		return ""
	}
	return fmt.Sprintf("+%d −%d", c.Added, c.Removed)
}

// hunks cleans and writes changed lines, at most max; 0 is all.
func (p *pen) hunks(hunks []event.Hunk, max int) {
	n, all := 0, 0
	for _, h := range hunks {
		all += len(h.Lines)
	}
	for _, h := range hunks {
		if max > 0 && n >= max {
			break
		}
		place := fmt.Sprintf("@@ -%d,%d +%d,%d @@", h.OldStart, h.OldLines, h.NewStart, h.NewLines)
		if !h.Placed() {
			place = "@@ line not known @@"
		}
		p.line("    " + p.in(muted, place))
		for _, line := range h.Lines {
			if max > 0 && n >= max {
				break
			}
			n++
			ink := plainInk
			if strings.HasPrefix(line, "+") {
				ink = green
			} else if strings.HasPrefix(line, "-") {
				ink = red
			}
			p.line("    " + p.in(ink, exactLine(line)))
		}
	}
	if n < all {
		p.line("    " + p.in(muted, "… "+count(all-n, "more line", "more lines")))
	}
}

// exactLine is one line of a file with everything in it that is not seen, also line ends inside it.
func exactLine(s string) string {
	shown, _ := approval.Display(strings.TrimSuffix(s, "\n"))
	return strings.ReplaceAll(shown, "\n", "‹U+000A›")
}

func (l *worklog) plan(r *transcript.Plan) {
	var texts, states []string
	done, now := 0, ""
	for _, s := range r.Steps {
		texts = append(texts, s.Text)
		states = append(states, string(s.State))
		switch s.State {
		case event.StepDone:
			done++
		case event.StepActive:
			now = s.Text
		case event.StepPending, event.StepUnknown:
		}
	}
	l.once(r.Key(), strings.Join(texts, "\x00"), func() {
		delete(l.said, "progress/"+r.Key())
		l.line("plan")
		for _, s := range r.Steps {
			l.line("    " + planSign(s.State) + " " + oneLine(s.Text, 160))
		}
		l.said["progress/"+r.Key()] = strings.Join(states, " ")
	})
	l.once("progress/"+r.Key(), strings.Join(states, " "), func() {
		if now != "" {
			now = "now: " + oneLine(now, 120)
		}
		l.line("plan" + details(strconv.Itoa(done)+" of "+strconv.Itoa(len(r.Steps))+" done", now))
	})
}

func planSign(s event.StepState) string {
	switch s {
	case event.StepDone:
		return "✓"
	case event.StepActive:
		return "▸"
	case event.StepPending:
		return "○"
	case event.StepUnknown:
		return "?"
	}
	return "?"
}

// approval prints what became of a request that no step tells.
func (l *worklog) approval(r *transcript.Approval) {
	if r.Decision == "" {
		return // it is asked on its own
	}
	if r.Decision == event.Allow && r.Asked.ToolID != "" {
		l.untold[r.Key()] = r
		return
	}
	l.printApproval(r)
}

func (l *worklog) printApproval(r *transcript.Approval) {
	l.once(r.Key(), string(r.Decision), func() {
		sign, say := l.in(red, "✕"), string(r.Decision)
		switch r.Decision {
		case event.Allow:
			sign, say = l.in(green, "✓"), "allowed"
		case event.Deny:
			say = "denied"
		case event.Withdrawn:
			sign, say = "■", "withdrawn by the engine"
		case event.Lost:
			sign, say = l.in(blue, "?"), "lost: the engine ended before it was answered"
		}
		l.line(sign + " request: " + oneLine(r.Asked.Title, 160) + l.in(muted, details(say, oneLine(r.Reason, 300))))
	})
}

func (l *worklog) question(r *transcript.Question) {
	if !r.Answered {
		return
	}
	l.once(r.Key(), "", func() {
		for _, q := range r.Asked.Questions {
			said := "not answered"
			if a, ok := r.Answers[q.ID]; ok {
				said = oneLine(strings.Join(a, ", "), 200)
			}
			l.line("? " + oneLine(q.Text, 200) + " → " + said)
		}
	})
}

func (l *worklog) notice(r *transcript.Notice) {
	l.once(r.Key(), r.Text, func() {
		sign := l.in(muted, "·")
		switch r.Level {
		case event.LevelWarning:
			sign = l.in(yellow, "▲")
		case event.LevelError:
			sign = l.in(red, "✕")
		case event.LevelInfo:
		}
		l.line(sign + " " + oneLine(r.Text, 600))
		if r.Level == event.LevelError && r.Detail != "" {
			l.fold(r.Detail, "  │ ", 2, 8)
		}
	})
}

func (l *worklog) end(r *transcript.End) {
	mark := transcript.MarkOf(r.Outcome)
	if !l.changed(r.Key(), mark) {
		return
	}
	for _, k := range slices.Sorted(maps.Keys(l.untold)) {
		l.printApproval(l.untold[k])
	}
	clear(l.untold)
	say := "done"
	switch r.Outcome {
	case event.Success:
	case event.Failure:
		say = "failed"
	case event.Interrupted:
		say = "interrupted"
	case event.Timeout:
		say = "timed out"
	case event.Unknown:
		say = "unknown: nobody saw how it ended"
	}
	files := ""
	if r.Files > 0 {
		files = count(r.Files, "file", "files") + fmt.Sprintf(" +%d −%d", r.Added, r.Removed)
	}
	live := ""
	if r.Live > 0 {
		say, live = "answered", itoa(r.Live)+" still running"
		if r.Outcome != event.Success {
			say = "ended (" + string(r.Outcome) + ")"
		}
	}
	took := ""
	if r.Duration > 0 {
		took = span(r.Duration)
	}
	l.space()
	l.line(l.mark(mark) + " " + strings.TrimSpace(details(say, live, took, files)))
	if r.Error != nil && r.Outcome != event.Success {
		l.line("  " + oneLine(r.Error.Message, 600))
	}
}

func itoa(n int) string { return strconv.Itoa(n) }

package headless

import (
	"strings"

	"keva/agent/event"
	"keva/ui/transcript"
)

// worklog prints rows as they become what they stay: a step when it has ended, a diff when it was made, text line by line
// as it comes. What was printed can't be taken back, so a row that changes later is printed again with its new word.
type worklog struct {
	pen
	texts map[string]string          // what was printed of a text row
	marks map[string]transcript.Mark // the last mark that was printed of a step, card or task
	said  map[string]string          // what was printed of other rows
	diffs map[string]bool            // hunks that were printed, so that an approved diff is not printed twice
	// untold are requests that were allowed and whose step has not come yet. It tells of them when it comes; at the end
	// of the turn they are printed.
	untold map[string]*transcript.Approval
}

func newWorklog(p pen) *worklog {
	return &worklog{
		pen: p, texts: map[string]string{}, marks: map[string]transcript.Mark{}, said: map[string]string{},
		diffs:  map[string]bool{},
		untold: map[string]*transcript.Approval{},
	}
}

// show prints what changed: first what became of rows that are there, then the new ones, which stand below them.
func (l *worklog) show(changes []transcript.Change) {
	for _, c := range changes {
		switch c.Kind {
		case transcript.Update:
			l.row(c.Row)
		case transcript.Remove:
			delete(l.untold, c.Row.Key())
		case transcript.Insert:
		}
	}
	for _, c := range changes {
		if c.Kind == transcript.Insert {
			l.row(c.Row)
		}
	}
}

func (l *worklog) row(r transcript.Row) {
	switch r := r.(type) {
	case *transcript.User:
		l.once(r.Key(), "", func() {
			l.space()
			l.fold(r.Text, "> ", 10, 5)
		})
	case *transcript.Text:
		l.text(r)
	case *transcript.Reasoning:
		if !r.Live {
			l.once(r.Key(), "", func() { l.line(l.in(muted, "  thought: "+oneLine(r.Text, 160))) })
		}
	case *transcript.Work:
		for i := range r.Steps {
			l.step(&r.Steps[i], "")
		}
	case *transcript.Diff:
		l.diff(r)
	case *transcript.Web:
		l.web(r)
	case *transcript.Plan:
		l.plan(r)
	case *transcript.Tasks:
		for i := range r.Nodes {
			l.task(&r.Nodes[i])
		}
	case *transcript.Approval:
		l.approval(r)
	case *transcript.Question:
		l.question(r)
	case *transcript.Notice:
		l.notice(r)
	case *transcript.End:
		l.end(r)
	}
}

// once prints a row when what it says has changed since it was printed.
func (l *worklog) once(key, what string, print func()) {
	if was, ok := l.said[key]; ok && was == what {
		return
	}
	l.said[key] = what
	print()
}

// changed reports whether a mark is worth a line: the end of something, or another end than the one that was printed.
func (l *worklog) changed(key string, m transcript.Mark) bool {
	if !final(m) || l.marks[key] == m {
		return false
	}
	l.marks[key] = m
	return true
}

// text prints the whole lines of a block that still grows, and the rest when it is finished.
func (l *worklog) text(r *transcript.Text) {
	printed, begun := l.texts[r.Key()]
	if !begun {
		l.space()
	}
	rest, ok := strings.CutPrefix(r.Text, printed)
	if !ok {
		l.space()
		l.line(l.in(muted, "(the text above was replaced by its final form:)"))
		rest = r.Text
	}
	show := rest
	if r.Live {
		show = rest[:strings.LastIndexByte(rest, '\n')+1]
	}
	for line := range strings.Lines(show) {
		l.line(clean(strings.TrimSuffix(line, "\n")))
	}
	l.texts[r.Key()] = r.Text[:len(r.Text)-len(rest)+len(show)]
	if r.Live {
		return
	}
	if r.Cut && show != "" {
		l.line(l.in(yellow, "… the text was cut off here"))
	}
	if len(rest) > 0 || !begun {
		l.space()
	}
}

func (l *worklog) step(s *transcript.WorkStep, indent string) {
	if !l.changed("step/"+s.ID+s.Started.String(), s.Mark) {
		return
	}
	title := oneLine(s.Title, 200)
	if title == "" {
		title = oneLine(s.Name, 80)
	}
	if verb := verb(s.Tool); verb != "" {
		title = verb + " " + title
	}
	exit := ""
	if s.ExitCode != nil && *s.ExitCode != 0 {
		exit = "exit " + itoa(*s.ExitCode)
	}
	l.line(indent + l.mark(s.Mark) + " " + title + l.in(muted, details(word(s.Mark, s.Denied), exit, span(s.Ended.Sub(s.Started)), allowed(s.Allowed))))
	if s.Output != "" && (s.Tool == event.ToolCommand || s.Mark != transcript.MarkDone) {
		l.fold(s.Output, indent+"  │ ", 4, 8)
	}
}

func verb(t event.Tool) string {
	switch t {
	case event.ToolCommand:
		return "$"
	case event.ToolRead:
		return "read"
	case event.ToolSearch:
		return "searched"
	case event.ToolEdit:
		return "edited"
	case event.ToolWeb:
		return "web:"
	case event.ToolAgent:
		return "agent:"
	case event.ToolPlan:
		return "plan:"
	case event.ToolQuestion:
		return "question:"
	case event.ToolMCP, event.ToolOther:
		return "used"
	case event.ToolImage:
		return "looked at"
	}
	return "used"
}

func (l *worklog) web(r *transcript.Web) {
	if !l.changed(r.Key(), r.Mark) {
		return
	}
	what := "searched the web:"
	if r.Activity.Action == event.WebOpen {
		what = "opened"
	} else if r.Activity.Action == event.WebFind {
		what = "looked in"
	}
	l.line(l.mark(r.Mark) + " " + what + " " + oneLine(r.Activity.Query, 160) + l.in(muted, details(word(r.Mark, r.Denied), allowed(r.Allowed))))
	for i, hit := range r.Activity.Results {
		if i == 8 {
			l.line(l.in(muted, "    … "+count(len(r.Activity.Results)-i, "more result", "more results")))
			break
		}
		l.line("    " + oneLine(hit.Title, 100) + l.in(muted, "  "+oneLine(hit.URL, 200)))
	}
}

// task prints the beginning of a task, its steps, and its end.
func (l *worklog) task(n *transcript.TaskNode) {
	indent := strings.Repeat("  ", n.Depth)
	title := oneLine(n.Title, 120)
	if title == "" {
		title = oneLine(n.ID, 40)
	}
	kind := string(n.Kind)
	if n.Background {
		kind = "background " + kind
	}
	key := n.ID + "#" + itoa(n.Generation)
	l.once("began/"+key, "", func() { l.line(indent + "» " + kind + " started: " + l.in(bold, title)) })
	for i := range n.Steps {
		l.step(&n.Steps[i], indent+"    ")
	}
	if !l.changed("task/"+key, n.Mark) {
		return
	}
	l.line(indent + l.mark(n.Mark) + " " + kind + " " + l.in(bold, title) + l.in(muted, details(taskWord(n.Mark), span(n.Ended.Sub(n.Started)))))
	if n.Summary != "" {
		l.fold(n.Summary, indent+"    ", 6, 2)
	}
}

func taskWord(m transcript.Mark) string {
	if m == transcript.MarkDone {
		return "done"
	}
	return word(m, false)
}

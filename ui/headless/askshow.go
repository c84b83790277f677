package headless

import (
	"strconv"
	"strings"

	"keva/agent/approval"
	"keva/agent/event"
)

// show writes the current request: who asks, exactly what will run or change, and what can be answered.
func (a *asker) show() {
	p := &a.run.err
	p.space()
	of := ""
	if n := len(a.queue) + 1; n > 1 {
		of = "1 of " + strconv.Itoa(n) + " · "
	}
	if q := a.current.Question; q != nil {
		p.line(p.in(bold, of+"The engine asks:"))
		if a.step < len(q.Questions) {
			a.showQuestion(q.Questions[a.step])
		} else {
			p.line("(a question without text; Enter dismisses it)")
		}
		return
	}
	r := a.current.Approval
	p.line(p.in(bold, of+headline(r)) + p.in(muted, "  asked by "+oneLine(a.who(), 120)))
	if r.Dir != "" {
		p.line(p.in(muted, "  in "+exactLine(r.Dir)))
	}
	a.showWhat(r)
	if r.Reason != "" {
		p.line(p.in(muted, "  it says: "+oneLine(r.Reason, 400)))
	}
	p.line("[a]llow once · [d]eny, with a reason if you like · [?] show again")
}

func headline(r *event.ApprovalAsked) string {
	switch {
	case r.Command != "":
		return "Run this command?"
	case len(r.Changes) == 1:
		return "Change this file?"
	case len(r.Changes) > 1:
		return "Change " + strconv.Itoa(len(r.Changes)) + " files?"
	}
	return "Allow " + oneLine(r.Name, 80) + "?"
}

// showWhat writes what will be done, whole: nothing is folded that is decided on.
func (a *asker) showWhat(r *event.ApprovalAsked) {
	p := &a.run.err
	write := func(text string) {
		shown, _ := approval.Display(text)
		for _, l := range strings.Split(shown, "\n") {
			p.line("  │ " + l)
		}
	}
	switch {
	case r.Command != "":
		write(r.Command)
	case len(r.Changes) > 0:
		for _, c := range r.Changes {
			line := "  " + did(c.Kind) + " " + p.in(bold, exactLine(c.Path))
			if c.MovedTo != "" {
				line += " → " + p.in(bold, exactLine(c.MovedTo))
			}
			p.line(line + p.in(muted, details(size(c), oneLine(c.Note, 200))))
			p.hunks(c.Hunks, 0)
			a.run.log.diffs[hunkKey(c)] = true
		}
	default:
		write(r.Title)
		if len(r.Input) > 0 && string(r.Input) != "{}" {
			write(string(r.Input))
		}
	}
	for _, risk := range approval.Risks(*r, a.run.Dir) {
		p.line(p.in(yellow, "  ▲ "+oneLine(risk, 300)))
	}
}

func (a *asker) who() string {
	if a.current.Scope == "" {
		return "the main agent"
	}
	if t := a.run.view.State().Task(a.current.Scope); t != nil && t.Title != "" {
		return t.Title
	}
	return "a sub-agent"
}

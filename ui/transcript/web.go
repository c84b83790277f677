package transcript

import (
	"strings"

	"keva/agent/event"
)

// web is a tool call that looks at the web: a card of its own.
type web struct {
	e        *entry
	id       string
	activity event.WebActivity
}

func (b *Builder) showWeb(s *step) *web {
	w := &web{id: b.free("web", s.ID), activity: event.WebActivity{ID: s.ID, Action: event.WebUnknown, Query: s.Title}}
	b.webs[s.ID] = w
	s.shown = true
	w.e = &entry{build: func() Row {
		return &Web{ID: w.id, Activity: w.activity, Mark: s.mark(), Denied: s.Denied || s.fate == event.Deny, Allowed: s.Allowed}
	}}
	b.insert(len(b.entries), w.e)
	s.watch(func() { b.touch(w.e) })
	return w
}

func (b *Builder) webActivity(e event.Event, a event.WebActivity) {
	s := b.steps[a.ID]
	if s == nil {
		s = b.step(e, a.ID, event.ToolWeb)
		s.Title = a.Query
	}
	if s.Scope != "" {
		b.place(e, s)
		if s.Output == "" {
			s.Output = webText(a)
			s.refresh()
		}
		return
	}
	w := b.webs[a.ID]
	if w == nil {
		w = b.showWeb(s) // a step that began as something else gets a card besides
	}
	if a.Query == "" {
		a.Query = w.activity.Query
	}
	w.activity = a
	b.touch(w.e)
}

// webText is a card's content as plain lines, for the node of a task.
func webText(a event.WebActivity) string {
	var lines []string
	for _, r := range a.Results {
		lines = append(lines, r.Title+" "+r.URL)
	}
	if a.Text != "" {
		lines = append(lines, a.Text)
	}
	return strings.Join(lines, "\n")
}

// plan keeps one row for each turn that has a plan.
func (b *Builder) plan(e event.Event, p event.Plan) {
	if e.Scope != "" {
		return // a sub-agent's plan is not the main agent's (I-10)
	}
	old := b.plans[e.Turn]
	if old != nil {
		b.set(old, &Plan{ID: old.row.(*Plan).ID, Steps: p.Steps, Note: p.Note})
		return
	}
	if len(p.Steps) == 0 && p.Note == "" {
		return
	}
	b.plans[e.Turn] = b.add(&Plan{ID: b.free("plan", e.Turn), Steps: p.Steps, Note: p.Note})
}

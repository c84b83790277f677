package claude

import (
	"regexp"
	"slices"

	"keva/agent/event"
)

// plan is the to-do list of one scope. The engine tells changes only, so the list is kept here.
type plan struct{ steps []event.Step }

func (p *plan) event() event.Plan { return event.Plan{Steps: slices.Clone(p.steps)} }

// created finds the id in the text of a result, since a sub-agent's has no structured one.
var created = regexp.MustCompile(`^Task #(\S+) created successfully`)

// apply reads the result of a to-do tool and reports whether the list may have changed.
func (p *plan) apply(name string, in toolInput, r toolResult, text string) bool {
	switch name {
	case "TodoWrite":
		p.steps = stepsOf(in.Todos)
	case "TaskCreate":
		step := event.Step{Text: in.Subject, State: event.StepPending}
		if r.Task != nil {
			step.ID = r.Task.ID
		} else if m := created.FindStringSubmatch(text); m != nil {
			step.ID = m[1]
		}
		p.steps = append(p.steps, step)
	case "TaskUpdate":
		return p.update(in)
	case "TaskList":
		if r.Tasks == nil {
			return false
		}
		p.steps = stepsOf(r.Tasks)
	default:
		return false
	}
	return true
}

func (p *plan) update(in toolInput) bool {
	i := slices.IndexFunc(p.steps, func(s event.Step) bool { return s.ID == in.TodoID })
	if i < 0 {
		if in.TodoID == "" {
			return false
		}
		// Created before a restart: known by its number only.
		p.steps = append(p.steps, event.Step{ID: in.TodoID, Text: orName(in.Subject, "Step "+in.TodoID), State: event.StepUnknown})
		i = len(p.steps) - 1
	}
	if in.Status == "deleted" {
		p.steps = slices.Delete(p.steps, i, i+1)
		return true
	}
	if in.Subject != "" {
		p.steps[i].Text = in.Subject
	}
	if in.Status != "" {
		p.steps[i].State = stepState(in.Status)
	}
	return true
}

func stepsOf(todos []todo) []event.Step {
	var steps []event.Step
	for _, t := range todos {
		steps = append(steps, event.Step{ID: t.ID, Text: t.Content + t.Subject, State: stepState(t.Status)})
	}
	return steps
}

func stepState(word string) event.StepState {
	switch word {
	case "pending":
		return event.StepPending
	case "in_progress":
		return event.StepActive
	case "completed":
		return event.StepDone
	}
	return event.StepUnknown
}

package demo

import (
	"path"
	"regexp"
	"strings"
)

// claudeTools speaks in the tools of the Claude Code CLI.
type claudeTools struct{}

var taskNumber = regexp.MustCompile(`[Tt]ask #?(\d+)`)

func (claudeTools) expand(p *play, step *Step, serial int) (calls []Call, outcomes []Outcome) {
	// waiting adds a call, or returns its outcome when it was made already.
	outcomeOf := func(ref Ref, name string, input map[string]any) (Outcome, bool) {
		if !p.conv.Offers.names[name] {
			return Outcome{Error: true, Text: "The tool " + name + " is not offered."}, true
		}
		if o, done := p.conv.Results[ref]; done {
			return o, true
		}
		calls = append(calls, Call{Ref: ref, Name: name, Input: input})
		return Outcome{}, false
	}
	for i, action := range step.Do {
		ref := Ref{Script: p.conv.Script.Name, Step: step.ID, Serial: serial, Action: i}
		var all []Outcome
		wanted := 1
		take := func(sub int, name string, input map[string]any) {
			at := ref
			at.Sub = sub
			if o, done := outcomeOf(at, name, input); done {
				all = append(all, o)
			}
		}
		switch {
		case action.Run != nil:
			take(0, "Bash", map[string]any{"command": p.fill(action.Run.Command), "description": p.fill(action.Run.Title)})
		case action.Read != nil:
			take(0, "Read", map[string]any{"file_path": p.file(action.Read.Path)})
		case action.Edit != nil:
			take(0, "Edit", map[string]any{
				"file_path": p.file(action.Edit.Path), "old_string": p.fill(action.Edit.Old), "new_string": p.fill(action.Edit.New), "replace_all": false,
			})
		case action.Write != nil:
			take(0, "Write", map[string]any{"file_path": p.file(action.Write.Path), "content": p.fill(action.Write.Content)})
		case action.Search != nil:
			take(0, "WebSearch", map[string]any{"query": p.fill(action.Search.Query)})
		case action.Dispatch != nil:
			wanted = len(action.Dispatch)
			for sub, task := range action.Dispatch {
				take(sub, "Agent", map[string]any{
					"description": p.fill(task.Title), "prompt": p.fill(task.Prompt) + "\n\n#agent " + task.Script, "subagent_type": "general-purpose",
				})
			}
		case p.conv.Offers.Todos:
			take(0, "TodoWrite", map[string]any{"todos": todos(p, action.Plan)})
		default:
			all, wanted = p.taskList(ref, action.Plan, outcomeOf)
		}
		if len(all) == wanted {
			outcomes = append(outcomes, together(all))
		}
	}
	if len(calls) > 0 {
		return calls, nil
	}
	return nil, outcomes
}

// taskList makes the CLI's to-do list equal to the plan: entries that are missing are created first, since an update needs
// the number that the creation returned.
func (p *play) taskList(ref Ref, plan []Todo, outcomeOf func(Ref, string, map[string]any) (Outcome, bool)) (all []Outcome, wanted int) {
	created := true
	for sub, todo := range plan {
		if p.tasks[todo.Text] != nil {
			continue
		}
		wanted++
		at := ref
		at.Sub = sub
		o, done := outcomeOf(at, "TaskCreate", map[string]any{"subject": p.fill(todo.Text), "description": p.fill(todo.Text), "activeForm": p.fill(todo.Text)})
		if !done {
			created = false
			continue
		}
		all = append(all, o)
		entry := &task{state: "pending"}
		if m := taskNumber.FindStringSubmatch(o.Text); m != nil && !o.Error {
			entry.id = m[1]
		}
		p.tasks[todo.Text] = entry
	}
	if !created {
		return all, wanted
	}
	for sub, todo := range plan {
		entry := p.tasks[todo.Text]
		if entry.id == "" || entry.state == p.fill(todo.State) {
			continue
		}
		wanted++
		at := ref
		at.Phase, at.Sub = 1, sub
		if o, done := outcomeOf(at, "TaskUpdate", map[string]any{"taskId": entry.id, "status": p.fill(todo.State)}); done {
			all = append(all, o)
			entry.state = p.fill(todo.State)
		}
	}
	return all, wanted
}

func todos(p *play, plan []Todo) []map[string]any {
	list := make([]map[string]any, 0, len(plan))
	for _, todo := range plan {
		list = append(list, map[string]any{"content": p.fill(todo.Text), "status": p.fill(todo.State), "activeForm": p.fill(todo.Text)})
	}
	return list
}

// file is the absolute path that the CLI's file tools want.
func (p *play) file(name string) string {
	name = p.fill(name)
	if p.conv.CWD == "" || strings.HasPrefix(name, "/") {
		return name
	}
	return path.Join(p.conv.CWD, name)
}

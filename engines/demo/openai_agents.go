package demo

// dispatch starts the sub-agents, then waits for them.
func (x *codexStep) dispatch(i int, tasks []Subtask) {
	offers := x.conv.Offers
	if offers.Agents == "" && !offers.names["spawn_agent"] {
		x.outcomes[i] = Outcome{Error: true, Text: "The tool spawn_agent is not offered."}
		return
	}
	started := []Outcome{}
	for sub, task := range tasks {
		ref := x.ref
		ref.Action, ref.Sub = i, sub
		o, done := x.conv.Results[ref]
		if !done {
			x.calls = append(x.calls, Call{Ref: ref, Namespace: offers.Agents, Name: "spawn_agent", Input: fields{
				"task_name": task.Name, "message": x.fill(task.Prompt) + "\n\n#agent " + task.Script, "fork_turns": "none",
			}})
			continue
		}
		started = append(started, o)
	}
	if len(started) < len(tasks) {
		return
	}
	for phase := 1; phase < 6; phase++ {
		ref := x.ref
		ref.Action, ref.Phase = i, phase
		if _, done := x.conv.Results[ref]; !done {
			x.calls = append(x.calls, Call{Ref: ref, Namespace: offers.Agents, Name: "wait_agent", Input: fields{"timeout_ms": 30000}})
			return
		}
	}
	x.outcomes[i] = together(started)
}

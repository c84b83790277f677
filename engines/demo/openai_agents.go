package demo

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// agentsV1 is the namespace of the older sub-agent tools, which name an agent by the id that its start returned. The
// newer ones name it by its task.
const agentsV1 = "multi_agent_v1"

// maxWaits bounds how often the script waits for its sub-agents: each wait ends by news or after some minutes.
const maxWaits = 60

// dispatch starts the sub-agents, then waits until each has reported.
func (x *codexStep) dispatch(i int, tasks []Subtask) {
	offers := x.conv.Offers
	if !offers.names["spawn_agent"] {
		x.outcomes[i] = Outcome{Error: true, Text: "The tool spawn_agent is not offered."}
		return
	}
	open := map[string]bool{} // agents that have not reported
	var reports []Outcome
	var ids []any
	missing := false
	for sub, task := range tasks {
		ref := x.ref
		ref.Action, ref.Sub = i, sub
		o, done := x.conv.Results[ref]
		if !done {
			missing = true
			x.calls = append(x.calls, Call{Ref: ref, Namespace: offers.Agents, Name: "spawn_agent", Input: x.spawn(ref, task)})
			continue
		}
		if o.Error || !strings.HasPrefix(o.Text, "{") { // a start that worked returns an object
			reports = append(reports, Outcome{Text: o.Text, AgentsFailed: true, Denied: o.Denied})
			continue
		}
		name := "/root/" + x.agentName(ref, task)
		if offers.Agents == agentsV1 {
			name = agentID(o.Text)
			ids = append(ids, name)
		}
		open[name] = true
	}
	if missing {
		return
	}
	reports = append(reports, take(open, x.conv.News)...)
	for phase := 1; len(open) > 0 && phase <= 2*maxWaits; phase++ {
		ref := x.ref
		ref.Action, ref.Phase = i, phase
		o, done := x.conv.Results[ref]
		if !done {
			x.calls = append(x.calls, Call{Ref: ref, Namespace: offers.Agents, Name: "wait_agent", Input: x.wait(ids)})
			if phase%2 == 0 { // nothing came: one that was interrupted never reports, but the list knows
				x.calls[len(x.calls)-1].Name, x.calls[len(x.calls)-1].Input = "list_agents", fields{}
			}
			return
		}
		reports = append(reports, statuses(open, o.Text)...)
		if phase%2 == 1 && (offers.Agents == agentsV1 || !strings.Contains(o.Text, `"timed_out":true`)) {
			phase++ // no need for the list
		}
	}
	for range open {
		reports = append(reports, Outcome{Text: "A sub-agent did not report.", AgentsFailed: true})
	}
	x.outcomes[i] = together(reports)
}

func (x *codexStep) spawn(ref Ref, task Subtask) fields {
	message := x.fill(task.Prompt) + "\n\n#agent " + task.Script
	if x.conv.Offers.Agents == agentsV1 {
		return fields{"message": message, "fork_context": false}
	}
	return fields{"task_name": x.agentName(ref, task), "message": message, "fork_turns": "none"}
}

// agentName is the task's name, or, when an earlier turn used that, the name with a number.
func (x *codexStep) agentName(ref Ref, task Subtask) string {
	if name, started := x.conv.Spawned[ref]; started {
		return name
	}
	name := task.Name
	for n := 2; ; n++ {
		if !x.conv.Names[name] {
			return name
		}
		name = task.Name + "_" + strconv.Itoa(n)
	}
}

func (x *codexStep) wait(ids []any) fields {
	in := fields{"timeout_ms": 300000}
	if x.conv.Offers.Agents == agentsV1 {
		in["targets"] = ids
	}
	return in
}

func agentID(text string) string {
	var started struct {
		ID string `json:"agent_id"`
	}
	if json.Unmarshal([]byte(text), &started) != nil {
		return text
	}
	return started.ID
}

var sender = regexp.MustCompile(`(?m)^Sender: (\S+)$`)

// take finds the reports among the messages of agents: each has a sender. Who reported is open no more.
func take(open map[string]bool, news []string) (reports []Outcome) {
	for _, message := range news {
		m := sender.FindStringSubmatch(message)
		if m == nil || !strings.Contains(message, "FINAL_ANSWER") {
			continue
		}
		if !open[m[1]] {
			continue
		}
		delete(open, m[1])
		_, text, _ := strings.Cut(message, "Payload:\n")
		reports = append(reports, Outcome{Text: text, AgentsFailed: strings.HasPrefix(text, "Agent errored")})
	}
	return reports
}

// statuses reads the answer of the list (v2) or of a wait (v1): the states of agents, each a word or an object with the
// word as its key. An agent that runs stays open; a word that is not known is no success.
func statuses(open map[string]bool, text string) (reports []Outcome) {
	var answer struct {
		Agents []struct {
			Name   string          `json:"agent_name"`
			Status json.RawMessage `json:"agent_status"`
		} `json:"agents"`
		Status map[string]json.RawMessage `json:"status"`
	}
	if json.Unmarshal([]byte(text), &answer) != nil {
		return nil
	}
	note := func(agent string, raw json.RawMessage) {
		if !open[agent] {
			return
		}
		word, message := state(raw)
		switch word {
		case "running", "pending_init", "":
			return
		}
		delete(open, agent)
		reports = append(reports, Outcome{Text: message, AgentsFailed: word != "completed"})
	}
	for _, agent := range answer.Agents {
		note(agent.Name, agent.Status)
	}
	for id, raw := range answer.Status {
		note(id, raw)
	}
	return reports
}

func state(raw json.RawMessage) (word, message string) {
	if json.Unmarshal(raw, &word) == nil {
		return word, word
	}
	var object map[string]string
	if json.Unmarshal(raw, &object) == nil {
		for word, message := range object {
			return word, message
		}
	}
	return "", ""
}

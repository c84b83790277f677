package demo

import (
	"regexp"
	"strings"
)

// Answer is what the model says next, in neutral terms.
type Answer struct {
	Script, Step string // where it begins
	Parts        []Part
	Fault        *Fault
}

// Part is a piece of an answer: reasoning, text, calls.
type Part struct {
	Think, Say string
	Calls      []Call
}

// Call is one tool call in the terms of a wire.
type Call struct {
	Ref       Ref
	Namespace string
	Name      string
	Input     map[string]any // of a function
	Raw       string         // of a free-form tool
	Search    *Search        // of a search that the provider itself does; it has no result to wait for
}

// dialect turns the actions of a step into a wire's tool calls.
type dialect interface {
	// expand returns the calls that are still to be made for a step. When there are none, or only such as have no result
	// to wait for, it also returns one outcome for each action.
	expand(p *play, step *Step, serial int) ([]Call, []Outcome)
}

// play is one run through a script along the history.
type play struct {
	conv  *Conversation
	vars  map[string]string
	tasks map[string]*task // Claude's to-do list by text
}

// task is an entry of Claude's to-do list.
type task struct{ id, state string }

// maxSteps bounds a walk through a script: a loop without tool calls would never end.
const maxSteps = 400

// next says what comes next. It walks the script from its first step along the results that the conversation holds, and
// returns everything from the first step that was not played yet to the next tool call or the end of the turn.
func next(conv *Conversation, d dialect) Answer {
	p := &play{conv: conv, vars: map[string]string{}, tasks: map[string]*task{}}
	script := conv.Script
	for name, value := range script.Vars {
		p.vars[name] = value
	}
	p.vars["prompt"], p.vars["steer"] = short(conv.Prompt), short(conv.Steer)
	_, rest, _ := strings.Cut(strings.TrimSpace(conv.Prompt), " ")
	p.vars["rest"] = strings.TrimSpace(rest) // whole: a command must run as it was typed

	last := -1 // the last serial that the history knows
	for serial := range conv.Steps {
		last = max(last, serial)
	}
	answer := Answer{Script: script.Name}
	if conv.Steer != "" && last >= 0 {
		answer.Parts = append(answer.Parts, Part{Say: "You wrote: “" + p.vars["steer"] + "”. I am a script and can't react to that, so I go on.\n\n"})
	}
	at := 0
	for serial := range maxSteps {
		if id, seen := conv.Steps[serial]; seen {
			if i, ok := script.index[id]; ok {
				at = i // the history knows better, for instance after the script was changed
			}
		}
		step := &script.Steps[at]
		for name, value := range step.Set {
			p.vars[name] = value
		}
		calls, outcomes := d.expand(p, step, serial)
		if serial < last && !serverOnly(calls) {
			calls = nil // later steps were played: what is missing here was lost from the history, not left out
		}
		_, said := conv.Steps[serial]
		if serial > last || said && !serverOnly(calls) {
			answer.add(p, step, calls, said)
		}
		if !serverOnly(calls) || step.End {
			break
		}
		p.capture(step, outcomes)
		following, ok := p.branch(script, step, at, outcomes)
		if !ok {
			break
		}
		at = following
	}
	return answer
}

func (a *Answer) add(p *play, step *Step, calls []Call, said bool) {
	if a.Step == "" {
		a.Step = step.ID
	}
	if a.Fault == nil {
		a.Fault = step.Fault
	}
	part := Part{Calls: calls}
	if !said {
		part.Think, part.Say = p.fill(step.Think), p.fill(step.Say)
	}
	a.Parts = append(a.Parts, part)
}

func serverOnly(calls []Call) bool {
	for _, call := range calls {
		if call.Search == nil {
			return false
		}
	}
	return true
}

// together joins the outcomes of all actions.
func together(outcomes []Outcome) Outcome {
	var all Outcome
	texts := make([]string, 0, len(outcomes))
	for _, o := range outcomes {
		texts = append(texts, o.Text)
		if o.Exit != nil {
			all.Exit = o.Exit
		}
		all.Denied = all.Denied || o.Denied
		all.Error = all.Error || o.Error
		all.AgentsFailed = all.AgentsFailed || o.AgentsFailed
	}
	all.Text = strings.Join(texts, "\n")
	return all
}

func pick(outcomes []Outcome, action *int) Outcome {
	if action != nil && *action >= 0 && *action < len(outcomes) {
		return outcomes[*action]
	}
	return together(outcomes)
}

func (p *play) capture(step *Step, outcomes []Outcome) {
	for _, c := range step.Capture {
		re := regexp.MustCompile(c.Match) // checked when the script was loaded
		m := re.FindStringSubmatch(pick(outcomes, c.Action).Text)
		for i, name := range re.SubexpNames() {
			if m != nil && name != "" {
				p.vars[name] = short(m[i])
			}
		}
	}
}

func (p *play) branch(script *Script, step *Step, at int, outcomes []Outcome) (following int, ok bool) {
	for _, b := range step.Next {
		if b.holds(outcomes) {
			return script.index[b.Go], true
		}
	}
	return at + 1, at+1 < len(script.Steps)
}

func (w When) holds(outcomes []Outcome) bool {
	o := pick(outcomes, w.Action)
	differs := func(want *bool, is bool) bool { return want != nil && *want != is }
	switch {
	case differs(w.Denied, o.Denied), differs(w.Error, o.Error), differs(w.AgentsFailed, o.AgentsFailed):
		return false
	case w.Exit != nil && (o.Exit == nil || *o.Exit != *w.Exit):
		return false
	case w.Match != "" && !regexp.MustCompile(w.Match).MatchString(o.Text):
		return false
	case w.NoMatch != "" && regexp.MustCompile(w.NoMatch).MatchString(o.Text):
		return false
	}
	return true
}

var variable = regexp.MustCompile(`\{\{([a-z][a-z0-9_]*)\}\}`)

// fill puts the variables into a text. An unknown one stays as it is: that is seen at once.
func (p *play) fill(text string) string {
	return variable.ReplaceAllStringFunc(text, func(found string) string {
		if value, ok := p.vars[found[2:len(found)-2]]; ok {
			return value
		}
		return found
	})
}

// short keeps what came from outside to the length of a quotation.
func short(s string) string {
	const limit = 200
	s = strings.ToValidUTF8(strings.TrimSpace(s), "\uFFFD")
	if runes := []rune(s); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return s
}

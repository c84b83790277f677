package demo

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// codexTools speaks in the tools of Codex: code mode (a script that calls the tools) where the model has it, plain tools
// otherwise. A model is never asked which it is; the request says what it offers.
type codexTools struct{}

func (codexTools) expand(p *play, step *Step, serial int) (calls []Call, outcomes []Outcome) {
	x := &codexStep{play: p, step: step, ref: Ref{Script: p.conv.Script.Name, Step: step.ID, Serial: serial}, outcomes: make([]Outcome, len(step.Do))}
	if p.conv.Offers.CodeMode {
		x.codeMode()
	}
	for i, action := range step.Do {
		switch {
		case action.Search != nil:
			x.search(i, action.Search)
		case action.Dispatch != nil:
			x.dispatch(i, action.Dispatch)
		case !p.conv.Offers.CodeMode:
			x.plain(i, action)
		}
	}
	if len(x.calls) > 0 && !serverOnly(x.calls) {
		return x.calls, nil
	}
	return x.calls, x.outcomes
}

// codexStep is one step that is being expanded.
type codexStep struct {
	*play
	step     *Step
	ref      Ref
	calls    []Call
	outcomes []Outcome
}

// search is done by the provider, that is: by us, at once.
func (x *codexStep) search(i int, search *Search) {
	filled := *search
	filled.Query = x.fill(search.Query)
	x.calls = append(x.calls, Call{Search: &filled})
	var text strings.Builder
	for _, hit := range search.Results {
		text.WriteString(hit.Title + " " + hit.URL + "\n")
	}
	x.outcomes[i] = Outcome{Text: text.String() + search.Summary}
}

// plain uses one tool for one action.
func (x *codexStep) plain(i int, action Action) {
	offers := x.conv.Offers
	call := Call{Name: "exec_command"}
	switch {
	case action.Run != nil:
		call.Input = fields{"cmd": x.fill(action.Run.Command)}
	case action.Read != nil:
		call.Input = fields{"cmd": "cat " + quote(x.fill(action.Read.Path))}
	case (action.Edit != nil || action.Write != nil) && offers.Patch:
		call = Call{Name: "apply_patch", Raw: x.patch(action)}
	case action.Edit != nil, action.Write != nil:
		// Codex takes a patch in a command for what it is.
		call.Input = fields{"cmd": "apply_patch <<'PATCH'\n" + x.patch(action) + "\nPATCH"}
	case action.Plan != nil:
		call = Call{Name: "update_plan", Input: fields{"plan": x.plan(action.Plan)}}
	}
	if !offers.names[call.Name] {
		x.outcomes[i] = Outcome{Error: true, Text: "The tool " + call.Name + " is not offered."}
		return
	}
	var soFar []string
	for phase := range maxSteps {
		ref := x.ref
		ref.Action, ref.Phase = i, phase
		o, done := x.conv.Results[ref]
		if !done {
			call.Ref = ref
			x.calls = append(x.calls, call)
			return
		}
		soFar = append(soFar, o.Text)
		o.Text = strings.Join(soFar, "")
		x.outcomes[i] = o
		running := stillRunning.FindStringSubmatch(o.Text)
		if running == nil || o.Exit != nil || o.Error {
			return
		}
		session, err := strconv.Atoi(running[1])
		if err != nil {
			return
		}
		call = Call{Name: "write_stdin", Input: fields{"session_id": session, "chars": "", "yield_time_ms": 30000}}
	}
}

var stillRunning = regexp.MustCompile(`Process running with session ID (\d+)`)

// patch is Codex's own patch format for an edit or a new file.
func (x *codexStep) patch(action Action) string {
	var b strings.Builder
	b.WriteString("*** Begin Patch\n")
	lines := func(sign, text string) {
		for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
			b.WriteString(sign + line + "\n")
		}
	}
	if action.Write != nil {
		b.WriteString("*** Add File: " + x.fill(action.Write.Path) + "\n")
		lines("+", x.fill(action.Write.Content))
	} else {
		b.WriteString("*** Update File: " + x.fill(action.Edit.Path) + "\n@@\n")
		lines("-", x.fill(action.Edit.Old))
		lines("+", x.fill(action.Edit.New))
	}
	b.WriteString("*** End Patch")
	return b.String()
}

func (x *codexStep) plan(plan []Todo) []fields {
	list := make([]fields, 0, len(plan))
	for _, todo := range plan {
		list = append(list, fields{"step": x.fill(todo.Text), "status": x.fill(todo.State)})
	}
	return list
}

// quote makes a word for the shell.
func quote(s string) string {
	if regexp.MustCompile(`^[A-Za-z0-9_./-]+$`).MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func encode(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic("demo: a value can't be encoded: " + err.Error()) // plain values only
	}
	return string(data)
}

package demo

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// codeAction is the action number of the one call that does all of a step's actions in code mode.
const codeAction = 999

// codeMode does all actions of the step that are no searches and no sub-agents in one script. The script prints one line
// of JSON for each action, also when it was refused, so that the outcomes can be told apart.
func (x *codexStep) codeMode() {
	var script strings.Builder
	used := false
	for i, action := range x.step.Do {
		var body string
		switch {
		case action.Run != nil:
			body = command(x.fill(action.Run.Command))
		case action.Read != nil:
			body = command("cat " + quote(x.fill(action.Read.Path)))
		case action.Edit != nil, action.Write != nil:
			body = "const r = await tools.apply_patch(" + encode(x.patch(action)) + ");\n  out = {text: typeof r === 'string' ? r : JSON.stringify(r)};\n"
		case action.Plan != nil && !x.conv.Offers.Plan:
			x.outcomes[i] = Outcome{Error: true, Text: "The tool update_plan is not offered."}
			continue
		case action.Plan != nil:
			body = "await tools.update_plan(" + encode(fields{"plan": x.plan(action.Plan)}) + ");\n  out = {text: 'Plan updated'};\n"
		default:
			continue
		}
		used = true
		script.WriteString("try {\n  let out;\n  " + body + "  out.action = " + strconv.Itoa(i) + ";\n  text(JSON.stringify(out));\n")
		script.WriteString("} catch (e) {\n  text(JSON.stringify({action: " + strconv.Itoa(i) + ", error: String(e)}));\n}\n")
	}
	if !used {
		return
	}
	call := Call{Name: "exec", Raw: "// @exec: {\"yield_time_ms\": 600000, \"max_output_tokens\": 20000}\n" + script.String()}
	for phase := range maxSteps {
		ref := x.ref
		ref.Action, ref.Phase = codeAction, phase
		o, done := x.conv.Results[ref]
		if !done {
			call.Ref = ref
			x.calls = append(x.calls, call)
			return
		}
		x.takeCode(phase, o)
		running := cellRunning.FindStringSubmatch(o.Text)
		if running == nil {
			return
		}
		// An approval that stays open longer than the script may run: Codex goes on with the cell.
		call = Call{Name: "wait", Input: fields{"cell_id": running[1], "yield_time_ms": 600000}}
	}
}

var cellRunning = regexp.MustCompile(`Script running with cell ID (\S+)`)

// takeCode gives each action its outcome. What the script did not report failed with the script.
func (x *codexStep) takeCode(phase int, whole Outcome) {
	for i := range x.step.Do {
		ref := x.ref
		ref.Phase, ref.Action = phase, i
		o, reported := x.conv.Results[ref]
		switch {
		case reported:
			x.outcomes[i] = o
		case x.outcomes[i].Text == "" && !cellRunning.MatchString(whole.Text):
			x.outcomes[i] = Outcome{Text: whole.Text, Error: true, Denied: whole.Denied}
		}
	}
}

// command is the script for one command: it waits until the command has ended.
func command(cmd string) string {
	return "let r = await tools.exec_command({cmd: " + encode(cmd) + "});\n" +
		"  let output = r.output;\n" +
		"  while (r.exit_code === undefined && r.session_id !== undefined) {\n" +
		"    r = await tools.write_stdin({session_id: r.session_id, chars: ''});\n" +
		"    output += r.output;\n" +
		"  }\n" +
		"  out = {exit: r.exit_code, text: output};\n"
}

// codexResult takes what a tool returned: a text, or a list of texts of which code mode's are one JSON object each.
func (t *transcript) codexResult(item inputItem) {
	text := joinText(item.Output)
	outcomes := map[int]Outcome{}
	ref, ours := decodeRef(item.CallID)
	if ours && ref.Action == codeAction {
		for _, block := range blocks(item.Output) {
			for line := range strings.Lines(block.Text) {
				var out struct {
					Action *int   `json:"action"`
					Exit   *int   `json:"exit"`
					Text   string `json:"text"`
					Error  string `json:"error"`
				}
				if json.Unmarshal([]byte(line), &out) != nil || out.Action == nil || *out.Action < 0 {
					continue
				}
				o := Outcome{Text: out.Text + out.Error, Exit: out.Exit}
				o.Error = out.Error != "" || o.Exit != nil && *o.Exit != 0
				o.Denied = rejected.MatchString(out.Error)
				outcomes[*out.Action] = o
			}
		}
		outcomes[codeAction] = Outcome{Text: text, Denied: rejected.MatchString(text)}
	} else {
		outcomes[-1] = plainOutcome(text)
	}
	t.result(item.CallID, outcomes)
}

var (
	rejected    = regexp.MustCompile(`(?i)rejected by user|rejected\(`)
	processExit = regexp.MustCompile(`(?m)^Process exited with code (-?\d+)`)
	toolFailed  = regexp.MustCompile(`(?i)^(exec_command failed|apply_patch (verification )?failed|failed|error|unsupported call|patch rejected|execution error)`)
)

func plainOutcome(text string) Outcome {
	o := Outcome{Text: text, Denied: rejected.MatchString(text)}
	if m := processExit.FindStringSubmatch(text); m != nil {
		if code, err := strconv.Atoi(m[1]); err == nil {
			o.Exit = &code
		}
	}
	o.Error = o.Denied || o.Exit != nil && *o.Exit != 0 || o.Exit == nil && toolFailed.MatchString(text)
	return o
}

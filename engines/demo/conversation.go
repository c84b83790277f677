package demo

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// wire is one of the two protocols.
type wire int

const (
	wireAnthropic wire = iota + 1 // Messages
	wireOpenAI                    // Responses
)

// Ref says what a tool call is for. It travels inside the call's id, which the engine gives back with the result: so the
// history itself says where a script stands, and the server keeps no state that a restart could lose.
type Ref struct {
	Script, Step string
	Serial       int // which step of the turn, from 0
	Phase        int // an action may need several rounds (start, then wait)
	Action, Sub  int // which of the step's actions, which part of it
}

// encode makes the id. nonce keeps ids of two turns, and of two sub-agents with one script, apart.
func (r Ref) encode(prefix, nonce string) string {
	return fmt.Sprintf("%s%s-%s-%d-%d-%d-%d-%s", prefix, r.Script, r.Step, r.Serial, r.Phase, r.Action, r.Sub, nonce)
}

var refRule = regexp.MustCompile(`^(?:toolu_|call_)([a-z][a-z0-9_]*)-([a-z][a-z0-9_]*)-(\d{1,6})-(\d{1,6})-(\d{1,6})-(\d{1,6})-[a-z0-9]+$`)

// decodeRef reads an id; false when it is not one of ours.
func decodeRef(id string) (Ref, bool) {
	m := refRule.FindStringSubmatch(id)
	if m == nil {
		return Ref{}, false
	}
	var n [4]int
	for i := range n {
		n[i], _ = strconv.Atoi(m[3+i]) // at most six digits: can't fail
	}
	return Ref{Script: m[1], Step: m[2], Serial: n[0], Phase: n[1], Action: n[2], Sub: n[3]}, true
}

// Outcome is what a tool returned, in neutral terms.
type Outcome struct {
	Text         string
	Exit         *int // of a command
	Denied       bool // refused before it ran
	Error        bool
	AgentsFailed bool
}

// Conversation is what one request tells about itself.
type Conversation struct {
	Key     string // of the engine's session, for counting faults
	Prompt  string // that began the running turn
	Script  *Script
	Steer   string // what the person wrote while the script ran
	CWD     string
	Offers  Offers
	Results map[Ref]Outcome // of the running turn
	Steps   map[int]string  // step names by serial, from the ids seen in the running turn
	News    []string        // Codex: what sub-agents reported in the running turn, oldest first
	Spawned map[Ref]string  // Codex: names of the sub-agents of the running turn
	Names   map[string]bool // Codex: names of all sub-agents of the conversation
}

// Offers are the tools that the request offers.
type Offers struct {
	CodeMode   bool   // Codex: a JavaScript tool that holds the others
	Patch      bool   // Codex: apply_patch as a tool of its own
	Agents     string // Codex: namespace of the sub-agent tools
	Todos      bool   // Claude: TodoWrite instead of TaskCreate and TaskUpdate
	Plan       bool   // any plan tool at all
	Search     bool
	Background bool
	names      map[string]bool
}

// transcript collects a conversation while a wire's messages are read in order.
type transcript struct {
	choose      func(prompt string) (script *Script, fits bool)
	conv        Conversation
	running     bool // the model's last word was a tool call of a script
	interrupted bool
	tools       map[string]string // tool names by call id
}

func newTranscript(choose func(string) (*Script, bool)) *transcript {
	t := &transcript{choose: choose, tools: map[string]string{}}
	t.conv.Names = map[string]bool{}
	t.begin("", nil)
	return t
}

func (t *transcript) begin(prompt string, script *Script) {
	t.conv.Prompt, t.conv.Script, t.conv.Steer = prompt, script, ""
	t.conv.Results, t.conv.Steps, t.conv.Spawned, t.conv.News = map[Ref]Outcome{}, map[int]string{}, map[Ref]string{}, nil
	t.running, t.interrupted = false, false
}

// goOn are prompts that take up a script where it stopped.
var goOn = regexp.MustCompile(`(?i)^\s*(please\s+)?(continue|go on|resume|weiter)\b[\s.!]*$`)

// prompt takes a text of the person. While a script runs, a text that starts no other script is a remark; after a stop it
// is a new turn.
func (t *transcript) prompt(text string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	if goOn.MatchString(text) && t.conv.Script != nil && len(t.conv.Steps) > 0 {
		t.interrupted = false
		return
	}
	script, fits := t.choose(text)
	if t.running && !t.interrupted && !fits {
		t.conv.Steer = text
		return
	}
	t.begin(text, script)
}

// aside takes a question that is to be answered beside the conversation, without tools.
func (t *transcript) aside(text string) {
	script, _ := t.choose("")
	t.begin(text, script)
}

// call takes a tool call of the model.
func (t *transcript) call(id, tool string) {
	t.tools[id] = tool
	ref, ok := decodeRef(id)
	if !ok || t.conv.Script == nil || ref.Script != t.conv.Script.Name {
		return
	}
	t.conv.Steps[ref.Serial] = ref.Step
	t.conv.Steer = "" // it was answered with this call
	t.running, t.interrupted = true, false
}

// said takes text of the model: what ends with it is no running script.
func (t *transcript) said() { t.running = false }

// notRun are the results that engines make up for a call that a stop or a crash overtook.
var notRun = regexp.MustCompile(`^(aborted\b|\[Request interrupted|\[Tool (result|use) |The user doesn't want to proceed with this tool use)`)

// result takes what a tool returned. Results of other turns, scripts and tools are of no interest.
func (t *transcript) result(id string, outcomes map[int]Outcome) {
	ref, ok := decodeRef(id)
	if !ok || t.conv.Script == nil || ref.Script != t.conv.Script.Name {
		return
	}
	if _, known := t.conv.Steps[ref.Serial]; !known {
		t.conv.Steps[ref.Serial] = ref.Step
	}
	for action, outcome := range outcomes {
		if notRun.MatchString(outcome.Text) {
			continue // it is asked for again when the script goes on
		}
		at := ref
		if action >= 0 {
			at.Action = action
		}
		if _, twice := t.conv.Results[at]; !twice { // the first result counts
			t.conv.Results[at] = outcome
		}
	}
	t.running = true
}

package demo

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"sort"
	"strings"
)

// Script is one thing that the scripted model can do: engine-neutral steps that react to what the tools returned. It is
// data (assets/demo/scripts/NAME.json); its name is the file's.
type Script struct {
	Name  string            `json:"-"`
	About string            `json:"about,omitempty"` // one line for the list of what can be typed; empty: not listed
	Match []string          `json:"match,omitempty"` // expressions of which one must match the prompt
	Vars  map[string]string `json:"vars,omitempty"`  // first values of variables
	Steps []Step            `json:"steps"`

	match []*regexp.Regexp
	index map[string]int
}

// Step is what the model says and asks for at one point. A step without actions is followed by the next one in the same
// answer.
type Step struct {
	ID      string            `json:"id"`
	Think   string            `json:"think,omitempty"` // reasoning that is shown before the text
	Say     string            `json:"say,omitempty"`   // {{name}} is replaced by the variable
	Do      []Action          `json:"do,omitempty"`
	Capture []Capture         `json:"capture,omitempty"` // from the results of Do
	Set     map[string]string `json:"set,omitempty"`     // variables, when the script comes here
	Next    []Branch          `json:"next,omitempty"`    // the first that holds; none: the step below
	End     bool              `json:"end,omitempty"`     // the turn ends here
	Fault   *Fault            `json:"fault,omitempty"`   // how the answer that begins here goes wrong
}

// Action is one use of a tool. Exactly one field is set.
type Action struct {
	Run      *Run      `json:"run,omitempty"`
	Read     *Read     `json:"read,omitempty"`
	Edit     *Edit     `json:"edit,omitempty"`
	Write    *Write    `json:"write,omitempty"`
	Plan     []Todo    `json:"plan,omitempty"`
	Search   *Search   `json:"search,omitempty"`
	Dispatch []Subtask `json:"dispatch,omitempty"`
}

// Run is a shell command.
type Run struct {
	Command string `json:"command"`
	Title   string `json:"title,omitempty"`
}

// Read reads a file of the project.
type Read struct {
	Path string `json:"path"`
}

// Edit replaces whole lines of a file of the project: Codex's patches know lines only, so Old and New are lines.
type Edit struct {
	Path string `json:"path"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// Write makes a new file in the project.
type Write struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// Todo is one line of the plan.
type Todo struct {
	Text  string `json:"text"`
	State string `json:"state"` // pending, in_progress, completed; may be a {{variable}}
}

// Search is a web search, with its scripted result: the demo has no network.
type Search struct {
	Query   string `json:"query"`
	Results []Hit  `json:"results"`
	Summary string `json:"summary,omitempty"`
}

// Hit is one page that a search found.
type Hit struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}

// Subtask is a sub-agent that is started. Script names what it will do: the marker "#agent NAME" goes into its prompt, and
// by it the sub-agent's own conversation is recognised.
type Subtask struct {
	Name   string `json:"name"` // lower case letters, digits, underscores
	Title  string `json:"title"`
	Prompt string `json:"prompt"`
	Script string `json:"script"`
}

// Capture takes variables from the results: the named groups of Match. A result that does not match changes nothing.
type Capture struct {
	Action *int   `json:"action,omitempty"` // which of Do; none: all results together
	Match  string `json:"match"`
}

// Branch says where to go on. All conditions that are set must hold.
type Branch struct {
	When
	Go string `json:"go"`
}

// When is a condition on the results of the step's actions.
type When struct {
	Action       *int   `json:"action,omitempty"` // which of Do; none: all results together
	Denied       *bool  `json:"denied,omitempty"` // the person (or a rule) said no
	Error        *bool  `json:"error,omitempty"`  // the tool failed, which includes denied and a command's exit status
	Exit         *int   `json:"exit,omitempty"`   // the command's exit status
	AgentsFailed *bool  `json:"agents_failed,omitempty"`
	Match        string `json:"match,omitempty"`
	NoMatch      string `json:"no_match,omitempty"`
}

// nameRule is what script and step names may look like: they travel inside tool call ids.
var nameRule = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)

// loadScripts reads and checks every script of fsys, which has scripts/*.json.
func loadScripts(fsys fs.FS) (map[string]*Script, error) {
	files, err := fs.Glob(fsys, "scripts/*.json")
	if err != nil {
		return nil, err
	}
	sort.Strings(files)
	scripts := map[string]*Script{}
	for _, file := range files {
		data, err := fs.ReadFile(fsys, file)
		if err != nil {
			return nil, fmt.Errorf("demo script %s: %w", file, err)
		}
		name := strings.TrimSuffix(path.Base(file), ".json")
		script, err := parseScript(name, data)
		if err != nil {
			return nil, fmt.Errorf("demo script %s: %w", file, err)
		}
		scripts[name] = script
	}
	for _, script := range scripts {
		for _, step := range script.Steps {
			for _, action := range step.Do {
				for _, task := range action.Dispatch {
					if scripts[task.Script] == nil {
						return nil, fmt.Errorf("demo script %s: step %s starts a sub-agent with the unknown script %q", script.Name, step.ID, task.Script)
					}
				}
			}
		}
	}
	return scripts, nil
}

// parseScript decodes and checks one script. Unknown fields are errors: a misspelt condition would hold always.
func parseScript(name string, data []byte) (*Script, error) {
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.DisallowUnknownFields()
	script := &Script{Name: name, index: map[string]int{}}
	if err := dec.Decode(script); err != nil {
		return nil, err
	}
	if !nameRule.MatchString(name) {
		return nil, fmt.Errorf("%q is no usable name", name)
	}
	for _, expr := range script.Match {
		re, err := regexp.Compile(expr)
		if err != nil {
			return nil, err
		}
		script.match = append(script.match, re)
	}
	if len(script.Steps) == 0 {
		return nil, fmt.Errorf("no steps")
	}
	for i, step := range script.Steps {
		if !nameRule.MatchString(step.ID) {
			return nil, fmt.Errorf("step %q has no usable id", step.ID)
		}
		if _, twice := script.index[step.ID]; twice {
			return nil, fmt.Errorf("step %q is there twice", step.ID)
		}
		script.index[step.ID] = i
	}
	for _, step := range script.Steps {
		if err := script.check(step); err != nil {
			return nil, fmt.Errorf("step %s: %w", step.ID, err)
		}
	}
	return script, nil
}

func (s *Script) check(step Step) error {
	for _, action := range step.Do {
		if action.count() != 1 {
			return fmt.Errorf("an action must have exactly one kind")
		}
		for _, task := range action.Dispatch {
			if !nameRule.MatchString(task.Name) {
				return fmt.Errorf("the sub-agent %q has no usable name", task.Name)
			}
		}
	}
	if step.End && len(step.Do) > 0 {
		return fmt.Errorf("a step that ends the turn can't use tools")
	}
	exprs := []string{}
	for _, capture := range step.Capture {
		exprs = append(exprs, capture.Match)
	}
	for _, branch := range step.Next {
		if _, ok := s.index[branch.Go]; !ok {
			return fmt.Errorf("goes to %q, which does not exist", branch.Go)
		}
		exprs = append(exprs, branch.Match, branch.NoMatch)
	}
	for _, expr := range exprs {
		if _, err := regexp.Compile(expr); err != nil {
			return err
		}
	}
	return nil
}

func (a Action) count() int {
	n := 0
	for _, set := range []bool{a.Run != nil, a.Read != nil, a.Edit != nil, a.Write != nil, a.Plan != nil, a.Search != nil, a.Dispatch != nil} {
		if set {
			n++
		}
	}
	return n
}

func (s *Script) usesTools() bool {
	for _, step := range s.Steps {
		if len(step.Do) > 0 {
			return true
		}
	}
	return false
}

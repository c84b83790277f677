// Package transcript turns the event stream into the rows of the chat: a pure view model, without widgets and without a
// clock. The screen, the headless worklog and replay all read it.
package transcript

import (
	"time"

	"keva/agent/event"
)

// Row is one row of the chat. Rows are small: a long answer is many rows, one for each finished Markdown block. The set is
// sealed.
type Row interface {
	// Key is stable for the row's life and unique in the transcript.
	Key() string
	sealed()
}

// User is a message of the user.
type User struct {
	ID       string
	Text     string
	Delivery event.Delivery
	Time     time.Time
}

// Text is one Markdown block of the answer. While Live it may still grow, and is drawn through the pacer; once it is not
// Live it never changes again.
type Text struct {
	ID    string // event block id, and the number of the Markdown block in it
	Scope string // "" or the task that speaks
	Text  string // Markdown source of this block alone
	Live  bool
	Cut   bool // the stream ended before the block did: the text is not whole
}

// Reasoning is the model's visible thinking, folded.
type Reasoning struct {
	ID   string
	Text string
	Live bool
}

// Mark is the state of a step, task or card. It is drawn as a shape with a word.
type Mark string

// The marks. MarkUnknown is drawn as unknown, never as done.
const (
	MarkWaiting     Mark = "waiting" // not begun, or waits for the user
	MarkRunning     Mark = "running"
	MarkDone        Mark = "done"
	MarkFailed      Mark = "failed"
	MarkInterrupted Mark = "interrupted"
	MarkUnknown     Mark = "unknown"
)

// MarkOf maps an outcome; "" (still open) is MarkRunning.
func MarkOf(o event.Outcome) Mark {
	switch o {
	case "":
		return MarkRunning
	case event.Success:
		return MarkDone
	case event.Failure, event.Timeout:
		return MarkFailed
	case event.Interrupted:
		return MarkInterrupted
	case event.Unknown:
		return MarkUnknown
	}
	return MarkUnknown
}

// WorkStep is one tool call.
type WorkStep struct {
	ID     string
	Tool   event.Tool
	Name   string // the engine's name of the tool
	Title  string // command, path, query
	Mark   Mark
	Denied bool // refused before it ran
	// Allowed is who allowed it, when it was asked for: the request's own row is gone then. "" when it was not asked.
	Allowed  event.By
	Started  time.Time
	Ended    time.Time // zero while it runs
	ExitCode *int
	Output   string // whole, as far as known; drawn folded
	Scope    string
}

// Work is a run of consecutive tool calls of one scope that are not shown as a card of their own: "4 steps · read 2
// files, ran tests".
type Work struct {
	ID    string // id of the first step
	Scope string
	Steps []WorkStep
	Mark  Mark   // running if any runs; else failed, interrupted, unknown, done, whichever is worst of the last step of each
	Title string // what was done, in words
}

// Diff is one file's change. Mark is MarkWaiting while approval is asked.
type Diff struct {
	ID     string // tool id and path
	Scope  string
	Change event.Change
	Path   string // relative to the project where it is inside
	Mark   Mark
	Denied bool
	// Allowed is who allowed it, when it was asked for; "" when it was not asked, or not yet allowed.
	Allowed event.By
}

// Web is a search or a page that was read.
type Web struct {
	ID       string
	Scope    string
	Activity event.WebActivity
	Mark     Mark
	Denied   bool
	Allowed  event.By // as in WorkStep
}

// Plan is the plan as it stands. There is one row for each turn that has a plan, and it changes in place.
type Plan struct {
	ID    string
	Steps []event.Step
	Note  string
}

// TaskNode is one sub-agent or background command.
type TaskNode struct {
	ID         string
	Kind       event.TaskKind
	Title      string
	Agent      string
	Mark       Mark
	Class      event.Class
	Doing      string
	Summary    string
	Background bool
	Generation int
	Started    time.Time
	Ended      time.Time
	Steps      []WorkStep // what it did, as far as the engine tells
	Depth      int        // 0 = dispatched by the main agent
}

// Tasks is the tree of the tasks that one turn dispatched.
type Tasks struct {
	ID    string // the turn
	Nodes []TaskNode
}

// Approval is a request and what became of it. While it is pending it is also in the approval sheet.
type Approval struct {
	ID       string
	Asked    event.ApprovalAsked
	Scope    string
	Who      string // "the main agent" or the task's title
	Time     time.Time
	Decision event.Decision // "" while pending
	By       event.By
	Reason   string
}

// Question is a question of the engine and its answer.
type Question struct {
	ID       string
	Asked    event.QuestionAsked
	Scope    string
	Answers  map[string][]string
	Answered bool
	By       event.By
}

// Notice is a sentence with a level; Detail is folded.
type Notice struct {
	ID     string
	Level  event.Level
	Class  event.Class
	Text   string
	Detail string
	Time   time.Time
}

// End closes a turn: how it went, how long it took.
type End struct {
	ID       string // the turn
	Outcome  event.Outcome
	Origin   event.Origin
	Error    *event.Error
	Duration time.Duration
	Files    int // files changed in the turn
	Added    int
	Removed  int
	Live     int // tasks that were still live when the turn ended
}

func (r *User) Key() string      { return "user/" + r.ID }
func (r *Text) Key() string      { return "text/" + r.ID }
func (r *Reasoning) Key() string { return "reasoning/" + r.ID }
func (r *Work) Key() string      { return "work/" + r.ID }
func (r *Diff) Key() string      { return "diff/" + r.ID }
func (r *Web) Key() string       { return "web/" + r.ID }
func (r *Plan) Key() string      { return "plan/" + r.ID }
func (r *Tasks) Key() string     { return "tasks/" + r.ID }
func (r *Approval) Key() string  { return "approval/" + r.ID }
func (r *Question) Key() string  { return "question/" + r.ID }
func (r *Notice) Key() string    { return "notice/" + r.ID }
func (r *End) Key() string       { return "end/" + r.ID }

func (*User) sealed()      {}
func (*Text) sealed()      {}
func (*Reasoning) sealed() {}
func (*Work) sealed()      {}
func (*Diff) sealed()      {}
func (*Web) sealed()       {}
func (*Plan) sealed()      {}
func (*Tasks) sealed()     {}
func (*Approval) sealed()  {}
func (*Question) sealed()  {}
func (*Notice) sealed()    {}
func (*End) sealed()       {}

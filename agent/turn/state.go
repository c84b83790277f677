// Package turn is the accounting of one session: turns, items, the task ledger, open requests. It is a state machine
// without goroutines, clocks or engines: Apply takes an event and changes nothing but the state.
//
// Rules that must never be broken: a signal ends only the entry whose id it carries (I-6); a session is settled only when
// it is answered and nothing is live (I-7); no counter and no pop (I-8); what can't be known is Unknown (I-9); events of a
// task never touch the main turn (I-10).
package turn

import (
	"time"

	"keva/agent/event"
)

// Phase is what a session is doing, as the status line and the badge say it.
type Phase string

// The phases. Each lists from where it is reached, and by which event.
const (
	// PhaseEmpty: nothing was ever sent.
	PhaseEmpty Phase = "empty"
	// PhaseRunning: from any phase, on TurnStarted.
	PhaseRunning Phase = "running"
	// PhaseNeedsYou: a request is open. From any phase on ApprovalAsked or QuestionAsked; left when the last one closes.
	PhaseNeedsYou Phase = "needs_you"
	// PhaseAnswered: no turn is open, but tasks are live: "answered, N still running".
	PhaseAnswered Phase = "answered"
	// PhaseSettled: no turn is open and nothing is live. How it went is in Last.
	PhaseSettled Phase = "settled"
)

// Item is one tool call or text block of a turn.
type Item struct {
	ID      string        `json:"id"`
	Turn    string        `json:"turn"`
	Scope   string        `json:"scope,omitempty"`
	Tool    event.Tool    `json:"tool"`
	Name    string        `json:"name"`
	Title   string        `json:"title"`
	Started time.Time     `json:"started"`
	Ended   time.Time     `json:"ended,omitzero"`
	Outcome event.Outcome `json:"outcome,omitempty"` // "" while it is open
}

// Task is one entry of the ledger.
type Task struct {
	ID         string         `json:"id"`
	Kind       event.TaskKind `json:"kind"`
	Title      string         `json:"title"`
	ToolID     string         `json:"tool_id,omitempty"`
	Turn       string         `json:"turn"`       // the turn that dispatched it
	Generation int            `json:"generation"` // 1 at the first start; a restart under the same id is a new one
	Background bool           `json:"background,omitempty"`
	Doing      string         `json:"doing,omitempty"`
	Started    time.Time      `json:"started"`
	Ended      time.Time      `json:"ended,omitzero"`
	Outcome    event.Outcome  `json:"outcome,omitempty"` // "" while it is live
	Class      event.Class    `json:"class,omitempty"`
	Summary    string         `json:"summary,omitempty"`
}

// Live reports whether no end of the task was seen.
func (t Task) Live() bool { return t.Outcome == "" }

// Turn is one turn.
type Turn struct {
	ID       string        `json:"id"`
	Origin   event.Origin  `json:"origin"`
	Messages []string      `json:"messages,omitempty"` // ids of the user messages that it answers, as far as known
	Started  time.Time     `json:"started"`
	Ended    time.Time     `json:"ended,omitzero"`
	Outcome  event.Outcome `json:"outcome,omitempty"` // "" while it is open
	Error    *event.Error  `json:"error,omitempty"`
}

// Request is an approval or a question that was asked; it is pending until Decision is set.
type Request struct {
	ID       string               `json:"id"`
	Turn     string               `json:"turn"`
	Scope    string               `json:"scope,omitempty"` // the task that asks, "" = the main agent
	Asked    time.Time            `json:"asked"`
	Approval *event.ApprovalAsked `json:"approval,omitempty"` // either this
	Question *event.QuestionAsked `json:"question,omitempty"` // or this
	Decision event.Decision       `json:"decision,omitempty"`
	By       event.By             `json:"by,omitempty"`
	Reason   string               `json:"reason,omitempty"`
}

// Pending reports whether nobody has answered.
func (r Request) Pending() bool { return r.Decision == "" }

// State is the accounting of a session. The zero value is an empty session. Slices keep the order of first appearance.
type State struct {
	Turns        []Turn         `json:"turns"`
	Tasks        []Task         `json:"tasks"`
	Items        []Item         `json:"items"`
	Requests     []Request      `json:"approvals"`
	Unrecognised map[string]int `json:"unrecognised"` // count by Unrecognised.Type
	// Queue holds the ids of user messages that no turn has read yet, as far as the engine tells.
	Queue []string `json:"queue,omitempty"`
	// Unread holds the ids of messages that waited when an engine went: whether it had read them is not known.
	Unread []string `json:"unread,omitempty"`
	// Unsure is true while the last thing that the user said is one of Unread: no turn has begun since.
	Unsure bool `json:"unsure,omitempty"`
	// Messages counts the user's messages.
	Messages int `json:"messages"`

	Ready  event.SessionReady  `json:"ready"`
	Usage  event.Usage         `json:"usage"`
	Limits []event.Limit       `json:"limits,omitempty"`
	Exit   *event.EngineExited `json:"exit,omitempty"` // set while no engine runs because the last one ended

	// LastEvent is when the engine last said anything; LastText when text last arrived.
	LastEvent time.Time `json:"last_event,omitzero"`
	LastText  time.Time `json:"last_text,omitzero"`
	// Retry is the retry that is going on, nil when none is.
	Retry *event.Retrying `json:"retry,omitempty"`

	idx index
}

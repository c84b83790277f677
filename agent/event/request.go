package event

import "encoding/json"

// ApprovalAsked is a request of the engine that waits for an answer. ID is unique in the session.
type ApprovalAsked struct {
	ID      string          `json:"id"`
	Tool    Tool            `json:"tool"`
	Name    string          `json:"name"`              // the engine's own name of the tool
	ToolID  string          `json:"tool_id,omitempty"` // the item that waits; its ToolStarted may come later
	Title   string          `json:"title"`             // one line
	Command string          `json:"command,omitempty"` // exactly what will run, when it is a command
	Dir     string          `json:"dir,omitempty"`
	Changes []Change        `json:"changes,omitempty"` // exactly what will change, when it is an edit
	Reason  string          `json:"reason,omitempty"`  // why the engine wants it, its words
	Input   json.RawMessage `json:"input,omitempty"`
}

// Decision is an answer to a request.
type Decision string

// The decisions.
const (
	Allow Decision = "allow"
	Deny  Decision = "deny"
	// Withdrawn: the engine took the request back, or its turn ended, before anybody answered.
	Withdrawn Decision = "withdrawn"
	// Lost: the engine went while the request was open. Nothing ran because of it that we know of.
	Lost Decision = "lost"
)

// By says who decided.
type By string

// Who decides.
const (
	ByUser   By = "user"
	ByRule   By = "rule"
	ByStop   By = "stop"
	ByEngine By = "engine"
	ByError  By = "error" // a request that could not be read is declined
)

// ApprovalResolved closes ApprovalAsked ID. The first one counts.
type ApprovalResolved struct {
	ID       string   `json:"id"`
	Decision Decision `json:"decision"`
	By       By       `json:"by"`
	Reason   string   `json:"reason,omitempty"`
}

// Question is one question of the engine to the user.
type Question struct {
	ID      string   `json:"id"` // key of the answer
	Header  string   `json:"header,omitempty"`
	Text    string   `json:"text"`
	Options []Option `json:"options,omitempty"`
	Multi   bool     `json:"multi,omitempty"`
	Free    bool     `json:"free,omitempty"` // a free answer is allowed
}

// Option is one proposed answer.
type Option struct {
	Label  string `json:"label"`
	Detail string `json:"detail,omitempty"`
}

// QuestionAsked waits for QuestionAnswered with the same ID.
type QuestionAsked struct {
	ID        string     `json:"id"`
	ToolID    string     `json:"tool_id,omitempty"`
	Questions []Question `json:"questions"`
}

// QuestionAnswered closes QuestionAsked ID. Answers is keyed by Question.ID; it is nil when dismissed.
type QuestionAnswered struct {
	ID      string              `json:"id"`
	Answers map[string][]string `json:"answers,omitempty"`
	By      By                  `json:"by"`
}

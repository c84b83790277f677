package event

import "encoding/json"

// SessionReady says that the engine has opened its own session. It may come again (each turn of some engines): the last
// one holds.
type SessionReady struct {
	EngineSession string `json:"engine_session"`    // the engine's id, needed for resume
	Engine        string `json:"engine"`            // label for people, e.g. "Claude Code 2.1.197"
	Factory       string `json:"factory,omitempty"` // id of the engine's factory; the session sets it
	Model         string `json:"model,omitempty"`
	Dir           string `json:"dir,omitempty"`
	Mode          string `json:"mode,omitempty"` // the engine's own word for its permission mode
}

// TurnStarted opens Event.Turn.
type TurnStarted struct {
	Origin Origin `json:"origin"`
}

// UserMessage is a prompt as it was sent. It precedes the engine's own reading of it.
type UserMessage struct {
	ID   string `json:"id"`
	Text string `json:"text"`
	// Context is what Keva put before the text: a handoff brief or a replay. It is not the user's.
	Context string `json:"context,omitempty"`
	// Delivery says what became of it when it was sent: it started a turn, or it waits behind or inside a running one.
	Delivery Delivery `json:"delivery"`
}

// Delivery is what happened to a user message when it was sent.
type Delivery string

// The deliveries.
const (
	DeliveryPrompt  Delivery = "prompt"  // starts a turn
	DeliverySteer   Delivery = "steer"   // joins the running turn
	DeliveryQueued  Delivery = "queued"  // the engine decides: joins the running turn or starts the next
	DeliveryUnknown Delivery = "unknown" // was on its way, and nobody can tell whether it was read; comes with the id alone
)

// TextDelta is a piece of the answer. Block identifies the text block that it belongs to.
type TextDelta struct {
	Block string `json:"block"`
	Text  string `json:"text"`
}

// TextFinal is the whole text of a block and replaces its deltas. A block may end without deltas before it, and a block
// whose stream was cut may never end.
type TextFinal struct {
	Block string `json:"block"`
	Text  string `json:"text"`
	// Commentary marks text said on the way; false means an answer or not known.
	Commentary bool `json:"commentary,omitempty"`
}

// ReasoningDelta is a piece of the model's visible thinking.
type ReasoningDelta struct {
	Block string `json:"block"`
	Text  string `json:"text"`
}

// ReasoningFinal is the whole text of a reasoning block.
type ReasoningFinal struct {
	Block string `json:"block"`
	Text  string `json:"text"`
}

// Tool is what a tool does, in words that hold for every engine.
type Tool string

// The tools.
const (
	ToolCommand  Tool = "command"  // a shell command
	ToolRead     Tool = "read"     // reads a file
	ToolSearch   Tool = "search"   // searches files
	ToolEdit     Tool = "edit"     // changes files
	ToolWeb      Tool = "web"      // searches or fetches the web
	ToolAgent    Tool = "agent"    // dispatches a sub-agent, or talks to one
	ToolPlan     Tool = "plan"     // keeps a plan
	ToolQuestion Tool = "question" // asks the user
	ToolMCP      Tool = "mcp"      // a tool of an MCP server
	ToolImage    Tool = "image"    // looks at an image
	ToolOther    Tool = "other"    // anything else; Name says what
)

// ToolStarted opens the item ID.
type ToolStarted struct {
	ID    string          `json:"id"`
	Tool  Tool            `json:"tool"`
	Name  string          `json:"name"`  // the engine's own name of the tool
	Title string          `json:"title"` // one line: the command, the path, the query
	Dir   string          `json:"dir,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
}

// ToolOutput is a piece of a running tool's output.
type ToolOutput struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// ToolEnded closes the item ID. Output is the whole output as far as the engine sent it and replaces all pieces.
type ToolEnded struct {
	ID       string  `json:"id"`
	Outcome  Outcome `json:"outcome"`
	Class    Class   `json:"class,omitempty"` // ClassDenied: refused before it ran
	Output   string  `json:"output,omitempty"`
	ExitCode *int    `json:"exit_code,omitempty"`
	Millis   int64   `json:"millis,omitempty"` // as the engine measured it; 0 when it did not say
	// Background: the tool call returned, but the work goes on as task Task.
	Background string `json:"background,omitempty"`
}

// ChangeKind says what happens to a file.
type ChangeKind string

// The kinds of change.
const (
	ChangeAdd     ChangeKind = "add"
	ChangeUpdate  ChangeKind = "update"
	ChangeDelete  ChangeKind = "delete"
	ChangeMove    ChangeKind = "move"
	ChangeUnknown ChangeKind = "unknown" // the engine used a word that is not known
)

// Change is one file's change.
type Change struct {
	Path    string     `json:"path"` // as the engine gave it, usually absolute
	MovedTo string     `json:"moved_to,omitempty"`
	Kind    ChangeKind `json:"kind"`
	Hunks   []Hunk     `json:"hunks,omitempty"`
	Added   int        `json:"added"`
	Removed int        `json:"removed"`
	// Note says what can't be known, e.g. "the old content was not sent".
	Note string `json:"note,omitempty"`
}

// Hunk is a run of changed lines. Each line starts with ' ', '+' or '-'. Starts count from 1; both 0 means that where the
// lines stand is not known.
type Hunk struct {
	OldStart int      `json:"old_start"`
	OldLines int      `json:"old_lines"`
	NewStart int      `json:"new_start"`
	NewLines int      `json:"new_lines"`
	Lines    []string `json:"lines"`
}

// Placed reports whether it is known where in the file the lines stand.
func (h Hunk) Placed() bool { return h.OldStart > 0 || h.NewStart > 0 }

// FileChange tells what tool ID did to files, once it was done. What it is about to do is in ApprovalAsked.
type FileChange struct {
	ID      string   `json:"id"`
	Changes []Change `json:"changes"`
	Outcome Outcome  `json:"outcome"`
}

// WebAction is what was done on the web.
type WebAction string

// The web actions.
const (
	WebSearch  WebAction = "search"
	WebOpen    WebAction = "open"
	WebFind    WebAction = "find"
	WebUnknown WebAction = "unknown"
)

// WebResult is one hit.
type WebResult struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet,omitempty"`
}

// WebActivity tells what tool ID found on the web. Results is empty when the engine did not send them; ResultsKnown
// tells the two apart.
type WebActivity struct {
	ID           string      `json:"id"`
	Action       WebAction   `json:"action"`
	Query        string      `json:"query"` // the search words, or the address
	Results      []WebResult `json:"results,omitempty"`
	ResultsKnown bool        `json:"results_known"`
	Text         string      `json:"text,omitempty"` // what was read, shortened by the engine
}

// StepState is how far a step of a plan is.
type StepState string

// The states of a step.
const (
	StepPending StepState = "pending"
	StepActive  StepState = "active"
	StepDone    StepState = "done"
	StepUnknown StepState = "unknown"
)

// Step is one step of a plan.
type Step struct {
	ID    string    `json:"id,omitempty"`
	Text  string    `json:"text"`
	State StepState `json:"state"`
}

// Plan is the whole plan as it stands and replaces the one before.
type Plan struct {
	Steps []Step `json:"steps"`
	Note  string `json:"note,omitempty"`
}

// TaskKind is what a task is.
type TaskKind string

// The kinds of task.
const (
	TaskAgent   TaskKind = "agent"
	TaskCommand TaskKind = "command"
	TaskOther   TaskKind = "other"
)

// TaskStarted opens the ledger entry ID, or re-opens an ended one as a new generation.
type TaskStarted struct {
	ID         string   `json:"id"`
	Task       TaskKind `json:"task"`
	Title      string   `json:"title"`
	Agent      string   `json:"agent,omitempty"`   // the kind of sub-agent, the engine's word
	ToolID     string   `json:"tool_id,omitempty"` // the item that dispatched it
	Prompt     string   `json:"prompt,omitempty"`
	Background bool     `json:"background,omitempty"`
}

// TaskProgress says that task ID is alive, and what it does.
type TaskProgress struct {
	ID         string `json:"id"`
	Title      string `json:"title,omitempty"`
	Doing      string `json:"doing,omitempty"` // the last tool
	ToolUses   int    `json:"tool_uses,omitempty"`
	Tokens     int64  `json:"tokens,omitempty"`
	Background bool   `json:"background,omitempty"` // it was moved to the background
}

// TaskEnded ends the ledger entry ID and no other. An ID of "" ends nothing: it only makes the ledger look again.
type TaskEnded struct {
	ID      string  `json:"id"`
	Outcome Outcome `json:"outcome"`
	Class   Class   `json:"class,omitempty"`
	Summary string  `json:"summary,omitempty"`
	Via     string  `json:"via,omitempty"` // the signal on the wire, for the curious
}

// Usage is what was used. Fields that the engine did not send are 0; ContextWindow 0 means the fill is not known.
type Usage struct {
	Input         int64   `json:"input"`
	Cached        int64   `json:"cached"`
	Output        int64   `json:"output"`
	ContextUsed   int64   `json:"context_used"`
	ContextWindow int64   `json:"context_window"`
	CostUSD       float64 `json:"cost_usd,omitempty"` // since the engine's process started
}

// Limit is one window of the provider's usage limits.
type Limit struct {
	Name        string  `json:"name"`         // e.g. "five_hour"
	UsedPercent float64 `json:"used_percent"` // -1 when not known
	ResetsAt    int64   `json:"resets_at"`    // Unix seconds, 0 when not known
	Reached     bool    `json:"reached"`
}

// Limits is the provider's usage limits as last told.
type Limits struct {
	Limits []Limit `json:"limits"`
}

// Retrying says that the engine tries a request again by itself.
type Retrying struct {
	Attempt     int   `json:"attempt"`
	Max         int   `json:"max,omitempty"` // 0: no bound is known
	DelayMillis int64 `json:"delay_millis,omitempty"`
	Cause       Error `json:"cause"`
}

// Compaction tells that the engine shortens the conversation.
type Compaction struct {
	State   CompactionState `json:"state"`
	Message string          `json:"message,omitempty"`
	Before  int64           `json:"before,omitempty"` // tokens
	After   int64           `json:"after,omitempty"`
}

// CompactionState is how far a compaction is.
type CompactionState string

// The states of a compaction.
const (
	CompactionStarted CompactionState = "started"
	CompactionDone    CompactionState = "done"
	CompactionFailed  CompactionState = "failed"
)

// Level is how much a notice matters.
type Level string

// The levels.
const (
	LevelInfo    Level = "info"
	LevelWarning Level = "warning"
	LevelError   Level = "error"
)

// Notice is a sentence for the user, with what the log should know.
type Notice struct {
	Level  Level  `json:"level"`
	Class  Class  `json:"class,omitempty"`
	Text   string `json:"text"`
	Detail string `json:"detail,omitempty"`
}

// Heartbeat says that item or task ID is alive. Only engines whose Capabilities say so send it.
type Heartbeat struct {
	ID     string `json:"id,omitempty"`
	Millis int64  `json:"millis,omitempty"` // how long it has been running
}

// Activity is what the engine's main loop says it does. It carries no id, so it ends nothing.
type Activity string

// The activities.
const (
	Running Activity = "running"
	Waiting Activity = "waiting" // for an answer of ours
	Idle    Activity = "idle"
)

// EngineState is the engine's own word on its main loop: a hint to look again, never an end.
type EngineState struct {
	Activity Activity `json:"activity"`
}

// TurnCompleted ends Event.Turn.
type TurnCompleted struct {
	Outcome Outcome `json:"outcome"`
	Origin  Origin  `json:"origin"`
	Error   *Error  `json:"error,omitempty"`
	Millis  int64   `json:"millis,omitempty"`
	// Messages are the ids of the user messages that this turn has read, when the engine tells.
	Messages []string `json:"messages,omitempty"`
}

// ExitClass is why a process ended.
type ExitClass string

// The classes of death.
const (
	ExitClean      ExitClass = "clean"       // code 0, unasked or after our stdin EOF
	ExitCode       ExitClass = "code"        // another exit code
	ExitStopped    ExitClass = "stopped"     // by a rung of our stop ladder
	ExitKilled     ExitClass = "killed"      // SIGKILL that was not ours: the system (memory, process limit) or a person
	ExitCrashed    ExitClass = "crashed"     // another signal
	ExitBlocked    ExitClass = "blocked"     // SIGSYS: a system call that the platform forbids
	ExitNotFound   ExitClass = "not_found"   // the program is not there
	ExitNoLoader   ExitClass = "no_loader"   // the program is there, its loader is not
	ExitNotAllowed ExitClass = "not_allowed" // may not be executed
	ExitUnknown    ExitClass = "unknown"     // it is gone, and nobody saw how
)

// EngineExited says that the engine's process is gone.
type EngineExited struct {
	Class  ExitClass `json:"class"`
	Code   int       `json:"code"`
	Signal string    `json:"signal,omitempty"`
	Stderr string    `json:"stderr,omitempty"` // the tail
	Rung   string    `json:"rung,omitempty"`   // the rung of the stop ladder that worked
	Advice string    `json:"advice,omitempty"` // a sentence for the user: cause and remedy
}

// Unrecognised is a frame, or a part of one, that no rule knows. It is kept and counted, never dropped, never fatal.
type Unrecognised struct {
	Type string `json:"type"`          // what it called itself, or what was wrong with it
	Raw  string `json:"raw,omitempty"` // as received, cut at 4096 bytes
	Size int    `json:"size"`          // in bytes, uncut
}

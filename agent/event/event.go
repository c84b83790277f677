// Package event is the unified event stream: the only thing that the screen, the store and the ledger consume.
//
// Both engines' frames become these events, in delivery order. The package knows no engine, no database and no widget,
// and it must never gain a value that reads as success by default: what is not known has a word of its own, Unknown.
package event

import "time"

// Event is one entry of a session's ordered stream.
//
// Events are values: once published they are never changed. Seq and Session are set by the session that publishes the
// event; a mapper leaves them zero.
type Event struct {
	// Seq is the position in the session's stream, from 1, without gaps. 0 means not yet published.
	Seq int64
	// Time is when Keva saw the cause, in UTC.
	Time time.Time
	// Session is Keva's own session id, not the engine's.
	Session string
	// Turn is the turn that the event belongs to; "" outside of any turn.
	Turn string
	// Scope is "" for the main agent, else the id of the task (sub-agent) that the event came from.
	Scope string
	// Body says what happened. It is never nil in a published event.
	Body Body
}

// Body is the sealed set of things that can happen. Every switch over it is exhaustive: the linter checks Kind switches,
// and TestEveryKindHasABody keeps Kind and Body in step.
type Body interface {
	// Kind names the concrete type; it is also its name in JSON.
	Kind() Kind
	sealed()
}

// Kind is the name of an event's concrete body, as stored and as printed.
type Kind string

// The kinds, one for each Body.
const (
	KindSessionReady     Kind = "session_ready"
	KindTurnStarted      Kind = "turn_started"
	KindUserMessage      Kind = "user_message"
	KindTextDelta        Kind = "text_delta"
	KindTextFinal        Kind = "text_final"
	KindReasoningDelta   Kind = "reasoning_delta"
	KindReasoningFinal   Kind = "reasoning_final"
	KindToolStarted      Kind = "tool_started"
	KindToolOutput       Kind = "tool_output"
	KindToolEnded        Kind = "tool_ended"
	KindFileChange       Kind = "file_change"
	KindWebActivity      Kind = "web_activity"
	KindPlan             Kind = "plan"
	KindApprovalAsked    Kind = "approval_asked"
	KindApprovalResolved Kind = "approval_resolved"
	KindQuestionAsked    Kind = "question_asked"
	KindQuestionAnswered Kind = "question_answered"
	KindTaskStarted      Kind = "task_started"
	KindTaskProgress     Kind = "task_progress"
	KindTaskEnded        Kind = "task_ended"
	KindUsage            Kind = "usage"
	KindLimits           Kind = "limits"
	KindRetrying         Kind = "retrying"
	KindCompaction       Kind = "compaction"
	KindNotice           Kind = "notice"
	KindHeartbeat        Kind = "heartbeat"
	KindEngineState      Kind = "engine_state"
	KindTurnCompleted    Kind = "turn_completed"
	KindEngineExited     Kind = "engine_exited"
	KindUnrecognised     Kind = "unrecognised"
)

// Outcome says how something ended. There is no zero value that reads as success: the zero Outcome is invalid, and
// mapping from an engine's word is fail-closed (an unknown word is Failure, a missing end is Unknown).
type Outcome string

// The outcomes.
const (
	Success     Outcome = "success"
	Failure     Outcome = "failure"
	Interrupted Outcome = "interrupted"
	Timeout     Outcome = "timeout"
	Unknown     Outcome = "unknown"
)

// Valid reports whether o is one of the outcomes.
func (o Outcome) Valid() bool {
	switch o {
	case Success, Failure, Interrupted, Timeout, Unknown:
		return true
	}
	return false
}

// Origin says who asked for a turn.
type Origin string

// The origins of a turn.
const (
	// OriginUser: a message of the user started it.
	OriginUser Origin = "user"
	// OriginTask: a finished background task made the engine speak again.
	OriginTask Origin = "task"
	// OriginResume: leftovers that an engine works off after a resume, before any prompt.
	OriginResume Origin = "resume"
	// OriginEngine: the engine started it by itself (a goal, a compaction, a queue of its own).
	OriginEngine Origin = "engine"
	// OriginUnknown: nothing on the wire says who asked.
	OriginUnknown Origin = "unknown"
)

// Class is the kind of a failure: code switches on it, and each has a sentence for people.
type Class string

// The failure classes. ClassOther is a failure that has a message but no kind.
const (
	ClassAuth        Class = "auth"        // the provider refused the credentials
	ClassBilling     Class = "billing"     // no credit
	ClassLimit       Class = "limit"       // usage or rate limit
	ClassOverloaded  Class = "overloaded"  // the provider is overloaded
	ClassServer      Class = "server"      // the provider failed
	ClassModel       Class = "model"       // the model does not exist or may not be used
	ClassContext     Class = "context"     // the conversation is too long
	ClassRequest     Class = "request"     // the provider rejected the request
	ClassRefusal     Class = "refusal"     // the model refused
	ClassNetwork     Class = "network"     // no connection, or it was cut
	ClassTooLong     Class = "output"      // the answer was longer than allowed
	ClassBudget      Class = "budget"      // a limit that the user set (turns, cost)
	ClassDenied      Class = "denied"      // the user or a rule said no
	ClassTool        Class = "tool"        // a tool failed
	ClassEngine      Class = "engine"      // the engine itself failed
	ClassEngineGone  Class = "engine_gone" // the engine's process ended
	ClassConfig      Class = "config"      // settings that can't work
	ClassResume      Class = "resume"      // the engine can't continue its session
	ClassInterrupted Class = "interrupted" // stopped on request
	ClassOther       Class = "other"       // has a message but no kind
)

// Error is a failure as people and code need it.
type Error struct {
	Class   Class  `json:"class"`
	Message string `json:"message"`          // for the user, one or two sentences
	Detail  string `json:"detail,omitempty"` // for the log and the curious; may hold engine jargon
	Status  int    `json:"status,omitempty"` // HTTP status, 0 when there is none
}

// Error makes *Error usable as a Go error.
func (e *Error) Error() string { return e.Message }

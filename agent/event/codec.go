package event

import (
	"encoding/json"
	"fmt"
	"time"
)

func (SessionReady) Kind() Kind { return KindSessionReady }
func (SessionReady) sealed()    {}

func (TurnStarted) Kind() Kind { return KindTurnStarted }
func (TurnStarted) sealed()    {}

func (UserMessage) Kind() Kind { return KindUserMessage }
func (UserMessage) sealed()    {}

func (TextDelta) Kind() Kind { return KindTextDelta }
func (TextDelta) sealed()    {}

func (TextFinal) Kind() Kind { return KindTextFinal }
func (TextFinal) sealed()    {}

func (ReasoningDelta) Kind() Kind { return KindReasoningDelta }
func (ReasoningDelta) sealed()    {}

func (ReasoningFinal) Kind() Kind { return KindReasoningFinal }
func (ReasoningFinal) sealed()    {}

func (ToolStarted) Kind() Kind { return KindToolStarted }
func (ToolStarted) sealed()    {}

func (ToolOutput) Kind() Kind { return KindToolOutput }
func (ToolOutput) sealed()    {}

func (ToolEnded) Kind() Kind { return KindToolEnded }
func (ToolEnded) sealed()    {}

func (FileChange) Kind() Kind { return KindFileChange }
func (FileChange) sealed()    {}

func (WebActivity) Kind() Kind { return KindWebActivity }
func (WebActivity) sealed()    {}

func (Plan) Kind() Kind { return KindPlan }
func (Plan) sealed()    {}

func (ApprovalAsked) Kind() Kind { return KindApprovalAsked }
func (ApprovalAsked) sealed()    {}

func (ApprovalResolved) Kind() Kind { return KindApprovalResolved }
func (ApprovalResolved) sealed()    {}

func (QuestionAsked) Kind() Kind { return KindQuestionAsked }
func (QuestionAsked) sealed()    {}

func (QuestionAnswered) Kind() Kind { return KindQuestionAnswered }
func (QuestionAnswered) sealed()    {}

func (TaskStarted) Kind() Kind { return KindTaskStarted }
func (TaskStarted) sealed()    {}

func (TaskProgress) Kind() Kind { return KindTaskProgress }
func (TaskProgress) sealed()    {}

func (TaskEnded) Kind() Kind { return KindTaskEnded }
func (TaskEnded) sealed()    {}

func (Usage) Kind() Kind { return KindUsage }
func (Usage) sealed()    {}

func (Limits) Kind() Kind { return KindLimits }
func (Limits) sealed()    {}

func (Retrying) Kind() Kind { return KindRetrying }
func (Retrying) sealed()    {}

func (Compaction) Kind() Kind { return KindCompaction }
func (Compaction) sealed()    {}

func (Notice) Kind() Kind { return KindNotice }
func (Notice) sealed()    {}

func (Heartbeat) Kind() Kind { return KindHeartbeat }
func (Heartbeat) sealed()    {}

func (EngineState) Kind() Kind { return KindEngineState }
func (EngineState) sealed()    {}

func (TurnCompleted) Kind() Kind { return KindTurnCompleted }
func (TurnCompleted) sealed()    {}

func (EngineExited) Kind() Kind { return KindEngineExited }
func (EngineExited) sealed()    {}

func (Unrecognised) Kind() Kind { return KindUnrecognised }
func (Unrecognised) sealed()    {}

// Kinds lists all kinds, in the order of their declaration.
func Kinds() []Kind {
	return []Kind{
		KindSessionReady,
		KindTurnStarted,
		KindUserMessage,
		KindTextDelta,
		KindTextFinal,
		KindReasoningDelta,
		KindReasoningFinal,
		KindToolStarted,
		KindToolOutput,
		KindToolEnded,
		KindFileChange,
		KindWebActivity,
		KindPlan,
		KindApprovalAsked,
		KindApprovalResolved,
		KindQuestionAsked,
		KindQuestionAnswered,
		KindTaskStarted,
		KindTaskProgress,
		KindTaskEnded,
		KindUsage,
		KindLimits,
		KindRetrying,
		KindCompaction,
		KindNotice,
		KindHeartbeat,
		KindEngineState,
		KindTurnCompleted,
		KindEngineExited,
		KindUnrecognised,
	}
}

// newBody returns a pointer to a zero body of kind k, or nil.
func newBody(k Kind) any {
	switch k {
	case KindSessionReady:
		return new(SessionReady)
	case KindTurnStarted:
		return new(TurnStarted)
	case KindUserMessage:
		return new(UserMessage)
	case KindTextDelta:
		return new(TextDelta)
	case KindTextFinal:
		return new(TextFinal)
	case KindReasoningDelta:
		return new(ReasoningDelta)
	case KindReasoningFinal:
		return new(ReasoningFinal)
	case KindToolStarted:
		return new(ToolStarted)
	case KindToolOutput:
		return new(ToolOutput)
	case KindToolEnded:
		return new(ToolEnded)
	case KindFileChange:
		return new(FileChange)
	case KindWebActivity:
		return new(WebActivity)
	case KindPlan:
		return new(Plan)
	case KindApprovalAsked:
		return new(ApprovalAsked)
	case KindApprovalResolved:
		return new(ApprovalResolved)
	case KindQuestionAsked:
		return new(QuestionAsked)
	case KindQuestionAnswered:
		return new(QuestionAnswered)
	case KindTaskStarted:
		return new(TaskStarted)
	case KindTaskProgress:
		return new(TaskProgress)
	case KindTaskEnded:
		return new(TaskEnded)
	case KindUsage:
		return new(Usage)
	case KindLimits:
		return new(Limits)
	case KindRetrying:
		return new(Retrying)
	case KindCompaction:
		return new(Compaction)
	case KindNotice:
		return new(Notice)
	case KindHeartbeat:
		return new(Heartbeat)
	case KindEngineState:
		return new(EngineState)
	case KindTurnCompleted:
		return new(TurnCompleted)
	case KindEngineExited:
		return new(EngineExited)
	case KindUnrecognised:
		return new(Unrecognised)
	}
	return nil
}

func deref(p any) Body {
	switch b := p.(type) {
	case *SessionReady:
		return *b
	case *TurnStarted:
		return *b
	case *UserMessage:
		return *b
	case *TextDelta:
		return *b
	case *TextFinal:
		return *b
	case *ReasoningDelta:
		return *b
	case *ReasoningFinal:
		return *b
	case *ToolStarted:
		return *b
	case *ToolOutput:
		return *b
	case *ToolEnded:
		return *b
	case *FileChange:
		return *b
	case *WebActivity:
		return *b
	case *Plan:
		return *b
	case *ApprovalAsked:
		return *b
	case *ApprovalResolved:
		return *b
	case *QuestionAsked:
		return *b
	case *QuestionAnswered:
		return *b
	case *TaskStarted:
		return *b
	case *TaskProgress:
		return *b
	case *TaskEnded:
		return *b
	case *Usage:
		return *b
	case *Limits:
		return *b
	case *Retrying:
		return *b
	case *Compaction:
		return *b
	case *Notice:
		return *b
	case *Heartbeat:
		return *b
	case *EngineState:
		return *b
	case *TurnCompleted:
		return *b
	case *EngineExited:
		return *b
	case *Unrecognised:
		return *b
	}
	return nil
}

// wire is an Event as JSON: what the store keeps and what -json prints.
type wire struct {
	Seq     int64           `json:"seq,omitempty"`
	Time    time.Time       `json:"time,omitzero"`
	Session string          `json:"session,omitempty"`
	Turn    string          `json:"turn,omitempty"`
	Scope   string          `json:"scope,omitempty"`
	Kind    Kind            `json:"kind"`
	Body    json.RawMessage `json:"body"`
}

// MarshalJSON writes the event with its kind beside its body.
func (e Event) MarshalJSON() ([]byte, error) {
	if e.Body == nil {
		return nil, fmt.Errorf("event %d has no body", e.Seq)
	}
	b, err := json.Marshal(e.Body)
	if err != nil {
		return nil, fmt.Errorf("event %d (%s): %w", e.Seq, e.Body.Kind(), err)
	}
	return json.Marshal(wire{e.Seq, e.Time, e.Session, e.Turn, e.Scope, e.Body.Kind(), b})
}

// UnmarshalJSON reads what MarshalJSON wrote. A kind that this version does not know becomes an Unrecognised body: a
// database written by a newer version still opens.
func (e *Event) UnmarshalJSON(data []byte) error {
	var w wire
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	body, err := DecodeBody(w.Kind, w.Body)
	if err != nil {
		return err
	}
	*e = Event{w.Seq, w.Time, w.Session, w.Turn, w.Scope, body}
	return nil
}

// EncodeBody returns the JSON of b alone; the kind is b.Kind().
func EncodeBody(b Body) ([]byte, error) { return json.Marshal(b) }

// DecodeBody reads a body of kind k. An unknown kind gives an Unrecognised; broken JSON gives an error.
func DecodeBody(k Kind, data []byte) (Body, error) {
	p := newBody(k)
	if p == nil {
		return NewUnrecognised("event "+string(k), data), nil
	}
	if err := json.Unmarshal(data, p); err != nil {
		return nil, fmt.Errorf("event body %s: %w", k, err)
	}
	return deref(p), nil
}

// maxRaw is how much of an unrecognised frame is kept, in bytes.
const maxRaw = 4096

// NewUnrecognised keeps raw, cut at 4096 bytes, under the given type.
func NewUnrecognised(typ string, raw []byte) Unrecognised {
	u := Unrecognised{Type: typ, Size: len(raw)}
	if len(raw) > maxRaw {
		raw = raw[:maxRaw]
	}
	u.Raw = string(raw)
	return u
}

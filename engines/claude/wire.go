package claude

import (
	"encoding/json"
	"errors"
)

// line is every message of the stream-json protocol in one flat struct: the type and subtype say which fields are filled
// (protocol/claude.md §1). What differs in shape between messages stays raw. Unknown fields are ignored.
type line struct {
	Type      string `json:"type"`
	Subtype   string `json:"subtype"`
	UUID      string `json:"uuid"`
	SessionID string `json:"session_id"`

	// assistant, user, stream_event
	Message    json.RawMessage `json:"message"` // an object there, a string in permission_denied
	Parent     string          `json:"parent_tool_use_id"`
	Event      json.RawMessage `json:"event"`
	Structured json.RawMessage `json:"tool_use_result"`
	Error      string          `json:"error"` // also api_retry
	Replay     bool            `json:"isReplay"`
	Synthetic  bool            `json:"isSynthetic"`

	// control_request, control_response, control_cancel_request
	RequestID string          `json:"request_id"`
	Request   json.RawMessage `json:"request"`
	Response  json.RawMessage `json:"response"`

	// system/init
	CWD        string      `json:"cwd"`
	Model      string      `json:"model"`
	Mode       string      `json:"permissionMode"`
	Version    string      `json:"claude_code_version"`
	MCPServers []mcpServer `json:"mcp_servers"`

	// system/session_state_changed, status, task_*
	State         string          `json:"state"`
	Status        string          `json:"status"`
	CompactResult string          `json:"compact_result"`
	CompactError  string          `json:"compact_error"`
	Compact       compactMetadata `json:"compact_metadata"`
	TaskID        string          `json:"task_id"`
	ToolUseID     string          `json:"tool_use_id"`
	Description   string          `json:"description"`
	TaskType      string          `json:"task_type"`
	AgentType     string          `json:"subagent_type"`
	Prompt        string          `json:"prompt"`
	LastTool      string          `json:"last_tool_name"`
	Summary       string          `json:"summary"`
	Patch         taskPatch       `json:"patch"`
	ToolName      string          `json:"tool_name"`

	// system/api_retry
	Attempt     int     `json:"attempt"`
	MaxRetries  int     `json:"max_retries"`
	RetryDelay  float64 `json:"retry_delay_ms"`
	ErrorStatus int     `json:"error_status"`

	// system/model_refusal_no_fallback, hook_response
	Explanation string `json:"api_refusal_explanation"`
	HookName    string `json:"hook_name"`
	Outcome     string `json:"outcome"`
	Stderr      string `json:"stderr"`

	// rate_limit_event
	RateLimit rateLimit `json:"rate_limit_info"`

	// result; usage also in task_progress
	IsError        bool                  `json:"is_error"`
	APIStatus      int                   `json:"api_error_status"`
	Result         string                `json:"result"`
	Errors         []string              `json:"errors"`
	StopReason     string                `json:"stop_reason"`
	NumTurns       int                   `json:"num_turns"`
	Millis         float64               `json:"duration_ms"`
	Cost           float64               `json:"total_cost_usd"`
	Usage          usage                 `json:"usage"`
	ModelUsage     map[string]modelUsage `json:"modelUsage"`
	TerminalReason string                `json:"terminal_reason"`
	Origin         struct {
		Kind string `json:"kind"`
	} `json:"origin"`
}

type mcpServer struct {
	Name   string `json:"name"`
	Status string `json:"status"`
}

type compactMetadata struct {
	Pre  int64 `json:"pre_tokens"`
	Post int64 `json:"post_tokens"`
}

type taskPatch struct {
	Status       string `json:"status"`
	Backgrounded bool   `json:"is_backgrounded"`
}

type rateLimit struct {
	Status      string   `json:"status"`
	Type        string   `json:"rateLimitType"`
	ResetsAt    float64  `json:"resetsAt"`
	Utilization *float64 `json:"utilization"`
}

// usage is the Messages API's, and in task_progress the sum of an agent.
type usage struct {
	Input       int64 `json:"input_tokens"`
	CacheCreate int64 `json:"cache_creation_input_tokens"`
	CacheRead   int64 `json:"cache_read_input_tokens"`
	Output      int64 `json:"output_tokens"`
	Total       int64 `json:"total_tokens"`
	ToolUses    int   `json:"tool_uses"`
}

// prompt is all that was sent to the model, cached or not.
func (u usage) prompt() int64 { return u.Input + u.CacheCreate + u.CacheRead }

type modelUsage struct {
	ContextWindow int64 `json:"contextWindow"`
}

// errNotObject is returned for JSON that is no object.
var errNotObject = errors.New("not a JSON object")

// decode reads data into v as far as it goes: a field of the wrong type is left empty and the rest is read, since an
// engine's update must not make a whole message unreadable. Only broken JSON, or no object, is an error.
func decode(data []byte, v any) error {
	if len(data) == 0 {
		return errNotObject
	}
	err := json.Unmarshal(data, v)
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		if mismatch.Field == "" {
			return errNotObject // the outermost value itself
		}
		return nil
	}
	return err
}

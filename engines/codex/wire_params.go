package codex

import "encoding/json"

// head is what most notifications and server requests have in common.
type head struct {
	ThreadID string `json:"threadId"`
	TurnID   string `json:"turnId"`
	ItemID   string `json:"itemId"`
}

// wireThread is a thread as replies and thread/started carry it.
type wireThread struct {
	ID             string          `json:"id"`
	ParentThreadID string          `json:"parentThreadId"`
	CLIVersion     string          `json:"cliVersion"`
	AgentNickname  string          `json:"agentNickname"`
	AgentRole      string          `json:"agentRole"`
	Cwd            string          `json:"cwd"`
	Source         json.RawMessage `json:"source"`
}

// openReply is the result of thread/start, thread/resume and thread/fork.
type openReply struct {
	Thread         wireThread      `json:"thread"`
	Model          string          `json:"model"`
	Cwd            string          `json:"cwd"`
	ApprovalPolicy json.RawMessage `json:"approvalPolicy"` // a word, or an object when granular
	Reviewer       string          `json:"approvalsReviewer"`
}

// wireTurn is a turn as turn/started, turn/completed and replies carry it.
type wireTurn struct {
	ID         string            `json:"id"`
	RootTurnID string            `json:"rootTurnId"` // the main turn that a sub-agent's turn belongs to
	Status     string            `json:"status"`
	Error      *wireError        `json:"error"`
	DurationMs int64             `json:"durationMs"`
	Items      []json.RawMessage `json:"items"`
}

// wireError is a turn's error. Info is a word or an object with one key.
type wireError struct {
	Message           string          `json:"message"`
	Info              json.RawMessage `json:"codexErrorInfo"`
	AdditionalDetails string          `json:"additionalDetails"`
}

type turnParams struct {
	ThreadID string   `json:"threadId"`
	Turn     wireTurn `json:"turn"`
}

type itemParams struct {
	ThreadID string          `json:"threadId"`
	TurnID   string          `json:"turnId"`
	Item     json.RawMessage `json:"item"`
}

type deltaParams struct {
	head
	Delta string `json:"delta"`
	Stdin string `json:"stdin"`
}

type statusParams struct {
	ThreadID string `json:"threadId"`
	Status   struct {
		Type        string   `json:"type"`
		ActiveFlags []string `json:"activeFlags"`
	} `json:"status"`
}

type errorParams struct {
	head
	Error     wireError `json:"error"`
	WillRetry bool      `json:"willRetry"`
}

type planParams struct {
	head
	Explanation string `json:"explanation"`
	Plan        []struct {
		Step   string `json:"step"`
		Status string `json:"status"`
	} `json:"plan"`
}

type tokens struct {
	Total  int64 `json:"totalTokens"`
	Input  int64 `json:"inputTokens"`
	Cached int64 `json:"cachedInputTokens"`
	Output int64 `json:"outputTokens"`
}

type usageParams struct {
	head
	TokenUsage struct {
		Total              tokens `json:"total"`
		Last               tokens `json:"last"`
		ModelContextWindow int64  `json:"modelContextWindow"`
	} `json:"tokenUsage"`
}

type limitWindow struct {
	UsedPercent *float64 `json:"usedPercent"`
	Minutes     int64    `json:"windowDurationMins"`
	ResetsAt    int64    `json:"resetsAt"`
}

type limitsParams struct {
	RateLimits struct {
		LimitID     string       `json:"limitId"`
		Primary     *limitWindow `json:"primary"`
		Secondary   *limitWindow `json:"secondary"`
		ReachedType string       `json:"rateLimitReachedType"`
	} `json:"rateLimits"`
}

// userInput is what turn/start, turn/steer and thread/queue/add carry.
type userInput struct {
	ThreadID  string `json:"threadId"`
	ClientID  string `json:"clientUserMessageId"`
	ProcessID string `json:"processId"`
	Delivery  string `json:"delivery"`
	Input     []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Path     string `json:"path"`
		Name     string `json:"name"`
		Elements []struct {
			Placeholder string `json:"placeholder"`
		} `json:"text_elements"`
	} `json:"input"`
}

// wireItem is the union of all item types: each uses some of the fields. Fields whose type differs between items are
// raw.
type wireItem struct {
	Type string `json:"type"`
	ID   string `json:"id"`

	Text      string          `json:"text"`
	Phase     string          `json:"phase"`
	ClientID  string          `json:"clientId"`
	Summary   []string        `json:"summary"`
	Content   json.RawMessage `json:"content"`
	Status    string          `json:"status"`
	Review    string          `json:"review"`
	Path      string          `json:"path"`
	Command   string          `json:"command"`
	Cwd       string          `json:"cwd"`
	Source    string          `json:"source"`
	ProcessID string          `json:"processId"`
	Output    *string         `json:"aggregatedOutput"`
	ExitCode  *int            `json:"exitCode"`
	Millis    int64           `json:"durationMs"`
	Actions   []wireAction    `json:"commandActions"`

	Changes []wireChange `json:"changes"`

	Query   string          `json:"query"`
	Action  *webAction      `json:"action"`
	Results json.RawMessage `json:"results"`

	Server       string          `json:"server"`
	Tool         string          `json:"tool"`
	Namespace    string          `json:"namespace"`
	Arguments    json.RawMessage `json:"arguments"`
	Result       json.RawMessage `json:"result"`
	ItemError    json.RawMessage `json:"error"`
	ContentItems []contentItem   `json:"contentItems"`
	Success      *bool           `json:"success"`

	Receivers []string              `json:"receiverThreadIds"`
	Prompt    string                `json:"prompt"`
	Agents    map[string]agentState `json:"agentsStates"`

	Kind          string `json:"kind"`
	AgentThreadID string `json:"agentThreadId"`
	AgentPath     string `json:"agentPath"`
	SavedPath     string `json:"savedPath"`
	Name          string `json:"name"`

	// Kept by the mapper while the item is open.
	turn    string // as on the wire
	refused bool   // its approval was not given, so it never ran
	stopped bool   // we asked for its end
	task    bool   // it outlived its turn
	summary bool   // a piece of its summary was told
	raw     bool   // a piece of its raw reasoning was told
}

type wireAction struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Name    string `json:"name"`
	Path    string `json:"path"`
	Query   string `json:"query"`
}

type webAction struct {
	Type    string   `json:"type"`
	Query   string   `json:"query"`
	Queries []string `json:"queries"`
	URL     string   `json:"url"`
	Pattern string   `json:"pattern"`
}

type agentState struct {
	Status  string `json:"status"`
	Message string `json:"message"`
}

type contentItem struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// wireChange is one file of a patch. Diff is hunks for an update, the whole new or old content otherwise.
type wireChange struct {
	Path string `json:"path"`
	Kind struct {
		Type     string `json:"type"`
		MovePath string `json:"move_path"`
	} `json:"kind"`
	Diff string `json:"diff"`
}

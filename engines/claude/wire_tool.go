package claude

import "encoding/json"

// toolInput is the union of the inputs of the tools that are shown in detail; other fields stay in the raw input.
type toolInput struct {
	Command     string `json:"command"`
	Description string `json:"description"`
	Background  bool   `json:"run_in_background"`

	FilePath     string     `json:"file_path"`
	NotebookPath string     `json:"notebook_path"`
	Path         string     `json:"path"`
	Pattern      string     `json:"pattern"`
	Content      *string    `json:"content"`
	OldString    *string    `json:"old_string"`
	NewString    *string    `json:"new_string"`
	ReplaceAll   bool       `json:"replace_all"`
	Edits        []editStep `json:"edits"`
	NewSource    string     `json:"new_source"`

	Query     string     `json:"query"`
	URL       string     `json:"url"`
	Prompt    string     `json:"prompt"`
	Agent     string     `json:"subagent_type"`
	To        string     `json:"to"`
	Summary   string     `json:"summary"`
	Skill     string     `json:"skill"`
	TaskID    string     `json:"task_id"`
	Plan      string     `json:"plan"`
	Questions []question `json:"questions"`

	// to-do lists
	Todos   []todo `json:"todos"`
	Subject string `json:"subject"`
	TodoID  string `json:"taskId"`
	Status  string `json:"status"`
}

type editStep struct {
	Old string `json:"old_string"`
	New string `json:"new_string"`
	All bool   `json:"replace_all"`
}

type question struct {
	Question string `json:"question"`
	Header   string `json:"header"`
	Multi    bool   `json:"multiSelect"`
	Options  []struct {
		Label       string `json:"label"`
		Description string `json:"description"`
	} `json:"options"`
}

type todo struct {
	ID      string `json:"id"`
	Content string `json:"content"` // TodoWrite
	Subject string `json:"subject"` // TaskCreate, TaskList
	Status  string `json:"status"`
}

// toolResult is the union of the structured tool_use_result objects (protocol/claude.md §6). On failure the wire has a
// string instead, and for the tools of a sub-agent nothing.
type toolResult struct {
	// Bash
	Stdout      string `json:"stdout"`
	Stderr      string `json:"stderr"`
	Interrupted bool   `json:"interrupted"`
	BackTask    string `json:"backgroundTaskId"`
	Persisted   string `json:"persistedOutputPath"`

	// Edit, Write
	Type         string     `json:"type"`
	FilePath     string     `json:"filePath"`
	Content      *string    `json:"content"`
	OriginalFile *string    `json:"originalFile"`
	OldString    string     `json:"oldString"`
	NewString    string     `json:"newString"`
	ReplaceAll   bool       `json:"replaceAll"`
	Patch        []wireHunk `json:"structuredPatch"`

	// Agent
	Async       bool   `json:"isAsync"`
	Status      string `json:"status"`
	AgentID     string `json:"agentId"`
	TotalTokens *int64 `json:"totalTokens"`
	TotalMillis int64  `json:"totalDurationMs"`

	// WebSearch, WebFetch
	Query   string            `json:"query"`
	Results []json.RawMessage `json:"results"`
	URL     string            `json:"url"`
	Result  string            `json:"result"`
	Seconds float64           `json:"durationSeconds"`
	Millis  int64             `json:"durationMs"`

	// to-do lists
	NewTodos []todo `json:"newTodos"`
	Task     *todo  `json:"task"`
	Tasks    []todo `json:"tasks"`
}

type wireHunk struct {
	OldStart int      `json:"oldStart"`
	OldLines int      `json:"oldLines"`
	NewStart int      `json:"newStart"`
	NewLines int      `json:"newLines"`
	Lines    []string `json:"lines"`
}

package codex

import (
	"encoding/json"
	"sort"
	"strconv"
	"strings"

	"keva/agent/event"
)

// request is a request of the server that waits for our answer.
type request struct {
	wire     json.RawMessage // the id on the wire
	id       string          // the id in the stream
	method   string
	params   json.RawMessage
	thread   string
	item     string
	question bool
	refuse   bool // there is nothing to ask a person: the adapter refuses it at once
}

// requests has a rule for each request that the server can make, by the schema of 0.171.0 (G5). A rule fills in what is
// asked, and reports false when it can't read the parameters.
var requests map[string]func(*Mapper, *thread, *request, head) bool

func init() {
	requests = map[string]func(*Mapper, *thread, *request, head) bool{
		"item/commandExecution/requestApproval": (*Mapper).askCommand,
		"item/fileChange/requestApproval":       (*Mapper).askChange,
		"item/tool/requestUserInput":            (*Mapper).askUser,
		"mcpServer/elicitation/request":         (*Mapper).askServer,
		"item/permissions/requestApproval":      (*Mapper).askPermissions,
		"applyPatchApproval":                    (*Mapper).askOldPatch,
		"execCommandApproval":                   (*Mapper).askOldCommand,
		"item/tool/call":                        (*Mapper).toolCall,
		"account/chatgptAuthTokens/refresh": cannot(
			"The account's sign-in has run out. Sign in again in Settings.", event.ClassAuth),
		"attestation/generate": cannot(
			"The provider asks for a proof of this device.", event.ClassAuth),
	}
}

// asked maps a request of the server. What can't be read is unrecognised, and not pending: the adapter declines it.
func (m *Mapper) asked(msg message, line []byte) {
	rule, ok := requests[msg.Method]
	if !ok {
		m.unrecognised("request "+msg.Method, line)
		return
	}
	var h head
	if err := json.Unmarshal(msg.Params, &h); err != nil {
		m.unrecognised("request "+msg.Method+": unreadable", line)
		return
	}
	if h.ThreadID == "" {
		h.ThreadID = field(msg.Params, "conversationId")
	}
	t := m.mainThread()
	if h.ThreadID != "" {
		t = m.of(h.ThreadID)
	}
	if t == nil {
		t = newThread("", true)
	}
	r := &request{wire: msg.ID, method: msg.Method, params: msg.Params, thread: t.id, item: h.ItemID}
	r.id = m.requestID(t, h, msg.ID)
	if !rule(m, t, r, h) {
		m.unrecognised("request "+msg.Method+": unreadable", line)
		return
	}
	m.pending[string(msg.ID)] = r
}

// requestID makes an id that is unique in the session: the server counts from 0 in each process, turn ids are unique.
func (m *Mapper) requestID(t *thread, h head, wire json.RawMessage) string {
	id := strings.Trim(string(wire), `"`)
	if h.TurnID != "" {
		return h.TurnID + "#" + id
	}
	return t.id + "@" + strconv.FormatInt(m.now.UnixMilli(), 10) + "#" + id
}

func (m *Mapper) askCommand(t *thread, r *request, h head) bool {
	var p struct {
		Kind    string `json:"kind"`
		Command string `json:"command"`
		Cwd     string `json:"cwd"`
		Reason  string `json:"reason"`
		Network *struct {
			Host     string `json:"host"`
			Protocol string `json:"protocol"`
		} `json:"networkApprovalContext"`
	}
	if json.Unmarshal(r.params, &p) != nil {
		return false
	}
	a := event.ApprovalAsked{
		ID: r.id, Tool: event.ToolCommand, Name: "commandExecution", ToolID: h.ItemID,
		Title: unwrap(p.Command), Command: p.Command, Dir: p.Cwd, Reason: p.Reason, Input: r.params,
	}
	switch p.Kind {
	case "", "command", "humanCommand":
	case "writeStdin":
		a.Name, a.Title = p.Kind, "Type into the running terminal: "+p.Command
	default:
		a.Name, a.Title = p.Kind, p.Kind+": "+p.Command
	}
	if p.Network != nil {
		a.Title = "Connect to " + p.Network.Host + " (" + p.Network.Protocol + ")"
	}
	if a.Title == "" {
		a.Title = "Run a command that Codex does not name"
	}
	m.in(t, h.TurnID, a)
	return true
}

// askChange joins the request, which names no file, with the item that came just before.
func (m *Mapper) askChange(t *thread, r *request, h head) bool {
	var p struct {
		Reason    string `json:"reason"`
		GrantRoot string `json:"grantRoot"`
	}
	if json.Unmarshal(r.params, &p) != nil {
		return false
	}
	a := event.ApprovalAsked{
		ID: r.id, Tool: event.ToolEdit, Name: "fileChange", ToolID: h.ItemID, Reason: p.Reason, Input: r.params,
		Title: "Change files that Codex does not name",
	}
	if it := t.items[h.ItemID]; it != nil && len(it.Changes) > 0 {
		a.Title, a.Changes = changeTitle(it.Changes), changes(it.Changes)
	}
	if p.GrantRoot != "" {
		a.Reason = strings.TrimSpace(a.Reason + "\nIt also asks to write everywhere below " + p.GrantRoot + ".")
	}
	m.in(t, h.TurnID, a)
	return true
}

func (m *Mapper) askUser(t *thread, r *request, h head) bool {
	var p struct {
		Questions []struct {
			ID       string `json:"id"`
			Header   string `json:"header"`
			Question string `json:"question"`
			IsOther  bool   `json:"isOther"`
			Options  []struct {
				Label       string `json:"label"`
				Description string `json:"description"`
			} `json:"options"`
		} `json:"questions"`
	}
	if json.Unmarshal(r.params, &p) != nil || len(p.Questions) == 0 {
		return false
	}
	q := event.QuestionAsked{ID: r.id, ToolID: h.ItemID}
	for _, w := range p.Questions {
		one := event.Question{ID: w.ID, Header: w.Header, Text: w.Question, Free: w.IsOther || len(w.Options) == 0}
		for _, o := range w.Options {
			one.Options = append(one.Options, event.Option{Label: o.Label, Detail: o.Description})
		}
		q.Questions = append(q.Questions, one)
	}
	r.question = true
	m.in(t, h.TurnID, q)
	return true
}

func (m *Mapper) askPermissions(t *thread, r *request, h head) bool {
	var p struct {
		Cwd         string          `json:"cwd"`
		Reason      string          `json:"reason"`
		Permissions json.RawMessage `json:"permissions"`
	}
	if json.Unmarshal(r.params, &p) != nil {
		return false
	}
	m.in(t, h.TurnID, event.ApprovalAsked{
		ID: r.id, Tool: event.ToolOther, Name: "permissions", ToolID: h.ItemID, Dir: p.Cwd, Reason: p.Reason,
		Title: "Give Codex more permissions: " + string(p.Permissions), Input: r.params,
	})
	return true
}

// askOldPatch is applyPatchApproval, which the schema keeps for older clients.
func (m *Mapper) askOldPatch(t *thread, r *request, h head) bool {
	var p struct {
		CallID string `json:"callId"`
		Reason string `json:"reason"`
		Files  map[string]struct {
			Type     string `json:"type"`
			Content  string `json:"content"`
			Diff     string `json:"unified_diff"`
			MovePath string `json:"move_path"`
		} `json:"fileChanges"`
	}
	if json.Unmarshal(r.params, &p) != nil {
		return false
	}
	var ws []wireChange
	for path, f := range p.Files {
		w := wireChange{Path: path, Diff: f.Content + f.Diff}
		w.Kind.Type, w.Kind.MovePath = f.Type, f.MovePath
		ws = append(ws, w)
	}
	sort.Slice(ws, func(i, j int) bool { return ws[i].Path < ws[j].Path })
	r.item = p.CallID
	m.in(t, h.TurnID, event.ApprovalAsked{
		ID: r.id, Tool: event.ToolEdit, Name: "applyPatch", ToolID: p.CallID, Reason: p.Reason,
		Title: changeTitle(ws), Changes: changes(ws), Input: r.params,
	})
	return true
}

// askOldCommand is execCommandApproval, which the schema keeps for older clients.
func (m *Mapper) askOldCommand(t *thread, r *request, h head) bool {
	var p struct {
		CallID  string   `json:"callId"`
		Command []string `json:"command"`
		Cwd     string   `json:"cwd"`
		Reason  string   `json:"reason"`
	}
	if json.Unmarshal(r.params, &p) != nil || len(p.Command) == 0 {
		return false
	}
	r.item = p.CallID
	title := strings.Join(p.Command, " ")
	if len(p.Command) == 3 && strings.HasSuffix(p.Command[0], "sh") {
		title = p.Command[2]
	}
	quoted, err := json.Marshal(p.Command)
	if err != nil { // strings always marshal
		return false
	}
	m.in(t, h.TurnID, event.ApprovalAsked{
		ID: r.id, Tool: event.ToolCommand, Name: "execCommand", ToolID: p.CallID, Title: title,
		Command: string(quoted), Dir: p.Cwd, Reason: p.Reason, Input: r.params,
	})
	return true
}

// toolCall asks for a tool that the client has declared. Keva declares none.
func (m *Mapper) toolCall(t *thread, r *request, h head) bool {
	var p struct {
		Tool string `json:"tool"`
	}
	if json.Unmarshal(r.params, &p) != nil {
		return false
	}
	r.refuse = true
	m.in(t, h.TurnID, event.Notice{
		Level: event.LevelInfo, Text: "Codex asks Keva for the tool " + p.Tool + ".", Detail: string(r.params),
	})
	return true
}

// cannot is the rule of a request that Keva always refuses.
func cannot(text string, class event.Class) func(*Mapper, *thread, *request, head) bool {
	return func(m *Mapper, t *thread, r *request, h head) bool {
		r.refuse = true
		m.in(t, h.TurnID, event.Notice{Level: event.LevelWarning, Class: class, Text: text})
		return true
	}
}

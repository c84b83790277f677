package claude

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"keva/agent/event"
	"keva/agent/runtime"
)

// model is a scripted Messages API: turn looks at the request and says what the model does.
type model struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
}

// answer is one content block of an answer: a text, or a call of a tool.
type answer struct {
	text string
	tool string
	id   string
	in   string
}

func newModel(t *testing.T, turn func(body string) []answer) *model {
	m := &model{}
	n := 0
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || strings.HasSuffix(r.URL.Path, "count_tokens") {
			fmt.Fprint(w, `{"input_tokens":10}`)
			return
		}
		m.mu.Lock()
		n++
		id := n
		m.bodies = append(m.bodies, string(body))
		m.mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		send := func(kind, data string) { fmt.Fprintf(w, "event: %s\ndata: {\"type\":%q,%s}\n\n", kind, kind, data) }
		send("message_start", fmt.Sprintf(`"message":{"id":"msg_%d","type":"message","role":"assistant","model":"claude-opus-4-8","content":[],"stop_reason":null,"usage":{"input_tokens":100,"output_tokens":1}}`, id))
		stop := "end_turn"
		for i, a := range turn(string(body)) {
			block, delta := `{"type":"text","text":""}`, object{"type": "text_delta", "text": a.text}
			if a.tool != "" {
				stop = "tool_use"
				block = fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":{}}`, a.id, a.tool)
				delta = object{"type": "input_json_delta", "partial_json": a.in}
			}
			send("content_block_start", fmt.Sprintf(`"index":%d,"content_block":%s`, i, block))
			send("content_block_delta", fmt.Sprintf(`"index":%d,"delta":%s`, i, delta.line()))
			send("content_block_stop", fmt.Sprintf(`"index":%d`, i))
		}
		send("message_delta", fmt.Sprintf(`"delta":{"stop_reason":%q},"usage":{"output_tokens":7}`, stop))
		fmt.Fprint(w, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n")
	}))
	t.Cleanup(m.Close)
	return m
}

func (m *model) heard(text string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(m.bodies, func(b string) bool { return strings.Contains(b, text) })
}

// lastUser is the last message of the user's side of a request, as JSON; the CLI adds messages of a third role.
func lastUser(body string) string {
	var r struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	_ = json.Unmarshal([]byte(body), &r) // a request that can't be read gets the default answer
	for _, m := range slices.Backward(r.Messages) {
		if m.Role == "user" {
			return string(m.Content)
		}
	}
	return ""
}

// installed returns the installed CLI's factory. The end-to-end tests never skip; here the variable is for whoever works on
// this package alone.
func installed(t *testing.T) *Factory {
	t.Helper()
	bin := os.Getenv("KEVA_TEST_CLAUDE")
	if bin == "" {
		t.Skip("KEVA_TEST_CLAUDE names no Claude Code; the tests under test/ run it")
	}
	return New(Options{Binary: bin, StateDir: filepath.Join(t.TempDir(), "claude"), Env: []string{"CLAUDE_CODE_MAX_RETRIES=0"}})
}

func TestRealClaudeAsksBeforeItRuns(t *testing.T) {
	f := installed(t)
	if v, err := f.Check(context.Background(), lease(t)); err != nil || v != Version {
		t.Fatalf("%q %v", v, err)
	}
	m := newModel(t, func(body string) []answer {
		switch last := lastUser(body); {
		case strings.Contains(last, "tool_result"):
			return []answer{{text: "It is made."}}
		case strings.Contains(last, "make it"):
			return []answer{{text: "I will."}, {tool: "Bash", id: "toolu_1", in: `{"command":"touch made.txt","description":"Make it"}`}}
		}
		return []answer{{text: "ok"}}
	})
	dir := t.TempDir()
	rt, r := start(t, f, runtime.Start{
		Session: "k", Dir: dir, Instructions: "Speak like a keva instruction.",
		Provider: runtime.Provider{BaseURL: m.URL, Key: "test-key"},
	})
	id := "6f2b8c1e-0d3a-4c55-9f0e-2b1a7c9d4e10"
	if err := rt.Send(context.Background(), runtime.Message{ID: id, Context: "The brief before it.", Text: "make it"}); err != nil {
		t.Fatal(err)
	}
	asked := await[event.ApprovalAsked](t, r, nil)
	if asked.Command != "touch made.txt" {
		t.Errorf("%+v", asked)
	}
	if _, err := os.Stat(filepath.Join(dir, "made.txt")); err == nil {
		t.Error("it ran before it was allowed")
	}
	if ok, err := rt.Answer(context.Background(), asked.ID, runtime.Answer{Decision: event.Allow, By: event.ByUser}); !ok || err != nil {
		t.Fatal(ok, err)
	}
	end := await[event.TurnCompleted](t, r, nil)
	if end.Outcome != event.Success || !slices.Equal(end.Messages, []string{id}) {
		t.Errorf("%+v", end)
	}
	if _, err := os.Stat(filepath.Join(dir, "made.txt")); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"Speak like a keva instruction.", "The brief before it."} {
		if !m.heard(want) {
			t.Errorf("the model did not hear %q", want)
		}
	}
	u := await[event.UserMessage](t, r, nil)
	if u.Text != "make it" || u.Context != "The brief before it." {
		t.Errorf("%+v", u)
	}
	for _, e := range r.all() {
		if b, ok := e.Body.(event.Unrecognised); ok {
			t.Errorf("%+v", b)
		}
	}
	if t.Failed() || testing.Verbose() {
		t.Logf("\n%s", render(r.all(), nil))
	}
}

func TestRealClaudeWithoutTheSession(t *testing.T) {
	f := installed(t)
	m := newModel(t, func(string) []answer { return []answer{{text: "ok"}} })
	r := newRecord()
	_, err := f.Start(context.Background(), lease(t), runtime.Start{
		Dir: t.TempDir(), Resume: "00000000-0000-4000-8000-000000000000", Provider: runtime.Provider{BaseURL: m.URL, Key: "k"},
	}, r.sink)
	var e *event.Error
	if !errors.As(err, &e) || e.Class != event.ClassResume {
		t.Fatalf("%v %s", err, detail(err))
	}
}

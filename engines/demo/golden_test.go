package demo

import (
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

var update = flag.Bool("update", false, "write the golden files")

// goldenScripts has one step of each shape.
var goldenScripts = fstest.MapFS{
	"scripts/hello.json": {Data: []byte(`{"steps":[{"id":"hello","think":"Short thought.","say":"Hello, {{prompt}}.","end":true}]}`)},
	"scripts/work.json": {Data: []byte(`{"match":["^work"],"steps":[
		{"id":"first","say":"I look.","do":[{"run":{"command":"ls","title":"List"}},{"read":{"path":"a b.txt"}},{"edit":{"path":"a","old":"x","new":"y\nz"}},{"write":{"path":"n","content":"1\n"}},{"plan":[{"text":"One","state":"completed"}]}]},
		{"id":"second","say":"I search.","do":[{"search":{"query":"how","results":[{"title":"T","url":"https://example.com/"}],"summary":"S."}}]},
		{"id":"third","say":"I ask.","do":[{"dispatch":[{"name":"one","title":"One","prompt":"Do it.","script":"hello"},{"name":"two","title":"Two","prompt":"Do it too.","script":"hello"}]}]},
		{"id":"last","say":"Done.","end":true}]}`)},
}

const (
	claudeToolList = `[{"name":"Bash"},{"name":"Read"},{"name":"Edit"},{"name":"Write"},{"name":"TodoWrite"},{"name":"WebSearch"},{"name":"Agent"}]`
	codexToolList  = `[{"type":"function","name":"exec_command"},{"type":"custom","name":"apply_patch"},{"type":"function","name":"update_plan"},{"type":"namespace","name":"collaboration","tools":[{"type":"function","name":"spawn_agent"},{"type":"function","name":"wait_agent"}]}]`
	codeModeList   = `[{"type":"additional_tools","tools":[{"type":"namespace","name":"functions","tools":[{"type":"custom","name":"exec","description":"update_plan"},{"type":"function","name":"wait"}]}]}`
)

// A request goes in, the events that the engines read come out.
func TestGoldenStreams(t *testing.T) {
	work := func(id string) string {
		return `{"role":"assistant","content":[{"type":"tool_use","id":"` + id + `","name":"Bash"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"` + id + `","content":"ok"}]}`
	}
	tests := []struct{ name, path, body string }{
		{"claude_text", "/v1/messages", `{"model":"m","stream":true,"messages":[{"role":"user","content":"world"}]}`},
		{"claude_tools", "/v1/messages", `{"model":"m","stream":true,"system":"x\n - Primary working directory: /srv/p\n","tools":` + claudeToolList + `,"messages":[{"role":"user","content":"work"}]}`},
		{"claude_agents", "/v1/messages", `{"model":"m","stream":true,"tools":` + claudeToolList + `,"messages":[{"role":"user","content":"work"},` + work("toolu_work-second-1-0-0-0-a") + `]}`},
		{"claude_search", "/v1/messages", `{"model":"m","stream":true,"tools":[{"type":"web_search_20250305","name":"web_search"}],"messages":[{"role":"user","content":"Perform a web search for the query: how"}]}`},
		{"codex_text", "/v1/responses", `{"model":"m","stream":true,"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"world"}]}]}`},
		{"codex_tools", "/v1/responses", `{"model":"m","stream":true,"tools":` + codexToolList + `,"input":[{"type":"message","role":"user","content":"work"}]}`},
		{"codex_code_mode", "/v1/responses", `{"model":"m","stream":true,"input":` + codeModeList + `,{"type":"message","role":"user","content":"work"}]}`},
		{"codex_agents", "/v1/responses", `{"model":"m","stream":true,"tools":` + codexToolList + `,"input":[{"type":"message","role":"user","content":"work"},{"type":"function_call","call_id":"call_work-first-0-0-0-0-a","name":"exec_command"},{"type":"function_call_output","call_id":"call_work-first-0-0-0-0-a","output":"ok"},{"type":"function_call_output","call_id":"call_work-first-0-0-1-0-a","output":"ok"},{"type":"function_call_output","call_id":"call_work-first-0-0-2-0-a","output":"ok"},{"type":"function_call_output","call_id":"call_work-first-0-0-3-0-a","output":"ok"},{"type":"function_call_output","call_id":"call_work-first-0-0-4-0-a","output":"ok"}]}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, err := newServer(Options{Scripts: goldenScripts})
			if err != nil {
				t.Fatal(err)
			}
			s.salt = "t"
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, test.path, strings.NewReader(test.body))
			r.Header.Set("X-Api-Key", s.Key())
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			file := filepath.Join("testdata", test.name+".sse")
			got := w.Body.String()
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("differs from %s (read it, then -update):\n%s", file, got)
			}
		})
	}
}

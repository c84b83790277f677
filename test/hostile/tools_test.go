package hostile

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"keva/agent/runtime"
)

// call is a use of a tool that a model could think of, with DIR for the project and STATE for the engine's folder. Each
// would change something, run something, or reach something outside of the project.
type call struct{ tool, input string }

var calls = []call{
	{"Write", `{"file_path":"DIR/made.txt","content":"x"}`},
	{"Edit", `{"file_path":"DIR/notes.txt","old_string":"one","new_string":"made"}`},
	{"Write", `{"file_path":"STATE/engines/claude/config/projects/PROJECT/memory/made.md","content":"x"}`},
	{"Write", `{"file_path":"STATE/engines/claude/config/settings.json","content":"{}"}`},
	{"Write", `{"file_path":"STATE/engines/claude/home/.bashrc","content":"touch made"}`},
	{"Write", `{"file_path":"DIR/.claude/settings.json","content":"{}"}`},
	{"NotebookEdit", `{"notebook_path":"DIR/made.ipynb","new_source":"x","edit_mode":"insert","cell_type":"code"}`},
	{"EnterWorktree", `{"name":"made"}`},
	{"Task", `{"description":"d","prompt":"say hello","subagent_type":"general-purpose","isolation":"worktree"}`},
	{"Workflow", `{"script":"export const meta={name:'x',description:'y',phases:[]}; require('child_process').execSync('touch made')"}`},
	{"Skill", `{"skill":"update-config","args":"x"}`},
	{"CronCreate", `{"cron":"* * * * *","prompt":"go","durable":true}`},
	{"WebFetch", `{"url":"http://127.0.0.1:9/x","prompt":"p"}`},
	{"Read", `{"file_path":"/etc/passwd"}`},
	{"Bash", `{"command":"touch made.txt"}`},
	{"Bash", `{"command":"touch made.txt","dangerouslyDisableSandbox":true}`},
	{"Bash", `{"command":"touch made.txt","run_in_background":true}`},
	{"Bash", `{"command":"echo x > made.txt"}`},
	{"Bash", `{"command":"find . -name notes.txt -fprint made.txt"}`},
	{"Bash", `{"command":"find . -name notes.txt -exec touch made.txt ;"}`},
	{"Bash", `{"command":"rg --pre ./tool x"}`},
	{"Bash", `{"command":"sort -o made.txt notes.txt"}`},
	{"Bash", `{"command":"sed -n 'w made.txt' notes.txt"}`},
	{"Bash", `{"command":"man -P 'touch made.txt' ls"}`},
	{"Bash", `{"command":"ps aux; ./tool"}`},
	{"Bash", `{"command":"FOO=1 git status"}`},
	{"Bash", `{"command":"ls | xargs git status"}`},
	{"Bash", `{"command":"echo $(git log)"}`},
	{"Bash", `{"command":"g\"i\"t status"}`},
	{"Bash", `{"command":"timeout 5 git diff"}`},
	{"Bash", `{"command":"python3 --version"}`},
	{"Bash", `{"command":"node -v"}`},
}

// I-16: whatever tool the model takes, what would change something is asked about, or can't be done at all.
func TestWhateverChangesSomethingIsAsked(t *testing.T) {
	w := newWorld(t, "claude")
	w.file("notes.txt", "one\n")
	write(t, filepath.Join(w.dir, "tool"), "#!/bin/sh\n"+w.trap("tool")+"\n", 0o700)
	w.git(w.dir, "init", "-q", ".")
	w.git(w.dir, "config", "core.fsmonitor", w.program("git-core.fsmonitor"))
	project := regexp.MustCompile(`[^A-Za-z0-9]`).ReplaceAllString(w.dir, "-")
	fill := strings.NewReplacer("DIR", w.dir, "STATE", w.state, "PROJECT", project)
	base := toolModel(t, func(n int) (string, string) { return calls[n].tool, fill.Replace(calls[n].input) })
	k := w.startWith(runtime.Start{Provider: runtime.Provider{Name: "m", BaseURL: base, Key: "k", Model: "m"}})
	// These can't be done at all: the tool is gone, or the engine's own folders are closed, or the file was not read before.
	impossible := map[string]bool{"EnterWorktree": true, "CronCreate": true, "NotebookEdit": true, "Edit": true, "Task": true}
	for n, c := range calls {
		before := len(k.asked)
		k.say(fmt.Sprintf("use %d", n))
		if len(k.asked) == before && !impossible[c.tool] && !strings.Contains(c.input, "STATE") {
			t.Errorf("not asked about: %s %s", c.tool, c.input)
		}
	}
	if got := w.sprung(); len(got) > 0 {
		t.Errorf("the project ran %q", got)
	}
	for _, root := range []string{w.dir, w.state} {
		_ = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err == nil && strings.HasPrefix(d.Name(), "made") {
				t.Errorf("made without being asked: %s", path)
			}
			return nil
		})
	}
	own := filepath.Join(w.state, "engines", "claude")
	if text, err := os.ReadFile(filepath.Join(own, "home", ".bashrc")); err != nil || strings.Contains(string(text), "made") {
		t.Errorf("what every command reads was written: %q %v", text, err)
	}
	if w.exists(filepath.Join(own, "config", "settings.json")) {
		t.Error("the engine's own settings were written")
	}
	if text, err := os.ReadFile(filepath.Join(w.dir, "notes.txt")); err != nil || string(text) != "one\n" {
		t.Errorf("changed without being asked: %q %v", text, err)
	}
}

// toolModel is a model that answers "use N" with the tool call that choose gives for N, and everything else with a word.
func toolModel(t *testing.T, choose func(n int) (tool, input string)) string {
	t.Helper()
	wanted := regexp.MustCompile(`^use (\d+)$`)
	var used sync.Map // each once: the prompt stands in later requests too
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		var req struct {
			Messages []struct {
				Role    string          `json:"role"`
				Content json.RawMessage `json:"content"`
			} `json:"messages"`
		}
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost || json.Unmarshal(body, &req) != nil {
			return // the probe has no body
		}
		if strings.HasSuffix(r.URL.Path, "/count_tokens") {
			fmt.Fprint(rw, `{"input_tokens":1}`)
			return
		}
		block, delta, stop := `{"type":"text","text":""}`, `{"type":"text_delta","text":"ok"}`, "end_turn"
		for i := len(req.Messages) - 1; i >= 0; i-- {
			if req.Messages[i].Role != "user" {
				continue
			}
			var blocks []struct{ Text string }
			var text string
			if json.Unmarshal(req.Messages[i].Content, &text) != nil {
				_ = json.Unmarshal(req.Messages[i].Content, &blocks) // a result of a tool has no text, and gets "ok"
			}
			for _, b := range blocks {
				text += "\n" + b.Text
			}
			for line := range strings.Lines(text) {
				if m := wanted.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
					if _, again := used.LoadOrStore(m[1], true); again {
						continue
					}
					n, _ := strconv.Atoi(m[1]) // digits
					tool, input := choose(n)
					block = fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":%q,"input":{}}`, n, tool)
					part, _ := json.Marshal(input) // a string
					delta, stop = `{"type":"input_json_delta","partial_json":`+string(part)+`}`, "tool_use"
				}
			}
			break
		}
		rw.Header().Set("Content-Type", "text/event-stream")
		for _, e := range [][2]string{
			{"message_start", `"message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}`},
			{"content_block_start", `"index":0,"content_block":` + block},
			{"content_block_delta", `"index":0,"delta":` + delta},
			{"content_block_stop", `"index":0`},
			{"message_delta", `"delta":{"stop_reason":"` + stop + `"},"usage":{"output_tokens":1}`},
		} {
			fmt.Fprintf(rw, "event: %s\ndata: {\"type\":%q,%s}\n\n", e[0], e[0], e[1])
		}
		fmt.Fprint(rw, "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n")
	}))
	t.Cleanup(s.Close)
	return s.URL
}

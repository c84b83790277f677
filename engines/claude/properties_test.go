package claude

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/engines"
)

// eachRecording runs f on every recording.
func eachRecording(t *testing.T, f func(t *testing.T, frames []engines.Frame)) {
	for _, name := range names(t) {
		t.Run(name, func(t *testing.T) { f(t, load(t, name)) })
	}
}

// A turn has exactly one end, unless its process ended first; nothing ends that did not start, and no id is used twice.
func TestEveryTurnEndsOnce(t *testing.T) {
	eachRecording(t, func(t *testing.T, frames []engines.Frame) {
		open, seen := map[string]bool{}, map[string]bool{}
		for _, e := range mapAll(NewMapper(""), frames) {
			switch b := e.Body.(type) {
			case event.TurnStarted:
				if seen[e.Turn] || e.Turn == "" {
					t.Errorf("turn %q started twice", e.Turn)
				}
				open[e.Turn], seen[e.Turn] = true, true
			case event.TurnCompleted:
				if !open[e.Turn] {
					t.Errorf("turn %q ended without being open", e.Turn)
				}
				delete(open, e.Turn)
				if !b.Outcome.Valid() || b.Origin == "" {
					t.Errorf("turn %q: outcome %q, origin %q", e.Turn, b.Outcome, b.Origin)
				}
				if b.Error != nil && strings.Contains(b.Error.Message, "ede_diagnostic") {
					t.Error("an internal diagnostic is shown (H3)")
				}
			case event.EngineExited:
				clear(open)
			}
		}
		if len(open) > 0 {
			t.Errorf("turns without an end: %v", open)
		}
	})
}

// I-2: a result that is an error, or was aborted, is never a success.
func TestNoErrorBecomesSuccess(t *testing.T) {
	eachRecording(t, func(t *testing.T, frames []engines.Frame) {
		m := NewMapper("")
		for _, f := range frames {
			evs := m.Map(f)
			var l line
			if f.Dir != engines.Out || decode(f.Line, &l) != nil || l.Type != "result" {
				continue
			}
			good := l.Subtype == "success" && !l.IsError && !strings.HasPrefix(l.TerminalReason, "aborted")
			for _, e := range evs {
				if c, ok := e.Body.(event.TurnCompleted); ok && c.Outcome == event.Success && !good {
					t.Errorf("%s", f.Line)
				}
			}
		}
	})
}

// I-16: whatever the engine asks reaches the user, and is closed once.
func TestEveryRequestSurfacesAndCloses(t *testing.T) {
	eachRecording(t, func(t *testing.T, frames []engines.Frame) {
		m := NewMapper("")
		asked, closed := map[string]bool{}, map[string]int{}
		for _, f := range frames {
			for _, e := range m.Map(f) {
				switch b := e.Body.(type) {
				case event.ApprovalAsked:
					asked[b.ID] = true
				case event.QuestionAsked:
					asked[b.ID] = true
				case event.ApprovalResolved:
					closed[b.ID]++
				case event.QuestionAnswered:
					closed[b.ID]++
				}
			}
			var l line
			var r controlRequest
			if f.Dir == engines.Out && decode(f.Line, &l) == nil && l.Type == "control_request" &&
				decode(l.Request, &r) == nil && r.Subtype == "can_use_tool" && !asked[l.RequestID] {
				t.Errorf("not asked: %s", f.Line)
			}
		}
		for id := range asked {
			if closed[id] != 1 {
				t.Errorf("request %s was closed %d times", id, closed[id])
			}
		}
	})
}

// I-6: a task is ended only by a frame that names it, itself or the block that dispatched it.
func TestTasksEndByName(t *testing.T) {
	eachRecording(t, func(t *testing.T, frames []engines.Frame) {
		m := NewMapper("")
		block := map[string]string{}
		for _, f := range frames {
			for _, e := range m.Map(f) {
				switch b := e.Body.(type) {
				case event.TaskStarted:
					block[b.ID] = b.ToolID
				case event.TaskEnded:
					named := bytes.Contains(f.Line, []byte(b.ID)) || block[b.ID] != "" && bytes.Contains(f.Line, []byte(block[b.ID]))
					if b.ID == "" || !named {
						t.Errorf("task %q ended by %s", b.ID, f.Line)
					}
				}
			}
		}
	})
}

// I-10: what happens inside a sub-agent carries its scope.
func TestSubAgentLinesHaveAScope(t *testing.T) {
	eachRecording(t, func(t *testing.T, frames []engines.Frame) {
		m := NewMapper("")
		for _, f := range frames {
			evs := m.Map(f)
			var l line
			if f.Dir != engines.Out || decode(f.Line, &l) != nil || l.Parent == "" || l.Type != "assistant" && l.Type != "user" {
				continue
			}
			for _, e := range evs {
				if e.Scope == "" {
					t.Errorf("%s in the main agent's scope: %s", e.Body.Kind(), f.Line)
				}
			}
		}
	})
}

// knownSilent are the frames that are known and say nothing to anybody.
var knownSilent = map[string]bool{
	"thinking_tokens": true, "hook_started": true, "hook_response": true, "prompt_suggestion": true, "status": true,
	"control_response": true, "control_request/hook_callback": true,
	"stream_event/message_start": true, "stream_event/message_stop": true,
	"stream_event/content_block_start": true, "stream_event/content_block_stop": true,
	"stream_event/content_block_delta":   true, // of a tool's input or a signature
	"error line, told at the turn's end": true,
	"assistant without content":          true,
	"repeated user message":              true,
	"output of a local command":          true,
	"text for the model":                 true,
	"text for a sub-agent":               true,
	"interruption marker":                true,
	"stderr":                             true,
	"sent: blank line":                   true,
	"sent: keep_alive":                   true,
	"sent: control_request":              true,
	"sent: control_response":             true,
	"sent: control_cancel_request":       true,
}

// I-1: every frame becomes an event or is counted, and nothing in the recordings is unrecognised except what the recorder
// itself got wrong on purpose.
func TestEveryFrameIsAccountedFor(t *testing.T) {
	eachRecording(t, func(t *testing.T, frames []engines.Frame) {
		m := NewMapper("")
		counted := 0
		for _, f := range frames {
			evs := m.Map(f)
			n := 0
			for what, k := range m.Silent() {
				n += k
				if !knownSilent[what] {
					t.Fatalf("%q is not a known silence", what)
				}
			}
			if len(evs) == 0 && n == counted {
				t.Errorf("lost: %s %s", f.Dir, f.Line)
			}
			counted = n
			for _, e := range evs {
				if u, ok := e.Body.(event.Unrecognised); ok && !strings.HasPrefix(u.Type, "sent: ") {
					t.Errorf("unrecognised %s: %s", u.Type, u.Raw)
				}
			}
		}
	})
}

// The final text of a block is what its deltas said, where the block came to its end.
func TestDeltasMeetTheirFinal(t *testing.T) {
	blocks := 0
	eachRecording(t, func(t *testing.T, frames []engines.Frame) {
		said := map[string]string{}
		for _, e := range mapAll(NewMapper(""), frames) {
			switch b := e.Body.(type) {
			case event.TextDelta:
				said[b.Block] += b.Text
			case event.ReasoningDelta:
				said[b.Block] += b.Text
			case event.TextFinal:
				if d, ok := said[b.Block]; ok && d != b.Text {
					t.Errorf("%s: deltas %q, final %q", b.Block, d, b.Text)
				} else if ok {
					blocks++
				}
				delete(said, b.Block)
			}
		}
	})
	if blocks < 5 {
		t.Errorf("only %d blocks had both", blocks)
	}
}

// F9: an agent whose requests failed is failed, whatever the engine calls it.
func TestFailedAgentsAreFailed(t *testing.T) {
	want := map[string][]event.Class{
		"agent_fail_401":           {event.ClassAuth, event.ClassAuth},
		"agent_parallel_one_fails": {event.ClassRequest},
	}
	for name, classes := range want {
		last := map[string]event.TaskEnded{}
		for _, e := range mapAll(NewMapper(""), load(t, name)) {
			if b, ok := e.Body.(event.TaskEnded); ok {
				if old, ok := last[b.ID]; !ok || old.Outcome != event.Failure {
					last[b.ID] = b
				}
			}
		}
		failed := 0
		for _, b := range last {
			if b.Outcome == event.Failure {
				failed++
				if b.Class != classes[0] {
					t.Errorf("%s: class %q", name, b.Class)
				}
			}
		}
		if failed != len(classes) {
			t.Errorf("%s: %d tasks failed, want %d", name, failed, len(classes))
		}
	}
}

// Whatever a connection does to the lines, the mapper goes on: I3 and L1.
func TestNothingPanics(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	eachRecording(t, func(t *testing.T, frames []engines.Frame) {
		cut := make([]engines.Frame, len(frames))
		for i, f := range frames {
			cut[i] = f
			if len(f.Line) > 0 {
				cut[i].Line = f.Line[:rng.IntN(len(f.Line))]
			}
		}
		mapAll(NewMapper(""), cut)
		mapAll(NewMapper("x"), append(append([]engines.Frame{}, frames...), frames...))
		shuffled := append([]engines.Frame{}, frames...)
		rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		for _, e := range mapAll(NewMapper(""), shuffled) {
			if _, err := json.Marshal(e); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Every prefix of a recording maps to a prefix of its events: the mapper never needs what is still to come.
func TestEveryPrefix(t *testing.T) {
	for _, name := range []string{"agent_fail_401", "interrupt_permission", "queue_stream"} {
		frames := load(t, name)
		whole, _ := json.Marshal(mapAll(NewMapper(""), frames))
		for n := range frames {
			part, err := json.Marshal(mapAll(NewMapper(""), frames[:n]))
			if err != nil {
				t.Fatal(err)
			}
			if p := bytes.TrimSuffix(part, []byte("]")); n > 0 && !bytes.HasPrefix(whole, p) {
				t.Fatalf("%s: the first %d frames map otherwise alone", name, n)
			}
		}
	}
}

// Every field of every message replaced by a value of another type: decoding goes on as far as it can.
func TestWrongTypesAreSurvived(t *testing.T) {
	wrong := []any{nil, true, 1.5, "x", []any{1.0}, map[string]any{"k": "v"}}
	for _, name := range []string{"agent_fg_partial", "ask_user", "edit_patch", "web", "compact", "rate_limit_event", "mcp"} {
		m := NewMapper("")
		for _, f := range load(t, name) {
			var v any
			if json.Unmarshal(f.Line, &v) != nil {
				continue
			}
			mutate(v, wrong, func() {
				f.Line, _ = json.Marshal(v)
				m.Map(f)
			})
		}
	}
}

// mutate calls f once for each field of v and each value of wrong in its place.
func mutate(v any, wrong []any, f func()) {
	switch v := v.(type) {
	case map[string]any:
		for k, old := range v {
			for _, w := range wrong {
				v[k] = w
				f()
			}
			v[k] = old
			mutate(old, wrong, f)
		}
	case []any:
		for i := range min(len(v), 3) {
			mutate(v[i], wrong, f)
		}
	}
}

func FuzzMap(f *testing.F) {
	for _, name := range []string{"text_partial", "agent_bg", "perm_parallel", "web", "edit_patch"} {
		for _, fr := range load(f, name) {
			f.Add(string(fr.Dir), fr.Line)
		}
	}
	prefix := load(f, "agent_fg_partial")
	f.Fuzz(func(t *testing.T, dir string, data []byte) {
		m := NewMapper("s")
		mapAll(m, prefix[:len(prefix)/2])
		for _, l := range bytes.Split(data, []byte("\n")) {
			for _, e := range m.Map(engines.Frame{Dir: engines.Dir(dir), Line: l}) {
				if _, err := json.Marshal(e); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

func BenchmarkMapper(b *testing.B) {
	var all [][]engines.Frame
	bytes := 0
	for _, name := range names(b) {
		frames := load(b, name)
		all = append(all, frames)
		for _, f := range frames {
			bytes += len(f.Line)
		}
	}
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	for b.Loop() {
		for _, frames := range all {
			mapAll(NewMapper(""), frames)
		}
	}
}

package codex

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/engines"
	"keva/engines/transcript"
)

// The main invariant of turns: each that starts ends once, unless the process ended first.
func TestEveryTurnEndsOnce(t *testing.T) {
	for name, rec := range recordings(t) {
		open := map[string]bool{}
		ended := map[string]int{}
		exited := false
		for _, e := range mapAll(rec.Frames) {
			switch e.Body.(type) {
			case event.TurnStarted:
				if e.Scope != "" {
					t.Errorf("%s: a turn of a sub-agent is in the stream", name)
				}
				if open[e.Turn] || ended[e.Turn] > 0 {
					t.Errorf("%s: turn %s starts again", name, e.Turn)
				}
				open[e.Turn] = true
			case event.TurnCompleted:
				if !open[e.Turn] {
					t.Errorf("%s: turn %s ends without a start", name, e.Turn)
				}
				delete(open, e.Turn)
				ended[e.Turn]++
			case event.EngineExited:
				exited = true
			}
		}
		for id, n := range ended {
			if n != 1 {
				t.Errorf("%s: turn %s ended %d times", name, id, n)
			}
		}
		if len(open) > 0 && !exited {
			t.Errorf("%s: open turns %v and no exit", name, open)
		}
	}
}

// I-6: what ends a task carries its id, in the very frame.
func TestTaskEndsAreNamedByTheirFrame(t *testing.T) {
	tasks := 0
	for name, rec := range recordings(t) {
		m := NewMapper()
		for _, f := range rec.Frames {
			for _, e := range m.Map(f) {
				end, ok := e.Body.(event.TaskEnded)
				if !ok {
					continue
				}
				tasks++
				if end.ID == "" || !strings.Contains(string(f.Line), end.ID) {
					t.Errorf("%s: task %q ended by %s", name, end.ID, f.Line)
				}
			}
		}
	}
	if tasks == 0 {
		t.Fatal("no recording ends a task")
	}
}

// I-1, I-12: each request of the server is an event, and each that was answered or withdrawn is closed once.
func TestEveryRequestSurfaces(t *testing.T) {
	for name, rec := range recordings(t) {
		m := NewMapper()
		asked, closed := map[string]bool{}, map[string]int{}
		for _, f := range rec.Frames {
			evs := m.Map(f)
			if f.Dir == engines.Out {
				if _, shape := decode(f.Line); shape == shapeRequest && len(evs) == 0 {
					t.Errorf("%s: no event for %s", name, f.Line)
				}
			}
			for _, e := range evs {
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
		}
		for id, n := range closed {
			if n != 1 || !asked[id] {
				t.Errorf("%s: request %s asked %v, closed %d times", name, id, asked[id], n)
			}
		}
	}
}

// quiet says why a frame of the engine may give no event. Everything else must give one (I-1).
func quiet(line []byte) string {
	msg, shape := decode(line)
	if shape == shapeReply {
		return "replies to our requests: what they caused is told by notifications"
	}
	if why, ok := silent[msg.Method]; ok {
		return why
	}
	item := func() string {
		var p itemParams
		_ = json.Unmarshal(msg.Params, &p)
		return field(p.Item, "type")
	}
	switch msg.Method {
	case "thread/started":
		return "the reply that opened the thread told it"
	case "thread/status/changed":
		return "of a sub-agent: its turns tell"
	case "thread/settings/updated":
		return "settings that are ours"
	case "serverRequest/resolved":
		return "we answered it"
	case "account/rateLimits/updated":
		return "all null: not known"
	case "error":
		return "the error that turn/completed carries"
	case "item/reasoning/summaryPartAdded":
		return "the first part"
	case "mcpServer/startupStatus/updated", "remoteControl/status/changed", "account/login/completed":
		return "all is well"
	case "item/commandExecution/terminalInteraction":
		return "a look whether the command has ended"
	case "turn/started", "turn/completed":
		return "of a sub-agent that is told already"
	case "item/started":
		switch item() {
		case "agentMessage", "reasoning", "plan", "userMessage", "subAgentActivity":
			return "its text comes, or it was told when it was sent"
		}
	case "item/completed":
		switch item() {
		case "userMessage", "subAgentActivity":
			return "told at its start"
		}
	}
	return ""
}

func TestNoFrameIsDropped(t *testing.T) {
	for name, rec := range recordings(t) {
		m := NewMapper()
		for _, f := range rec.Frames {
			evs := m.Map(f)
			if f.Dir == engines.Out && len(evs) == 0 && quiet(f.Line) == "" {
				t.Errorf("%s: nothing came of %s", name, f.Line)
			}
			for _, e := range evs {
				if u, ok := e.Body.(event.Unrecognised); ok {
					t.Errorf("%s: unrecognised %s: %s", name, u.Type, f.Line)
				}
				if e.Time != f.Time || e.Seq != 0 || e.Session != "" {
					t.Errorf("%s: wrong envelope %+v", name, e)
				}
			}
		}
	}
}

// I-10: nothing of a sub-agent carries the main agent's scope, and the other way round.
func TestScopes(t *testing.T) {
	for _, name := range []string{"agents_v1", "agents_v2", "agents_v2_parent_first", "agents_v2_child_fails"} {
		rec := recordings(t)[name]
		m := NewMapper()
		main := ""
		scoped := 0
		for _, f := range rec.Frames {
			thread := ""
			if msg, _ := decode(f.Line); msg.Params != nil {
				thread = field(msg.Params, "threadId")
			}
			for _, e := range m.Map(f) {
				if r, ok := e.Body.(event.SessionReady); ok {
					main = r.EngineSession
				}
				switch e.Body.(type) {
				case event.TextDelta, event.TextFinal, event.ToolStarted, event.ToolEnded, event.ApprovalAsked:
					want := thread
					if thread == main {
						want = ""
					}
					if f.Dir == engines.Out && e.Scope != want {
						t.Errorf("%s: scope %q of %s", name, e.Scope, f.Line)
					}
					if e.Scope != "" {
						scoped++
						if e.Turn == "" {
							t.Errorf("%s: no turn for %s", name, f.Line)
						}
					}
				case event.TurnStarted, event.TurnCompleted:
					if thread != main {
						t.Errorf("%s: a sub-agent's turn touches the main one: %s", name, f.Line)
					}
				}
			}
		}
		if scoped == 0 && name != "agents_v2_child_fails" {
			t.Errorf("%s: nothing came from a sub-agent", name)
		}
	}
}

// What is torn, doubled or out of order must never panic, and never end a turn or a task twice.
func TestDisorderIsSurvived(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, rec := range recordings(t) {
		variants := map[string][]engines.Frame{"doubled": nil, "torn": nil}
		for _, f := range rec.Frames {
			variants["doubled"] = append(variants["doubled"], f, f)
			torn := f
			if len(f.Line) > 0 && rng.IntN(4) == 0 {
				torn.Line = f.Line[:rng.IntN(len(f.Line))]
			}
			variants["torn"] = append(variants["torn"], torn)
		}
		shuffled := append([]engines.Frame{}, rec.Frames...)
		rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		variants["shuffled"] = shuffled
		for kind, frames := range variants {
			ends := map[string]int{}
			live := map[string]bool{}
			for _, e := range mapAll(frames) {
				switch b := e.Body.(type) {
				case event.TurnCompleted:
					ends["turn "+e.Turn]++
				case event.TaskStarted:
					if live[b.ID] {
						t.Errorf("%s %s: task %s starts while it lives", name, kind, b.ID)
					}
					live[b.ID] = true
				case event.TaskEnded:
					if !live[b.ID] {
						t.Errorf("%s %s: task %s ends while it does not live", name, kind, b.ID)
					}
					delete(live, b.ID)
				case event.EngineExited:
					clear(live) // the accounting's
				}
			}
			for what, n := range ends {
				if n > 1 {
					t.Errorf("%s %s: %s ended %d times", name, kind, what, n)
				}
			}
		}
	}
}

// I-3: the same frames always give the same events.
func TestPure(t *testing.T) {
	for name, rec := range recordings(t) {
		a, b := transcript.Format(mapAll(rec.Frames)), transcript.Format(mapAll(rec.Frames))
		if a != b {
			t.Errorf("%s: two runs differ", name)
		}
	}
}

func FuzzMapper(f *testing.F) {
	for _, name := range []string{"agents_v1", "recommended", "mcp_elicitation", "proto_misuse"} {
		for _, fr := range recordings(f)[name].Frames {
			f.Add(string(fr.Line), fr.Dir == engines.In)
		}
	}
	f.Add(`{"method":"item/started","params":{"threadId":"x","item":{"type":"fileChange","id":"a","changes":[{"diff":"@@"}]}}}`, false)
	m := NewMapper()
	f.Fuzz(func(t *testing.T, line string, in bool) {
		dir := engines.Out
		if in {
			dir = engines.In
		}
		for _, e := range m.Map(engines.Frame{Dir: dir, Line: []byte(line)}) {
			if e.Body == nil {
				t.Fatal("an event without a body")
			}
			if _, err := json.Marshal(e); err != nil {
				t.Fatalf("an event that can't be stored: %v", err)
			}
		}
	})
}

func BenchmarkMapper(b *testing.B) {
	recs := recordings(b)
	frames, size := 0, 0
	for _, r := range recs {
		for _, f := range r.Frames {
			frames++
			size += len(f.Line)
		}
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		for _, r := range recs {
			mapAll(r.Frames)
		}
	}
	b.ReportMetric(float64(frames)*float64(b.N)/b.Elapsed().Seconds(), "frames/s")
}

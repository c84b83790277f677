package transcript

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"keva/agent/event"
	"keva/engines"
)

func rec(t *testing.T, text string) Recording {
	t.Helper()
	r, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const claudeLine = `{"t":5,"dir":"out","line":"{\"type\":\"system\",\"subtype\":\"init\"}"}` + "\n"

func TestFramesKeepOrderTimeAndDirection(t *testing.T) {
	r := rec(t, `{"t":0,"dir":"note","line":"{\"spawn\":\"claude\"}"}
{"t":2,"dir":"in","line":"{\"type\":\"user\"}"}
`+claudeLine+`{"t":7,"dir":"err","line":"warning"}
{"t":9,"dir":"note","line":"{\"exit\":1,\"signal\":null}"}
`)
	want := []engines.Dir{engines.In, engines.Out, engines.Err, engines.Exit}
	if len(r.Frames) != len(want) || r.Skipped != 0 || r.Engine != Claude || len(r.Notes) != 2 {
		t.Fatalf("%+v", r)
	}
	for i, d := range want {
		if r.Frames[i].Dir != d {
			t.Errorf("frame %d is %s, want %s", i, r.Frames[i].Dir, d)
		}
	}
	if got := r.Frames[1].Time.Sub(Base); got != 5*time.Millisecond {
		t.Errorf("time %s", got)
	}
	if e := r.Frames[3].Exit; e.Code != 1 || e.Class != event.ExitCode {
		t.Errorf("exit %+v", e)
	}
}

// L1: a recording that was torn by a crash still opens, and the loss is counted.
func TestEveryPrefixReads(t *testing.T) {
	whole := claudeLine + `{"t":6,"dir":"out","line":"x"}` + "\n" + `{"t":9,"dir":"note","line":"{\"exit\":0,\"signal\":null}"}` + "\n"
	for n := range whole {
		r, err := Read(strings.NewReader(whole[:n]))
		complete := strings.Count(whole[:n], "\n")
		if complete > 0 && err != nil {
			t.Fatalf("prefix %d: %v", n, err)
		}
		if len(r.Frames)+r.Skipped > complete+1 {
			t.Fatalf("prefix %d: %d frames and %d skipped from %d lines", n, len(r.Frames), r.Skipped, complete)
		}
	}
	r := rec(t, whole[:len(whole)-5])
	if r.Skipped != 1 {
		t.Errorf("the torn line was not counted: %d", r.Skipped)
	}
}

func TestBrokenLinesAreCounted(t *testing.T) {
	r := rec(t, claudeLine+"not json\n{}\n[]\n"+`{"t":1,"dir":"sideways","line":"x"}`+"\n"+`{"t":1,"dir":"out","line":7}`+"\n\n\r\n")
	if r.Skipped != 5 || len(r.Frames) != 1 {
		t.Fatalf("skipped %d, frames %d", r.Skipped, len(r.Frames))
	}
}

func TestNoLineLimit(t *testing.T) {
	big := strings.Repeat("a", 20<<20)
	r := rec(t, claudeLine+`{"t":1,"dir":"out","line":"`+big+`"}`+"\n")
	if len(r.Frames) != 2 || len(r.Frames[1].Line) != len(big) {
		t.Fatal("the long line was not read whole")
	}
}

func TestUselessFilesSaySo(t *testing.T) {
	for name, text := range map[string]string{
		"empty":          "",
		"not a record":   "hello\n",
		"unknown engine": `{"t":1,"dir":"out","line":"{\"hello\":1}"}` + "\n",
		"only stderr":    `{"t":1,"dir":"err","line":"{\"type\":\"system\"}"}` + "\n",
	} {
		_, err := Read(strings.NewReader(text))
		var e *event.Error
		if !errors.As(err, &e) || e.Class != event.ClassConfig {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestExits(t *testing.T) {
	for _, c := range []struct {
		note, sent string
		want       event.EngineExited
	}{
		{`{"exit":0,"signal":null}`, "", event.EngineExited{Class: event.ExitClean}},
		{`{"exit":1,"signal":null}`, "", event.EngineExited{Class: event.ExitCode, Code: 1}},
		{`{"exit":143,"signal":null}`, "SIGTERM", event.EngineExited{Class: event.ExitStopped, Code: 143, Rung: "SIGTERM"}},
		{`{"exit":0,"signal":null}`, "SIGINT", event.EngineExited{Class: event.ExitStopped, Rung: "SIGINT"}},
		{`{"exit":null,"signal":"SIGKILL"}`, "SIGKILL", event.EngineExited{Class: event.ExitKilled, Signal: "SIGKILL"}},
		{`{"exit":null,"signal":null}`, "", event.EngineExited{Class: event.ExitUnknown}},
		{`process exited code=0 signal=null`, "", event.EngineExited{Class: event.ExitClean}},
		{`process exited code=null signal=SIGSYS`, "", event.EngineExited{Class: event.ExitBlocked, Signal: "SIGSYS"}},
		{`process exited code=null signal=SIGSEGV`, "", event.EngineExited{Class: event.ExitCrashed, Signal: "SIGSEGV"}},
		{`process exited code=null signal=SIGINT`, "", event.EngineExited{Class: event.ExitStopped, Signal: "SIGINT", Rung: "SIGINT"}},
	} {
		got, ok := exitOf(c.note, c.sent)
		if !ok || got != c.want {
			t.Errorf("%s after %q: %+v %v, want %+v", c.note, c.sent, got, ok, c.want)
		}
	}
	for _, note := range []string{"driver closes stdin", `{"spawn":"claude"}`, "orphans: 1", `{"exit":"x"}`, ""} {
		if e, ok := exitOf(note, ""); ok {
			t.Errorf("%q is no exit: %+v", note, e)
		}
	}
}

// Every recording in the tree reads whole, is told apart from its content alone, and ends with its exit.
func TestRecordingsInTheTree(t *testing.T) {
	for _, engine := range []string{Claude, Codex} {
		files, _ := filepath.Glob(filepath.Join("..", engine, "testdata", "transcripts", "*.jsonl"))
		if len(files) == 0 && engine == Claude {
			t.Fatal("no recordings found")
		}
		for _, name := range files {
			f, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Read(f)
			f.Close()
			if err != nil || r.Skipped != 0 || r.Engine != engine {
				t.Errorf("%s: engine %q, skipped %d, %v", name, r.Engine, r.Skipped, err)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(claudeLine))
	f.Add([]byte(`{"t":1e300,"dir":"ev","line":"process exited code=0 signal=null"}`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = Read(strings.NewReader(string(data)))
	})
}

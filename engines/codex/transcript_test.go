package codex

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/engines"
	"keva/engines/transcript"
)

var update = flag.Bool("update", false, "write the golden files anew; read them before committing")

// recordings reads all recorded conversations.
func recordings(t testing.TB) map[string]transcript.Recording {
	t.Helper()
	paths, err := filepath.Glob("testdata/transcripts/*.jsonl")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	out := map[string]transcript.Recording{}
	for _, p := range paths {
		f, err := os.Open(p)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := transcript.Read(f)
		f.Close()
		if err != nil && len(rec.Frames) == 0 {
			t.Fatalf("%s: %v", p, err)
		}
		out[strings.TrimSuffix(filepath.Base(p), ".jsonl")] = rec
	}
	return out
}

func mapAll(frames []engines.Frame) []event.Event {
	m := NewMapper()
	var out []event.Event
	for _, f := range frames {
		out = append(out, m.Map(f)...)
	}
	return out
}

// Each golden list was read by a person against its transcript.
func TestGolden(t *testing.T) {
	for name, rec := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			got := transcript.Format(mapAll(rec.Frames))
			path := filepath.Join("testdata", "golden", name+".golden")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("differs from %s (go test -update writes it anew):\n%s", path, firstDiff(string(want), got))
			}
		})
	}
}

func firstDiff(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := 0; i < len(w) && i < len(g); i++ {
		if w[i] != g[i] {
			return "want " + w[i] + "\ngot  " + g[i]
		}
	}
	return "one is longer"
}

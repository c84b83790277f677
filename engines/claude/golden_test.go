package claude

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"keva/agent/event"
	"keva/engines"
	"keva/engines/transcript"
)

var update = flag.Bool("update", false, "write the golden event lists anew")

// names lists the recordings without their extension.
func names(tb testing.TB) []string {
	tb.Helper()
	files, err := filepath.Glob("testdata/transcripts/*.jsonl")
	if err != nil || len(files) < 100 {
		tb.Fatalf("%d recordings, %v", len(files), err)
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ".jsonl")
	}
	return files
}

func load(tb testing.TB, name string) []engines.Frame {
	tb.Helper()
	f, err := os.Open(filepath.Join("testdata", "transcripts", name+".jsonl"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	rec, err := transcript.Read(f)
	if err != nil || rec.Skipped != 0 {
		tb.Fatalf("%s: %d skipped, %v", name, rec.Skipped, err)
	}
	return rec.Frames
}

func mapAll(m *Mapper, frames []engines.Frame) []event.Event {
	var evs []event.Event
	for _, f := range frames {
		evs = append(evs, m.Map(f)...)
	}
	return evs
}

// Every recording gives the event list beside it, which a person has read. Regenerate with -update, and read the diff.
func TestGolden(t *testing.T) {
	for _, name := range names(t) {
		t.Run(name, func(t *testing.T) {
			m := NewMapper("")
			got := render(mapAll(m, load(t, name)), m.Silent())
			path := filepath.Join("testdata", "golden", name+".golden")
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("differs from %s\n%s", path, firstDifference(string(want), string(got)))
			}
		})
	}
}

// render prints one event per line: seconds, turn, scope, kind, body. The silent frames are counted at the end.
func render(evs []event.Event, silent map[string]int) []byte {
	var b bytes.Buffer
	for _, e := range evs {
		scope := e.Scope
		if scope == "" {
			scope = "-"
		}
		turn := e.Turn
		if turn == "" {
			turn = "-"
		}
		fmt.Fprintf(&b, "%7.3f %-3s %-9s %-17s %s\n", e.Time.Sub(transcript.Base).Seconds(), turn, short(scope, 9), e.Body.Kind(), compact(e.Body))
	}
	var quiet []string
	for what, n := range silent {
		quiet = append(quiet, fmt.Sprintf("%s ×%d", what, n))
	}
	slices.Sort(quiet)
	fmt.Fprintf(&b, "silent: %s\n", strings.Join(quiet, ", "))
	return b.Bytes()
}

// compact prints the fields that say something, in order of their names.
func compact(body event.Body) string {
	data, err := json.Marshal(body)
	if err != nil {
		return err.Error()
	}
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		return err.Error()
	}
	if _, number := m["input"].(float64); !number {
		delete(m, "input") // the raw input of a tool; its title says enough
	}
	return value(m, true)
}

func value(v any, top bool) string {
	switch v := v.(type) {
	case map[string]any:
		var parts []string
		for k, x := range v {
			if s := value(x, false); s != "" && s != "0" && s != "false" && s != `""` {
				parts = append(parts, k+"="+s)
			}
		}
		slices.Sort(parts)
		if top {
			return strings.Join(parts, " ")
		}
		return "{" + strings.Join(parts, " ") + "}"
	case []any:
		var parts []string
		for i, x := range v {
			if i == 8 {
				parts = append(parts, fmt.Sprintf("… %d more", len(v)-i))
				break
			}
			parts = append(parts, value(x, false))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case string:
		return fmt.Sprintf("%q", short(v, 90))
	case nil:
		return ""
	}
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func short(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n]) + "…"
}

func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d\nwant %s\ngot  %s", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("want %d lines, got %d", len(a), len(b))
}

package transcript

import (
	"reflect"
	"strings"
	"testing"
)

func TestSplitCutsAtBlocks(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"nothing", "", nil},
		{"blank lines only", "\n \n\n", nil},
		{"two paragraphs", "a\nb\n\n\nc", []string{"a\nb", "c"}},
		{"a heading ends by itself", "# T\ntext\n## U", []string{"# T", "text", "## U"}},
		{"not a heading", "#tag\nmore", []string{"#tag\nmore"}},
		{"an underlined heading", "T\n===\ntext", []string{"T\n===", "text"}},
		{"a rule", "a\n\n---\nb", []string{"a", "---", "b"}},
		{"a list", "- a\n- b\n  more\n\n- c\n\nend", []string{"- a\n- b\n  more\n\n- c", "end"}},
		{"a list with its own paragraph", "1. a\n\n   b\n2. c", []string{"1. a\n\n   b\n2. c"}},
		{"a list interrupts a paragraph", "see:\n- a", []string{"see:", "- a"}},
		{"a year does not", "it was\n1998. Then", []string{"it was\n1998. Then"}},
		{"bold is no list", "**a** b\n* c", []string{"**a** b", "* c"}},
		{"a fence keeps blank lines", "```go\na\n\n# b\n```\nend", []string{"```go\na\n\n# b\n```", "end"}},
		{"a fence that never closes", "```\na\n\nb", []string{"```\na\n\nb"}},
		{"a longer fence holds a shorter one", "````\n```\nx\n```\n````\ny", []string{"````\n```\nx\n```\n````", "y"}},
		{"an empty fence", "```\n```\nx", []string{"```\n```", "x"}},
		{"inline code at the start", "```x``` is code\nb", []string{"```x``` is code\nb"}},
		{"a fence in a list", "- a\n  ```\n\n  x\n\ny\n  ```\n- b\n\nend", []string{"- a\n  ```\n\n  x\n\ny\n  ```\n- b", "end"}},
		{"a fence after a list", "1. a\n```\nx\n```\n2. b", []string{"1. a", "```\nx\n```", "2. b"}},
		{"a table", "| a | b |\n|---|---|\n| 1 | 2 |\n\nend", []string{"| a | b |\n|---|---|\n| 1 | 2 |", "end"}},
		{"a table without outer bars", "a | b\n--- | ---\n1 | 2", []string{"a | b\n--- | ---\n1 | 2"}},
		{"a quote", "> a\n> b\nlazy\n\nend", []string{"> a\n> b\nlazy", "end"}},
		{"indented code", "a\n\n    x\n\n    y\nb", []string{"a", "    x\n\n    y", "b"}},
		{"Windows line ends", "a\r\n\r\nb\r\n", []string{"a", "b"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Split(c.in); !reflect.DeepEqual(got, c.want) {
				t.Errorf("Split(%q)\n got %q\nwant %q", c.in, got, c.want)
			}
		})
	}
}

// The pacer reveals the tail and never takes back: a tail that shrank would make text vanish while it is read.
func TestTailOnlyGrowsUntilItsBlockIsDone(t *testing.T) {
	in := "see:\n- a\n- b\n\n---\nT\n===\n```sh\nx\n\n```\n12 apples\n1. one\n\n> q\nend **b**"
	checkPieces(t, in, 1)
}

func FuzzSplitIsTheSameForAnyPieces(f *testing.F) {
	f.Add("# a\n\n- b\n  ```\n  c\n  ```\n\nd | e\n--- | ---\n1 | 2", 3)
	f.Add("```\r\nx\r\n```\r\ny\n- \n1.\n\t\tz\n~~~", 1)
	f.Add(strings.Repeat("-", 100)+"\nx", 7)
	f.Fuzz(func(t *testing.T, in string, size int) {
		checkPieces(t, in, size)
	})
}

// checkPieces feeds in by pieces of size bytes and checks what must hold for every text.
func checkPieces(t *testing.T, in string, size int) {
	t.Helper()
	size = max(1, min(size, len(in)))
	var s Splitter
	var got []string
	tail := ""
	for rest := in; len(rest) > 0; {
		n := min(size, len(rest))
		done := s.Write(rest[:n])
		rest = rest[n:]
		got = append(got, done...)
		now := s.Tail()
		if len(done) > 0 {
			now = done[0]
		}
		if !strings.HasPrefix(now, tail) {
			t.Fatalf("the tail %q became %q", tail, now)
		}
		tail = s.Tail()
	}
	end := s.Close()
	if tail != "" && (len(end) == 0 || !strings.HasPrefix(end[0], tail)) {
		t.Fatalf("the tail %q was closed as %q", tail, end)
	}
	got = append(got, end...)
	if want := Split(in); !reflect.DeepEqual(got, want) {
		t.Fatalf("by pieces of %d: %q, whole: %q", size, got, want)
	}
	if a, b := visible(strings.Join(got, "\n")), visible(in); a != b {
		t.Fatalf("text was lost or moved:\n%q\n%q", a, b)
	}
}

// visible drops what separates blocks.
func visible(s string) string {
	var b strings.Builder
	for _, l := range strings.Split(strings.ReplaceAll(s, "\r", ""), "\n") {
		if strings.Trim(l, " \t") != "" {
			b.WriteString(l + "\n")
		}
	}
	return b.String()
}

func BenchmarkSplitByToken(b *testing.B) {
	text := strings.Repeat("A paragraph with some words in it.\n\n- item\n- item\n\n```go\nx := 1\n```\n\n", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		var s Splitter
		for i := 0; i < len(text); i += 4 {
			s.Write(text[i:min(i+4, len(text))])
		}
		s.Close()
	}
}

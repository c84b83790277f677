package markdown

import (
	"maps"
	"reflect"
	"strings"
	"testing"
	"time"
)

func para(text ...Inline) Paragraph { return Paragraph{text} }

func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		want   []Block
	}{
		"paragraph": {"one\ntwo  \nthree", []Block{para(Inline{Text: "one two\nthree"})}},
		"kinds": {"a **b** *c* ***d*** ~~e~~ `f*g`", []Block{para(
			Inline{Text: "a "}, Inline{Text: "b", Bold: true}, Inline{Text: " "}, Inline{Text: "c", Italic: true}, Inline{Text: " "},
			Inline{Text: "d", Bold: true, Italic: true}, Inline{Text: " "}, Inline{Text: "e", Strike: true}, Inline{Text: " "}, Inline{Text: "f*g", Code: true},
		)}},
		"link": {"[t](https://e.org/a?b=1&amp;c) https://x.org <mailto:a@b.org>", []Block{para(
			Inline{Text: "t", Link: "https://e.org/a?b=1&c"}, Inline{Text: " "}, Inline{Text: "https://x.org", Link: "https://x.org"}, Inline{Text: " "},
			Inline{Text: "mailto:a@b.org", Link: "mailto:a@b.org"},
		)}},
		"only the web is a link": {"[a](javascript:alert(1)) [b](file:///etc/passwd) [c](intent://x) [d](notes.md)", []Block{para(Inline{Text: "a b c d"})}},
		"image is not fetched": {"![cat](https://e.org/c.png)", []Block{para(
			Inline{Text: "image: "}, Inline{Text: "cat", Link: "https://e.org/c.png"},
		)}},
		"html is text":         {"a <b onclick=x>c</b>", []Block{para(Inline{Text: "a <b onclick=x>c</b>"})}},
		"html block is text":   {"<script>\nalert(1)\n</script>", []Block{para(Inline{Text: "<script>\nalert(1)\n</script>", Code: true})}},
		"entities and escapes": {`&lt;a&gt; \*b\* &#x41;`, []Block{para(Inline{Text: "<a> *b* A"})}},
		"heading":              {"## A `b`\n", []Block{Heading{2, []Inline{{Text: "A "}, {Text: "b", Code: true}}}}},
		"code":                 {"```go\nx := 1\n\n\ty\n```\n", []Block{Code{"go", "x := 1\n\n\ty"}}},
		"code that is cut":     {"```\nx", []Block{Code{"", "x"}}},
		"list": {"3. a\n4. b\n   - c\n", []Block{List{true, 3, []Item{
			{Blocks: []Block{para(Inline{Text: "a"})}},
			{Blocks: []Block{para(Inline{Text: "b"}), List{false, 0, []Item{{Blocks: []Block{para(Inline{Text: "c"})}}}}}},
		}}}},
		"tasks": {"- [ ] a\n- [x] b\n", []Block{List{false, 0, []Item{
			{OpenTask, []Block{para(Inline{Text: "a"})}}, {DoneTask, []Block{para(Inline{Text: "b"})}},
		}}}},
		"quote": {"> a\n> b\n", []Block{Quote{[]Block{para(Inline{Text: "a b"})}}}},
		"table": {"| a | b |\n|---|--:|\n| 1 | 2 | 3 |\n| 4 |\n", []Block{Table{
			Head: []Cell{{{Text: "a"}}, {{Text: "b"}}},
			Rows: [][]Cell{{{{Text: "1"}}, {{Text: "2"}}}, {{{Text: "4"}}, nil}},
		}}},
		"rule":    {"---\n", []Block{Rule{}}},
		"nothing": {" \n\n", nil},
	} {
		if got := Parse(c.source); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n%#v\nwant\n%#v", name, got, c.want)
		}
	}
}

// hostileTexts are what a page or a file that the engine repeats could hold to hang or crash the screen.
func hostileTexts() map[string]string {
	const n = 60_000
	texts := map[string]string{
		"line":      strings.Repeat("x", 1<<20),
		"words":     strings.Repeat("word ", 200_000),
		"quotes":    strings.Repeat(">", n) + " a",
		"quotes ":   strings.Repeat("> ", n/2) + " a",
		"lists":     strings.Repeat("- ", n/2) + "a",
		"deep list": deepList(300),
		"brackets":  strings.Repeat("[", n),
		"links":     strings.Repeat("[a](", n/4),
		"images":    strings.Repeat("![", n/2),
		"stars":     strings.Repeat("*", n) + "a" + strings.Repeat("*", n),
		"emphasis":  strings.Repeat("*a ", n/3),
		"under":     strings.Repeat("_a_", n/3),
		"ticks":     strings.Repeat("`", n) + "a",
		"ticks2":    ticks(300),
		"fences":    strings.Repeat("```\n", n/4),
		"html":      strings.Repeat("<a ", n/3),
		"comments":  strings.Repeat("<!--", n/4),
		"table":     strings.Repeat("|a", n/2) + "\n" + strings.Repeat("|-", n/2) + "\n",
		"rows":      "|a|b|\n|-|-|\n" + strings.Repeat("|1|2|\n", n/6),
		"entities":  strings.Repeat("&amp", n/4),
		"invalid":   strings.Repeat("\xff\xfe", n/2),
		"zalgo":     "a" + strings.Repeat("\u0301", n/2),
		"nul":       strings.Repeat("\x00", n),
		"urls":      strings.Repeat("https://", n/8),
		"mails":     strings.Repeat("a@", n/2),
	}
	for name, text := range maps.Clone(texts) { // the longest that is read as Markdown
		if len(text) > maxSource {
			texts[name+", read"] = text[:maxSource]
		}
	}
	return texts
}

func deepList(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	return b.String()
}

func ticks(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("e" + strings.Repeat("`", i))
	}
	return b.String()
}

func TestHostileTextsAreCheap(t *testing.T) {
	for name, text := range hostileTexts() {
		start := time.Now()
		Parse(text)
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%s takes %v", name, d)
		} else if d > 300*time.Millisecond {
			t.Logf("%s takes %v", name, d)
		}
	}
}

// A long file in a fence is code, not text with a fence in it.
func TestLongCode(t *testing.T) {
	text := strings.Repeat("line\n", 10_000)
	want := []Block{Code{"go", strings.TrimRight(text, "\n")}}
	for _, source := range []string{"```go\n" + text + "```\n", "~~~go x\n" + text} {
		if got := Parse(source); !reflect.DeepEqual(got, want) {
			t.Errorf("%.20q… is read as %.60q…", source, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("a **b** [c](https://d) `e`\n\n- [ ] f\n> g\n\n|a|b|\n|-|-|\n|c|\n\n<b>\n")
	f.Fuzz(func(_ *testing.T, source string) { Parse(source) })
}

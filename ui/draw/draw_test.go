package draw

import (
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"github.com/rivo/uniseg"

	"keva/ui/theme"
)

func setup(t testing.TB) {
	test.NewTempApp(t).Settings().SetTheme(theme.New(theme.Options{Mode: theme.Light}))
}

// Nothing is lost, repeated or reordered by breaking lines; no line is wider than it may be; no grapheme is cut, but where
// not even one fits.
func FuzzFlow(f *testing.F) {
	setup(f)
	f.Add("The zone was dropped", " when the layout", uint8(40))
	f.Add("日本語の文章👩‍👩‍👧‍👦👍🏽", "e\u0301e\u0301\n\n\tx", uint8(9))
	f.Add(strings.Repeat("x", 300), "\r\n  y ", uint8(20))
	f.Fuzz(func(t *testing.T, a, b string, w uint8) {
		width := 8 + float32(w)*2
		spans := []Span{{Text: a, Style: Body}, {Text: "", Style: Mono}, {Text: b, Style: Mono}}
		lines, starts := flowStarts(spans, width)
		if len(lines) != len(starts) {
			t.Fatalf("%d lines, %d starts", len(lines), len(starts))
		}
		var all strings.Builder
		for i, line := range lines {
			x := float32(0)
			for _, p := range line {
				if p.X < x-0.1 {
					t.Errorf("line %d: a piece at %v stands over the one before, which ends at %v", i, p.X, x)
				}
				x = p.X + p.W
				all.WriteString(p.Text)
			}
		}
		keep := func(s string) string {
			return strings.Map(func(r rune) rune {
				if strings.ContainsRune(" \t\r\n\v\f\u0085\u2028\u2029", r) {
					return -1
				}
				return r
			}, s)
		}
		if got := keep(all.String()); got != keep(a+b) {
			t.Errorf("%q became %q", a+b, got)
		}
		for i := 1; i < len(starts); i++ {
			if starts[i] < starts[i-1] || starts[i] > len(a+b) {
				t.Errorf("line %d starts at %d, behind %d", i, starts[i], starts[i-1])
			}
		}
	})
}

func TestWrap(t *testing.T) {
	setup(t)
	for text, want := range map[string][]string{
		"":             {""},
		"one":          {"one"},
		"one\n\ntwo\n": {"one", "", "two", ""},
		"a\r\nb":       {"a", "b"},
	} {
		if got := Wrap(text, Body, 300); strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%q is wrapped as %q", text, got)
		}
	}
	long := strings.Repeat("👩‍👩‍👧‍👦", 40)
	for _, l := range Wrap(long, Body, 100) {
		if uniseg.GraphemeClusterCount(l)*len("👩‍👩‍👧‍👦") != len(l) {
			t.Errorf("a family was cut: %q", l)
		}
	}
}

func TestCut(t *testing.T) {
	setup(t)
	if got := Cut("short", 300, Body, "…"); got != "short" {
		t.Errorf("%q", got)
	}
	if got := Cut("first\nsecond", 300, Body, "…"); got != "first…" {
		t.Errorf("%q", got)
	}
	for _, s := range []Style{Body, Mono} {
		for _, text := range []string{strings.Repeat("word ", 50), strings.Repeat("日本", 80), strings.Repeat("x", 1<<20)} {
			got := Cut(text, 120, s, "…")
			if !strings.HasSuffix(got, "…") || Width(got, s) > 121 || Width(got, s) < 80 {
				t.Errorf("%q is %v wide", got, Width(got, s))
			}
		}
	}
	if got := Tabs("a\tbc\td\n\te", 0); got != "a   bc  d\n    e" {
		t.Errorf("%q", got)
	}
}

// What an engine sends must not freeze the screen: a line of a megabyte costs as much as its letters.
func TestHugeTexts(t *testing.T) {
	setup(t)
	for name, text := range map[string]string{
		"one word": strings.Repeat("x", 1<<20), "words": strings.Repeat("word ", 200_000), "lines": strings.Repeat("\n", 200_000),
		"wide": strings.Repeat("日本", 100_000), "spaces": strings.Repeat(" ", 1<<20),
	} {
		start := time.Now()
		Wrap(text, Body, 328)
		if d := time.Since(start); d > 15*time.Second {
			t.Errorf("%s takes %v", name, d)
		}
	}
}

// widthOf measures text as the driver draws it.
func widthOf(text string, s Style) float32 {
	return fyne.MeasureText(text, theme.Size(s.Role), s.TextStyle()).Width
}

// The sums of words are what lines are made of: they must agree with what the driver draws.
func TestWidths(t *testing.T) {
	setup(t)
	bold := Body
	bold.Bold = true
	for _, s := range []Style{Body, bold, Mono} {
		text := "The zone was dropped (when the layout changed), so: every date."
		sum := float32(0)
		for _, word := range strings.SplitAfter(text, " ") {
			sum += Width(strings.TrimSuffix(word, " "), s)
			if strings.HasSuffix(word, " ") {
				sum += Width(" ", s)
			}
		}
		if d := widthOf(text, s); sum < d-3 || sum > d+3 {
			t.Errorf("%+v: the words are %v wide, the line %v", s, sum, d)
		}
	}
}

// The board keeps what is tapped: drawing again, as each second does, must not take an area away under a finger.
func TestAreasSurviveDrawing(t *testing.T) {
	setup(t)
	w := &Widget{}
	tapped := 0
	w.Init(w, func(b *Board) float32 {
		b.Tap("a", 0, 0, b.Width, 40, TapOptions{Label: "a", Tapped: func() { tapped++ }})
		return 40
	})
	w.Resize(fyne.NewSize(100, 40))
	before := test.WidgetRenderer(w).Objects()[0]
	w.Changed()
	after := test.WidgetRenderer(w).Objects()[0]
	if before != after {
		t.Error("the area is another one after drawing again")
	}
	test.Tap(before.(fyne.Tappable))
	before.(fyne.Focusable).TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	if tapped != 2 {
		t.Errorf("tapped %d times of 2", tapped)
	}
}

// A widget measures without drawing, and once for each width.
func TestHeightFor(t *testing.T) {
	setup(t)
	w := &Widget{}
	measured := 0
	w.Init(w, func(b *Board) float32 {
		if b.Measuring {
			measured++
		}
		return b.Lines(0, 0, b.Width, strings.Repeat("word ", 40), Body)
	})
	if w.HeightFor(200) <= w.HeightFor(600) {
		t.Error("a narrow text is not higher")
	}
	n := measured
	for range 5 {
		w.HeightFor(600)
	}
	if measured != n {
		t.Error("the same width is measured again")
	}
	w.Resize(fyne.NewSize(200, w.HeightFor(200)))
	last := test.WidgetRenderer(w).Objects()
	if text := last[len(last)-1].(*canvas.Text); text.Position().Y+text.Size().Height != w.HeightFor(200) {
		t.Error("what is drawn is not what was measured")
	}
}

package markdown

import (
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"keva/ui/theme"
)

func setup(t *testing.T, o theme.Options) {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(theme.New(o))
}

const all = "# Title\n\nSome **bold**, *slanted* and `inline code` with a [link](https://example.org/a).\n\n" +
	"1. first\n2. second, which is long enough that it has to wrap on a narrow phone\n   - deeper\n     - and deeper\n       - still\n         - more\n           - end\n\n" +
	"- [x] done\n- [ ] open\n\n> said before\n\n```go\nfunc main() { fmt.Println(\"a long line of code that does not fit\") }\n```\n\n" +
	"| Name | Size |\n|---|---|\n| parse.go | 12 kB |\n| a long name with spaces | 3 MB |\n\n" +
	"| a | b | c | d | e | f | g |\n|---|---|---|---|---|---|---|\n| one thing | two things | three things | four things | five things | six things | seven |\n\n---\n\nThe end.\n"

// What is drawn stands inside of the width and the height that was measured, at every text size.
func TestEverythingIsInside(t *testing.T) {
	for _, scale := range theme.Scales() {
		setup(t, theme.Options{Mode: theme.Light, Scale: scale})
		for _, width := range []float32{288, 328, 740} {
			w := New(all, Options{Open: func(string) {}, Copy: func(string) {}, Caret: true})
			h := w.HeightFor(width)
			w.Resize(fyne.NewSize(width, h))
			for _, o := range test.WidgetRenderer(w).Objects() {
				p, s := o.Position(), o.Size()
				if p.X < 0 || p.Y < 0 || p.X+s.Width > width+0.5 || p.Y+s.Height > h+0.5 {
					t.Errorf("%s at %v: %T at %v, %v is outside of %vx%v", scale, width, o, p, s, width, h)
				}
				if text, ok := o.(*canvas.Text); ok {
					if needs := fyne.MeasureText(strings.TrimRight(text.Text, " "), text.TextSize, text.TextStyle).Width; needs > s.Width+2.5 {
						t.Errorf("%s at %v: %q needs %v, has %v", scale, width, text.Text, needs, s.Width)
					}
				}
			}
		}
	}
}

// A link is opened only by a tap, with its whole address.
func TestLink(t *testing.T) {
	setup(t, theme.Options{})
	var opened []string
	w := New("see [the page](https://example.org/a?b) now", Options{Open: func(u string) { opened = append(opened, u) }})
	w.Resize(fyne.NewSize(300, w.HeightFor(300)))
	for _, o := range test.WidgetRenderer(w).Objects() {
		if a, ok := o.(fyne.Accessible); ok && a.AccessibilityRole() == fyne.AccessibleRoleLink {
			o.(fyne.Tappable).Tapped(&fyne.PointEvent{})
		}
	}
	if len(opened) != 1 || opened[0] != "https://example.org/a?b" {
		t.Errorf("opened %q", opened)
	}
}

func TestCopyAndShowAll(t *testing.T) {
	setup(t, theme.Options{})
	code := strings.Repeat("line\n", 100) + "end"
	var copied, shown string
	w := New("```\n"+code+"\n```", Options{Copy: func(s string) { copied = s }, ShowAll: func(_, s string) { shown = s }})
	w.Resize(fyne.NewSize(300, w.HeightFor(300)))
	lines := 0
	for _, o := range test.WidgetRenderer(w).Objects() {
		if b, ok := o.(fyne.Tappable); ok {
			b.Tapped(&fyne.PointEvent{})
		}
		if x, ok := o.(*canvas.Text); ok && x.Text == "line" {
			lines++
		}
	}
	if copied != code || shown != code || lines != maxCodeLines {
		t.Errorf("copied %d, shown %d of %d bytes; %d lines are drawn", len(copied), len(shown), len(code), lines)
	}
}

// Drawing hostile texts is bounded as reading them is.
func TestHostileTextsAreDrawn(t *testing.T) {
	setup(t, theme.Options{})
	for name, text := range hostileTexts() {
		start := time.Now()
		w := New(text, Options{ShowAll: func(string, string) {}})
		w.Resize(fyne.NewSize(328, w.HeightFor(328)))
		n := len(test.WidgetRenderer(w).Objects())
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%s takes %v, %d objects", name, d, n)
		} else if d > 500*time.Millisecond || n > 3000 {
			t.Logf("%s takes %v, %d objects", name, d, n)
		}
	}
}

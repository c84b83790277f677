package diffview

import (
	"fmt"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"keva/agent/event"
)

var change = event.Change{
	Path: "/p/a.go", Kind: event.ChangeUpdate, Added: 1, Removed: 1,
	Hunks: []event.Hunk{{OldStart: 9, OldLines: 3, NewStart: 9, NewLines: 3, Lines: []string{" x", "-\told", "+\tnew", " y", `\ No newline at end of file`}}},
}

func name(p string) string { return strings.TrimPrefix(p, "/p/") }

func TestLinesOfChanges(t *testing.T) {
	var got []string
	for _, l := range OfChanges([]event.Change{change, {Path: "/p/b", MovedTo: "/p/c", Note: "the old content was not sent"}}, name) {
		got = append(got, fmt.Sprintf("%d|%d|%d|%s", l.Kind, l.Old, l.New, l.Text))
	}
	want := []string{
		"4|0|0|a.go", "3|0|0|@@ −9 +9", "0|9|9|x", "2|10|0|    old", "1|0|10|    new", "0|11|11|y", `5|0|0|\ No newline at end of file`,
		"4|0|0|b → c", "5|0|0|the old content was not sent",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What is copied is a patch with the lines as they are, tabs included.
func TestUnified(t *testing.T) {
	want := "--- /p/a.go\n+++ /p/a.go\n@@ -9,3 +9,3 @@\n x\n-\told\n+\tnew\n y\n\\ No newline at end of file\n"
	if got := Unified([]event.Change{change}); got != want {
		t.Fatalf("%q", got)
	}
}

// A file of any length and a line of any width open at once: only what is in view is in the tree.
func TestOnlyWhatIsInViewIsDrawn(t *testing.T) {
	test.NewTempApp(t)
	text := strings.Repeat("a line\n", 100_000) + strings.Repeat("x", 1_000_000)
	v := NewView(OfText(text))
	w := test.NewTempWindow(t, v)
	w.SetPadded(false)
	w.Resize(fyne.NewSize(360, 600))
	if n := len(v.body.objects); n == 0 || n > 60 {
		t.Fatalf("%d objects", n)
	}
	v.scroll.ScrollToOffset(fyne.NewPos(4000, 1e9))
	v.body.build()
	if n := len(v.body.objects); n == 0 || n > 60 {
		t.Fatalf("%d objects at the end", n)
	}
}

// A line is cut to what is in view; one with wide characters has no columns and is cut only at its end.
func TestSlice(t *testing.T) {
	for _, c := range []struct {
		s       string
		from, n int
		want    string
		at      int
	}{{"abcdef", 2, 3, "cde", 2}, {"abc", 5, 3, "", 5}, {"añb", 1, 1, "añ", 0}} {
		if got, at := slice(c.s, c.from, c.n); got != c.want || at != c.at {
			t.Errorf("%q: %q at %d", c.s, got, at)
		}
	}
}

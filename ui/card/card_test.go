package card

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"keva/agent/event"
	"keva/ui/mark"
	"keva/ui/theme"
	"keva/ui/transcript"
)

func setup(t *testing.T, o theme.Options) {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(theme.New(o))
}

// objects are what a card consists of.
func objects(c Card, width float32) []fyne.CanvasObject {
	c.Resize(fyne.NewSize(width, c.HeightFor(width)))
	return test.WidgetRenderer(c.(fyne.Widget)).Objects()
}

// texts are the lines that a card shows.
func texts(c Card, width float32) []string {
	var s []string
	for _, o := range objects(c, width) {
		if t, ok := o.(*canvas.Text); ok {
			s = append(s, t.Text)
		}
	}
	return s
}

func has(lines []string, want string) bool { return strings.Contains(strings.Join(lines, "\n"), want) }

// tap presses the area with the label.
func tap(t *testing.T, c Card, label string) {
	t.Helper()
	for _, o := range objects(c, 336) {
		a, ok := o.(fyne.Accessible)
		if b, tappable := o.(fyne.Tappable); ok && tappable && strings.Contains(a.AccessibilityLabel(), label) {
			b.Tapped(&fyne.PointEvent{})
			return
		}
	}
	t.Fatalf("nothing to tap with %q", label)
}

// A virtual list trusts HeightFor: what is drawn must stand inside of it, and inside of the width, at every text size.
func TestEverythingIsInside(t *testing.T) {
	for _, scale := range theme.Scales() {
		setup(t, theme.Options{Mode: theme.Light, Scale: scale})
		for _, width := range []float32{296, 336, 736} {
			for _, all := range []bool{false, true} {
				for _, row := range sampleRows() {
					fold := Fold{}
					if all {
						fold = openAll(row)
					}
					c := New(row, now, Actions{Fold: fold, ShowDiff: func(*transcript.Diff) {}, ShowOutput: func(string, string) {}, OpenURL: func(string) {}})
					h := c.HeightFor(width)
					if h < 20 {
						t.Errorf("%s is %v high", row.Key(), h)
					}
					for _, o := range objects(c, width) {
						p, s := o.Position(), o.Size()
						if p.X < 0 || p.Y < 0 || p.X+s.Width > width+0.5 || p.Y+s.Height > h+0.5 {
							t.Errorf("%s at %v, %s: %T %v+%v is outside of %vx%v", row.Key(), width, scale, o, p, s, width, h)
						}
						if text, ok := o.(*canvas.Text); ok {
							// Spaces at the end of a line may hang over.
							needs := fyne.MeasureText(strings.TrimRight(text.Text, " "), text.TextSize, text.TextStyle).Width
							if needs > s.Width+2 {
								t.Errorf("%s at %v, %s: %q needs %v, has %v", row.Key(), width, scale, text.Text, needs, s.Width)
							}
						}
					}
				}
			}
		}
	}
}

func openAll(row transcript.Row) Fold {
	f := Fold{row.Key(): true}
	switch r := row.(type) {
	case *transcript.Work:
		for _, s := range r.Steps {
			f["step/"+s.ID] = true
		}
	case *transcript.Tasks:
		for _, n := range r.Nodes {
			f["task/"+n.ID] = true
		}
	}
	return f
}

// I-9: what is unknown is drawn as unknown: its own mark, its own word, never the mark of what is done.
func TestUnknownIsNeverDone(t *testing.T) {
	setup(t, theme.Options{})
	rows := []transcript.Row{
		&transcript.Work{ID: "w", Mark: transcript.MarkUnknown, Title: "Ran tests", Steps: []transcript.WorkStep{{ID: "s", Mark: transcript.MarkUnknown, Title: "go test"}}},
		&transcript.Diff{ID: "d", Path: "a.go", Mark: transcript.MarkUnknown},
		&transcript.Web{ID: "web", Mark: transcript.MarkUnknown, Activity: event.WebActivity{Action: event.WebUnknown}},
		&transcript.Plan{ID: "p", Steps: []event.Step{{Text: "x", State: event.StepUnknown}, {Text: "y", State: "from the future"}}},
		&transcript.Tasks{ID: "k", Nodes: []transcript.TaskNode{{ID: "n", Mark: transcript.MarkUnknown, Title: "t"}}},
		&transcript.Approval{ID: "a", Decision: event.Lost},
		&transcript.Approval{ID: "a", Decision: "from the future"},
		&transcript.End{ID: "e", Outcome: event.Unknown},
		&transcript.End{ID: "e", Outcome: "from the future"},
	}
	for _, row := range rows {
		seen := false
		for _, o := range objects(New(row, now, Actions{Fold: openAll(row)}), 336) {
			if m, ok := o.(*mark.Mark); ok {
				seen = seen || m.State() == transcript.MarkUnknown
				if m.State() == transcript.MarkDone {
					t.Errorf("%T %s: something unknown has the mark of what is done", row, row.Key())
				}
			}
		}
		if !seen {
			t.Errorf("%T %s: no mark says unknown", row, row.Key())
		}
	}
	if w := endWords(&transcript.End{Outcome: event.Unknown}); !strings.HasPrefix(w, "Unknown") {
		t.Errorf("an unknown end reads %q", w)
	}
}

// I-7: an answer with live tasks is not "done".
func TestAnsweredIsNotDone(t *testing.T) {
	setup(t, theme.Options{})
	c := New(&transcript.End{ID: "e", Outcome: event.Success, Live: 2, Duration: time.Second}, now, Actions{})
	if got := texts(c, 336); has(got, "Done") || !has(got, "Answered, 2 still running") {
		t.Errorf("it reads %q", got)
	}
}

// What the user opened stays open when the list drops the card and makes it again, and only what was tapped moves: the
// header stays where it is.
func TestOpening(t *testing.T) {
	setup(t, theme.Options{})
	row := sampleRows()[3].(*transcript.Work)
	fold, resized := Fold{}, ""
	a := Actions{Fold: fold, Resized: func(k string) { resized = k }}
	c := New(row, now, a)
	before := c.HeightFor(336)
	if has(texts(c, 336), "ParseInLocation") || !has(texts(c, 336), "go test ./...") {
		t.Error("closed, it must show the step that failed and no other")
	}
	tap(t, c, "4 steps")
	if resized != row.Key() || c.HeightFor(336) <= before {
		t.Error("the list was not told of the new height")
	}
	if got := texts(c, 336); got[0] != "4 steps" && !has(got[:3], "4 steps") {
		t.Errorf("the header moved: %q", got)
	}
	again := New(row, now, a)
	if again.HeightFor(336) != c.HeightFor(336) {
		t.Error("the card that was made again is closed")
	}
	tap(t, again, "go test")
	if got := texts(again, 336); !has(got, "FAIL") || has(got, "\x1b") || !has(got, "parse_test.go:31") {
		t.Errorf("the output is %q", got)
	}
}

func TestActions(t *testing.T) {
	setup(t, theme.Options{})
	var url, shown string
	var whole *transcript.Diff
	a := Actions{
		OpenURL: func(u string) { url = u }, ShowDiff: func(d *transcript.Diff) { whole = d },
		ShowOutput: func(_, text string) { shown = text },
	}
	for _, row := range sampleRows() {
		a.Fold = openAll(row)
		c := New(row, now, a)
		switch r := row.(type) {
		case *transcript.Web:
			if r.ID == "web1" {
				tap(t, c, "Go Packages")
				if url != "https://pkg.go.dev/time" {
					t.Errorf("opened %q", url)
				}
			}
		case *transcript.Diff:
			if r.ID == "d2" {
				tap(t, c, "Show whole change")
				if whole != r {
					t.Error("the whole change was not asked for")
				}
			}
		case *transcript.Work:
			if r.ID == "w1" {
				tap(t, c, "Show all")
				if shown != r.Steps[3].Output {
					t.Error("the whole output was not asked for")
				}
			}
		}
	}
}

// The card is read by Set alone: a row that changed is drawn anew, and what runs counts on.
func TestSetDrawsAgain(t *testing.T) {
	setup(t, theme.Options{})
	row := &transcript.Tasks{ID: "k", Nodes: []transcript.TaskNode{{ID: "a", Title: "Look", Mark: transcript.MarkRunning, Started: now.Add(-5 * time.Second)}}}
	c := New(row, now, Actions{})
	if got := texts(c, 336); !has(got, "5 s") {
		t.Errorf("%q", got)
	}
	row.Nodes[0].Mark, row.Nodes[0].Ended = transcript.MarkDone, now.Add(2*time.Second)
	c.Set(row, now.Add(time.Minute))
	if got := texts(c, 336); !has(got, "7.0 s") {
		t.Errorf("%q", got)
	}
}

// A theme change reaches objects that already exist.
func TestThemeChange(t *testing.T) {
	app := test.NewTempApp(t)
	app.Settings().SetTheme(theme.New(theme.Options{Mode: theme.Light}))
	c := New(sampleRows()[0], now, Actions{})
	color := func() string {
		for _, o := range objects(c, 336) {
			if x, ok := o.(*canvas.Text); ok {
				return fmt.Sprint(x.Color, x.TextSize)
			}
		}
		return ""
	}
	before, height := color(), c.HeightFor(336)
	app.Settings().SetTheme(theme.New(theme.Options{Mode: theme.Dark, Scale: theme.Huge}))
	c.Refresh()
	if color() == before || c.HeightFor(336) <= height {
		t.Error("the card kept the old look")
	}
}

func TestWords(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 s", 20 * time.Millisecond: "0.1 s", 9800 * time.Millisecond: "9.8 s", 31 * time.Second: "31 s",
		125 * time.Second: "2 min 5 s", 3 * time.Minute: "3 min", 63 * time.Minute: "1 h 3 min", 2 * time.Hour: "2 h",
	} {
		if got := took(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
	if got := elapsed(now.Add(-7900*time.Millisecond), now); got != "7 s" {
		t.Errorf("elapsed %q", got)
	}
}

// What can't be seen must not be able to hide in what is asked for: §7.
func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"go test ./...\n\tx":    "go test ./...\n\tx",
		"naïve 日本 😀":            "naïve 日本 😀",
		"rm \u202Efdp.exe":      "rm ‹U+202E›fdp.exe",
		"a\u200bb":              "a‹U+200B›b",
		"a\rb":                  "a‹U+000D›b",
		"a\x1b[2Kb":             "a‹U+001B›[2Kb",
		"a\u00a0b":              "a‹U+00A0›b",
		"a\xffb":                "a‹FF›b",
		"x\U000E0041y\u3164":    "x‹U+E0041›y‹U+3164›",
		"a\ufeffb\u2066c\u2028": "a‹U+FEFF›b‹U+2066›c‹U+2028›",
	} {
		if got := visible(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
		if hides(in) != (in != want) {
			t.Errorf("hides(%q) is %v", in, hides(in))
		}
	}
}

// An engine may send anything: each field of each row huge, with what can't be seen, and with ids that come twice. The
// card stays bounded, and nothing hides.
func TestHostileRows(t *testing.T) {
	setup(t, theme.Options{})
	bad := strings.Repeat("rm \u202e\u200b -rf x\n", 60_000) + strings.Repeat("x", 1<<20)
	step := transcript.WorkStep{ID: "same", Tool: event.ToolCommand, Title: bad, Output: bad, Mark: transcript.MarkFailed}
	node := transcript.TaskNode{ID: "same", Title: bad, Doing: bad, Summary: bad, Mark: transcript.MarkDone, Depth: 1 << 20}
	rows := []transcript.Row{
		&transcript.User{ID: bad, Text: bad}, &transcript.Text{ID: "t", Text: bad}, &transcript.Text{ID: "t", Text: bad, Live: true},
		&transcript.Reasoning{ID: "r", Text: bad},
		&transcript.Work{ID: "w", Title: bad, Steps: []transcript.WorkStep{step, step, step, step, step}},
		&transcript.Diff{ID: "d", Path: bad, Change: event.Change{Note: bad, MovedTo: bad, Kind: event.ChangeMove, Hunks: []event.Hunk{{Lines: []string{"+" + bad, "", "?"}}}}},
		&transcript.Web{ID: "x", Activity: event.WebActivity{Action: event.WebOpen, Query: bad, Text: bad, Results: []event.WebResult{{Title: bad, URL: bad}}}},
		&transcript.Plan{ID: "p", Note: bad, Steps: []event.Step{{Text: bad}}},
		&transcript.Tasks{ID: "k", Nodes: []transcript.TaskNode{node, node}},
		&transcript.Approval{ID: "a", Decision: event.Deny, Reason: bad, Who: bad, Asked: event.ApprovalAsked{Title: bad, Command: bad, Changes: []event.Change{{Path: bad, Note: bad}}}},
		&transcript.Question{ID: "q", Answers: map[string][]string{"": {bad}}, Asked: event.QuestionAsked{Questions: []event.Question{{Text: bad}}}},
		&transcript.Notice{ID: "n", Level: event.LevelError, Text: bad, Detail: bad},
		&transcript.End{ID: "e", Outcome: event.Failure, Error: &event.Error{Message: bad}},
	}
	for _, row := range rows {
		start := time.Now()
		c := New(row, now, Actions{Fold: openAll(row), ShowOutput: func(string, string) {}})
		all := objects(c, 336)
		if d := time.Since(start); d > 10*time.Second || len(all) > 20_000 {
			t.Errorf("%T: %v, %d objects", row, d, len(all))
		}
		seen := map[fyne.CanvasObject]bool{}
		for _, o := range all {
			if seen[o] {
				t.Errorf("%T: one object stands in two places", row)
			}
			seen[o] = true
			if text, ok := o.(*canvas.Text); ok && strings.ContainsRune(text.Text, 0x202e) {
				if _, prose := row.(*transcript.Text); !prose {
					t.Errorf("%T hides characters in %.40q", row, text.Text)
				}
				break
			}
		}
	}
}

// Huge outputs must cost what is shown, not what there is.
func TestFoldIsCheap(t *testing.T) {
	huge := strings.Repeat("line\n", 1<<20) + strings.Repeat("x", 1<<20)
	start := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			fold(huge, 12, true)
		}
	})
	if start.NsPerOp() > int64(500*time.Millisecond) {
		t.Errorf("folding 6 MB takes %v", time.Duration(start.NsPerOp()))
	}
	shown, hidden := fold("a\nb\nc\n", 2, false)
	if len(shown) != 2 || shown[0] != "a" || hidden != 1 {
		t.Errorf("%q, %d hidden", shown, hidden)
	}
	shown, hidden = fold("a\nb\n10%\r50%\rdone", 2, true)
	if shown[0] != "b" || shown[1] != "done" || hidden != 1 {
		t.Errorf("%q, %d hidden", shown, hidden)
	}
}

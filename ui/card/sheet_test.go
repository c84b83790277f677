package card

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"

	"keva/agent/event"
	"keva/agent/turn"
	"keva/ui/mark"
	"keva/ui/theme"
)

// clock is a timer that runs when the test says so.
type clock struct{ due []func() }

func (c *clock) after(_ time.Duration, f func()) { c.due = append(c.due, f) }

func (c *clock) pass() {
	due := c.due
	c.due = nil
	for _, f := range due {
		f()
	}
}

func command(id, text string) turn.Request {
	return turn.Request{ID: id, Approval: &event.ApprovalAsked{ID: id, Tool: event.ToolCommand, Name: "Bash", Command: text, Dir: "/home/me/projects/ledger"}}
}

// labels are the texts of everything that is drawn in a sheet, in a window of the given size.
func labels(t *testing.T, o fyne.CanvasObject) []string {
	t.Helper()
	var s []string
	var walk func(o fyne.CanvasObject)
	walk = func(o fyne.CanvasObject) {
		if !o.Visible() {
			return
		}
		switch o := o.(type) {
		case *canvas.Text:
			s = append(s, o.Text)
		case *container.Scroll:
			walk(o.Content)
		case fyne.Widget:
			for _, c := range test.WidgetRenderer(o).Objects() {
				walk(c)
			}
		}
	}
	walk(o)
	return s
}

func approvalSheetOf(t *testing.T, o SheetOptions, width float32) *approvalSheet {
	t.Helper()
	s := NewApprovalSheet(o).(*approvalSheet)
	s.Resize(fyne.NewSize(width, 400))
	return s
}

// A tap that was meant for what was there before allows nothing: Allow works 400 ms after the request has appeared or
// changed, and an old timer does not arm a new request.
func TestAllowIsArmedLate(t *testing.T) {
	setup(t, theme.Options{})
	c := &clock{}
	var allowed []string
	s := approvalSheetOf(t, SheetOptions{After: c.after, Allow: func(id string) { allowed = append(allowed, id) }}, 360)
	s.Ask(command("a", "ls"), 1, 2)
	test.Tap(s.right)
	if len(allowed) != 0 || !s.right.Disabled() {
		t.Fatal("a tap that came at once allowed something")
	}
	s.Ask(command("b", "rm -r x"), 1, 1)
	old := c.due[:1]
	old[0]()
	test.Tap(s.right)
	if len(allowed) != 0 {
		t.Fatal("the timer of the request before armed this one")
	}
	c.pass()
	s.Ask(command("b", "rm -r x"), 1, 3) // only the count: nothing to arm again
	test.Tap(s.right)
	test.Tap(s.right)
	if !reflect.DeepEqual(allowed, []string{"b"}) {
		t.Errorf("allowed %q: once is once", allowed)
	}
}

// Denying takes two steps and a reason; a double tap neither denies nor comes back, and going back has to be armed again.
func TestDeny(t *testing.T) {
	setup(t, theme.Options{})
	c := &clock{}
	var denied []string
	allowed := 0
	s := approvalSheetOf(t, SheetOptions{
		After: c.after, Allow: func(string) { allowed++ }, Deny: func(id, why string) { denied = append(denied, id+": "+why) },
	}, 360)
	w := test.NewTempWindow(t, s)
	w.Resize(fyne.NewSize(360, 400))
	s.Ask(command("a", "ls"), 1, 1)
	c.pass()
	test.Tap(s.left)
	if w.Canvas().Focused() != fyne.Focusable(s.field.entry) {
		t.Error("the keyboard is not at the reason")
	}
	test.Tap(s.left)
	if !s.denying {
		t.Fatal("a double tap came back at once")
	}
	s.field.entry.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if s.denying || len(denied) != 0 {
		t.Fatal("Escape must only lead back")
	}
	test.Tap(s.right)
	if allowed != 0 {
		t.Fatal("Allow stood under the finger of somebody who was denying")
	}
	c.pass()
	test.Tap(s.left)
	test.Type(s.field.entry, " not on main ")
	test.Tap(s.right)
	s.field.entry.OnSubmitted("")
	if !reflect.DeepEqual(denied, []string{"a: not on main"}) || allowed != 0 {
		t.Errorf("denied %q, allowed %d", denied, allowed)
	}
}

// However long the request and however small the screen: the buttons are on the screen, the whole text can be reached, and
// the user is told that there is more.
func TestButtonsStay(t *testing.T) {
	setup(t, theme.Options{})
	long := strings.Repeat("echo a rather long line of a script that goes on\n", 300) + "rm -r last"
	for _, size := range []fyne.Size{{Width: 360, Height: 600}, {Width: 320, Height: 300}, {Width: 640, Height: 280}} {
		s := approvalSheetOf(t, SheetOptions{MaxHeight: size.Height, Risks: []string{"Sends commits to github.com"}, Always: func(string) {}}, size.Width)
		s.Ask(command("a", long), 1, 1)
		for _, denying := range []bool{false, true} {
			s.setDenying(denying)
			h := s.HeightFor(size.Width)
			if h > size.Height {
				t.Errorf("%v: the sheet is %v high", size, h)
			}
			s.Resize(fyne.NewSize(size.Width, h))
			for _, b := range []*mark.Button{s.left, s.right} {
				p := b.Position()
				if p.Y < 0 || p.Y+b.Size().Height > h || p.X < 0 || p.X+b.Size().Width > size.Width || b.Size().Height < theme.Touch {
					t.Errorf("%v, denying %v: a button is at %v, %v of %v", size, denying, p, b.Size(), h)
				}
			}
			if gap := s.right.Position().X - s.left.Position().X - s.left.Size().Width; gap < 16 {
				t.Errorf("%v: the buttons are %v apart", size, gap)
			}
			if s.scroll.Size().Height < 24 {
				t.Errorf("%v, denying %v: only %v is left for the request", size, denying, s.scroll.Size().Height)
			}
		}
		s.setDenying(false)
		all := strings.Join(labels(t, s), "\n")
		if !strings.Contains(all, "rm -r last") || !strings.Contains(all, "There is more") || !strings.Contains(all, "Sends commits") {
			t.Errorf("%v: the end of the command, the hint or the risk is missing", size)
		}
		s.scroll.ScrollToBottom()
		if s.scroll.Offset.Y+s.scroll.Size().Height+1 < s.body.Size().Height {
			t.Errorf("%v: the end can't be scrolled to", size)
		}
	}
}

// §7: what is shown is exactly what will run.
func TestHiddenCharactersAreShown(t *testing.T) {
	setup(t, theme.Options{})
	s := approvalSheetOf(t, SheetOptions{}, 360)
	s.Ask(command("a", "cat a\u202etxt.hs\u200b"), 1, 1)
	all := strings.Join(labels(t, s), "\n")
	if !strings.Contains(all, "‹U+202E›") || !strings.Contains(all, "‹U+200B›") || !strings.Contains(all, "can't be seen") {
		t.Errorf("shown is %q", all)
	}
}

// A command of megabytes must not freeze the sheet, and the user is told that he does not see all of it.
func TestHugeCommand(t *testing.T) {
	setup(t, theme.Options{})
	s := approvalSheetOf(t, SheetOptions{MaxHeight: 560}, 360)
	s.Ask(command("a", strings.Repeat("true; ", 1<<20)), 1, 1)
	s.Resize(fyne.NewSize(360, s.HeightFor(360)))
	all := labels(t, s)
	if len(all) > 5000 || !has(all, "Too long to be shown whole") {
		t.Errorf("%d lines are drawn", len(all))
	}
}

// Which file it is must not be what is cut: paths in the project are relative to it.
func TestPathsInTheSheet(t *testing.T) {
	setup(t, theme.Options{})
	s := approvalSheetOf(t, SheetOptions{Dir: "/home/me/projects/ledger", Home: "/home/me"}, 360)
	for path, want := range map[string]string{
		"/home/me/projects/ledger/internal/parse.go": "internal", "/home/me/other/parse.go": "~/other", "/etc/parse.go": "/etc",
	} {
		s.Ask(turn.Request{ID: path, Approval: &event.ApprovalAsked{Tool: event.ToolEdit, Changes: []event.Change{{Path: path, Kind: event.ChangeUpdate}}}}, 1, 1)
		if all := labels(t, s); !has(all, "parse.go") || !slices.ContainsFunc(all, func(l string) bool { return strings.TrimSpace(l) == want }) {
			t.Errorf("%s: shown is %q, want %q", path, all, want)
		}
	}
}

func TestApprovalQuestions(t *testing.T) {
	change := event.Change{Path: "a", Kind: event.ChangeUpdate}
	for want, a := range map[string]event.ApprovalAsked{
		"Run this command?":        {Tool: event.ToolCommand},
		"Change this file?":        {Tool: event.ToolEdit, Changes: []event.Change{change}},
		"Change 3 files?":          {Tool: event.ToolEdit, Changes: []event.Change{change, change, change}},
		"Delete this file?":        {Tool: event.ToolEdit, Changes: []event.Change{{Kind: event.ChangeDelete}}},
		"Go ahead with this plan?": {Tool: event.ToolPlan},
		"Use mcp__x?":              {Tool: event.ToolMCP, Name: "mcp__x"},
		"Allow this?":              {},
	} {
		if got := approvalQuestion(&a); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	for path, want := range map[string]string{"/home/me/p": "~/p", "/home/me": "~", "/home/mex": "/home/mex"} {
		if got := short(path, "/home/me"); got != want {
			t.Errorf("%q is %q", path, got)
		}
	}
}

func ask(questions ...event.Question) turn.Request {
	return turn.Request{ID: "q", Question: &event.QuestionAsked{ID: "q", Questions: questions}}
}

// tapLabel taps the area in o whose label holds text.
func tapLabel(t *testing.T, o *pane, text string) {
	t.Helper()
	o.Resize(fyne.NewSize(360, o.HeightFor(360)))
	for _, c := range test.WidgetRenderer(o).Objects() {
		a, ok := c.(fyne.Accessible)
		if b, tappable := c.(fyne.Tappable); ok && tappable && strings.Contains(a.AccessibilityLabel(), text) {
			b.Tapped(&fyne.PointEvent{})
			return
		}
	}
	t.Fatalf("nothing to tap with %q", text)
}

func TestQuestions(t *testing.T) {
	setup(t, theme.Options{})
	one := event.Question{ID: "1", Text: "Which?", Options: []event.Option{{Label: "A"}, {Label: "B"}}, Free: true}
	many := event.Question{ID: "2", Text: "What else?", Options: []event.Option{{Label: "X"}, {Label: "Y"}, {Label: "Z"}}, Multi: true}
	words := event.Question{ID: "3", Text: "Why?"}
	var got []map[string][]string
	c := &clock{}
	s := NewQuestionSheet(SheetOptions{After: c.after, Answer: func(_ string, a map[string][]string) { got = append(got, a) }}).(*questionSheet)
	s.Resize(fyne.NewSize(360, 500))
	s.Ask(ask(one, many, words), 1, 1)
	tapLabel(t, s.body, "A")
	tapLabel(t, s.body, "B") // one answer: the last
	tapLabel(t, s.body, "Z")
	tapLabel(t, s.body, "X")
	tapLabel(t, s.body, "Y")
	tapLabel(t, s.body, ": Y") // taken back
	test.Type(s.fields["3"].entry, "because")
	test.Tap(s.right)
	if len(got) != 0 {
		t.Fatal("answered before it was armed")
	}
	c.pass()
	test.Tap(s.right)
	test.Tap(s.right)
	want := map[string][]string{"1": {"B"}, "2": {"X", "Z"}, "3": {"because"}}
	if len(got) != 1 || !reflect.DeepEqual(got[0], want) {
		t.Errorf("answered %v, want once %v", got, want)
	}

	// Words of one's own replace the option, and nothing is answered while something is missing.
	r := ask(one)
	r.ID = "q2"
	got = nil
	s.Ask(r, 1, 1)
	c.pass()
	if !s.right.Disabled() {
		t.Error("an empty answer can be given")
	}
	tapLabel(t, s.body, "A")
	test.Type(s.fields["1"].entry, "neither")
	test.Tap(s.right)
	if len(got) != 1 || !reflect.DeepEqual(got[0], map[string][]string{"1": {"neither"}}) {
		t.Errorf("answered %v", got)
	}

	// Dismissing is an answer of nil, once.
	r.ID, got = "q3", nil
	s.Ask(r, 1, 1)
	c.pass()
	test.Tap(s.left)
	test.Tap(s.left)
	if len(got) != 1 || got[0] != nil {
		t.Errorf("dismissed with %v", got)
	}
}

func TestSheetGallery(t *testing.T) {
	if *gallery == "" {
		t.Skip("no -gallery folder")
	}
	app := test.NewTempApp(t)
	edit := turn.Request{ID: "e", Scope: "t1", Approval: &event.ApprovalAsked{Tool: event.ToolEdit, Changes: []event.Change{{
		Path: "internal/parse/parse.go", Kind: event.ChangeUpdate, Added: 2, Removed: 1,
		Hunks: []event.Hunk{{NewStart: 41, NewLines: 4, Lines: []string{" day := s[8:10]", "-t, err := time.Parse(layout, s)", "+loc := time.FixedZone(\"\", off)", "+t, err := time.ParseInLocation(layout, s, loc)"}}},
	}}}}
	other := turn.Request{ID: "o", Approval: &event.ApprovalAsked{Tool: event.ToolMCP, Name: "mcp__tickets__close", Reason: "The ticket is fixed by this change.", Input: []byte(`{"id":17,"comment":"fixed"}`)}}
	question := ask(event.Question{ID: "1", Text: "Which zone should dates without one have?", Free: true, Options: []event.Option{
		{Label: "Keep the zone", Detail: "Dates stay as they are written."}, {Label: "UTC"},
	}})
	for _, mode := range []theme.Mode{theme.Light, theme.Dark} {
		for _, width := range []float32{360, 320} {
			app.Settings().SetTheme(theme.New(theme.Options{Mode: mode}))
			o := SheetOptions{
				Home: "/home/me", MaxHeight: 560, Always: func(string) {}, ShowDiff: func(turn.Request) {},
				Who: func(scope string) string {
					if scope != "" {
						return "Check other layouts"
					}
					return ""
				},
			}
			risky := o
			risky.Risks = []string{"Sends commits to github.com"}
			var sheets []Sheet
			add := func(s Sheet, r turn.Request) Sheet {
				s.Resize(fyne.NewSize(width, 300))
				s.Ask(r, 1, 2)
				sheets = append(sheets, s)
				return s
			}
			add(NewApprovalSheet(risky), command("a", "go test ./... && git push origin main"))
			add(NewApprovalSheet(o), edit)
			add(NewApprovalSheet(o), other)
			add(NewApprovalSheet(o), command("d", "make install")).(*approvalSheet).setDenying(true)
			add(NewApprovalSheet(o), command("l", strings.Repeat("echo a rather long line of a script that goes on\n", 30)))
			add(NewQuestionSheet(o), question).(*questionSheet).choose(question.Question.Questions[0], "Keep the zone")
			box, y := container.NewWithoutLayout(), float32(8)
			for _, s := range sheets {
				h := s.HeightFor(width)
				ground := mark.NewSheetSurface()
				for _, c := range []fyne.CanvasObject{ground, s} {
					c.Resize(fyne.NewSize(width, h))
					c.Move(fyne.NewPos(0, y))
					box.Add(c)
				}
				y += h + 8
			}
			shoot(t, fmt.Sprintf("sheets-%s-%.0f", mode, width), width, y, box)
		}
	}
}

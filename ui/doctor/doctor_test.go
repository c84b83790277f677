package doctor

import (
	"context"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"keva/agent/doctor"
	"keva/ui/screen"
	"keva/ui/theme"
	"keva/ui/uitest"
)

type fake struct {
	found []doctor.Finding
	runs  int
	gate  chan struct{} // nil: answers at once
	saved string
}

func (f *fake) Findings(ctx context.Context) []doctor.Finding {
	f.runs++
	if f.gate != nil {
		select {
		case <-f.gate:
		case <-ctx.Done():
		}
	}
	return f.found
}

func (f *fake) Report(_ context.Context, found []doctor.Finding) string {
	return "report of " + found[0].Title
}
func (f *fake) Save(text string) (string, error) { f.saved = text; return "/r.txt", nil }

var some = []doctor.Finding{
	{Group: "Engines", Title: "Claude Code", State: doctor.OK, Says: "2.1.197 runs."},
	{Group: "Engines", Title: "Codex", State: doctor.Failed, Says: "It is not installed.", Remedy: "Run `make engines`."},
	{Group: "Network", Title: "Proxy", State: doctor.Unknown, Says: "The check did not end in time.", Remedy: "Try again when the device is less busy."},
	{Group: "This device", Title: "Battery", State: doctor.Warning, Says: "Android may end long runs while the screen is off.", Remedy: "Allow Keva to run in the background."},
	{Group: "This device", Title: "Autostart", State: doctor.Absent, Says: "This maker has no such setting."},
}

func open(t *testing.T, f *fake, mode theme.Mode) (*Screen, *uitest.Loop, fyne.Window, *string) {
	app := test.NewTempApp(t)
	app.Settings().SetTheme(theme.New(theme.Options{Mode: mode}))
	loop := uitest.NewLoop(t)
	reviewed := new(string)
	s := New(Deps{Service: f, Back: func() {}, Post: loop.Post, Go: loop.Go, Review: func(text string, save func() (string, error)) {
		*reviewed = text
		if _, err := save(); err != nil {
			t.Error(err)
		}
	}})
	win := test.NewTempWindow(t, s.Object())
	win.SetPadded(false)
	win.Resize(fyne.NewSize(360, 780))
	return s, loop, win, reviewed
}

func words(o fyne.CanvasObject) string {
	var all []string
	uitest.Walk(o, func(o fyne.CanvasObject) {
		switch w := o.(type) {
		case *screen.Para:
			all = append(all, w.Text())
		case *screen.Text:
			all = append(all, w.Text())
		}
	})
	return strings.Join(all, "\n")
}

func TestFindingsAreShownAndReported(t *testing.T) {
	f := &fake{found: some}
	s, loop, win, reviewed := open(t, f, theme.Light)
	loop.Until("findings", func() bool { return !s.running })
	text := words(s.Object())
	for _, want := range []string{"Something does not work", "Codex", "Run `make engines`.", "Network", "The check did not end in time."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	test.Tap(uitest.Button(t, s.Object(), "Make a report…"))
	loop.Until("the report", func() bool { return *reviewed != "" })
	if f.saved != "report of Claude Code" || *reviewed != f.saved {
		t.Errorf("%q was shown, %q saved", *reviewed, f.saved)
	}
	f.found = []doctor.Finding{{Group: "G", Title: "T", State: doctor.OK, Says: "S"}}
	test.Tap(uitest.Button(t, s.Object(), "Check again"))
	loop.Until("findings", func() bool { return !s.running })
	if text := words(s.Object()); !strings.Contains(text, "Everything works") || strings.Contains(text, "Codex") || f.runs != 2 {
		t.Errorf("%d runs: %s", f.runs, text)
	}
	shoot(t, win, "doctor-fine")
}

// While it checks the screen says so, offers nothing, and forgets what comes after it was left.
func TestLeftWhileChecking(t *testing.T) {
	f := &fake{found: some, gate: make(chan struct{})}
	s, loop, _, _ := open(t, f, theme.Light)
	if text := words(s.Object()); !strings.Contains(text, "Checking…") || strings.Contains(text, "Check again") {
		t.Error(text)
	}
	s.Stop()
	loop.Until("the end", func() bool { return !s.running })
	if len(s.found) != 0 {
		t.Errorf("%+v", s.found)
	}
}

func TestBothThemesDraw(t *testing.T) {
	for name, mode := range map[string]theme.Mode{"light": theme.Light, "dark": theme.Dark} {
		s, loop, win, _ := open(t, &fake{found: some}, mode)
		loop.Until("findings", func() bool { return !s.running })
		shoot(t, win, "doctor-"+name)
	}
}

func shoot(t *testing.T, w fyne.Window, name string) { uitest.Shoot(t, w, name) }

package card

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"keva/agent/trust"
	"keva/ui/theme"
)

func trustReport() trust.Report {
	return trust.Report{Dir: "/home/me/projects/ledger", Hash: "h1", Entries: []trust.Entry{
		{Engine: "claude", Kind: trust.KindHook, Name: "PostToolUse Edit|Write", Text: "sh \"$CLAUDE_PROJECT_DIR\"/tools/fmt.sh\ntimeout: 5", File: ".claude/settings.json", Line: 10, Runs: []string{"tools/fmt.sh"}},
		{Engine: "claude", Kind: trust.KindAllow, Text: "Bash(make test:*)", File: ".claude/settings.json", Line: 4},
		{Engine: "claude", Kind: trust.KindMode, Name: "defaultMode", Text: "bypassPermissions", File: ".claude/settings.json", Line: 6, Refused: "It would let the engine act without asking you."},
		{Engine: "claude", Kind: trust.KindServer, Name: "db", Text: "node server.js --read-only", File: ".mcp.json", Line: 2, Runs: []string{"server.js"}},
		{Engine: "codex", Kind: trust.KindServer, Name: "db", Text: "python srv.py", File: ".codex/config.toml", Line: 3},
	}}
}

// To allow takes two taps, each after the buttons have settled; keeping off takes one, and is where the keyboard is.
func TestTrustIsAllowedInTwoSteps(t *testing.T) {
	setup(t, theme.Options{})
	c := &clock{}
	var allowed []trust.Consent
	kept := 0
	s := NewTrust(TrustOptions{After: c.after, Allow: func(c trust.Consent) { allowed = append(allowed, c) }, KeepOff: func() { kept++ }})
	s.Resize(fyne.NewSize(360, 700))
	s.Ask(trustReport(), false)
	test.Tap(s.left)
	c.pass()
	test.Tap(s.left)
	test.Tap(s.left) // a double tap
	if len(allowed) != 0 {
		t.Fatal("allowed by a double tap")
	}
	c.pass()
	test.Tap(s.left)
	test.Tap(s.left)
	test.Tap(s.right)
	if len(allowed) != 1 || allowed[0].Hash != "h1" || len(allowed[0].Entries) != 4 || kept != 0 {
		t.Errorf("%+v, kept %d", allowed, kept)
	}
	s.Ask(trust.Report{Dir: "/p", Hash: "h2", Entries: trustReport().Entries}, true)
	test.Tap(s.right)
	if kept != 1 || len(allowed) != 1 {
		t.Errorf("kept %d, allowed %d", kept, len(allowed))
	}
}

// All that would be turned on stands there to the letter; what stays off is told when it is asked for.
func TestTrustShowsEverything(t *testing.T) {
	setup(t, theme.Options{})
	s := NewTrust(TrustOptions{Home: "/home/me", Engine: strings.ToUpper})
	s.Resize(fyne.NewSize(360, 900))
	s.Ask(trustReport(), true)
	text := strings.Join(labels(t, s), "\n")
	for _, want := range []string{
		"~/projects/ledger", "not what you allowed", ".mcp.json", "tools/fmt.sh", "timeout: 5", "Bash(make test:*)", "node server.js", "CODEX", "line 10", "One other stays off",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, "bypassPermissions") {
		t.Error("what stays off is open from the start")
	}
	s.showOff = true
	s.resized()
	if text := strings.Join(labels(t, s), "\n"); !strings.Contains(text, "bypassPermissions") || !strings.Contains(text, "without asking you") {
		t.Error(text)
	}
}

// What nobody could read can't be allowed, and what can't be seen is told.
func TestTrustWithProblems(t *testing.T) {
	setup(t, theme.Options{})
	r := trustReport()
	r.Problems = []trust.Problem{{File: ".mcp.json", Text: "It can't be opened, or it is a link out of the project."}}
	s := NewTrust(TrustOptions{Allow: func(trust.Consent) { t.Error("allowed") }})
	s.Resize(fyne.NewSize(360, 700))
	s.Ask(r, false)
	if s.left.Visible() || !slices.ContainsFunc(labels(t, s), func(l string) bool { return strings.Contains(l, "link out") }) {
		t.Error(labels(t, s))
	}
	s.tapLeft()
	s.tapLeft()

	r = trustReport()
	r.Entries[0].Text = "echo \u202e hidden"
	s.Ask(r, false)
	if !slices.ContainsFunc(labels(t, s), func(l string) bool { return strings.Contains(l, "can't be seen") }) {
		t.Error(labels(t, s))
	}
}

func TestTrustGallery(t *testing.T) {
	if *gallery == "" {
		t.Skip("no -gallery folder")
	}
	app := test.NewTempApp(t)
	for _, mode := range []theme.Mode{theme.Light, theme.Dark} {
		app.Settings().SetTheme(theme.New(theme.Options{Mode: mode}))
		s := NewTrust(TrustOptions{Home: "/home/me", MaxHeight: 640})
		s.Resize(fyne.NewSize(360, 640))
		s.Ask(trustReport(), mode == theme.Dark)
		if mode == theme.Dark {
			s.showOff = true
			s.tapLeft()
		}
		h := min(s.HeightFor(360), 640)
		shoot(t, "trust-"+string(mode), 360, h, s)
	}
}

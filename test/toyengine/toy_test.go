package toyengine

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/session"
	"keva/agent/slot"
	"keva/platform/store"
	"keva/ui/headless"
)

func run(t *testing.T, d event.Decision) (string, headless.Code) {
	t.Helper()
	st, _, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	n := 0
	svc := session.NewService(session.Deps{
		Store: st, Slot: &slot.Slot{}, Factories: []runtime.Factory{Factory{}},
		Provider: func(context.Context, string, string) (runtime.Provider, error) { return runtime.Provider{}, nil },
		CheckDir: func(string) error { return nil },
		Clock:    func() time.Time { return time.Now().UTC() }, NewID: func() string { n++; return fmt.Sprint("id", n) },
	})
	s, err := svc.Create(t.Context(), session.New{Dir: t.TempDir(), Engine: "toy"})
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	code := headless.Run(t.Context(), s, headless.Options{
		Prompt: "hello", Out: &out, Err: &errs, In: strings.NewReader(""),
		Allow: func(event.ApprovalAsked) (event.Decision, string) { return d, "the test said so" },
	})
	return out.String() + errs.String(), code
}

// I-5: an engine that nobody has heard of works through every consumer.
func TestThirdEngine(t *testing.T) {
	out, code := run(t, event.Allow)
	if code != headless.Success || !strings.Contains(out, "HELLO") || !strings.Contains(out, "shout hello") {
		t.Fatalf("code %d\n%s", code, out)
	}
	out, code = run(t, event.Deny)
	if code != headless.Success || !strings.Contains(out, "You said no: the test said so") {
		t.Fatalf("code %d\n%s", code, out)
	}
}

// I-5: outside engines/ and main.go nobody names an engine in code.
func TestNobodyAsksForTheKind(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "git", "grep", "-nE", `"(claude|codex)"`, "--", "agent/*.go", "ui/*.go", "platform/*.go", ":!*_test.go", ":!*/uitest/*")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err == nil {
		t.Fatalf("an engine is named outside engines/:\n%s", out)
	}
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("git grep: %v", err)
	}
}

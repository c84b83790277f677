package project

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keva/agent/event"
)

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "file", "x")
	if err := Check(dir); err != nil {
		t.Fatal(err)
	}
	for name, d := range map[string]string{"none": "", "relative": "x", "gone": filepath.Join(dir, "gone"), "file": filepath.Join(dir, "file")} {
		var e *event.Error
		if err := Check(d); !errors.As(err, &e) || e.Class != event.ClassConfig || e.Message == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The project's text reaches the engine through us, since its settings must not (a clone could switch approvals off).
func TestInstructions(t *testing.T) {
	dir := t.TempDir()
	if got := Instructions(dir); got != "" {
		t.Fatalf("%q", got)
	}
	write(t, dir, "CLAUDE.md", "Use tabs.\n")
	write(t, dir, "AGENTS.md", "Run make.\n")
	got := Instructions(dir)
	if !strings.Contains(got, "# CLAUDE.md of the project\n\nUse tabs.") || !strings.Contains(got, "Run make.") {
		t.Fatalf("%q", got)
	}
	write(t, dir, "AGENTS.md", "Use tabs.\n")
	if got := Instructions(dir); strings.Count(got, "Use tabs.") != 1 {
		t.Fatalf("a copy comes twice: %q", got)
	}
}

func TestHostileInstructions(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("top secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(secret, filepath.Join(dir, "CLAUDE.md")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "AGENTS.md", "a\xff\x00b")
	got := Instructions(dir)
	if strings.Contains(got, "secret\n") || strings.Contains(got, "top") || strings.Count(got, "Not read") != 2 {
		t.Fatalf("%q", got)
	}
	dir = t.TempDir()
	write(t, dir, "CLAUDE.md", strings.Repeat("ä", MaxInstructions))
	if got := Instructions(dir); len(got) > MaxInstructions || !strings.Contains(got, "left out") {
		t.Fatalf("%d bytes", len(got))
	}
	dir = t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "AGENTS.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := Instructions(dir); !strings.Contains(got, "not a file") {
		t.Fatal("a folder was read")
	}
}

package core

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/engines/userland/plan"
)

func TestNewProject(t *testing.T) {
	c, _ := world(t, plan.KindHost)
	home := t.TempDir()
	t.Setenv("HOME", home)
	dir, err := c.NewProject(t.Context(), " Bücher und mehr ")
	if err != nil || dir != filepath.Join(home, "projects", "Bücher und mehr") {
		t.Fatal(dir, err)
	}
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"", " ", "..", ".x", "-rf", "a/b", `a\b`, "a\x00b", "a\nb", strings.Repeat("x", 101), "Bücher und mehr"} {
		var known *event.Error
		if dir, err := c.NewProject(t.Context(), name); !errors.As(err, &known) {
			t.Errorf("%q: %q, %v", name, dir, err)
		}
	}
}

package demo

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"keva/agent/event"
)

func TestNewProject(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	if err := NewProject(dir); err != nil {
		t.Fatal(err)
	}
	if !IsProject(dir) || testsPass(t, dir) {
		t.Error("the project is not there, or has nothing to repair")
	}
	if err := NewProject(dir); err != nil {
		t.Errorf("the unchanged project is refused: %v", err)
	}
	if git, err := exec.LookPath("git"); err == nil {
		out, err := exec.Command(git, "-C", dir, "status", "--porcelain").CombinedOutput()
		if err != nil || len(out) > 0 {
			t.Errorf("git status: %v %s", err, out)
		}
	}

	change(t, dir, "src/parse.sh", "changed")
	change(t, dir, "mine.txt", "mine")
	if err := NewProject(dir); err == nil {
		t.Error("a changed project is written over")
	}
	if read(t, dir, "src/parse.sh") != "changed" {
		t.Error("the refused call changed something")
	}
	if err := ResetProject(dir); err != nil {
		t.Fatal(err)
	}
	if read(t, dir, "src/parse.sh") == "changed" || read(t, dir, "mine.txt") != "mine" {
		t.Error("the reset left a change, or took the person's file")
	}
}

// A folder that is not the sample project is never touched.
func TestProjectRefusesOtherFolders(t *testing.T) {
	dir := t.TempDir()
	change(t, dir, "README.md", "mine")
	for name, f := range map[string]func(string) error{"new": NewProject, "reset": ResetProject} {
		var e *event.Error
		if err := f(dir); !errors.As(err, &e) || !strings.Contains(e.Message, "not the sample project") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 || read(t, dir, "README.md") != "mine" {
		t.Errorf("%v %v", entries, err)
	}
	if err := NewProject(filepath.Join(dir, "README.md")); err == nil {
		t.Error("a file is taken for a folder")
	}
}

// Both repairs that the tour proposes work, in a plain POSIX shell.
func TestBothRepairsWork(t *testing.T) {
	s := startServer(t, Options{})
	for _, id := range []string{"edit", "edit_denied"} {
		dir := newProject(t)
		tour := s.scripts["tour"]
		edit := tour.Steps[tour.index[id]].Do[0].Edit
		text := read(t, dir, edit.Path)
		before, after, found := strings.Cut(text, edit.Old)
		if !found {
			t.Fatalf("%s: the line is not in the file", id)
		}
		change(t, dir, edit.Path, before+edit.New+after)
		if !testsPass(t, dir) {
			t.Errorf("%s does not repair it", id)
		}
	}
}

func change(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

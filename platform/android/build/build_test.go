package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestVersionCode(t *testing.T) {
	for text, want := range map[string]int{"0.1.0": 100, "1.2.3": 10203, "10.99.99": 109999} {
		if got, err := code(text); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	// A higher version with a lower code could not be installed over the former.
	for _, text := range []string{"", "1", "1.2", "1.100.0", "1.0.100", "-1.0.0", "x"} {
		if got, err := code(text); err == nil {
			t.Errorf("%q passes as %d", text, got)
		}
	}
}

func TestVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "FyneApp.toml")
	if err := os.WriteFile(path, []byte("[Details]\nVersion = \"1.2.3\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := version(path); err != nil || got != "1.2.3" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := version(path + "x"); err == nil {
		t.Error("a missing file has a version")
	}
}

// Two builds in one folder would take each other's files away (seen).
func TestOneBuildAtATime(t *testing.T) {
	work := filepath.Join(t.TempDir(), "android", "work")
	one, two := &build{work: work}, &build{work: work}
	if err := one.lock(); err != nil {
		t.Fatal(err)
	}
	if err := two.lock(); err == nil {
		t.Error("a second build may begin")
	}
	if err := one.held.Close(); err != nil {
		t.Fatal(err)
	}
	if err := two.lock(); err != nil {
		t.Error(err)
	}
}

//go:build apktest

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The same classes give the same bytes: with several jobs smali did not (seen in one build of two).
func TestDexIsTheSame(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	var first string
	for range 6 {
		file, err := (&build{root: root, work: t.TempDir()}).dex()
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(data)
		}
		if first != string(data) {
			t.Fatal("another file than the first time")
		}
	}
}

// The key is made once, outside the build folder, for its owner alone; a key that was named and is not there is no reason
// to make another one.
func TestKey(t *testing.T) {
	config := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	t.Setenv("KEVA_KEYSTORE", "")
	store, err := key()
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Dir(filepath.Dir(store)) != config {
		t.Errorf("it lies in %s", store)
	}
	before, err := os.ReadFile(store)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{store, store + ".pass"} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	if again, err := key(); err != nil || again != store {
		t.Errorf("%s, %v", again, err)
	}
	if after, err := os.ReadFile(store); err != nil || string(after) != string(before) {
		t.Error("the key was made anew")
	}
	if err := os.Remove(store + ".pass"); err != nil {
		t.Fatal(err)
	}
	if _, err := key(); err == nil {
		t.Error("a key without its password passes")
	}
	t.Setenv("KEVA_KEYSTORE", filepath.Join(config, "none"))
	if _, err := key(); err == nil {
		t.Error("a key that was named was replaced")
	}
}

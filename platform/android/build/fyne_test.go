package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Fyne's tool brings Java classes that call into the library by name: those of another version may not be there.
func TestSameFyne(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	mk, err := os.ReadFile("../android.mk")
	if err != nil {
		t.Fatal(err)
	}
	pinned := regexp.MustCompile(`(?m)^FYNE := (\S+)$`).FindSubmatch(mk)
	if pinned == nil {
		t.Fatal("android.mk pins no tool")
	}
	for tool, words := range map[string]string{
		string(pinned[1]):               "",
		"fyne.io/tools/cmd/fyne@v1.7.0": "another Fyne",
		"fyne.io/tools/cmd/fyne":        "-fyne is missing",
		"":                              "-fyne is missing",
	} {
		err := (&build{root: root, fyne: tool}).sameFyne()
		if (err == nil) != (words == "") || err != nil && !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v", tool, err)
		}
	}
}

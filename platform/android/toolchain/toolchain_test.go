package toolchain

import (
	"slices"
	"testing"
)

func TestFind(t *testing.T) {
	for name, want := range map[string]string{"arm64": "arm64-v8a", "arm64-v8a": "arm64-v8a", "x86_64": "x86_64", "amd64": "x86_64"} {
		if a, err := Find(name); err != nil || a.ABI != want {
			t.Errorf("%s: %v, %v", name, a.ABI, err)
		}
	}
	if _, err := Find("armeabi-v7a"); err == nil {
		t.Error("32 bits are accepted")
	}
}

// The list is what checks lean on: one that can't be read would allow nothing, or all.
func TestSymbols(t *testing.T) {
	list := Symbols()
	if len(list) != 4 || !slices.Contains(list["c"], "getaddrinfo") || !slices.Contains(list["dl"], "dlopen") || !slices.Contains(list["m"], "log") {
		t.Errorf("%v", list)
	}
	for lib, names := range list {
		if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
			t.Errorf("lib%s: not sorted, or a name twice", lib)
		}
	}
}

package power

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestChildren(t *testing.T) {
	root := t.TempDir()
	put := func(pid, parent int, name string) {
		dir := filepath.Join(root, fmt.Sprint(pid))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "stat"), fmt.Appendf(nil, "%d (%s) S %d 1 1", pid, name, parent), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(1, 0, "init")
	put(10, 1, "keva")
	put(11, 10, "claude) S 1 (")
	put(12, 11, "bash")
	put(13, 1, "another app")
	put(14, 13, "its child")
	put(20, 21, "a loop")
	put(21, 20, "that can't be")
	if err := os.MkdirAll(filepath.Join(root, "99"), 0o755); err != nil { // gone before it was read
		t.Fatal(err)
	}
	if n, err := Children(root, 10); err != nil || n != 2 {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := Children(filepath.Join(root, "nowhere"), 10); err == nil {
		t.Error("no /proc is no error")
	}
	if n, err := Children("/proc", os.Getpid()); err != nil || n < 0 {
		t.Errorf("%d, %v", n, err)
	}
}

func TestCrowdWarnsOnce(t *testing.T) {
	var c Crowd
	var got []bool
	for _, n := range []int{3, 23, 24, 31, 24, 13, 24, 11, 25, 26} {
		got = append(got, c.Warn(n))
	}
	want := []bool{false, false, true, false, false, false, false, false, true, false}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

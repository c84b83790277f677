package host

import (
	"net"
	"os"
	"path/filepath"
	"testing"
)

// socket makes a folder with a socket in it.
func socket(t *testing.T, dir string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "bus"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return dir
}

// Where there is no bus, the address says so: an empty one, or one that asks for it, makes the library start a daemon.
func TestSessionBus(t *testing.T) {
	root := t.TempDir()
	runtimeDir, empty, old, plain := socket(t, filepath.Join(root, "a b")), filepath.Join(root, "empty"), filepath.Join(root, "old"), filepath.Join(root, "plain")
	for _, dir := range []string{empty, old, plain} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(old, "dbus-session"), busVariable+"=unix:abstract=/dbus-1\n")
	write(filepath.Join(plain, "bus"), "no socket")
	for _, c := range []struct {
		name, given, dir, want string
	}{
		{"given", "unix:path=/x", runtimeDir, "unix:path=/x"},
		{"the runtime folder", "", runtimeDir, "unix:path=" + root + "/a%20b/bus"},
		{"not to be launched", "autolaunch:", runtimeDir, "unix:path=" + root + "/a%20b/bus"},
		{"an older desktop", "", old, "unix:abstract=/dbus-1"},
		{"a file that is no socket", "", plain, noBus},
		{"a relative folder", "", "here", noBus},
		{"nothing there", "autolaunch:", empty, noBus},
		{"said before", noBus, runtimeDir, noBus},
	} {
		if got := bus(c.given, c.dir); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

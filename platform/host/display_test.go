package host

import (
	"path/filepath"
	"strings"
	"testing"
)

// Without a screen the user gets a sentence and the way without one, not a stack trace of the window toolkit.
func TestDisplay(t *testing.T) {
	dir := socket(t, t.TempDir())
	for _, c := range []struct {
		name string
		env  []string
		want string // of the sentence; "" = a window can be opened
	}{
		{"none", nil, "There is no display"},
		{"Wayland by name", []string{"WAYLAND_DISPLAY", "bus", "XDG_RUNTIME_DIR", dir}, ""},
		{"Wayland by path", []string{"WAYLAND_DISPLAY", filepath.Join(dir, "bus")}, ""},
		{"Wayland is gone", []string{"WAYLAND_DISPLAY", "gone", "XDG_RUNTIME_DIR", dir}, "does not answer"},
		{"X11 is gone", []string{"DISPLAY", ":60123"}, "does not answer"},
		{"X11 is gone, by its whole name", []string{"DISPLAY", "unix:60123.0"}, "does not answer"},
		{"X11 elsewhere can't be judged", []string{"DISPLAY", "localhost:10.0"}, ""},
		{"one of two", []string{"DISPLAY", ":60123", "WAYLAND_DISPLAY", filepath.Join(dir, "bus")}, ""},
	} {
		switch err := Display(env(c.env...)); {
		case err == nil && c.want != "":
			t.Errorf("%s: no error", c.name)
		case err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

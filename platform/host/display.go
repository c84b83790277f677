package host

import (
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"keva/agent/event"
)

// Display says why no window can be opened, in words for people, or nil when one can: the window toolkit would end with a
// stack trace instead. It looks where the system says that its screen is; what it can't judge, such as a screen on another
// machine, passes.
func Display(getenv func(string) string) error {
	switch runtime.GOOS {
	case "linux", "freebsd", "netbsd", "openbsd":
	default:
		return nil
	}
	x11, wayland := getenv("DISPLAY"), getenv("WAYLAND_DISPLAY")
	if x11 == "" && wayland == "" {
		return &event.Error{
			Class:   event.ClassConfig,
			Message: "There is no display here, so there can be no window. Without one, the same turn runs in the terminal:\n  keva run -demo \"Show me around\"",
		}
	}
	if wayland != "" {
		if !filepath.IsAbs(wayland) {
			wayland = filepath.Join(getenv("XDG_RUNTIME_DIR"), wayland)
		}
		if answers(wayland) {
			return nil
		}
	}
	if x11 != "" {
		host, screen, _ := strings.Cut(x11, ":")
		number, _, _ := strings.Cut(screen, ".")
		socket := "/tmp/.X11-unix/X" + number
		if host != "" && host != "unix" || answers("@"+socket) || answers(socket) {
			return nil
		}
	}
	return &event.Error{
		Class: event.ClassConfig,
		Message: "The display does not answer, so there can be no window. Check DISPLAY and WAYLAND_DISPLAY, or run in the " +
			"terminal:\n  keva run -demo \"Show me around\"",
		Detail: "DISPLAY=" + x11 + " WAYLAND_DISPLAY=" + wayland,
	}
}

// answers reports whether something listens on a socket; "@" stands for Linux's abstract ones.
func answers(socket string) bool {
	c, err := net.DialTimeout("unix", socket, time.Second)
	if err != nil {
		return false
	}
	_ = c.Close()
	return true
}

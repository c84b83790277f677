package host

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

const busVariable = "DBUS_SESSION_BUS_ADDRESS"

// noBus is an address that the D-Bus library refuses at once.
const noBus = "disabled:"

// SessionBus finds the desktop's D-Bus, which knows the look of the system and the keyring, and reports whether there is
// one. The answer is kept in this process's environment, for the libraries that ask next: where there is no bus, they would
// start one by themselves (dbus-launch), a process that nobody stops. So it comes before the first of them.
//
// Systems that do without D-Bus have nothing to find, and answer yes.
func SessionBus() bool {
	switch runtime.GOOS {
	case "linux", "freebsd", "netbsd", "openbsd":
	default:
		return true
	}
	dir := os.Getenv("XDG_RUNTIME_DIR") // the library does not know it
	if dir == "" {
		dir = filepath.Join("/run/user", strconv.Itoa(os.Getuid()))
	}
	address := bus(os.Getenv(busVariable), dir)
	if err := os.Setenv(busVariable, address); err != nil {
		return false // can't be: neither name nor address has a NUL
	}
	return address != noBus
}

// bus is the address that was given, or that of a bus in the folder for running programs, or noBus.
func bus(given, dir string) string {
	switch {
	case given != "" && !strings.HasPrefix(given, "autolaunch:"):
		return given
	case !filepath.IsAbs(dir):
		return noBus
	}
	if path := filepath.Join(dir, "bus"); isSocket(path) {
		return "unix:path=" + escapeBus(path)
	}
	line, err := os.ReadFile(filepath.Join(dir, "dbus-session")) // where older desktops leave it
	if address, ok := strings.CutPrefix(string(line), busVariable+"="); err == nil && ok && !strings.ContainsRune(address, 0) {
		return strings.TrimSpace(address)
	}
	return noBus
}

func isSocket(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&os.ModeSocket != 0
}

// escapeBus writes a path as a value in an address (D-Bus specification, "Server Addresses").
func escapeBus(path string) string {
	var b strings.Builder
	for _, c := range []byte(path) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte(`-_/.\*`, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	return b.String()
}

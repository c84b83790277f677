//go:build !android

package device

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"keva/agent/doctor"
	"keva/platform/diag"
	"keva/platform/host"
	"keva/platform/network"
	"keva/platform/power"
	"keva/platform/secret"
)

// Desktop is a computer with a window system. A process is kept there by nobody having ended it, so what Android needs a
// service for is nothing here; sleep is held off where the system takes such wishes.
type Desktop struct {
	// Notify shows a notification; nil: there are none.
	Notify func(title, text string)

	mu    sync.Mutex
	sleep *inhibitor
	ways  func(ctx context.Context) (*inhibitor, error) // tests have their own; nil is inhibitSleep
}

var _ Device = (*Desktop)(nil)

// New is this machine. notify shows a notification; it may be nil.
func New(notify func(title, text string)) Device { return &Desktop{Notify: notify} }

// Show is for the moment in which the app would be ended; on a desktop there is none.
func (*Desktop) Show(power.Work) error { return nil }

// Hide is part of power.Device.
func (*Desktop) Hide() error { return nil }

// Awake holds off sleep while on. Screens may go dark.
func (d *Desktop) Awake(on bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !on {
		held := d.sleep
		d.sleep = nil
		return held.release()
	}
	if d.sleep != nil {
		return nil
	}
	take := d.ways
	if take == nil {
		take = inhibitSleep
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	held, err := take(ctx)
	if err == nil {
		d.sleep = held
	}
	return err
}

// Tell shows a notification.
func (d *Desktop) Tell(title, text string) error {
	if d.Notify == nil {
		return power.ErrUnsupported
	}
	d.Notify(title, text)
	return nil
}

// Listen does nothing: a desktop's notifications have no buttons of ours.
func (*Desktop) Listen(func(Tap), func(string, bool)) {}

// Share is not there: a desktop has files and a clipboard.
func (*Desktop) Share(string, string) error { return power.ErrUnsupported }

// Keys is the system's keyring.
func (*Desktop) Keys() secret.Keyring { return secret.System{} }

// Proxy is none: a desktop says it in the environment.
func (*Desktop) Proxy() (network.DefaultProxy, bool, error) {
	return network.DefaultProxy{}, false, nil
}

// Watch never calls: the environment of a process does not change.
func (*Desktop) Watch(context.Context, func()) {}

// Online is not known by the system's word; the interfaces are looked at instead (network.Options).
func (*Desktop) Online() network.Online { return network.OnlineUnknown }

// CountsChildren is false: no desktop does.
func (*Desktop) CountsChildren() bool { return false }

// PackVariable names a pack to install, for a desktop.
const PackVariable = "KEVA_PACK"

// Pack is the file that the environment names, or the one beside the program, where `make pack` puts it.
func (*Desktop) Pack() (file, entry string) {
	if file := os.Getenv(PackVariable); file != "" {
		return file, ""
	}
	program, err := os.Executable()
	if err != nil {
		return "", "" // there is no beside
	}
	beside := filepath.Join(filepath.Dir(program), "keva-userland-"+runtime.GOARCH+".tar.zst")
	if _, err := os.Stat(beside); err != nil {
		return "", ""
	}
	return beside, ""
}

// OpenURL opens the browser.
func (*Desktop) OpenURL(ctx context.Context, address string) error { return host.OpenURL(ctx, address) }

// Checks looks at whether sleep can be held off.
func (d *Desktop) Checks() []doctor.Check {
	return []doctor.Check{{ID: "sleep", Group: "This device", Title: "Sleep", Run: func(context.Context) []doctor.Finding {
		d.mu.Lock()
		held := d.sleep != nil
		d.mu.Unlock()
		if !held { // tried, and given back at once
			if err := d.Awake(true); err != nil {
				return []doctor.Finding{{
					State: doctor.Warning, Says: "The computer may go to sleep while an agent works.",
					Remedy: "Switch automatic sleep off for long runs.", Detail: err.Error(),
				}}
			}
			if err := d.Awake(false); err != nil {
				return []doctor.Finding{{State: doctor.Unknown, Says: "Whether sleep is still held off is not known.", Detail: err.Error()}}
			}
		}
		return []doctor.Finding{{State: doctor.OK, Says: "The computer stays awake while an agent works."}}
	}}}
}

// Switches are none.
func (*Desktop) Switches() []Switch { return nil }

// Facts are the system's name and version.
func (*Desktop) Facts() []diag.Fact {
	name := runtime.GOOS
	if data, err := os.ReadFile("/etc/os-release"); err == nil {
		for _, line := range strings.Split(string(data), "\n") {
			if v, ok := strings.CutPrefix(line, "PRETTY_NAME="); ok {
				name = strings.Trim(v, `"`)
			}
		}
	}
	return []diag.Fact{{Name: "System", Value: name + " " + runtime.GOARCH}}
}

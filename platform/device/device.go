// Package device is the machine under the app: one interface, with Android and the desktop behind it, so that everything above
// runs on a desktop and in tests as it does on a phone. What a machine does not have is said (power.ErrUnsupported, a finding
// that it is absent), never played.
package device

import (
	"context"

	"keva/agent/doctor"
	"keva/platform/diag"
	"keva/platform/network"
	"keva/platform/power"
	"keva/platform/secret"
)

// Choice is what was tapped on a notification.
type Choice string

// The choices.
const (
	Stop  Choice = "stop"
	Allow Choice = "allow"
	Deny  Choice = "deny"
)

// Tap is an answer from a notification that may count: it is of this launch, for what is shown now, for the first time.
type Tap struct {
	Request string // the approval that it answers; "" for Stop
	Choice  Choice
}

// Switch is something that only the system can change, with how it stands now, in words for people.
type Switch struct {
	Label, Says string
	OK          bool
	Open        func() error // shows the system's own page or question
}

// Device is the machine. Methods are for any goroutine; they may block for a moment.
type Device interface {
	power.Device
	// Listen sets who takes taps on notifications, and what else the system tells, in words for the log; gone says that it
	// does not keep the process any more.
	Listen(tap func(Tap), told func(what string, gone bool))
	// Share offers a text to other programs; power.ErrUnsupported where there is no such thing.
	Share(title, text string) error
	// Keys is where secrets are kept.
	Keys() secret.Keyring
	// Proxy is the network's own proxy; ok is false when there is none. Watch calls changed when the network changed.
	Proxy() (p network.DefaultProxy, ok bool, err error)
	Watch(ctx context.Context, changed func())
	Online() network.Online
	// CountsChildren reports whether the system ends programs of apps when there are many of them (power.ChildLimit).
	CountsChildren() bool
	// Pack is the file that holds the userland pack and the entry in it ("" = the file itself); "" when there is none.
	Pack() (file, entry string)
	OpenURL(ctx context.Context, address string) error
	// Checks are what the doctor looks at on this kind of machine; Switches is what the user can change there, Facts what a
	// report says of it.
	Checks() []doctor.Check
	Switches() []Switch
	Facts() []diag.Fact
}

// Package connection is how the network looks to a person: by which policy it is reached, where that came from, what was tried
// last and how it went. It reaches nothing itself.
package connection

import "time"

// Line is one part of the policy and where it came from.
type Line struct{ Label, Value, From string }

// Purpose is what became of the attempts for one thing. A zero time means: not since Keva started.
type Purpose struct {
	Name                     string
	LastAttempt, LastSuccess time.Time
	Failing                  bool
	Class, Why               string // of the last failure, while Failing
}

// Host is one that engines reached through Keva.
type Host struct {
	Name  string
	Bytes int64
	Last  time.Time
}

// Mode is the user's part of the policy.
type Mode string

// The modes.
const (
	Automatic Mode = ""       // as the device or the environment says
	Direct    Mode = "direct" // no proxy
	Proxy     Mode = "proxy"  // the address in Setting
)

// Setting is what the user chose.
type Setting struct {
	Mode                     Mode
	Proxy, NoProxy, CABundle string
}

// View is a snapshot of all of it.
type View struct {
	Version  uint64
	Policy   []Line
	Problems []string // what is wrong with the policy, for people
	Purposes []Purpose
	Hosts    []Host
	Setting  Setting
	// UpdateAddress is where the update check asks, "" while it is off; Update is what is known, in a sentence.
	UpdateAddress, Update string
}

// Package onboarding says what a device still needs before a first prompt can be sent. It is a pure function of facts, so
// that a fresh device, a used one and one that was interrupted half-way all take the same path.
package onboarding

import "time"

// Tools is the state of the Linux tools that engines need.
type Tools string

// The states. The zero value is unknown, and unknown tools are looked at again before anything else.
const (
	ToolsUnknown   Tools = ""
	ToolsNotNeeded Tools = "not_needed" // engines run with what the computer has
	ToolsMissing   Tools = "missing"
	ToolsPartly    Tools = "partly" // unpacking was interrupted and can go on
	ToolsDamaged   Tools = "damaged"
	ToolsOutdated  Tools = "outdated" // the app brings others; the old ones stay until those are whole
	ToolsReady     Tools = "ready"
)

// Facts are what is known of the device. All of them come from what is kept, none from what was clicked.
type Facts struct {
	Tools    Tools
	Engine   string // the engine that was chosen and exists, "" for none
	Provider string // the provider that was chosen for it and exists, "" for none
	Usable   bool   // the provider needs nothing more: no key, or a key or a sign-in is there
	Sessions int    // sessions on this device
}

// Step is what the user is asked next.
type Step string

// The steps, in their order.
const (
	StepTools   Step = "tools"
	StepEngine  Step = "engine"
	StepAccount Step = "account"
	StepFolder  Step = "folder"
	StepReady   Step = "ready" // the list of sessions is next
)

// Next is the first step that is not done. A device that has sessions is never led through choices again: what it lacks is
// said where it is missed. Tools are the exception, since nothing runs without them.
func Next(f Facts) Step {
	switch f.Tools {
	case ToolsReady, ToolsNotNeeded:
	case ToolsUnknown, ToolsMissing, ToolsPartly, ToolsDamaged, ToolsOutdated:
		return StepTools
	}
	switch {
	case f.Sessions > 0:
		return StepReady
	case f.Engine == "":
		return StepEngine
	case f.Provider == "" || !f.Usable:
		return StepAccount
	}
	return StepFolder
}

// Agent is an engine to choose from.
type Agent struct{ ID, Label string }

// Progress is how far the tools are unpacked.
type Progress struct {
	Done, Total int64         // bytes
	Rate        float64       // bytes a second, 0 while it is not known
	Left        time.Duration // 0 while it is not known
	Parts       []Part        // in the order in which they are unpacked
}

// Part is one of the things that are unpacked: done, or the one that is being unpacked now, or neither yet.
type Part struct {
	Label         string
	Done, Current bool
}

// Package drive is what the driver in the jail and the tests outside say to each other. It must know nothing of either.
package drive

import (
	"slices"
	"strings"
	"time"

	"keva/agent/event"
	"keva/agent/turn"
	"keva/engines/proc"
)

// Task says what the driver is to do.
type Task struct {
	Tree    string // the installed userland
	Data    string // Keva's data folder
	Engine  string
	Project string // made when it is missing
	Session string // to go on with; "" = a new one
	Model   string // "" = the demo's own
	Slow    bool   // on an emulated processor: engines get more time to start
	Prompt  string // "" = look at what an earlier Keva left, and end

	// Of the role kill.
	Victim  Victim
	When    event.Kind // the victim is killed when an event of this kind was shown,
	Running []string   // and processes run whose command lines end like this
}

// Victim is who is killed.
type Victim string

// The victims.
const (
	VictimKeva   Victim = "keva"
	VictimEngine Victim = "engine"
)

// Said is one line of the driver. One field is set.
type Said struct {
	Session   string           `json:"session,omitempty"`
	Reclaimed []proc.Reclaimed `json:"reclaimed,omitempty"`
	Event     *event.Event     `json:"event,omitempty"`
	Asked     *Asked           `json:"asked,omitempty"`
	Settled   *Settled         `json:"settled,omitempty"`
}

// Asked is a request that waits for an answer, and what the file that the tour changes held at that moment.
type Asked struct {
	Request turn.Request
	File    string
}

// Settled is how the prompt went.
type Settled struct {
	Verdict event.Outcome
	Turn    turn.Turn
	Tasks   []turn.Task
}

// Killed is what the role kill saw.
type Killed struct {
	Before    []Process // of ours, the moment before the kill, Keva among them
	After     []Process // of ours, right after it
	Reclaimed []proc.Reclaimed
	Left      []Process // of ours, at the end
	Stranger  bool      // a stranger, as like ours as can be, still runs
	Told      []string  // notices and the engine's end, as the surviving or the next Keva told them
}

// Process is a process of ours.
type Process struct {
	PID, PPID, Session int
	Cmdline            string
}

// Runs tells whether one of the processes has a command line that ends like this.
func Runs(list []Process, cmdline string) bool {
	return slices.ContainsFunc(list, func(p Process) bool { return strings.HasSuffix(p.Cmdline, cmdline) })
}

// Where the userland is: its entry in the APK, and its folder among the app's files.
const (
	PackEntry = "assets/keva-userland.tar.zst"
	Userland  = "userland"
)

// Installed is what an installation says.
type Installed struct {
	Tree string
	Took time.Duration // without the check that follows
}

// Work is a command to be measured.
type Work struct {
	Name  string
	Args  []string // Args[0] is looked up in PATH
	Times int
}

// Measured are the times of one work, in the order in which they were measured.
type Measured struct {
	Name string
	Took []time.Duration
}

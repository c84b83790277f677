// Package engines is the seam between the domain and the engines: each engine is a pure mapper (frames to events) and an
// adapter (process plus mapper). Nothing outside this folder and main.go knows which engines exist.
package engines

import (
	"time"

	"keva/agent/event"
	"keva/agent/runtime"
)

// The port is declared by the domain, which knows nobody; these are its names on this side of the seam.
type (
	Runtime      = runtime.Runtime
	Capabilities = runtime.Capabilities
	Factory      = runtime.Factory
)

// Dir is the direction of a frame.
type Dir string

// The directions.
const (
	In   Dir = "in"   // from Keva to the engine
	Out  Dir = "out"  // from the engine's stdout
	Err  Dir = "err"  // a line of the engine's stderr
	Exit Dir = "exit" // the process is gone; Frame.Exit says how
)

// Frame is one line in either direction, or the end of the process.
type Frame struct {
	Time time.Time
	Dir  Dir
	Line []byte // without the newline; may be anything, valid JSON or not
	Exit *event.EngineExited
}

// Mapper turns frames into events. It is a pure function of its state and the frame (I-3): no clock, no process, no
// randomness. Frames of both directions go through it, so that a recorded transcript and a live session take the same
// path, and what Keva said is in the stream as well as what it was told.
//
// A mapper leaves Event.Seq and Event.Session zero and sets Event.Time to the frame's.
type Mapper interface {
	// Map never fails: what it does not know becomes an Unrecognised (I-1).
	Map(Frame) []event.Event
}

// Package claude speaks the stream-json protocol of the Claude Code CLI: wire types, the pure mapper from frames to events,
// and the adapter that joins a process with it. The facts are in protocol/claude.md, measured on version 2.1.197.
//
// It must never decide what an event means for the session (that is agent/turn), and never end anything that the engine did
// not name: only a result ends a turn, and only its id ends a task.
package claude

import "keva/engines"

// Version is the CLI's version that the mapper was measured against and that Check asks for.
const Version = "2.1.197"

// capabilities of the pinned version, with the launch flags of this package.
var capabilities = engines.Capabilities{
	PartialText:    true,
	Queue:          true,
	Resume:         true,
	TaskStop:       true,
	Images:         true,
	ContextMeter:   true,
	TurnsUnasked:   true,
	DenyWithReason: true,
}

package session

import (
	"time"

	"keva/agent/event"
	"keva/agent/liveness"
	"keva/agent/runtime"
	"keva/agent/turn"
)

// View is a snapshot of a session for a surface. It is a value: nobody else changes it.
type View struct {
	Meta    Meta
	Phase   turn.Phase
	Turn    turn.Turn      // the open turn, or the last one
	Pending []turn.Request // open requests, oldest first
	Live    []turn.Task    // live tasks, in order of start
	Usage   event.Usage
	Limits  []event.Limit
	Retry   *event.Retrying
	// Engine says whether an engine process serves this session now.
	Engine EngineState
	// LastEvent is when the engine last said anything, zero when it never did.
	LastEvent time.Time
	LastText  time.Time
	// Reading is the freshest evidence of life, as of the last look; zero while nothing runs.
	Reading liveness.Reading
	// Queued is the number of messages that were sent and that no turn has read yet, as far as known.
	Queued int
	// Open are the tool calls that run now, in order of start.
	Open []turn.Item
	// Verdict is how the last user turn went, "" while anything is open.
	Verdict event.Outcome
	// Exit is set while no engine runs because the last one ended.
	Exit *event.EngineExited
	// Capabilities are those of the running engine, zero when none runs.
	Capabilities runtime.Capabilities
	// Storage is nil while everything is kept on disk, else the reason why it is not.
	Storage error
}

// EngineState says whether an engine process serves the session.
type EngineState string

// The engine states.
const (
	EngineNone     EngineState = "none"
	EngineStarting EngineState = "starting"
	EngineRunning  EngineState = "running"
	EngineStopping EngineState = "stopping"
)

// ViewOf is the part of a view that the accounting alone gives; no engine runs in it.
func ViewOf(m Meta, s *turn.State) View {
	v := View{
		Meta: m, Phase: s.Phase(), Pending: s.PendingRequests(), Live: s.LiveTasks(), Open: s.OpenItems(),
		Usage: s.Usage, Limits: s.Limits, Retry: s.Retry, Engine: EngineNone, LastEvent: s.LastEvent, LastText: s.LastText,
		Queued: len(s.Queue), Exit: s.Exit, Verdict: s.Verdict(),
	}
	if t := s.OpenTurn(); t != nil {
		v.Turn = *t
	} else if n := len(s.Turns); n > 0 {
		v.Turn = s.Turns[n-1]
	}
	return v
}

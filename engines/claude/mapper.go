package claude

import (
	"time"

	"keva/agent/event"
	"keva/engines"
)

// Mapper turns the frames of one session into events. It is a pure state machine (engines.Mapper) and not safe for
// concurrent use.
//
// It lives as long as the session in the engine's eyes: after an exit frame it goes on with the same session in a new
// process. What belongs to the process (open turn, tools, requests, streams) is dropped then; turn numbers, known tasks
// and the to-do list stay, since a resumed engine speaks of them again.
type Mapper struct {
	resume string // the session that the first process was asked to continue, "" for none

	turns    int // turns so far, for their ids
	unnamed  int // messages and blocks that came without an id
	ready    event.SessionReady
	tasks    map[string]*task // by task id
	byTool   map[string]string
	plans    map[string]*plan // by scope
	limits   map[string]event.Limit
	servers  map[string]bool // MCP servers whose failure was told
	window   int64           // context window, 0 while not known
	silent   map[string]int
	stderr   string // tail
	process  process
	messages map[string]bool // ids of user messages that were sent
}

// process is the state that dies with the engine's process.
type process struct {
	turn      *turn // the turn that the engine works on
	waiting   *turn // the user's turn that an unasked one has overtaken
	queue     []queued
	prompted  bool   // a user message was sent
	replays   bool   // the engine repeats user messages: it was started with --replay-user-messages
	state     string // the main loop's own word, "" while it has not told
	notified  bool   // a task notification came since the last result
	announced bool   // it came while the loop ran without a turn: its turn is about to begin
	tools     map[string]*tool
	requests  map[string]*request
	streams   map[string]*stream // by scope
	cancels   map[string]string  // our cancel_async_message requests: request id to message id
	checkedID bool               // the session id was compared with the one to resume
}

// NewMapper returns a mapper for a session. resume is the engine session that the process was asked to continue, "" for a
// new one: another id in its first answer is told, not adopted silently.
func NewMapper(resume string) *Mapper {
	m := &Mapper{
		resume: resume, tasks: map[string]*task{}, byTool: map[string]string{}, plans: map[string]*plan{},
		limits: map[string]event.Limit{}, servers: map[string]bool{}, silent: map[string]int{},
		messages: map[string]bool{},
	}
	m.process = newProcess()
	return m
}

func newProcess() process {
	return process{
		tools: map[string]*tool{}, requests: map[string]*request{}, streams: map[string]*stream{},
		cancels: map[string]string{},
	}
}

// Silent counts the frames that are known and say nothing, by what they are. Together with the events it accounts for
// every frame (I-1).
func (m *Mapper) Silent() map[string]int { return m.silent }

// Map implements engines.Mapper.
func (m *Mapper) Map(f engines.Frame) []event.Event {
	s := &step{Mapper: m, at: f.Time}
	switch f.Dir {
	case engines.In:
		s.sent(f.Line)
	case engines.Out:
		s.received(f.Line)
	case engines.Err:
		s.complained(f.Line)
	case engines.Exit:
		s.exited(f.Exit)
	default:
		s.unrecognised("frame "+string(f.Dir), f.Line)
	}
	return s.events
}

// step is the mapping of one frame.
type step struct {
	*Mapper
	at     time.Time
	events []event.Event
}

// emit adds an event of a scope: of the main agent ("") in the turn that runs, of a task in the turn that dispatched it.
func (s *step) emit(scope string, b event.Body) {
	s.emitIn(s.turnOf(scope), scope, b)
}

func (s *step) emitIn(turn, scope string, b event.Body) {
	s.events = append(s.events, event.Event{Time: s.at, Turn: turn, Scope: scope, Body: b})
}

// turnOf returns the id of the turn that events of scope belong to.
func (s *step) turnOf(scope string) string {
	if scope != "" {
		if t := s.tasks[scope]; t != nil && t.turn != "" {
			return t.turn
		}
	}
	return s.turnID()
}

// turnID is the turn that the engine works on, "" for none.
func (m *Mapper) turnID() string {
	if m.process.turn == nil {
		return ""
	}
	return m.process.turn.id
}

// quiet counts a frame that is known and says nothing.
func (s *step) quiet(what string) { s.silent[what]++ }

func (s *step) unrecognised(what string, raw []byte) {
	s.emit("", event.NewUnrecognised(what, raw))
}

func (s *step) notice(scope string, l event.Level, c event.Class, text, detail string) {
	s.emit(scope, event.Notice{Level: l, Class: c, Text: text, Detail: detail})
}

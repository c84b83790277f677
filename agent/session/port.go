// Package session is the service that every surface talks to: the phone screen, the headless run, tests. It owns the
// path of an event from an engine to the store, the accounting and the subscribers, and it is the only one that starts
// engines. It must never draw, and never know which engines exist.
package session

import (
	"context"
	"time"

	"keva/agent/event"
)

// Meta is what is known of a session without reading its events.
type Meta struct {
	ID            string // UUID
	Title         string // first words of the first prompt, or what the user wrote
	Dir           string // absolute path of the project
	Engine        string // runtime.Factory ID
	EngineSession string // the engine's own id, "" before the first answer
	Provider      string // provider id
	Model         string // "" = default
	Effort        string // "" = default
	Created       time.Time
	Updated       time.Time
	Badge         Badge
	Line          string // one line: what it does, or how it ended
	Draft         string // what the user wrote and has not sent
}

// Badge is the state of a session in the list.
type Badge string

// The badges.
const (
	BadgeEmpty       Badge = "empty"
	BadgeRunning     Badge = "running"
	BadgeNeedsYou    Badge = "needs_you"
	BadgeDone        Badge = "done"
	BadgeFailed      Badge = "failed"
	BadgeInterrupted Badge = "interrupted"
	BadgeUnknown     Badge = "unknown"
)

// Store keeps sessions and their events. Implementations are safe for concurrent use. A method that returns nil has made
// its change durable, unless Ephemeral says that nothing is.
type Store interface {
	PutSession(ctx context.Context, m Meta) error // insert or replace
	Session(ctx context.Context, id string) (Meta, error)
	Sessions(ctx context.Context) ([]Meta, error) // newest Updated first
	DeleteSession(ctx context.Context, id string) error
	// Append adds events of one session. Their Seq continue the stored ones; a gap or a repetition is an error.
	Append(ctx context.Context, evs []event.Event) error
	// Events reads in order of Seq, those with Seq > after, at most limit (0 = all).
	Events(ctx context.Context, session string, after int64, limit int) ([]event.Event, error)
	// Ephemeral is nil while data is kept on disk, else why it is not.
	Ephemeral() error
}

// ErrNotFound is returned for a session that does not exist.
var ErrNotFound = &event.Error{Class: event.ClassConfig, Message: "This session does not exist any more."}

// Update is a batch of events and the accounting after it. History is true for the first, which holds all stored events.
type Update struct {
	Events  []event.Event
	View    View
	History bool
}

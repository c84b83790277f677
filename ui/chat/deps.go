// Package chat is the screen of one session: the transcript as a virtual list, the status line, the composer, and what the
// engine asks. It must never start or know an engine; it talks to one session through Session.
package chat

import (
	"context"
	"time"

	"fyne.io/fyne/v2"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/session"
	"keva/agent/trust"
)

// Session is what the screen needs of a session. Methods that take a context may block: they are called off the thread of
// the user interface.
type Session interface {
	ID() string
	View() session.View
	Subscribe(ctx context.Context) <-chan session.Update
	Send(ctx context.Context, text string) error
	Answer(ctx context.Context, request string, a runtime.Answer) (bool, error)
	Interrupt(ctx context.Context) error
	StopTask(ctx context.Context, id string) error
	StopEngine(ctx context.Context) error
	SetDraft(text string)
	Rename(title string)
	// Trust is what the project would run or allow by itself, as it is now, and what of it is on. It reads files.
	Trust() (granted []trust.Entry, report trust.Report)
}

// Deps is what the screen needs from around it.
type Deps struct {
	Session Session
	Now     func() time.Time

	// Do runs a function on the thread of the user interface and waits; Post does not wait. Go runs one off it.
	Do, Post, Go func(func())
	// After runs a function on the thread of the user interface, after a delay.
	After func(time.Duration, func())

	Window      func() fyne.Canvas // of the screen, for sheets
	Engine      func(id string) string
	Home        string // shortened to ~; "" for none
	EnterSends  bool   // there is a hardware keyboard
	Back        func() // nil beside the list of sessions
	ShowChanges func(title string, changes []event.Change)
	ShowText    func(title, text string)
	OpenURL     func(url string) error
	Copy        func(text string)
	Delete      func()                      // asks, and deletes the session
	RetryStore  func(context.Context) error // tries the disk again; nil when there is no way
	ModelChosen func()                      // opens the settings
	// Agree keeps the user's consent to what a project would run or allow; nil: it is not offered. AgreedBefore reports
	// whether an earlier content of the folder was agreed to; it may be nil.
	Agree        func(trust.Consent) error
	AgreedBefore func(dir string) bool
}

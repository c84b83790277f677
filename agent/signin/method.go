// Package signin is how a person lets an engine speak for them: what ways there are, what they must do next, and how it
// ended. It takes the engine slot for every step that starts an engine, and a sign-in only counts as done when the provider
// it is for has become the active one and that is stored (paper §5.3).
//
// It must never hold a key or a token longer than it takes to hand it on, never store one, and never know which engines
// exist.
package signin

import (
	"context"
	"time"

	"keva/agent/slot"
)

// Kind is what a person has to do.
type Kind string

// The kinds.
const (
	KindKey     Kind = "key"     // paste an API key; no engine is started
	KindBrowser Kind = "browser" // open a page on this device; it comes back by itself
	KindCode    Kind = "code"    // open a page on any device, and paste here the code that it shows
	KindDevice  Kind = "device"  // open a page on any device, and write there the code that is shown here
)

// Keeper says where what was signed in with lies afterwards.
type Keeper string

// The keepers.
const (
	// KeeperKeva: in the keyring; engines and their commands never see it.
	KeeperKeva Keeper = "keva"
	// KeeperEngine: in the engine's own folder, because only the engine can renew it. Commands that the engine runs are the
	// same user to the system and could read it there; a surface has to say so.
	KeeperEngine Keeper = "engine"
)

// Method is one way to sign in.
type Method struct {
	ID       string // stable, unique among all engines
	Engine   string // runtime.Factory ID
	Provider string // the provider that becomes the active one of the engine
	Kind     Kind
	Keeper   Keeper
	Label    string // for people, a few words
	Note     string // for people, a sentence: what will happen
}

// Presence says whether somebody is signed in.
type Presence string

// The presences. There is no zero value: not knowing is a word of its own.
const (
	SignedIn        Presence = "signed_in"
	SignedOut       Presence = "signed_out"
	PresenceUnknown Presence = "unknown"
)

// Account is who an engine is signed in as. That an account is there does not mean that its provider still accepts it:
// engines look at what they keep, and ask nobody.
type Account struct {
	Presence Presence
	Name     string // an e-mail address mostly, "" when it is not told
	Plan     string // e.g. "max", "" when it is not told
	With     string // what it was signed in with, in the engine's words
}

// Prompt is what a person has to do now.
type Prompt struct {
	Address   string    // the exact address to open
	UserCode  string    // to be written into the page, "" for none
	TakesCode bool      // the page may show a code that is to be pasted here
	Until     time.Time // when the provider stops waiting, zero when it is not known
	// CheckCode says what is wrong with a pasted code before it is given to the provider; nil: nothing can be said.
	CheckCode func(code string) error
	// Before is the account that the engine had until now.
	Before Account
}

// Conversation is how an engine talks with a person during a sign-in.
type Conversation struct {
	// Show tells what to do. It must be called before the engine waits for it, and may be called again.
	Show func(Prompt) error
	// Codes delivers what was pasted.
	Codes <-chan string
}

// Engine is an engine that can sign in by itself. Errors are *event.Error, or the context's.
type Engine interface {
	ID() string
	// Methods are its ways, the recommended one first.
	Methods() []Method
	// SignIn goes the way to its end and returns when the engine's process is gone. When ctx ends the engine is told so,
	// stopped, and the context's error is returned, unless the sign-in had succeeded already.
	SignIn(ctx context.Context, l *slot.Lease, method string, c Conversation) (Account, error)
	// Account tells who is signed in.
	Account(ctx context.Context, l *slot.Lease) (Account, error)
	// SignOut forgets it. It is no error when nobody was signed in.
	SignOut(ctx context.Context, l *slot.Lease) error
}

package signin

import (
	"time"

	"keva/agent/event"
)

// State is where a sign-in stands. The set is sealed; none of its values reads as success but Done.
type State interface{ sealed() }

// The states.
//
//	None      -> Opening (Begin), Checking (SubmitKey)
//	Opening   -> WaitingForBrowser, WaitingForCode, WaitingForDevice, Failed, Cancelled
//	Waiting…  -> Checking (SubmitCode), Done, Failed, Cancelled
//	Checking  -> Done, Failed, Cancelled
//	Unknown   -> Done, Failed, Unknown (Settle), None (Dismiss)
//
// From each end (Done, Failed, Cancelled, Unknown) a new sign-in may begin.
type (
	// None: nothing was begun.
	None struct{}
	// Opening: the slot is being taken and the engine started.
	Opening struct{}
	// WaitingForBrowser: the page at Address comes back to this device by itself, which works on this device only.
	WaitingForBrowser struct {
		Address   string
		TakesCode bool // the page may show a code instead, which SubmitCode takes
		Until     time.Time
	}
	// WaitingForCode: the page at Address shows a code that SubmitCode takes.
	WaitingForCode struct {
		Address string
		Until   time.Time
	}
	// WaitingForDevice: UserCode is to be written into the page at Address, on any device.
	WaitingForDevice struct {
		Address, UserCode string
		Until             time.Time
	}
	// Checking: a code or a key was given and is being looked at.
	Checking struct{}
	// Done: signed in, and the provider is the active one of its engine, durably.
	Done struct {
		Account Account
		// Unchecked says why a key could not be tried out, nil when it was. It is kept all the same.
		Unchecked *event.Error
	}
	// Failed: nobody is signed in by this attempt, and Reason says why and what to do.
	Failed struct{ Reason *event.Error }
	// Cancelled: the user stopped it.
	Cancelled struct{}
	// Unknown: Keva was closed while it was under way. Text says what is known.
	Unknown struct {
		Begun time.Time
		Text  string
	}
)

func (None) sealed()              {}
func (Opening) sealed()           {}
func (WaitingForBrowser) sealed() {}
func (WaitingForCode) sealed()    {}
func (WaitingForDevice) sealed()  {}
func (Checking) sealed()          {}
func (Done) sealed()              {}
func (Failed) sealed()            {}
func (Cancelled) sealed()         {}
func (Unknown) sealed()           {}

// Under way are the states that hold the engine or a key.
func underWay(s State) bool {
	switch s.(type) {
	case Opening, WaitingForBrowser, WaitingForCode, WaitingForDevice, Checking:
		return true
	}
	return false
}

// waiting is the state that a prompt of kind k puts a sign-in in.
func waiting(k Kind, p Prompt) State {
	switch k {
	case KindDevice:
		return WaitingForDevice{p.Address, p.UserCode, p.Until}
	case KindCode:
		return WaitingForCode{p.Address, p.Until}
	case KindBrowser, KindKey: // of a key there is no prompt
	}
	return WaitingForBrowser{p.Address, p.TakesCode, p.Until}
}

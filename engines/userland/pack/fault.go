package pack

import (
	"fmt"

	"keva/agent/event"
)

// Reason is why a pack, or a tree made from one, can't be used.
type Reason string

// The reasons. The first group is said by this package, the second by who installs.
const (
	ReasonRead       Reason = "read_failed" // the file that holds the pack can't be read
	ReasonCompressed Reason = "compressed"  // the APK holds the pack compressed, so it can't be read in place
	ReasonFormat     Reason = "format"      // this is no pack
	ReasonVersion    Reason = "version"     // a pack of another format version
	ReasonTorn       Reason = "torn"        // the end of the pack is missing
	ReasonCorrupt    Reason = "corrupt"     // some bytes are not those that were packed
	ReasonHostile    Reason = "hostile"     // what the pack asks for is never done

	ReasonArch    Reason = "wrong_arch" // made for another processor
	ReasonNoSpace Reason = "no_space"   // not enough room
	ReasonStorage Reason = "storage"    // the file system can't hold such a tree
	ReasonPrefix  Reason = "prefix"     // the install path is too long or not absolute
	ReasonWrite   Reason = "write_failed"
	ReasonBusy    Reason = "busy"    // another installation is at work
	ReasonStopped Reason = "stopped" // on request
	ReasonNone    Reason = "none"    // nothing is installed
	ReasonDamaged Reason = "damaged" // the installed tree is not what was installed
)

// Error is a failure with a reason that code can switch on. It unwraps to an [event.Error] for people, and to its cause.
type Error struct {
	Reason  Reason
	File    string // the entry that it is about, or ""
	Message string // what happened and what to do
	Detail  string // for the log
	Cause   error  // or nil
}

// Error is the sentence for people.
func (e *Error) Error() string { return e.Message }

// Unwrap gives the failure as events carry it, and its cause.
func (e *Error) Unwrap() []error {
	ev := &event.Error{Class: e.class(), Message: e.Message, Detail: e.Detail}
	if e.Cause == nil {
		return []error{ev}
	}
	if ev.Detail == "" {
		ev.Detail = e.Cause.Error()
	}
	return []error{ev, e.Cause}
}

func (e *Error) class() event.Class {
	switch e.Reason {
	case ReasonStopped:
		return event.ClassInterrupted
	case ReasonArch, ReasonStorage, ReasonPrefix, ReasonBusy, ReasonNone:
		return event.ClassConfig
	case ReasonRead, ReasonCompressed, ReasonFormat, ReasonVersion, ReasonTorn, ReasonCorrupt, ReasonHostile,
		ReasonNoSpace, ReasonWrite, ReasonDamaged:
	}
	return event.ClassEngine
}

// again is what helps against a bad pack.
const again = " Install Keva again, or fetch the pack again."

func hostile(file, format string, a ...any) error {
	detail := fmt.Sprintf(format, a...)
	return &Error{
		Reason: ReasonHostile, File: file, Detail: detail,
		Message: fmt.Sprintf("The userland pack is refused: %q %s. It was not made by Keva's builder.%s", clip(file), detail, again),
	}
}

// Corrupt is the error for bytes that are not those that were packed. file is the entry, or "".
func Corrupt(file, detail string) error {
	e := &Error{Reason: ReasonCorrupt, File: file, Detail: detail}
	if file == "" {
		e.Message = "The userland pack is damaged." + again
	} else {
		e.Message = fmt.Sprintf("The userland pack is damaged at %q.%s", clip(file), again)
	}
	return e
}

func torn(detail string) error {
	return &Error{Reason: ReasonTorn, Detail: detail, Message: "The userland pack is cut off: its end is missing." + again}
}

// clip keeps a hostile name from filling the screen.
func clip(s string) string {
	if len(s) > 120 {
		return s[:120] + "…"
	}
	return s
}

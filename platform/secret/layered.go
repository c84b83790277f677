package secret

import (
	"context"
	"errors"

	"keva/agent/event"
)

// Choice is where the user wants a secret to be kept.
type Choice string

// The choices. The zero value is the system's keyring; the others are the user's answers to Unavailable.
const (
	ChoiceKeyring Choice = ""       // the system's keyring
	ChoiceMemory  Choice = "memory" // until the program ends
	ChoiceFile    Choice = "file"   // the file with a passphrase, which has been unlocked
)

// Layered is the keyring of the system, with what the user chose where there is none: a file with a passphrase behind it,
// and before both what is kept for this run. File may be nil.
type Layered struct {
	System Keyring
	File   *File
	run    Volatile
}

var _ Keyring = (*Layered)(nil)

// Get prefers what is kept for this run, then the system's keyring. The file is asked where that has nothing or does not
// work; its error counts only when the file exists.
func (l *Layered) Get(ctx context.Context, name string) (string, error) {
	if value, _ := l.run.Get(ctx, name); value != "" { // memory never fails
		return value, nil
	}
	value, err := l.System.Get(ctx, name)
	if value != "" || l.File == nil || !l.File.Exists() {
		return value, err
	}
	return l.File.Get(ctx, name)
}

// Keep keeps value where the user chose, and nowhere else: what another place still holds is an older one.
func (l *Layered) Keep(ctx context.Context, name, value string, c Choice) error {
	switch c {
	case ChoiceKeyring:
		return l.Set(ctx, name, value)
	case ChoiceMemory:
		l.KeepForRun(name, value)
		return nil
	case ChoiceFile:
		if l.File == nil {
			break
		}
		// An old one in the keyring would win over the new one.
		if err := l.System.Delete(ctx, name); err != nil && !absent(err) {
			return err
		}
		if err := l.File.Set(ctx, name, value); err != nil {
			return err
		}
		return l.run.Delete(ctx, name)
	}
	return &event.Error{Class: event.ClassConfig, Message: "Keys can't be kept in this way here. Choose another one.", Detail: string(c)}
}

// Set writes to the system's keyring. When that worked, a key of this run or of the file has no more use.
func (l *Layered) Set(ctx context.Context, name, value string) error {
	if err := l.System.Set(ctx, name, value); err != nil {
		return err
	}
	_ = l.run.Delete(ctx, name) // memory never fails
	if l.File != nil && !l.File.Locked() {
		return l.File.Delete(ctx, name)
	}
	return nil // a locked file is asked after the keyring only
}

// Delete removes name everywhere. The key of this run goes first: it must not stay because the keyring is locked. A place
// that could not be looked at is an error, for a key may be left there.
func (l *Layered) Delete(ctx context.Context, name string) error {
	_ = l.run.Delete(ctx, name) // memory never fails
	err := l.System.Delete(ctx, name)
	if l.File != nil && l.File.Exists() {
		if absent(err) {
			err = nil
		}
		err = errors.Join(err, l.File.Delete(ctx, name))
	}
	return err
}

// absent reports whether there is no keyring at all: then nothing can be left in it.
func absent(err error) bool {
	var u *Unavailable
	return errors.As(err, &u) && u.None
}

// KeepForRun keeps value until the program ends: the user's answer to Unavailable.
func (l *Layered) KeepForRun(name, value string) {
	_ = l.run.Set(context.Background(), name, value) // memory never fails
}

// String keeps the values out of anything that prints the keyring.
func (l *Layered) String() string { return "secret.Layered" }

// GoString is String for %#v.
func (l *Layered) GoString() string { return l.String() }

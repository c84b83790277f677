// Package secret keeps keys: in the system's keyring on desktops, sealed by the Keystore on Android. A secret must never
// reach a log, an error, the database, or a file of ours that is not sealed; where no keyring runs, the user is told, and
// may keep the key in memory for this run or in a file with a passphrase.
package secret

import (
	"context"
	"errors"
	"strings"

	"github.com/zalando/go-keyring"

	"keva/agent/event"
	"keva/platform/host"
)

// Service is the name under which all keys of Keva lie in the keyring.
const Service = "app.keva"

// Keyring keeps secrets by name. Implementations are safe for concurrent use. An unlock prompt may keep a call waiting
// for the user: call it where waiting is allowed, with a context that ends.
type Keyring interface {
	// Get returns "" and no error when nothing is kept under name.
	Get(ctx context.Context, name string) (string, error)
	// Set keeps value; "" removes it.
	Set(ctx context.Context, name, value string) error
	// Delete removes name; it is no error when nothing was there.
	Delete(ctx context.Context, name string) error
}

// Unavailable says that the keyring can't be used, with cause and remedy. The key can be kept elsewhere instead, as the
// user chooses: Layered.Keep.
type Unavailable struct {
	Reason *event.Error
	None   bool // there is no keyring at all, so nothing can be left in it
}

func (e *Unavailable) Error() string { return e.Reason.Message }
func (e *Unavailable) Unwrap() error { return e.Reason }

// System is the keyring of the system: the Secret Service on Linux, the Keychain, the Credential Manager.
type System struct{}

var _ Keyring = System{}

// Get reads from the keyring.
func (System) Get(ctx context.Context, name string) (string, error) {
	var value string
	err := call(ctx, func() (err error) {
		value, err = keyring.Get(Service, name)
		return err
	})
	if errors.Is(err, keyring.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", explain(err, "")
	}
	return value, nil
}

// Set writes to the keyring.
func (s System) Set(ctx context.Context, name, value string) error {
	if value == "" {
		return s.Delete(ctx, name)
	}
	return explain(call(ctx, func() error { return keyring.Set(Service, name, value) }), value)
}

// Delete removes from the keyring.
func (System) Delete(ctx context.Context, name string) error {
	err := call(ctx, func() error { return keyring.Delete(Service, name) })
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return explain(err, "")
}

// errNoBus is said before the library is asked: it would start a bus of its own, and no keyring would be on it.
var errNoBus = errors.New("no D-Bus session: DBUS_SESSION_BUS_ADDRESS is not set and XDG_RUNTIME_DIR has no bus")

// call runs f, which knows no context, and waits no longer than ctx. A call that is given up ends by itself when the
// prompt is answered; its result is dropped.
func call(ctx context.Context, f func() error) error {
	if !mocked && !host.SessionBus() {
		return errNoBus
	}
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// mocked is set by tests that use the library's own stand-in, which needs no bus.
var mocked bool

// explain turns an error into a sentence with a remedy. value is what must not be in it.
func explain(err error, value string) error {
	if err == nil {
		return nil
	}
	detail := err.Error()
	if value != "" {
		detail = strings.ReplaceAll(detail, value, "•••")
	}
	message := "This system has no keyring service, so the key can't be kept safely. Install and start one " +
		"(for example gnome-keyring or KWallet), or keep the key for this run only."
	none := true
	switch {
	case errors.Is(err, keyring.ErrSetDataTooBig):
		return &event.Error{
			Class: event.ClassConfig, Message: "The key is too long for the system's keyring. Check that it was pasted whole and alone.",
			Detail: detail,
		}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		none = false
		message = "The keyring did not answer. It may be waiting for its password: unlock it and try again, " +
			"or keep the key for this run only."
	case strings.Contains(detail, "unlock") || strings.Contains(detail, "prompt") || strings.Contains(detail, "IsLocked"):
		none = false
		message = "The keyring is locked. Unlock it and try again, or keep the key for this run only."
	}
	return &Unavailable{&event.Error{Class: event.ClassConfig, Message: message, Detail: detail}, none}
}

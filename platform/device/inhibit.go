//go:build !android

package device

import (
	"context"
	"fmt"
	"os"

	"github.com/godbus/dbus/v5"

	"keva/agent/event"
)

// inhibitor holds off the computer's sleep until it is released. nil holds nothing.
type inhibitor struct {
	lock *os.File // closing it gives the lock back; so does the end of the process
	conn *dbus.Conn
}

func (i *inhibitor) release() error {
	if i == nil {
		return nil
	}
	err := i.lock.Close()
	if closeErr := i.conn.Close(); err == nil {
		err = closeErr
	}
	return err
}

// inhibitSleep asks logind (org.freedesktop.login1, "Inhibitor Locks"). Errors are *event.Error.
func inhibitSleep(ctx context.Context) (*inhibitor, error) {
	conn, err := dbus.ConnectSystemBus(dbus.WithContext(context.WithoutCancel(ctx)))
	if err != nil {
		return nil, cannotInhibit(err)
	}
	return inhibitOn(ctx, conn)
}

func inhibitOn(ctx context.Context, conn *dbus.Conn) (*inhibitor, error) {
	var fd dbus.UnixFD
	call := conn.Object("org.freedesktop.login1", "/org/freedesktop/login1").CallWithContext(ctx,
		"org.freedesktop.login1.Manager.Inhibit", 0, "sleep:idle", "Keva", "An agent is at work", "block")
	if err := call.Store(&fd); err != nil {
		_ = conn.Close() // the error that counts is that of the call
		return nil, cannotInhibit(err)
	}
	return &inhibitor{lock: os.NewFile(uintptr(fd), "inhibitor"), conn: conn}, nil
}

func cannotInhibit(err error) error {
	return &event.Error{Class: event.ClassConfig, Message: "This system does not let Keva hold off sleep.", Detail: fmt.Sprint(err)}
}

//go:build !android

package device

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"keva/agent/doctor"
	"keva/agent/event"
	"keva/platform/power"
)

// logind is what this test needs of org.freedesktop.login1: the lock is one end of a pipe.
type logind struct {
	asked chan []string
	held  chan [2]*os.File // the other end, and the service's own copy of the lock
	deny  bool
}

func (l *logind) Inhibit(what, who, why, mode string) (dbus.UnixFD, *dbus.Error) {
	if l.deny {
		return -1, dbus.NewError("org.freedesktop.DBus.Error.AccessDenied", []any{"no"})
	}
	r, w, err := os.Pipe()
	if err != nil {
		return -1, dbus.MakeFailedError(err)
	}
	fd := w.Fd() // before the test may close it
	l.asked <- []string{what, who, why, mode}
	l.held <- [2]*os.File{r, w}
	return dbus.UnixFD(fd), nil
}

// bus starts a D-Bus of this test alone, with a logind on it.
func bus(t *testing.T, l *logind) string {
	t.Helper()
	daemon, err := exec.LookPath("dbus-daemon")
	if err != nil {
		t.Fatal("dbus-daemon is missing: ./setup.sh test installs it")
	}
	dir := t.TempDir()
	config := filepath.Join(dir, "bus.conf")
	if err := os.WriteFile(config, []byte(`<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path=`+dir+`/socket</listen><policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(daemon, "--nofork", "--config-file="+config)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	address := "unix:path=" + dir + "/socket"
	var conn *dbus.Conn
	for deadline := time.Now().Add(20 * time.Second); conn == nil; time.Sleep(20 * time.Millisecond) {
		if conn, err = dbus.Connect(address); err != nil && time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.Export(l, "/org/freedesktop/login1", "org.freedesktop.login1.Manager"); err != nil {
		t.Fatal(err)
	}
	if r, err := conn.RequestName("org.freedesktop.login1", 0); err != nil || r != dbus.RequestNameReplyPrimaryOwner {
		t.Fatal(r, err)
	}
	return address
}

func on(address string) func(context.Context) (*inhibitor, error) {
	return func(ctx context.Context) (*inhibitor, error) {
		conn, err := dbus.Connect(address)
		if err != nil {
			return nil, cannotInhibit(err)
		}
		return inhibitOn(ctx, conn)
	}
}

// The lock is taken once, and given back for real: the other end of the pipe sees it.
func TestSleepIsHeldOffWhileWorkIsLive(t *testing.T) {
	l := &logind{asked: make(chan []string, 9), held: make(chan [2]*os.File, 9)}
	d := &Desktop{ways: on(bus(t, l))}
	for range 2 {
		if err := d.Awake(true); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Join(<-l.asked, "|"); got != "sleep:idle|Keva|An agent is at work|block" || len(l.asked) != 0 {
		t.Errorf("%s, and %d more", got, len(l.asked))
	}
	lock := <-l.held
	if err := lock[1].Close(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := lock[0].Read(make([]byte, 1))
		ended <- err
	}()
	select {
	case err := <-ended:
		t.Fatalf("the lock is not held: %v", err)
	default:
	}
	for range 2 {
		if err := d.Awake(false); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-ended; !errors.Is(err, io.EOF) {
		t.Errorf("the lock was not given back: %v", err)
	}
	if f := d.Checks()[0].Run(t.Context())[0]; f.State != doctor.OK {
		t.Errorf("%+v", f)
	}
}

// Where the system refuses, the work goes on and the doctor says what may happen.
func TestSleepCantBeHeldOff(t *testing.T) {
	l := &logind{deny: true}
	d := &Desktop{ways: on(bus(t, l))}
	var known *event.Error
	if err := d.Awake(true); !errors.As(err, &known) || !strings.Contains(known.Detail, "no") {
		t.Errorf("%v", err)
	}
	if f := d.Checks()[0].Run(t.Context())[0]; f.State != doctor.Warning || f.Remedy == "" {
		t.Errorf("%+v", f)
	}
	if err := d.Awake(false); err != nil {
		t.Error(err)
	}
	d.ways = func(context.Context) (*inhibitor, error) { return nil, cannotInhibit(io.EOF) }
	if err := d.Awake(true); err == nil {
		t.Error("no bus is no error")
	}
}

func TestNotifications(t *testing.T) {
	var told string
	if err := New(func(title, text string) { told = title + ": " + text }).Tell("Done", "x"); err != nil || told != "Done: x" {
		t.Error(told, err)
	}
	if err := New(nil).Tell("Done", "x"); !errors.Is(err, power.ErrUnsupported) {
		t.Error(err)
	}
}

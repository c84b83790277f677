package secret

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zalando/go-keyring"

	"keva/agent/event"
)

const key = "sk-very-secret-value"

// mock replaces the system's keyring for the rest of the program; err, if any, is what it always answers.
func mock(t *testing.T, err error) {
	t.Helper()
	mocked = true
	t.Cleanup(func() { mocked = false })
	if err != nil {
		keyring.MockInitWithError(err)
	} else {
		keyring.MockInit()
	}
}

func get(t *testing.T, k Keyring, name string) string {
	t.Helper()
	v, err := k.Get(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestKeyringsKeepAndForget(t *testing.T) {
	mock(t, nil)
	for name, k := range map[string]Keyring{"system": System{}, "volatile": &Volatile{}, "layered": &Layered{System: System{}}} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			if got := get(t, k, "provider/x"); got != "" {
				t.Fatalf("%q before anything was kept", got)
			}
			if err := k.Delete(ctx, "provider/x"); err != nil {
				t.Fatal(err)
			}
			if err := k.Set(ctx, "provider/x", key); err != nil {
				t.Fatal(err)
			}
			if err := k.Set(ctx, "provider/y", "other"); err != nil {
				t.Fatal(err)
			}
			if got := get(t, k, "provider/x"); got != key {
				t.Fatalf("%q", got)
			}
			if err := k.Set(ctx, "provider/x", ""); err != nil {
				t.Fatal(err)
			}
			if got := get(t, k, "provider/x"); got != "" {
				t.Fatalf("%q after it was emptied", got)
			}
			if err := k.Delete(ctx, "provider/y"); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// unavailable requires a sentence that a person can act on and that does not tell the key.
func unavailable(t *testing.T, err error, words string) {
	t.Helper()
	var u *Unavailable
	var e *event.Error
	if !errors.As(err, &u) || !errors.As(err, &e) {
		t.Fatalf("%T: %v", err, err)
	}
	if !strings.Contains(e.Message, words) || !strings.Contains(e.Message, "for this run only") || e.Detail == "" {
		t.Errorf("%q (%q)", e.Message, e.Detail)
	}
	if all := fmt.Sprintf("%v %+v %#v %s", err, err, e, e.Detail); strings.Contains(all, key) {
		t.Errorf("the secret is in the error: %s", all)
	}
}

func TestWithoutAKeyringTheUserIsTold(t *testing.T) {
	mock(t, errors.New("The name org.freedesktop.secrets was not provided by any .service files, value "+key))
	unavailable(t, System{}.Set(t.Context(), "n", key), "no keyring service")
	mock(t, errors.New("failed to unlock correct collection '/org/freedesktop/secrets/aliases/default'"))
	unavailable(t, System{}.Set(t.Context(), "n", key), "locked")
	_, err := System{}.Get(t.Context(), "n")
	unavailable(t, err, "locked")
	unavailable(t, System{}.Delete(t.Context(), "n"), "locked")
	mock(t, keyring.ErrSetDataTooBig)
	var e *event.Error
	if err := (System{}).Set(t.Context(), "n", key); !errors.As(err, &e) || !strings.Contains(e.Message, "too long") {
		t.Error(err)
	}
}

// Without a bus the library would start one by itself, a process that nobody stops.
func TestNoBusIsFoundBeforeOneIsLaunched(t *testing.T) {
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	script := "#!/bin/sh\ntouch " + started + "\nexit 1\n"
	if err := os.WriteFile(filepath.Join(dir, "dbus-launch"), []byte(script), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", dir)
	_, err := System{}.Get(t.Context(), "n")
	unavailable(t, err, "no keyring service")
	if _, err := os.Stat(started); err == nil {
		t.Error("dbus-launch was started")
	}
}

// A locked keyring waits for its password; the caller's patience ends before that.
func TestSilentKeyringIsGivenUp(t *testing.T) {
	mock(t, nil)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	never := make(chan struct{})
	defer close(never)
	err := call(ctx, func() error { <-never; return nil })
	unavailable(t, explain(err, key), "did not answer")
}

func TestAKeyOfThisRunIsUsedAndReplaced(t *testing.T) {
	mock(t, nil)
	l := &Layered{System: System{}}
	l.KeepForRun("n", key)
	if got := get(t, l, "n"); got != key {
		t.Fatal(got)
	}
	if got := get(t, System{}, "n"); got != "" {
		t.Fatal("it was written to the system")
	}
	if printed := fmt.Sprintf("%v %+v %#v %s", l, l, l, &l.run); strings.Contains(printed, key) {
		t.Fatal(printed)
	}
	if err := l.Set(t.Context(), "n", "newer"); err != nil {
		t.Fatal(err)
	}
	if got := get(t, l, "n"); got != "newer" {
		t.Fatal(got)
	}
	l.KeepForRun("n", key)
	mock(t, errors.New("locked: prompt dismissed"))
	unavailable(t, l.Delete(t.Context(), "n"), "locked")
	if got, _ := l.run.Get(t.Context(), "n"); got != "" {
		t.Error("a deleted key of this run stays because the keyring is locked")
	}
}

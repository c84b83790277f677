package codex

import (
	"context"
	"errors"
	"strings"
	"testing"

	"keva/agent/event"
)

// What the engine says of a sign-in that failed, as measured on 0.171.0, for people. An unknown word is told as it is.
func TestLoginErrors(t *testing.T) {
	for said, want := range map[string]struct {
		class event.Class
		words string
	}{
		"failed to start login server: Port 127.0.0.1:1457 is already in use":                                                     {event.ClassConfig, "with a code"},
		"device code login is not enabled for this Codex server. Use the browser login or verify the server URL.":                 {event.ClassAuth, "browser of this device"},
		"failed to request device code: error sending request for url (https://auth.openai.com/api/accounts/deviceauth/usercode)": {event.ClassNetwork, "network"},
		"device code exchange failed: token endpoint returned status 403 Forbidden: access_denied":                                {event.ClassAuth, "declined"},
		"workspace routing discovery failed":                               {event.ClassNetwork, "begin again"},
		"device auth timed out after 15 minutes":                           {event.ClassAuth, "new code"},
		"device code request failed with status 500 Internal Server Error": {event.ClassServer, "later"},
		"something that nobody has seen yet":                               {event.ClassAuth, "something that nobody has seen yet"},
	} {
		for _, err := range []error{loginFailed(said), &callError{"account/login/start", rpcError{Message: said}}} {
			var e *event.Error
			if !errors.As(loginError(err), &e) || e.Class != want.class || !strings.Contains(e.Message, want.words) || e.Detail != said {
				t.Errorf("%q: %+v", said, e)
			}
		}
	}
	for _, err := range []error{context.Canceled, errNoLease} {
		if loginError(err) != err {
			t.Errorf("%v was changed", err)
		}
	}
}

func TestAddressesToOpen(t *testing.T) {
	for address, good := range map[string]bool{
		"https://auth.openai.com/oauth/authorize?x=y": true, "http://127.0.0.1:5/codex/device": true,
		"http://auth.openai.com/x": false, "": false, "javascript:alert(1)": false, "file:///etc/passwd": false, "https://": false,
	} {
		if err := checkAddress(address); (err == nil) != good {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// Nobody signs in beside a chat (I-13).
func TestSignInNeedsTheSlot(t *testing.T) {
	s := NewSignIn(Options{Binary: "/nowhere", StateDir: t.TempDir()})
	if _, err := s.Account(t.Context(), nil); !errors.Is(err, errNoLease) {
		t.Error(err)
	}
	if err := s.SignOut(t.Context(), nil); !errors.Is(err, errNoLease) {
		t.Error(err)
	}
	for _, m := range s.Methods() {
		if m.Engine != s.ID() || m.Label == "" || m.Note == "" || m.Provider == "" {
			t.Errorf("%+v", m)
		}
	}
}

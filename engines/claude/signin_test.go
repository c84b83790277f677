package claude

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/agent/signin"
)

// What the engine says of a sign-in that failed, as measured on 2.1.197, for people. An unknown word is told as it is.
func TestAuthErrors(t *testing.T) {
	for said, want := range map[string]struct {
		class event.Class
		words string
	}{
		"Request failed with status code 400":                      {event.ClassAuth, "Begin again"},
		"Request failed with status code 403":                      {event.ClassAuth, "another account"},
		"Request failed with status code 429":                      {event.ClassLimit, "Wait"},
		"Request failed with status code 503":                      {event.ClassServer, "later"},
		"getaddrinfo ECONNREFUSED platform.claude.com":             {event.ClassNetwork, "network"},
		"Proxy connection ended before receiving CONNECT response": {event.ClassNetwork, "proxy"},
		"unable to verify the first certificate":                   {event.ClassNetwork, "certificate"},
		"something that nobody has seen yet":                       {event.ClassAuth, "something that nobody has seen yet"},
	} {
		var e *event.Error
		if !errors.As(authError(errors.New(said)), &e) || e.Class != want.class || !strings.Contains(e.Message, want.words) || e.Detail != said {
			t.Errorf("%q: %+v", said, e)
		}
	}
	for _, err := range []error{context.Canceled, errNoLease} {
		if !errors.Is(authError(err), err) {
			t.Errorf("%v was changed", err)
		}
	}
}

// Accounts as the engine tells them (measured), and what it has never told: that is not known, never signed in or out.
func TestAccounts(t *testing.T) {
	for raw, want := range map[string]signin.Account{
		`{"tokenSource":"none","apiProvider":"firstParty"}`:                                                           {Presence: signin.SignedOut},
		`{"email":"lab@example.com","organization":"Lab","subscriptionType":"Claude Max","apiProvider":"firstParty"}`: {Presence: signin.SignedIn, Name: "lab@example.com", Plan: "Claude Max"},
		`{"tokenSource":"none","apiKeySource":"ANTHROPIC_API_KEY"}`:                                                   {Presence: signin.SignedIn, With: "ANTHROPIC_API_KEY"},
		`{"tokenSource":"none","apiKeySource":"none"}`:                                                                {Presence: signin.SignedOut},
		`{"apiProvider":"firstParty"}`:                                                                                {Presence: signin.PresenceUnknown},
		`{}`:                                                                                                          {Presence: signin.PresenceUnknown},
		`[]`:                                                                                                          {Presence: signin.PresenceUnknown},
		``:                                                                                                            {Presence: signin.PresenceUnknown},
	} {
		if got := accountOf(json.RawMessage(raw)); got != want {
			t.Errorf("%s: %+v", raw, got)
		}
	}
	for _, raw := range []string{`{"account":{"tokenSource":"none"}}`, `{"account":{}}`, `{}`, `5`} {
		if a, err := account(controlResponse{Subtype: "success", Response: json.RawMessage(raw)}); err == nil {
			t.Errorf("%s reads as success: %+v", raw, a)
		}
	}
}

func TestAddressesToOpen(t *testing.T) {
	if s, err := stateOf("https://claude.com/cai/oauth/authorize?code=true&state=abc"); err != nil || s != "abc" {
		t.Error(s, err)
	}
	for _, bad := range []string{"", "https://claude.com/x", "http://claude.com/x?state=a", "javascript:x?state=a", "https://?state=a"} {
		if _, err := stateOf(bad); err == nil {
			t.Errorf("%q would be opened", bad)
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

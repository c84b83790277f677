package signin

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/agent/provider"
	"keva/agent/signin"
)

// Cancelled at the page: nothing is changed, nobody is signed in, everything is free.
func TestCancel(t *testing.T) {
	for _, method := range methods {
		t.Run(method, func(t *testing.T) {
			v := newVendors(t)
			a := open(t, t.TempDir(), v)
			a.asked(t, method)
			if err := a.in.Begin("codex/device"); err == nil {
				t.Error("two sign-ins at once")
			}
			if err := a.in.Cancel(t.Context()); err != nil {
				t.Fatal(err)
			}
			if v := a.in.View(); v.State != (signin.Cancelled{}) {
				t.Fatalf("%#v", v.State)
			}
			a.free(t)
			if a.record(t) != "null" || a.set.Get().Choice(engineOf(method)).Provider != provider.Demo {
				t.Errorf("something is left: %s", a.record(t))
			}
			who, err := a.in.Account(t.Context(), engineOf(method))
			if err != nil || who.Presence != signin.SignedOut {
				t.Errorf("%+v %v", who, err)
			}
		})
	}
}

// What the vendor refuses is a refusal with a remedy, and the next try works.
func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		method string
		before func(*vendors)
		person func(*testing.T, *app, *vendors, signin.View)
		class  event.Class
		words  string
	}{
		"claude: a code that was used": {
			"claude/code", nil,
			func(t *testing.T, a *app, _ *vendors, w signin.View) {
				u, _ := url.Parse(address(w.State))
				if err := a.in.SubmitCode("bad-code#" + u.Query().Get("state")); err != nil {
					t.Fatal(err)
				}
			}, event.ClassAuth, "Begin again",
		},
		"claude: the browser brings a bad code": {
			"claude/browser", nil,
			func(t *testing.T, _ *app, _ *vendors, w signin.View) {
				u, _ := url.Parse(address(w.State))
				browse(t, u, "bad-code")
			}, event.ClassAuth, "Begin again",
		},
		"claude: the account may not": {
			"claude/code", func(v *vendors) { v.refuse = 403 },
			func(t *testing.T, a *app, v *vendors, w signin.View) { a.person(t, v, "claude/code", w.State) }, event.ClassAuth, "another account",
		},
		"claude: the server fails": {
			"claude/code", func(v *vendors) { v.refuse = 503 },
			func(t *testing.T, a *app, v *vendors, w signin.View) { a.person(t, v, "claude/code", w.State) }, event.ClassServer, "later",
		},
		"claude: the network went": {
			"claude/code", nil,
			func(t *testing.T, a *app, v *vendors, w signin.View) {
				v.set(func(v *vendors) { v.down = true })
				a.person(t, v, "claude/code", w.State)
			}, event.ClassNetwork, "network",
		},
		"codex: device codes are switched off": {
			"codex/device", func(v *vendors) { v.noDevice = true }, nil, event.ClassAuth, "browser of this device",
		},
		"codex: the network went": {
			"codex/device", func(v *vendors) { v.down = true }, nil, event.ClassNetwork, "network",
		},
		"codex: the token is refused": {
			"codex/device", func(v *vendors) { v.refuse, v.approved = 403, true }, nil, event.ClassAuth, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVendors(t)
			if c.before != nil {
				v.set(c.before)
			}
			a := open(t, t.TempDir(), v)
			if err := a.in.Begin(c.method); err != nil {
				t.Fatal(err)
			}
			if c.person != nil {
				c.person(t, a, v, a.until(t, "asked", func(s signin.State) bool { return address(s) != "" }))
			}
			r := reasonOf(a.until(t, "ended", ended).State)
			if r == nil || r.Class != c.class || !strings.Contains(r.Message, c.words) {
				t.Fatalf("%+v %#v", r, a.in.View().State)
			}
			t.Logf("%s (%s)", r.Message, r.Detail)
			a.free(t)
			if a.record(t) != "null" || a.set.Get().Choice(engineOf(c.method)).Provider != provider.Demo {
				t.Error("a failed sign-in changed something")
			}
			v.set(func(v *vendors) { v.refuse, v.down, v.noDevice, v.approved = 0, false, false, false })
			w := a.asked(t, c.method)
			a.person(t, v, c.method, w.State)
			if end := a.until(t, "ended", ended); reasonOf(end.State) != nil {
				t.Errorf("the next try: %+v", reasonOf(end.State))
			}
		})
	}
}

// A code that can't be right is told at once, and costs nothing: the sign-in still waits.
func TestBadCodesAreToldBeforeTheyAreSent(t *testing.T) {
	v := newVendors(t)
	a := open(t, t.TempDir(), v)
	if err := a.in.SubmitCode("x#y"); err == nil {
		t.Error("a code for no sign-in")
	}
	w := a.asked(t, "claude/code")
	u, _ := url.Parse(address(w.State))
	state := u.Query().Get("state")
	for code, words := range map[string]string{
		"":                                    "Paste the code",
		"abc":                                 "not whole",
		"abc#":                                "not whole",
		"#" + state:                           "not whole",
		"a b#" + state:                        "not whole",
		"abc#another-state":                   "another sign-in",
		"https://x.example/?code=a#" + state:  "an address",
		"good-code#" + strings.ToUpper(state): "another sign-in",
	} {
		var e *event.Error
		if err := a.in.SubmitCode(code); !errors.As(err, &e) || !strings.Contains(e.Message, words) {
			t.Errorf("%q: %v", code, err)
		}
	}
	if _, still := a.in.View().State.(signin.WaitingForCode); !still {
		t.Fatalf("%#v", a.in.View().State)
	}
	for _, r := range v.requests() {
		if strings.Contains(r, "oauth/token") {
			t.Errorf("sent: %s", r)
		}
	}
	a.person(t, v, "claude/code", w.State)
	if end := a.until(t, "ended", ended); reasonOf(end.State) != nil {
		t.Errorf("%+v", reasonOf(end.State))
	}
}

// Signing out is forgotten by the engine; doing it twice is no error.
func TestSignOut(t *testing.T) {
	for _, method := range []string{"claude/browser", "codex/browser"} {
		v := newVendors(t)
		a := open(t, t.TempDir(), v)
		w := a.asked(t, method)
		a.person(t, v, method, w.State)
		a.until(t, "ended", ended)
		if who, err := a.in.Account(t.Context(), engineOf(method)); err != nil || who.Presence != signin.SignedIn {
			t.Fatalf("%+v %v", who, err)
		}
		for range 2 {
			if err := a.in.SignOut(t.Context(), method); err != nil {
				t.Fatal(err)
			}
			if who, err := a.in.Account(t.Context(), engineOf(method)); err != nil || who.Presence != signin.SignedOut {
				t.Errorf("%+v %v", who, err)
			}
		}
		a.free(t)
	}
}

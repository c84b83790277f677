package signin

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/agent/slot"
)

// asks is an engine that asks for p and waits for how it ends.
func asks(p Prompt, end <-chan error) func(context.Context, Conversation) (Account, error) {
	return func(ctx context.Context, c Conversation) (Account, error) {
		if err := c.Show(p); err != nil {
			return Account{}, err
		}
		select {
		case err := <-end:
			return lab, err
		case code := <-c.Codes:
			if code != "right" {
				return Account{}, &event.Error{Class: event.ClassAuth, Message: "wrong code"}
			}
			return lab, nil
		case <-ctx.Done():
			return Account{}, ctx.Err()
		}
	}
}

var before = Account{Presence: SignedOut}

func TestWaitingStatesSayWhatToDo(t *testing.T) {
	until := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for id, want := range map[string]State{
		"e/browser": WaitingForBrowser{"https://a.example/x?y=z", true, until},
		"e/code":    WaitingForCode{"https://a.example/x?y=z", until},
		"e/device":  WaitingForDevice{"https://a.example/x?y=z", "ABCD", until},
	} {
		d := newDevice()
		s := d.service(t)
		end := make(chan error, 1)
		d.play = asks(Prompt{Address: "https://a.example/x?y=z", UserCode: "ABCD", TakesCode: true, Until: until, Before: before}, end)
		if err := s.Begin(id); err != nil {
			t.Fatal(err)
		}
		v := wait(t, s, func(s State) bool { return s != Opening{} })
		if v.State != want || v.Method.ID != id {
			t.Errorf("%#v", v)
		}
		if !d.open() {
			t.Error("somebody is sent away and nothing is on disk")
		}
		if raw := string(d.values[RecordKey]); strings.Contains(raw, "a.example") || strings.Contains(raw, "ABCD") {
			t.Errorf("the record holds what is of no use to it: %s", raw)
		}
		if err := s.Begin(id); err == nil || !strings.Contains(err.Error(), "under way") {
			t.Errorf("a second one: %v", err)
		}
		end <- nil
		if v := wait(t, s, over); v.State != (Done{Account: lab}) || d.active["e"] != "plan" || d.open() {
			t.Errorf("%#v, active %v", v, d.active)
		}
		if _, held := d.slot.Current(); held {
			t.Error("the slot is not free")
		}
	}
}

func TestAProviderThatIsNotStoredIsNoSuccess(t *testing.T) {
	d := newDevice()
	s := d.service(t)
	end := make(chan error, 1)
	d.play = asks(Prompt{Address: "https://a.example", Before: before}, end)
	if err := s.Begin("e/device"); err != nil {
		t.Fatal(err)
	}
	wait(t, s, func(s State) bool { return address(s) })
	d.full = errors.New("disk full")
	end <- nil
	f, failed := wait(t, s, over).State.(Failed)
	if !failed || f.Reason.Class != event.ClassConfig || !strings.Contains(f.Reason.Message, "You are signed in, but") {
		t.Fatalf("%#v", s.View())
	}
	// The next start finds the account and brings it to its end.
	d.full = nil
	s = d.service(t)
	if _, ok := s.View().State.(Unknown); !ok {
		t.Fatalf("%#v", s.View())
	}
	if err := s.Settle(t.Context()); err != nil || s.View().State != (Done{Account: lab}) || d.active["e"] != "plan" || d.open() {
		t.Fatalf("%v %#v", err, s.View())
	}
}

func address(s State) bool {
	switch s.(type) {
	case WaitingForBrowser, WaitingForCode, WaitingForDevice:
		return true
	}
	return false
}

func TestCancelFreesEverything(t *testing.T) {
	d := newDevice()
	s := d.service(t)
	d.play = asks(Prompt{Before: before}, nil)
	if err := s.Begin("e/browser"); err != nil {
		t.Fatal(err)
	}
	wait(t, s, address)
	if err := s.Cancel(t.Context()); err != nil || s.View().State != (Cancelled{}) || d.open() || len(d.active) != 0 {
		t.Fatalf("%v %#v", err, s.View())
	}
	if _, held := d.slot.Current(); held {
		t.Error("the slot is not free")
	}
	if err := s.Cancel(t.Context()); err != nil {
		t.Error(err)
	}
	// One that succeeds at the last moment is a success.
	d.play = func(ctx context.Context, c Conversation) (Account, error) {
		if err := c.Show(Prompt{Before: before}); err != nil {
			return Account{}, err
		}
		<-ctx.Done()
		return lab, nil
	}
	if err := s.Begin("e/browser"); err != nil {
		t.Fatal(err)
	}
	wait(t, s, address)
	if err := s.Cancel(t.Context()); err != nil || s.View().State != (Done{Account: lab}) || d.active["e"] != "plan" {
		t.Fatalf("%v %#v", err, s.View())
	}
}

func TestTimeIsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDevice()
		s := d.service(t)
		d.play = asks(Prompt{Before: before}, nil)
		if err := s.Begin("e/browser"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(budget.SignIn.Time + time.Second)
		synctest.Wait()
		f, ok := s.View().State.(Failed)
		if !ok || !strings.Contains(f.Reason.Message, "20 minutes") || d.open() {
			t.Fatalf("%#v", s.View())
		}
	})
}

func TestAHolderThatDoesNotYieldIsNamed(t *testing.T) {
	d := newDevice()
	s := d.service(t)
	l, err := d.slot.Acquire(t.Context(), slot.Holder{Who: "chat", What: "my work"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Begin("e/browser"); err != nil {
		t.Fatal(err)
	}
	f, ok := wait(t, s, over).State.(Failed)
	if !ok || !strings.Contains(f.Reason.Message, "chat (my work)") {
		t.Fatalf("%#v", s.View())
	}
	if _, err := s.Account(t.Context(), "e"); err == nil || !strings.Contains(err.Error(), "my work") {
		t.Error(err)
	}
	if err := s.SignOut(t.Context(), "e/browser"); err == nil || !strings.Contains(err.Error(), "my work") {
		t.Error(err)
	}
	l.Release()
}

func TestCodes(t *testing.T) {
	d := newDevice()
	s := d.service(t)
	if err := s.SubmitCode("x"); err == nil {
		t.Error("a code for nothing")
	}
	d.play = asks(Prompt{Before: before, CheckCode: func(c string) error {
		if c == "shape" {
			return errors.New("not whole")
		}
		return nil
	}}, nil)
	if err := s.Begin("e/device"); err != nil {
		t.Fatal(err)
	}
	wait(t, s, address)
	if err := s.SubmitCode("right"); err == nil {
		t.Error("a device code is not pasted here")
	}
	if err := s.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Begin("e/code"); err != nil {
		t.Fatal(err)
	}
	wait(t, s, address)
	for _, bad := range []string{"", "  ", "shape"} {
		if err := s.SubmitCode(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	if !address(s.View().State) {
		t.Fatalf("a bad code ended it: %#v", s.View())
	}
	if err := s.SubmitCode(" right\n"); err != nil {
		t.Fatal(err)
	}
	if v := wait(t, s, over); v.State != (Done{Account: lab}) {
		t.Fatalf("%#v", v)
	}
}

func TestUnknownAfterAKill(t *testing.T) {
	other := Account{Presence: SignedIn, Name: "other@example.com"}
	unclear := Account{Presence: PresenceUnknown}
	for name, c := range map[string]struct {
		before, now Account
		want        string // type of the end
		active      bool
	}{
		"signed in since":         {before, lab, "signin.Done", true},
		"another account":         {other, lab, "signin.Done", true},
		"the same account":        {lab, lab, "signin.Unknown", false},
		"not known before":        {unclear, lab, "signin.Unknown", false},
		"nobody":                  {before, before, "signin.Failed", false},
		"signed out since":        {lab, before, "signin.Failed", false},
		"the engine does not say": {before, unclear, "signin.Unknown", false},
	} {
		d := newDevice()
		r := record{"flow-1", "e/device", time.Unix(5, 0).UTC(), c.before}
		if err := r.save(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		d.now = c.now
		s := d.service(t)
		u, ok := s.View().State.(Unknown)
		if !ok || !u.Begun.Equal(r.Begun) || s.View().Method.ID != "e/device" || !strings.Contains(u.Text, "nobody waits for it") {
			t.Fatalf("%s: %#v", name, s.View())
		}
		d.out = errors.New("busy")
		if err := s.Settle(t.Context()); err == nil || s.View().State != u {
			t.Errorf("%s: %v %#v", name, err, s.View())
		}
		d.out = nil
		if err := s.Settle(t.Context()); err != nil {
			t.Error(name, err)
		}
		if got := fmt.Sprintf("%T", s.View().State); got != c.want || (d.active["e"] == "plan") != c.active {
			t.Errorf("%s: %#v, active %v", name, s.View().State, d.active)
		}
		if unknown := c.want == "signin.Unknown"; d.open() != unknown {
			t.Errorf("%s: record kept: %v", name, d.open())
		}
		s.Dismiss(t.Context())
		if s.View().State != (None{}) || d.open() {
			t.Errorf("%s: %#v", name, s.View())
		}
	}
	for _, raw := range []string{"null", "5", "{}", `{"id":"x","method":"e/gone"}`, `{"id":`} {
		d := newDevice()
		d.values[RecordKey] = []byte(raw)
		if s := d.service(t); s.View().State != (None{}) {
			t.Errorf("%s: %#v", raw, s.View())
		}
	}
}

const key = "sk-planted-key"

func TestKey(t *testing.T) {
	refused := &event.Error{Class: event.ClassAuth, Message: "refused " + key, Detail: key}
	offline := &event.Error{Class: event.ClassNetwork, Message: "offline"}
	for name, c := range map[string]struct {
		method, key, choice string
		device              func(*device)
		want                string // words of the error
		unchecked           bool
	}{
		"good":               {"e/key", " " + key + "\n", "", nil, "", false},
		"offline":            {"e/key", key, "", func(d *device) { d.verify = func(string) error { return offline } }, "", true},
		"refused":            {"e/key", key, "", func(d *device) { d.verify = func(string) error { return refused } }, "refused", false},
		"no keyring":         {"e/key", key, "", func(d *device) { d.locked = errors.New("locked: " + key) }, "The sign-in failed", false},
		"no keyring, memory": {"e/key", key, "memory", func(d *device) { d.locked = errors.New("locked") }, "", false},
		"empty":              {"e/key", " ", "", nil, "Paste the key", false},
		"two lines":          {"e/key", "a\nb", "", nil, "no spaces", false},
		"invisible":          {"e/key", "a\u200bb", "", nil, "no spaces", false},
		"a subscription":     {"e/key", "sk-ant-oat01-x", "", nil, "subscription", false},
		"an address":         {"e/key", "https://x.example", "", nil, "an address", false},
		"not a key's way":    {"e/code", key, "", nil, "takes no key", false},
		"no such way":        {"gone", key, "", nil, "does not exist", false},
		"full disk":          {"e/key", key, "", func(d *device) { d.full = errors.New("full") }, "could not store", false},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDevice()
			s := d.service(t)
			if c.device != nil {
				c.device(d)
			}
			err := s.SubmitKey(t.Context(), c.method, c.key, c.choice)
			if printed := fmt.Sprintf("%v %+v %#v", err, s.View(), reasonOf(s.View().State)); strings.Contains(printed, key) {
				t.Errorf("the key is told: %s", printed)
			}
			if c.want != "" {
				var keep *KeepError
				if err == nil || !strings.Contains(err.Error(), c.want) || len(d.active) != 0 {
					t.Errorf("%v, active %v", err, d.active)
				}
				if errors.As(err, &keep) != (name == "no keyring") {
					t.Errorf("%T", err)
				}
				return
			}
			done, ok := s.View().State.(Done)
			if err != nil || !ok || (done.Unchecked != nil) != c.unchecked || d.active["e"] != "p" || d.keys["provider/p"] != key {
				t.Errorf("%v %#v %v", err, s.View(), d.active)
			}
			if !reflect.DeepEqual(d.used, []string{c.choice}) {
				t.Errorf("kept by %q", d.used)
			}
			if err := s.SignOut(t.Context(), "e/key"); (err == nil) != (d.locked == nil) || len(d.keys) != 0 {
				t.Errorf("%v %v", err, d.keys)
			}
		})
	}
}

func reasonOf(s State) *event.Error {
	if f, ok := s.(Failed); ok {
		return f.Reason
	}
	return nil
}

func TestAKeyThatIsBeingCheckedCanBeCancelled(t *testing.T) {
	d := newDevice()
	s := d.service(t)
	begun := make(chan struct{})
	s.deps.Verify = func(ctx context.Context, _ Method, _ string) error {
		close(begun)
		<-ctx.Done()
		return ctx.Err()
	}
	s.deps.Keys = refuses{d}
	result := make(chan error, 1)
	go func() { result <- s.SubmitKey(context.Background(), "e/key", key, "") }()
	<-begun
	if err := s.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-result; err == nil || s.View().State != (Cancelled{}) || len(d.active) != 0 {
		t.Errorf("%v %#v", err, s.View())
	}
}

// refuses is a keyring that obeys its context.
type refuses struct{ *device }

func (r refuses) Keep(ctx context.Context, name, value, choice string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return r.device.Keep(ctx, name, value, choice)
}

func TestMethods(t *testing.T) {
	s := newDevice().service(t)
	if got := len(s.Methods("")); got != 4 {
		t.Error(got)
	}
	if got := s.Methods("other"); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	if err := s.Begin("e/key"); err == nil {
		t.Error("a key was begun")
	}
	if err := s.Begin("gone"); err == nil {
		t.Error("what is not there was begun")
	}
}

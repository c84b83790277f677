package codex

import (
	"context"
	"encoding/json"
	"net/url"

	"keva/agent/budget"
	"keva/agent/event"
	providers "keva/agent/provider"
	"keva/agent/signin"
	"keva/agent/slot"
)

// Ids of the ways to sign in.
const (
	signInBrowser = "codex/browser"
	signInDevice  = "codex/device"
)

// SignIn signs the engine in to a ChatGPT plan by the account calls of protocol/codex.md §10. It never sees a token: the
// engine fetches and keeps it. A key is not given to the engine, which would write it into a file that its commands can
// read: Keva keeps it, and puts it in behind the engine's back.
type SignIn struct{ o Options }

var _ signin.Engine = (*SignIn)(nil)

// NewSignIn returns the sign-in of an installation. Nothing is looked at before it is used.
func NewSignIn(o Options) *SignIn { return &SignIn{New(o).o} }

// SignIn is the sign-in of the factory's installation.
func (f *Factory) SignIn() signin.Engine { return NewSignIn(f.o) }

// ID implements signin.Engine.
func (s *SignIn) ID() string { return "codex" }

// Methods implements signin.Engine.
func (s *SignIn) Methods() []signin.Method {
	return []signin.Method{
		{
			ID: signInBrowser, Engine: "codex", Provider: providers.ChatGPT, Kind: signin.KindBrowser, Keeper: signin.KeeperEngine,
			Label: "ChatGPT plan", Note: "A page of OpenAI opens in the browser of this device and comes back by itself.",
		},
		{
			ID: signInDevice, Engine: "codex", Provider: providers.ChatGPT, Kind: signin.KindDevice, Keeper: signin.KeeperEngine,
			Label: "ChatGPT plan, with a code", Note: "You write a short code into a page of OpenAI, on any device.",
		},
	}
}

// login is the reply to account/login/start.
type login struct {
	ID      string `json:"loginId"`
	AuthURL string `json:"authUrl"`
	Page    string `json:"verificationUrl"`
	Code    string `json:"userCode"`
}

// completed is the notification account/login/completed.
type completed struct {
	ID      string `json:"loginId"`
	Success bool   `json:"success"`
	Error   string `json:"error"`
}

// SignIn implements signin.Engine.
func (s *SignIn) SignIn(ctx context.Context, l *slot.Lease, method string, c signin.Conversation) (signin.Account, error) {
	t, before, err := s.open(ctx, l)
	if err != nil {
		return signin.Account{}, err
	}
	defer t.p.Stop()
	kind := "chatgpt"
	if method == signInDevice {
		kind = "chatgptDeviceCode"
	}
	raw, err := t.ask(ctx, "account/login/start", map[string]any{"type": kind})
	if err != nil {
		return signin.Account{}, loginError(err)
	}
	var in login
	if json.Unmarshal(raw, &in) != nil || in.ID == "" {
		return signin.Account{}, strange(raw)
	}
	p := signin.Prompt{Address: in.AuthURL, Before: before}
	if method == signInDevice {
		if p.Address, p.UserCode = in.Page, in.Code; in.Code == "" {
			return signin.Account{}, strange(raw)
		}
	}
	if err := checkAddress(p.Address); err != nil {
		return signin.Account{}, err
	}
	if err := c.Show(p); err != nil {
		return signin.Account{}, err
	}
	end, err := t.completed(ctx, in.ID)
	if err != nil && ctx.Err() != nil {
		end, err = t.giveUp(in.ID)
		if err != nil || !end.Success {
			return signin.Account{}, ctx.Err()
		}
	}
	if err != nil {
		return signin.Account{}, err
	}
	if !end.Success {
		return signin.Account{}, loginError(loginFailed(end.Error))
	}
	return t.signedIn(context.WithoutCancel(ctx))
}

// Account implements signin.Engine.
func (s *SignIn) Account(ctx context.Context, l *slot.Lease) (signin.Account, error) {
	t, a, err := s.open(ctx, l)
	if err != nil {
		return signin.Account{Presence: signin.PresenceUnknown}, err
	}
	t.p.Stop()
	return a, nil
}

// SignOut implements signin.Engine.
func (s *SignIn) SignOut(ctx context.Context, l *slot.Lease) error {
	t, _, err := s.open(ctx, l)
	if err != nil {
		return err
	}
	defer t.p.Stop()
	if _, err := t.ask(ctx, "account/logout", nil); err != nil {
		return loginError(err)
	}
	return nil
}

// open starts the engine, and asks who is signed in.
func (s *SignIn) open(ctx context.Context, l *slot.Lease) (*talk, signin.Account, error) {
	if !l.Valid() {
		return nil, signin.Account{}, errNoLease
	}
	t, err := startTalk(ctx, s.o)
	if err != nil {
		return nil, signin.Account{}, err
	}
	a, err := t.account(ctx)
	if err != nil {
		t.p.Stop()
		return nil, signin.Account{}, err
	}
	return t, a, nil
}

// account asks who is signed in. That the engine can't tell is no error here: it may be why somebody signs in again.
func (t *talk) account(ctx context.Context) (signin.Account, error) {
	unknown := signin.Account{Presence: signin.PresenceUnknown}
	raw, err := t.ask(ctx, "account/read", map[string]any{"refreshToken": false})
	if refused := (*callError)(nil); asCall(err, &refused) {
		return unknown, nil
	}
	if err != nil {
		return unknown, err
	}
	var r struct {
		Account *struct {
			Type  string `json:"type"`
			Email string `json:"email"`
			Plan  string `json:"planType"`
		} `json:"account"`
	}
	switch {
	case json.Unmarshal(raw, &r) != nil:
		return unknown, strange(raw)
	case r.Account == nil:
		return signin.Account{Presence: signin.SignedOut}, nil
	}
	return signin.Account{Presence: signin.SignedIn, Name: r.Account.Email, Plan: r.Account.Plan, With: r.Account.Type}, nil
}

// signedIn is the account after a sign-in that the engine calls a success.
func (t *talk) signedIn(ctx context.Context) (signin.Account, error) {
	a, err := t.account(ctx)
	switch {
	case err != nil:
		return a, err
	case a.Presence == signin.SignedOut:
		return a, &event.Error{Class: event.ClassAuth, Message: "Codex says that the sign-in has ended, but nobody is signed in. Begin again."}
	case a.Presence == signin.PresenceUnknown: // it has said success; who it is may need a server that does not answer
		return signin.Account{Presence: signin.SignedIn, With: "chatgpt"}, nil
	}
	return a, nil
}

// giveUp takes a login back. What it says at the last moment counts.
func (t *talk) giveUp(id string) (completed, error) {
	ctx, cancel := context.WithTimeout(context.Background(), budget.SignInCancel.Time)
	defer cancel()
	if _, err := t.ask(ctx, "account/login/cancel", map[string]any{"loginId": id}); err != nil {
		return completed{}, err
	}
	return t.completed(ctx, id)
}

// checkAddress refuses what a person should not open.
func checkAddress(address string) error {
	u, err := url.Parse(address)
	if err == nil && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http" && providers.CheckBaseURL(u.Scheme+"://"+u.Host) == nil) {
		return nil
	}
	return &event.Error{
		Class: event.ClassEngine, Message: "Codex gave no address to sign in at. Install it again.", Detail: clip(address, 500),
	}
}

func strange(raw []byte) error {
	return &event.Error{
		Class: event.ClassEngine, Message: "Codex answered in a way that Keva does not understand. Install the version that Keva was made for.",
		Detail: clip(string(raw), 2000),
	}
}

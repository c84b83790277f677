package claude

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"

	"keva/agent/event"
	"keva/agent/provider"
	"keva/agent/signin"
	"keva/agent/slot"
)

// Ids of the ways to sign in.
const (
	signInBrowser = "claude/browser"
	signInCode    = "claude/code"
)

// SignIn signs the engine in to a Claude subscription by the control requests of protocol/claude.md §2. It never sees a
// token: the engine fetches and keeps it.
type SignIn struct{ opts Options }

var _ signin.Engine = (*SignIn)(nil)

// NewSignIn returns the sign-in of an installation. Nothing is looked at before it is used.
func NewSignIn(o Options) *SignIn { return &SignIn{o} }

// SignIn is the sign-in of the factory's installation.
func (f *Factory) SignIn() signin.Engine { return NewSignIn(f.opts) }

// ID implements signin.Engine.
func (s *SignIn) ID() string { return "claude" }

// Methods implements signin.Engine.
func (s *SignIn) Methods() []signin.Method {
	return []signin.Method{
		{
			ID: signInBrowser, Engine: "claude", Provider: provider.ClaudePlan, Kind: signin.KindBrowser, Keeper: signin.KeeperEngine,
			Label: "Claude subscription", Note: "A page of Anthropic opens in the browser of this device and comes back by itself.",
		},
		{
			ID: signInCode, Engine: "claude", Provider: provider.ClaudePlan, Kind: signin.KindCode, Keeper: signin.KeeperEngine,
			Label: "Claude subscription, with a code", Note: "A page of Anthropic, on any device, shows a code that you paste here.",
		},
	}
}

// SignIn implements signin.Engine.
func (s *SignIn) SignIn(ctx context.Context, l *slot.Lease, method string, c signin.Conversation) (signin.Account, error) {
	t, before, err := s.open(ctx, l)
	if err != nil {
		return signin.Account{}, err
	}
	defer t.stop()
	var addresses struct {
		Manual    string `json:"manualUrl"`
		Automatic string `json:"automaticUrl"`
	}
	raw, err := t.ask(ctx, object{"subtype": "claude_authenticate", "loginWithClaudeAi": true})
	if err != nil {
		return signin.Account{}, authError(err)
	}
	p := signin.Prompt{TakesCode: true, Before: before}
	if json.Unmarshal(raw, &addresses) == nil {
		if p.Address = addresses.Automatic; method == signInCode {
			p.Address = addresses.Manual
		}
	}
	state, err := stateOf(p.Address)
	if err != nil {
		return signin.Account{}, err
	}
	p.CheckCode = func(code string) error { _, err := splitCode(code, state); return err }
	end, err := t.begin(ctx, object{"subtype": "claude_oauth_wait_for_completion"})
	if err != nil {
		return signin.Account{}, err
	}
	if err := c.Show(p); err != nil {
		return signin.Account{}, err
	}
	codes := c.Codes
	for {
		select {
		case code := <-codes:
			code, err := splitCode(code, state)
			if err != nil {
				return signin.Account{}, err
			}
			// Its reply is that of the wait, too.
			if _, err := t.begin(ctx, object{"subtype": "claude_oauth_callback", "authorizationCode": code, "state": state}); err != nil {
				return signin.Account{}, err
			}
			codes = nil // the engine takes one
		case m := <-end:
			return account(m)
		case <-t.p.Done():
			select {
			case m := <-end: // it was the last thing that it said
				return account(m)
			default:
			}
			return signin.Account{}, t.gone()
		case <-ctx.Done():
			return signin.Account{}, ctx.Err()
		}
	}
}

// Account implements signin.Engine.
func (s *SignIn) Account(ctx context.Context, l *slot.Lease) (signin.Account, error) {
	t, a, err := s.open(ctx, l)
	if err != nil {
		return signin.Account{Presence: signin.PresenceUnknown}, err
	}
	t.stop()
	return a, nil
}

// SignOut implements signin.Engine.
func (s *SignIn) SignOut(ctx context.Context, l *slot.Lease) error {
	if !l.Valid() {
		return errNoLease
	}
	t, err := s.opts.talk([]string{"auth", "logout"})
	if err != nil {
		return err
	}
	defer t.stop()
	t.p.CloseStdin()
	select {
	case <-t.p.Done():
	case <-ctx.Done():
		return ctx.Err()
	}
	if exit := t.p.Exit(); exit.Class != event.ExitClean {
		return &event.Error{
			Class: event.ClassEngine, Message: "Claude Code could not forget its account. Try again; the details say more. " + exit.Advice, Detail: exit.Stderr,
		}
	}
	return nil
}

// open starts the engine, and asks who is signed in.
func (s *SignIn) open(ctx context.Context, l *slot.Lease) (*talk, signin.Account, error) {
	if !l.Valid() {
		return nil, signin.Account{}, errNoLease
	}
	t, err := s.opts.talk(talkArgs)
	if err != nil {
		return nil, signin.Account{}, err
	}
	raw, err := t.ask(ctx, object{"subtype": "initialize"})
	if err != nil {
		t.stop()
		return nil, signin.Account{}, err
	}
	var r struct {
		Account json.RawMessage `json:"account"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		t.stop()
		return nil, signin.Account{}, strange(raw)
	}
	return t, accountOf(r.Account), nil
}

// accountOf reads an account as the engine tells it. Signed in, it names a person or a plan and no source (measured); signed
// out, it names “none” as the source.
func accountOf(raw json.RawMessage) signin.Account {
	var a struct {
		Email  string `json:"email"`
		Plan   string `json:"subscriptionType"`
		Token  string `json:"tokenSource"`
		APIKey string `json:"apiKeySource"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &a) != nil {
		return signin.Account{Presence: signin.PresenceUnknown}
	}
	const none = "none"
	with := a.Token
	if with == "" || with == none {
		with = a.APIKey
	}
	switch {
	case a.Email != "" || a.Plan != "" || with != "" && with != none:
		return signin.Account{Presence: signin.SignedIn, Name: a.Email, Plan: a.Plan, With: with}
	case a.Token == none:
		return signin.Account{Presence: signin.SignedOut}
	}
	return signin.Account{Presence: signin.PresenceUnknown}
}

// account is the end of a sign-in.
func account(m controlResponse) (signin.Account, error) {
	if m.Subtype != "success" {
		return signin.Account{}, authError(errors.New(m.Error))
	}
	var r struct {
		Account json.RawMessage `json:"account"`
	}
	if err := json.Unmarshal(m.Response, &r); err != nil {
		return signin.Account{}, strange(m.Response)
	}
	a := accountOf(r.Account)
	if a.Presence != signin.SignedIn {
		return signin.Account{}, &event.Error{
			Class: event.ClassAuth, Message: "Claude Code says that the sign-in has ended, but nobody is signed in. Begin again.",
			Detail: string(m.Response),
		}
	}
	return a, nil
}

// stateOf checks an address that a person is to open, and gives the word that ties a code to this sign-in.
func stateOf(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.Query().Get("state") == "" {
		return "", &event.Error{
			Class: event.ClassEngine, Message: "Claude Code gave no address to sign in at. Install it again.", Detail: address,
		}
	}
	return u.Query().Get("state"), nil
}

// splitCode reads what the page shows: a code, “#”, and the state. The engine does not compare the state, so it is done
// here: a code of another sign-in could only fail, and end this one.
func splitCode(pasted, state string) (string, error) {
	refuse := func(message string) error { return &event.Error{Class: event.ClassRequest, Message: message} }
	code, shown, found := strings.Cut(strings.TrimSpace(pasted), "#")
	switch {
	case strings.Contains(pasted, "://"):
		return "", refuse("This is an address. Paste the code that the page shows.")
	case !found || code == "" || shown == "" || strings.ContainsAny(pasted, " \t\n"):
		return "", refuse("The code is not whole: it has two parts with a # between them. Copy it once more with the page's button.")
	case shown != state:
		return "", refuse("This code belongs to another sign-in. Open the address that is shown here, and paste the code of that page.")
	}
	return code, nil
}

// authError says why a sign-in failed, by what the engine says.
func authError(err error) error {
	var known *event.Error
	if errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	said := err.Error()
	e := &event.Error{Class: event.ClassAuth, Detail: said}
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(strings.ToLower(said), p) })
	}
	switch {
	case has("invalid authorization code", "status code 400", "status code 401"):
		e.Message = "Anthropic did not take the code: it was used already, is too old, or was not copied whole. Begin again for a new one."
	case has("status code 403"):
		e.Message = "Anthropic does not let this account use Claude Code. Sign in with another account, or use an API key."
	case has("status code 429"):
		e.Class, e.Message = event.ClassLimit, "Anthropic takes no more sign-ins for the moment. Wait a few minutes, then begin again."
	case has("status code 5"):
		e.Class, e.Message = event.ClassServer, "Anthropic's sign-in does not work at the moment. Try again later."
	case has("certificate", "self-signed", "self signed"):
		e.Class, e.Message = event.ClassNetwork, "The connection to Anthropic is not safe: its certificate is not trusted. If a proxy reads this network's traffic, add its certificate in the settings."
	case has("getaddrinfo", "econn", "etimedout", "socket", "timeout", "proxy", "network"):
		e.Class, e.Message = event.ClassNetwork, "Anthropic can't be reached, so the sign-in failed. Check the network and the proxy, then begin again."
	default:
		e.Message = "The sign-in failed. It said: " + said + ". Begin again."
	}
	return e
}

package signin

import (
	"context"
	"errors"
	"strings"
	"time"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/agent/slot"
)

// who is what the holder of the slot is called.
const who = "the sign-in"

// Begin begins a sign-in by an engine of its own. It returns at once; the view tells how it goes. The error says why it
// can't begin at all.
func (s *Service) Begin(id string) error {
	m, err := s.method(id)
	if err != nil {
		return err
	}
	if m.Kind == KindKey {
		return &event.Error{Class: event.ClassRequest, Message: "Paste the key to sign in this way.", Detail: "Begin on a key method"}
	}
	e, err := s.engine(m.Engine)
	if err != nil {
		return err
	}
	ctx, flow, err := s.enter(m, Opening{})
	if err != nil {
		return err
	}
	go func() { s.leave(s.run(ctx, flow, m, e)) }()
	return nil
}

// run goes the whole way and gives the end.
func (s *Service) run(ctx context.Context, flow string, m Method, e Engine) State {
	account, err := s.signIn(ctx, flow, m, e)
	if err == nil {
		return s.finish(m, account, nil)
	}
	s.forget(context.WithoutCancel(ctx))
	if ctx.Err() != nil { // only Cancel ends it
		return Cancelled{}
	}
	return Failed{reason(err)}
}

// signIn holds the slot no longer than the engine runs: a chat can begin as soon as the end is shown.
func (s *Service) signIn(ctx context.Context, flow string, m Method, e Engine) (Account, error) {
	lease, err := s.acquire(ctx, m.Label)
	if err != nil {
		return Account{}, err
	}
	defer lease.Release()
	limit, cancel := context.WithTimeout(ctx, budget.SignIn.Time)
	defer cancel()
	s.mu.Lock()
	codes := s.codes
	s.mu.Unlock()
	begun := s.deps.Clock()
	account, err := e.SignIn(limit, lease, m.ID, Conversation{Codes: codes, Show: func(p Prompt) error {
		return s.show(limit, record{flow, m.ID, begun, p.Before}, m, p)
	}})
	if err != nil && ctx.Err() == nil && errors.Is(limit.Err(), context.DeadlineExceeded) {
		return account, &event.Error{
			Class:   event.ClassAuth,
			Message: "The sign-in was not finished within " + minutes(budget.SignIn.Time) + ", so it was stopped. Begin again when you have the time.",
			Detail:  err.Error(),
		}
	}
	return account, err
}

func minutes(d time.Duration) string { return strings.TrimSuffix(d.String(), "m0s") + " minutes" }

// acquire takes the slot. A chat that has nothing under way yields; one that has is named in the refusal (I-13).
func (s *Service) acquire(ctx context.Context, what string) (*slot.Lease, error) {
	wait, cancel := context.WithTimeout(ctx, budget.SlotYield.Time)
	defer cancel()
	lease, err := s.deps.Slot.Acquire(wait, slot.Holder{Who: who, What: what, Since: s.deps.Clock()}, nil)
	var busy *slot.BusyError
	if errors.As(err, &busy) && ctx.Err() == nil {
		return nil, &event.Error{Class: event.ClassEngine, Message: busy.Error()}
	}
	return lease, err
}

// show tells a person what to do. What is open is on disk before anybody is sent away: on a phone the browser is what
// gets Keva killed.
func (s *Service) show(ctx context.Context, r record, m Method, p Prompt) error {
	if err := r.save(ctx, s.deps.Values); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.deps.Log("keep the open sign-in", err) // it goes on; only a kill of Keva would be told less
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prompt = p
	s.set(waiting(m.Kind, p))
	return nil
}

// SubmitCode gives the code that a page showed. The error says what is wrong with it; then the sign-in still waits.
func (s *Service) SubmitCode(code string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	takes := false
	switch st := s.view.State.(type) {
	case WaitingForCode:
		takes = true
	case WaitingForBrowser:
		takes = st.TakesCode
	}
	if !takes {
		return &event.Error{Class: event.ClassRequest, Message: "No sign-in waits for a code now. Begin one first."}
	}
	code = strings.TrimSpace(code)
	if code == "" {
		return &event.Error{Class: event.ClassRequest, Message: "Paste the code that the page shows."}
	}
	if s.prompt.CheckCode != nil {
		if err := s.prompt.CheckCode(code); err != nil {
			return err
		}
	}
	select {
	case s.codes <- code:
		s.set(Checking{})
		return nil
	default: // the one before is still being taken
		return &event.Error{Class: event.ClassRequest, Message: "A code is being checked already. Wait a moment."}
	}
}

// finish makes the provider the active one: without that a fresh device is signed in and offers no model (§5.3).
func (s *Service) finish(m Method, a Account, unchecked *event.Error) State {
	ctx, cancel := context.WithTimeout(context.Background(), budget.SignInStore.Time)
	defer cancel()
	if err := s.deps.Activate(ctx, m); err != nil {
		// The record stays: after a restart Settle finds the account and tries once more.
		return Failed{&event.Error{
			Class:   event.ClassConfig,
			Message: "You are signed in, but Keva could not store that " + m.Label + " is to be used. Free some space, then choose it in the settings.",
			Detail:  err.Error(),
		}}
	}
	s.forget(ctx)
	return Done{a, unchecked}
}

// forget removes the record.
func (s *Service) forget(ctx context.Context) {
	if err := s.deps.Values.PutValue(ctx, RecordKey, []byte("null")); err != nil {
		s.deps.Log("forget the ended sign-in", err)
	}
}

// reason is err for people.
func reason(err error) *event.Error {
	var e *event.Error
	if errors.As(err, &e) {
		return e
	}
	return &event.Error{Class: event.ClassOther, Message: "The sign-in failed. Try again; the details say more.", Detail: err.Error()}
}

package signin

import (
	"context"
	"time"

	"keva/agent/event"
)

// recall shows what an earlier run of Keva left open.
func (s *Service) recall(ctx context.Context) {
	r, err := load(ctx, s.deps.Values)
	if err != nil {
		s.deps.Log("read the open sign-in", err)
		return
	}
	if r == nil {
		return
	}
	m, err := s.method(r.Method)
	if err != nil {
		s.forget(ctx) // of another version: nothing can be asked any more
		return
	}
	s.view = View{ID: r.ID, Method: m, State: Unknown{Begun: r.Begun, Text: left(m.Kind)}}
}

// left says what is known of a sign-in of kind k whose Keva was closed: the engine that waited for its end was closed with
// it, and it alone could have taken the page's answer.
func left(k Kind) string {
	const closed = "Keva was closed while you were signing in. "
	switch k {
	case KindBrowser:
		return closed + "If the page said that you are signed in, it may have worked; else the page has nobody to come back to any more, and you need to begin again."
	case KindCode:
		return closed + "A code of that page can't be used any more, and you need to begin again."
	case KindDevice:
		return closed + "The page may still take the code that was shown, but nobody waits for it any more. You need to begin again and will get a new code."
	case KindKey:
	}
	return closed + "Whether it worked is not known."
}

// Settle asks the engine what became of the sign-in that an earlier run of Keva left open. It ends as Done when somebody
// is signed in who was not before, as Failed when nobody is, and stays Unknown where that proves nothing. The error says
// why the engine could not be asked; then nothing has changed.
func (s *Service) Settle(ctx context.Context) error {
	s.mu.Lock()
	v := s.view
	s.mu.Unlock()
	open, ok := v.State.(Unknown)
	if !ok {
		return nil
	}
	r, err := load(ctx, s.deps.Values)
	if err != nil {
		return err
	}
	if r == nil || r.ID != v.ID {
		return nil
	}
	now, err := s.Account(ctx, v.Method.Engine)
	if err != nil {
		return err
	}
	var end State
	switch now.Presence {
	case SignedIn:
		if r.Before.Presence == SignedOut || r.Before.Presence == SignedIn && r.Before != now {
			end = s.finish(v.Method, now, nil)
			break
		}
		end = Unknown{open.Begun, left(v.Method.Kind) + " " + engineSays(now)}
	case SignedOut:
		s.forget(ctx)
		end = Failed{&event.Error{Class: event.ClassAuth, Message: left(v.Method.Kind) + " Nobody is signed in now."}}
	case PresenceUnknown:
		end = Unknown{open.Begun, left(v.Method.Kind) + " The engine does not say whether somebody is signed in."}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.view.ID == v.ID { // nobody has begun another one meanwhile
		s.set(end)
	}
	return nil
}

func engineSays(a Account) string {
	if a.Name == "" {
		return "The engine has the account that it had before; whether the provider still accepts it is not known."
	}
	return "The engine is signed in as " + a.Name + ", as it was before; whether the provider still accepts that is not known."
}

// Account asks an engine who is signed in, under the slot.
func (s *Service) Account(ctx context.Context, engine string) (Account, error) {
	unknown := Account{Presence: PresenceUnknown}
	e, err := s.engine(engine)
	if err != nil {
		return unknown, err
	}
	lease, err := s.acquire(ctx, "account")
	if err != nil {
		return unknown, err
	}
	defer lease.Release()
	return e.Account(ctx, lease)
}

// SignOut takes back a method: its key is deleted, or its engine forgets its account. Sessions that use it say so when they
// next need it; their provider stays what the user chose.
func (s *Service) SignOut(ctx context.Context, id string) error {
	m, err := s.method(id)
	if err != nil {
		return err
	}
	if m.Kind == KindKey {
		return s.deps.Keys.Delete(ctx, s.deps.SecretName(m.Provider))
	}
	e, err := s.engine(m.Engine)
	if err != nil {
		return err
	}
	lease, err := s.acquire(ctx, m.Label)
	if err != nil {
		return err
	}
	defer lease.Release()
	return e.SignOut(ctx, lease)
}

// Close cancels what is under way and waits for its engine, at the end of the app.
func (s *Service) Close(ctx context.Context, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	return s.Cancel(ctx)
}

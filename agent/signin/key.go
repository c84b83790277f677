package signin

import (
	"context"
	"errors"
	"strings"
	"unicode"

	"keva/agent/event"
)

// KeepError says that a key is good but can't be kept where it was to be. The user may choose another place.
type KeepError struct{ Reason *event.Error }

func (e *KeepError) Error() string { return e.Reason.Message }
func (e *KeepError) Unwrap() error { return e.Reason }

// SubmitKey signs in with an API key: it is tried out where that is possible, kept as choice says ("" for the usual place),
// and its provider made the active one. The view tells the end, too; the error is that of Failed, and a *KeepError when
// only the keeping failed. Neither ever holds the key.
func (s *Service) SubmitKey(ctx context.Context, id, key, choice string) error {
	m, err := s.method(id)
	if err != nil {
		return err
	}
	key = strings.TrimSpace(key)
	if err := checkKey(m, key); err != nil {
		return err
	}
	flow, _, err := s.enter(m, Checking{})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(flow, cancel)()
	end, err := s.submitKey(ctx, m, key, choice)
	if flow.Err() != nil && err != nil {
		end = Cancelled{}
	}
	s.leave(end)
	return err
}

func (s *Service) submitKey(ctx context.Context, m Method, key, choice string) (State, error) {
	fail := func(e *event.Error) (State, error) {
		e = &event.Error{Class: e.Class, Status: e.Status, Message: without(e.Message, key), Detail: without(e.Detail, key)}
		return Failed{e}, e
	}
	unchecked, err := s.verify(ctx, m, key)
	if err != nil {
		return fail(reason(err))
	}
	if unchecked != nil {
		unchecked.Message, unchecked.Detail = without(unchecked.Message, key), without(unchecked.Detail, key)
	}
	if err := s.deps.Keys.Keep(ctx, s.deps.SecretName(m.Provider), key, choice); err != nil {
		st, err := fail(reason(err))
		var e *event.Error
		errors.As(err, &e)
		return st, &KeepError{e}
	}
	end := s.finish(m, Account{Presence: SignedIn, With: "API key"}, unchecked)
	if f, failed := end.(Failed); failed {
		return end, f.Reason
	}
	return end, nil
}

// verify asks the provider. Only a refusal is an error: a key that can't be tried out (no network now, no list of models
// there) may still be right.
func (s *Service) verify(ctx context.Context, m Method, key string) (unchecked, refused *event.Error) {
	if s.deps.Verify == nil {
		return &event.Error{Class: event.ClassOther, Message: "The key was not tried out."}, nil
	}
	err := s.deps.Verify(ctx, m, key)
	if err == nil {
		return nil, nil
	}
	e := reason(err)
	if e.Class == event.ClassAuth {
		return nil, e
	}
	return &event.Error{
		Class: e.Class, Status: e.Status, Detail: e.Detail,
		Message: "The key is kept, but could not be tried out: " + e.Message,
	}, nil
}

// checkKey finds what can't be a key before anything is sent.
func checkKey(m Method, key string) error {
	refuse := func(message string) error { return &event.Error{Class: event.ClassRequest, Message: message} }
	switch {
	case m.Kind != KindKey:
		return refuse("This way to sign in takes no key.")
	case key == "":
		return refuse("Paste the key.")
	case strings.ContainsFunc(key, func(r rune) bool { return r > unicode.MaxASCII || r <= ' ' || r == 0x7f }):
		return refuse("A key has no spaces, line breaks or special characters. Copy it once more, whole and alone.")
	case strings.HasPrefix(key, "sk-ant-oat"), strings.HasPrefix(key, "sk-ant-ort"):
		return refuse("This is a token of a subscription, not an API key. Sign in with the subscription instead.")
	case strings.HasPrefix(key, "http://"), strings.HasPrefix(key, "https://"):
		return refuse("This is an address, not a key.")
	}
	return nil
}

func without(text, key string) string { return strings.ReplaceAll(text, key, "•••") }

package session

import (
	"context"
	"errors"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/agent/slot"
)

// Check runs an engine's version command, under the slot like everything that starts an engine: a settings page that
// started one beside a chat was the fault of the paper's §5.4. A chat that has nothing under way yields; one that has is
// named in the refusal. who says on whose behalf it is, e.g. "the settings".
func (s *Service) Check(ctx context.Context, engine, who string) (version string, err error) {
	f, err := s.factory(engine)
	if err != nil {
		return "", err
	}
	wait, cancel := context.WithTimeout(ctx, budget.SlotYield.Time)
	defer cancel()
	lease, err := s.deps.Slot.Acquire(wait, slot.Holder{Who: who, What: f.Label(), Since: s.deps.Clock()}, nil)
	var busy *slot.BusyError
	if errors.As(err, &busy) {
		return "", &event.Error{Class: event.ClassEngine, Message: busy.Error()}
	}
	if err != nil {
		return "", err
	}
	defer lease.Release()
	return f.Check(ctx, lease)
}

package chat

import (
	"context"
	"errors"

	"keva/agent/event"
)

// send gives the message to the session. The text stays where it is until the session has it (REPORTS O8).
func (s *Screen) send(text string) {
	s.draft.set(text)
	s.draft.flush()
	s.composer.SetSending(true)
	s.composer.Fail("")
	s.list.ToEnd()
	s.pump.wake()
	s.deps.Go(func() {
		err := s.deps.Session.Send(context.Background(), text)
		s.deps.Post(func() { s.sent(text, err) })
	})
}

func (s *Screen) sent(text string, err error) {
	s.composer.SetSending(false)
	if err != nil {
		s.composer.Fail("Not sent. " + Sentence(err))
	} else {
		if s.composer.Text() == text {
			s.composer.SetText("")
		}
		s.draft.set("")
		s.draft.flush()
		s.composer.grow()
		s.composer.show()
		s.list.ToEnd()
	}
	s.FocusComposer()
	s.relayout()
	s.pump.wake()
}

// interrupt stops the turn. Its end comes as an event.
func (s *Screen) interrupt() {
	if s.stopped {
		return
	}
	s.stopped = true
	s.composer.SetRunning(false)
	s.background(s.deps.Session.Interrupt, func(err error) {
		if err != nil {
			s.stopped = false
		}
	})
}

// background runs something that may block, and shows its error at the composer.
func (s *Screen) background(do func(context.Context) error, then func(error)) {
	s.deps.Go(func() {
		err := do(context.Background())
		s.deps.Post(func() {
			if then != nil {
				then(err)
			}
			if err != nil {
				s.composer.Fail(Sentence(err))
				s.relayout()
			}
			s.pump.wake()
		})
	})
}

// Sentence is an error for people. One that was not made for them is said to be one.
func Sentence(err error) string {
	var e *event.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}

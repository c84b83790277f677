package claude

import (
	"strings"

	"keva/agent/event"
)

// result ends a turn; nothing else does.
//
// Its origin says whose it is. A result that answers a task notification never closes the user's turn, and one without an
// origin closes the user's turn even where a notification came first (I-7).
func (s *step) result(l line, raw []byte) {
	p := &s.process
	task := l.Origin.Kind == "task-notification"
	switch {
	case p.turn == nil:
		s.open(s.unaskedOrigin())
	case task && p.turn.origin == event.OriginUser && p.waiting == nil:
		p.waiting = p.turn
		s.open(event.OriginTask)
	}
	t := p.turn
	origin := s.originOf(t, l.Origin.Kind)
	c := event.TurnCompleted{Origin: origin, Millis: int64(l.Millis), Messages: t.messages}
	c.Outcome, c.Error = outcomeOf(l, t)
	s.usage(l, t)
	s.closeRequests(t.id)
	if t.fault != nil && c.Error == nil {
		s.fault(t) // an error that the turn has survived
	}
	if !known(l.Subtype) {
		s.unrecognised("result/"+l.Subtype, raw)
	}
	s.closeTools(t.id)
	s.emit("", c)
	p.turn, p.notified, p.announced = nil, false, false
	if p.waiting != nil && !task {
		// The engine has merged the notification into the user's turn: both are over.
		w := p.waiting
		p.turn, p.waiting = w, nil
		c.Origin, c.Messages = w.origin, w.messages
		s.closeRequests(w.id)
		s.emit("", c)
		p.turn = nil
	} else if p.waiting != nil {
		p.turn, p.waiting = p.waiting, nil
	}
}

func known(subtype string) bool {
	switch subtype {
	case "success", "error_during_execution", "error_max_turns", "error_max_budget_usd":
		return true
	}
	return false
}

func (s *step) originOf(t *turn, kind string) event.Origin {
	switch kind {
	case "task-notification":
		if !s.process.prompted {
			return event.OriginResume
		}
		return event.OriginTask
	case "":
		if len(t.messages) > 0 {
			return event.OriginUser
		}
		return t.origin
	}
	if len(t.messages) > 0 {
		return event.OriginUser
	}
	return event.OriginEngine
}

// outcomeOf is fail-closed (I-2): only a success that is no error and was not aborted is a success.
func outcomeOf(l line, t *turn) (event.Outcome, *event.Error) {
	switch {
	case strings.HasPrefix(l.TerminalReason, "aborted_"),
		// E9: an interrupted turn's result may lack its reason.
		t.interrupted && l.Subtype == "error_during_execution" && l.TerminalReason == "":
		return event.Interrupted, nil
	case l.Subtype == "success" && !l.IsError && t.compactError != "" && l.NumTurns == 0:
		return event.Failure, &event.Error{
			Class: event.ClassContext, Message: "The conversation could not be shortened.", Detail: t.compactError,
		}
	case l.Subtype == "success" && !l.IsError:
		return event.Success, nil
	}
	return event.Failure, resultError(l, t)
}

// usage tells what the turn used, and how full the context is after its last request.
func (s *step) usage(l line, t *turn) {
	for name, u := range l.ModelUsage {
		if name == s.ready.Model || s.window == 0 && len(l.ModelUsage) == 1 {
			s.window = u.ContextWindow
		}
	}
	u := event.Usage{
		Input: l.Usage.prompt(), Cached: l.Usage.CacheRead, Output: l.Usage.Output,
		ContextUsed: t.used.ContextUsed, ContextWindow: s.window, CostUSD: l.Cost,
	}
	if u != (event.Usage{ContextWindow: s.window}) {
		s.emit("", u)
	}
}

// spent adds one request of the main agent to the running turn's usage.
func (s *step) spent(u usage) {
	t := s.process.turn
	if t == nil || u == (usage{}) {
		return
	}
	t.used.Input += u.prompt()
	t.used.Cached += u.CacheRead
	t.used.Output += u.Output
	t.used.ContextUsed = u.prompt() + u.Output
	t.used.ContextWindow = s.window
	s.emit("", t.used)
}

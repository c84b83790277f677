package session

import (
	"context"
	"strings"
	"testing"

	"keva/agent/event"
	"keva/agent/turn"
)

// I-13, §5.4: reproduced every time on a device whose engine was warm, never on a cleared one. The settings' check asks the
// chat to yield, waits for it, and is refused with the chat's name while something is under way there.
func TestCheckTakesTheSlot(t *testing.T) {
	w := newWorld(t)
	s := w.create()
	live := s.Subscribe(t.Context())
	if err := s.Send(bg, "first"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(bg)
	cancel() // do not wait for the budget
	if _, err := w.svc.Check(ctx, "fake", "the settings"); err == nil || !strings.Contains(err.Error(), "first") {
		t.Fatalf("checked beside a running turn: %v", err)
	}
	w.factory.last().emit("t1", event.TurnCompleted{Outcome: event.Success, Origin: event.OriginUser})
	until(t, live, phase(turn.PhaseSettled))
	v, err := w.svc.Check(bg, "fake", "the settings")
	if err != nil || v != "1" {
		t.Fatal(v, err)
	}
	if s.View().Engine != EngineNone {
		t.Fatal("the check ran beside the chat's engine")
	}
	if h, held := w.slot.Current(); held {
		t.Fatalf("the slot is still held by %+v", h)
	}
	if _, err := w.svc.Check(bg, "nobody", "the settings"); err == nil {
		t.Fatal("an engine that is not there was checked")
	}
}

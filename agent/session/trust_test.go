package session

import (
	"context"
	"testing"

	"keva/agent/trust"
)

// I-16: what a start turns on is asked anew each time, so a change of the project turns it off; without anybody to ask
// nothing is on.
func TestTrustIsAskedAtEachStart(t *testing.T) {
	w := newWorld(t)
	s := w.create()
	start := func() []trust.Entry {
		t.Helper()
		if err := s.Send(context.Background(), "go"); err != nil {
			t.Fatal(err)
		}
		on := w.factory.last().start.Trusted
		if err := s.StopEngine(context.Background()); err != nil {
			t.Fatal(err)
		}
		return on
	}
	if on := start(); on != nil {
		t.Errorf("turned on without consent: %+v", on)
	}
	granted := []trust.Entry{{Engine: "fake", Kind: trust.KindHook, Text: "make"}}
	w.svc.deps.Trust = func(dir string) ([]trust.Entry, trust.Report) { return granted, trust.Report{Dir: dir, Hash: "h"} }
	if on := start(); len(on) != 1 || on[0].Text != "make" {
		t.Errorf("not turned on: %+v", on)
	}
	granted = nil // somebody changed the project
	if on := start(); on != nil {
		t.Errorf("still on after a change: %+v", on)
	}
	if _, r := s.Trust(); r.Dir != "/p" {
		t.Errorf("%+v", r)
	}
}

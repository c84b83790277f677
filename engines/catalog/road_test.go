package catalog

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/slot"
	"keva/engines/install"
	"keva/engines/userland/plan"
)

// stub is a factory that keeps what it was started with.
type stub struct {
	fail  error
	env   []string
	start runtime.Start
	sink  runtime.Sink
}

func (*stub) ID() string    { return "stub" }
func (*stub) Label() string { return "Stub" }
func (s *stub) Start(_ context.Context, _ *slot.Lease, st runtime.Start, sink runtime.Sink) (runtime.Runtime, error) {
	s.start, s.sink = st, sink
	return nil, s.fail
}
func (s *stub) Check(context.Context, *slot.Lease) (string, error) { return "1", s.fail }

func engineOn(t *testing.T, s *stub, road func(string) (Road, error)) located {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "engine")
	if err := os.WriteFile(binary, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return located{entry{id: "stub", label: "Stub", hosts: []string{"h"}, make: func(o Options, _ plan.Place, _ plan.Program) runtime.Factory {
		s.env = o.env
		return s
	}}, Options{Find: func(string) (install.Paths, error) { return install.Paths{Binary: binary}, nil }, Road: road}}
}

// Each launch has a road of its own, and it is closed when the process is gone, once it is or when it never came to be.
func TestALaunchHasItsRoad(t *testing.T) {
	opened, closed := 0, 0
	road := func(label string) (Road, error) {
		opened++
		if label != "Stub" {
			t.Errorf("label %q", label)
		}
		return Road{
			Env: []string{"HTTPS_PROXY=http://x"}, Close: func() { closed++ },
			Traffic: func(hosts ...string) runtime.Traffic { return runtime.Traffic{LastError: hosts[0]} },
		}, nil
	}
	s := &stub{}
	l := engineOn(t, s, road)
	var told []event.Event
	if _, err := l.Start(t.Context(), nil, runtime.Start{}, func(e event.Event) { told = append(told, e) }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.env, []string{"HTTPS_PROXY=http://x"}) || s.start.Provider.Traffic().LastError != "h" {
		t.Errorf("env %q, start %+v", s.env, s.start)
	}
	s.sink(event.Event{Body: event.Heartbeat{}})
	if closed != 0 {
		t.Error("closed while the engine runs")
	}
	s.sink(event.Event{Body: event.EngineExited{}})
	if closed != 1 || len(told) != 2 {
		t.Errorf("closed %d times, %d events", closed, len(told))
	}
	s.fail = errors.New("no")
	if _, err := l.Start(t.Context(), nil, runtime.Start{}, func(event.Event) {}); err == nil || opened != 2 || closed != 2 {
		t.Errorf("%v: opened %d, closed %d", err, opened, closed)
	}
	s.fail = nil
	if v, err := l.Check(t.Context(), nil); v != "1" || err != nil || opened != 3 || closed != 3 {
		t.Errorf("%q %v: opened %d, closed %d", v, err, opened, closed)
	}
	// Evidence that is there already, from Keva's own gateway, is the better one.
	own := func() runtime.Traffic { return runtime.Traffic{LastError: "own"} }
	if _, err := l.Start(t.Context(), nil, runtime.Start{Provider: runtime.Provider{Traffic: own}}, func(event.Event) {}); err != nil || s.start.Provider.Traffic().LastError != "own" {
		t.Error(err)
	}
}

// Without a road nothing is started: an engine that goes by itself would go around the policy (I-17).
func TestNoRoadNoLaunch(t *testing.T) {
	s := &stub{}
	l := engineOn(t, s, func(string) (Road, error) { return Road{}, errors.New("no proxy") })
	if _, err := l.Start(t.Context(), nil, runtime.Start{}, nil); err == nil || s.sink != nil || s.env != nil {
		t.Errorf("%v, %v", err, s.env)
	}
}

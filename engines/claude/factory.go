package claude

import (
	"bytes"
	"context"
	"strings"
	"sync"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/slot"
	"keva/engines/proc"
	launchplan "keva/engines/userland/plan"
)

// Factory makes engines of one installation.
type Factory struct{ opts Options }

var _ runtime.Factory = (*Factory)(nil)

// New returns the factory for an installation. Nothing is looked at before Start or Check.
func New(o Options) *Factory {
	if o.Version == "" {
		o.Version = Version
	}
	return &Factory{o}
}

// ID implements runtime.Factory.
func (f *Factory) ID() string { return "claude" }

// Label implements runtime.Factory.
func (f *Factory) Label() string { return "Claude Code" }

// errNoLease says that a surface tried to start an engine without the slot (I-13).
var errNoLease = &event.Error{
	Class: event.ClassEngine, Message: "Another part of Keva uses the engine. Try again in a moment.", Detail: "no valid lease",
}

// Start implements runtime.Factory.
func (f *Factory) Start(ctx context.Context, l *slot.Lease, s runtime.Start, sink runtime.Sink) (runtime.Runtime, error) {
	if !l.Valid() {
		return nil, errNoLease
	}
	e, err := launch(ctx, f.opts, s, sink)
	if err != nil {
		return nil, err
	}
	return e, nil
}

// Check implements runtime.Factory.
func (f *Factory) Check(ctx context.Context, l *slot.Lease) (string, error) {
	if !l.Valid() {
		return "", errNoLease
	}
	if err := f.opts.makeDirs(); err != nil {
		return "", err
	}
	pl, err := f.opts.launchPlan(runtime.Start{}, f.opts.home(), []string{"--version"})
	if err != nil {
		return "", err
	}
	var mu sync.Mutex
	var first string
	spec := pl.Spec()
	spec.Record = f.opts.record("")
	spec.OnLine = func(b []byte) {
		mu.Lock()
		defer mu.Unlock()
		if first == "" {
			first = strings.ToValidUTF8(string(bytes.TrimSpace(b[:min(len(b), 200)])), "\uFFFD")
		}
	}
	p, err := proc.Start(spec)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, budget.VersionCheck.Time)
	defer cancel()
	p.CloseStdin()
	select {
	case <-p.Done():
	case <-ctx.Done():
		p.Stop()
		return "", &event.Error{
			Class: event.ClassEngine, Message: "Claude Code did not tell its version in time. Try again; if it stays so, install it again.",
			Detail: ctx.Err().Error(),
		}
	}
	mu.Lock()
	defer mu.Unlock()
	version, isClaude := strings.CutSuffix(first, " (Claude Code)")
	exit := p.Exit()
	switch {
	case exit.Class != event.ExitClean:
		return "", launchplan.Died(&event.Error{
			Class: event.ClassEngine, Message: "Claude Code could not tell its version. " + exit.Advice, Detail: exit.Stderr,
		}, exit)
	case !isClaude:
		return "", &event.Error{
			Class: event.ClassConfig, Message: f.opts.Binary + " is not Claude Code. " + f.opts.Place.Reinstall(),
			Detail: first,
		}
	case version != f.opts.Version:
		return version, &event.Error{
			Class:   event.ClassConfig,
			Message: "This is Claude Code " + version + ", but Keva was made for " + f.opts.Version + ". " + f.opts.Place.Reinstall(),
			Detail:  f.opts.Binary,
		}
	}
	return version, nil
}

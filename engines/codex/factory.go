package codex

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"time"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/slot"
	"keva/engines/proc"
	"keva/engines/userland/plan"
)

// Version is the version whose protocol this package speaks. "untrusted" may leave the wire in a later one.
const Version = "0.171.0"

// Options describe an installation and its surroundings.
type Options struct {
	Binary string // the codex program; its code-mode host must lie beside it
	// StateDir is the app's own folder for this engine; its home is made below it, with mode 0700.
	StateDir string
	// RecordDir is where proc.Reclaim finds what outlived Keva; "" = no run records.
	RecordDir string
	// Version is what Check asks for; "" = Version.
	Version string
	// Place is where it runs: the zero one is the host.
	Place plan.Place
	// Helpers is the package's folder of programs (rg), which goes to the front of the engine's PATH; "" = none.
	Helpers string
	// Env is added to the environment: proxy variables, certificates. Nothing else is inherited.
	Env []string
	// AppVersion is Keva's version, told to the engine and by it to the provider.
	AppVersion string
	// Handshake bounds the time from launch to a ready thread; 0 = budget.Handshake. A healthy engine needs 0.1 to 0.3 s.
	Handshake time.Duration

	endGrace time.Duration // how long after "idle" the end of a turn is waited for; 0 = 2 s. Measured: at once
}

// Factory makes engines of one installation.
type Factory struct{ o Options }

var _ runtime.Factory = (*Factory)(nil)

// New returns the factory for an installation. Nothing is looked at before Start or Check.
func New(o Options) *Factory {
	if o.Version == "" {
		o.Version = Version
	}
	if o.Handshake == 0 {
		o.Handshake = budget.Handshake.Time
	}
	if o.endGrace == 0 {
		o.endGrace = 2 * time.Second
	}
	if o.AppVersion == "" {
		o.AppVersion = "0"
	}
	return &Factory{o}
}

// ID implements runtime.Factory.
func (f *Factory) ID() string { return "codex" }

// Label implements runtime.Factory.
func (f *Factory) Label() string { return "Codex" }

// errNoLease says that a surface tried to start an engine without the slot (I-13).
var errNoLease = &event.Error{
	Class: event.ClassEngine, Message: "Another part of Keva uses the engine. Try again in a moment.", Detail: "no valid lease",
}

// Start implements runtime.Factory. Events of the start itself are delivered only when it succeeds.
func (f *Factory) Start(ctx context.Context, l *slot.Lease, s runtime.Start, sink runtime.Sink) (runtime.Runtime, error) {
	if !l.Valid() {
		return nil, errNoLease
	}
	if err := f.o.checkHost(); err != nil {
		return nil, err
	}
	home, err := prepareHome(f.o.StateDir)
	if err != nil {
		return nil, err
	}
	pl, err := f.o.plan(home, s, s.Dir, arguments(s.Provider))
	if err != nil {
		return nil, err
	}
	a := newAdapter(f.o, s, sink)
	spec := pl.Spec()
	spec.OnLine, spec.Record = a.line, f.o.record(s.Session)
	a.p, err = proc.Start(spec)
	if err != nil {
		return nil, err
	}
	go a.watch()
	ctx, cancel := context.WithTimeout(ctx, f.o.Handshake)
	defer cancel()
	if err := a.handshake(ctx); err != nil {
		a.p.Stop()
		<-a.done
		return nil, plan.Died(a.startError(err), a.p.Exit())
	}
	a.release()
	return a, nil
}

// Check implements runtime.Factory.
func (f *Factory) Check(ctx context.Context, l *slot.Lease) (string, error) {
	if !l.Valid() {
		return "", errNoLease
	}
	home, err := prepareHome(f.o.StateDir)
	if err != nil {
		return "", err
	}
	pl, err := f.o.plan(home, runtime.Start{}, home, []string{"--version"})
	if err != nil {
		return "", err
	}
	var mu sync.Mutex
	var out bytes.Buffer
	spec := pl.Spec()
	spec.Record = f.o.record("")
	spec.OnLine = func(line []byte) {
		mu.Lock()
		defer mu.Unlock()
		if out.Len() < 1<<12 {
			out.Write(line)
			out.WriteByte('\n')
		}
	}
	p, err := proc.Start(spec)
	if err != nil {
		return "", err
	}
	defer p.Stop()
	ctx, cancel := context.WithTimeout(ctx, f.o.Handshake)
	defer cancel()
	select {
	case <-p.Done():
	case <-ctx.Done():
		return "", &event.Error{
			Class: event.ClassEngine, Message: "Codex does not answer when it is asked for its version. " + f.o.Place.Reinstall(),
			Detail: ctx.Err().Error(),
		}
	}
	mu.Lock()
	version := strings.TrimSpace(out.String())
	mu.Unlock()
	version = version[strings.LastIndexByte(version, ' ')+1:]
	if exit := p.Exit(); exit.Class != event.ExitClean || version == "" {
		return "", plan.Died(exitError("Codex does not start.", exit), exit)
	}
	if version != f.o.Version {
		return version, &event.Error{
			Class: event.ClassEngine,
			Message: "This is Codex " + clip(version, 40) + ", and Keva works with " + f.o.Version +
				" only: other versions may run commands without asking. " + f.o.Place.Reinstall(),
		}
	}
	return version, f.o.checkHost()
}

// exitError makes an error of an exit that should not have been.
func exitError(what string, exit event.EngineExited) *event.Error {
	message := what
	if exit.Advice != "" {
		message += " " + exit.Advice
	} else {
		message += " Install it again; the details say more."
	}
	return &event.Error{Class: event.ClassEngineGone, Message: message, Detail: exit.Stderr}
}

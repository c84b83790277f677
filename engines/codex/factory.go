package codex

import (
	"bytes"
	"context"
	"os"
	"strings"
	"sync"
	"time"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/slot"
	"keva/engines/proc"
)

// Version is the version whose protocol this package speaks. "untrusted" may leave the wire in a later one.
const Version = "0.171.0"

// Binary is where the engine is installed.
type Binary struct {
	File string // the codex program; its code-mode host lies beside it
	Path string // a folder for PATH with the engine's helpers, "" = none
}

// Options are what the adapter needs to know of the machine.
type Options struct {
	// Find locates the installed engine; called at each start. Its errors are *event.Error.
	Find func() (Binary, error)
	// StateDir is Keva's own data folder; the engine's home is made below it.
	StateDir string
	// AppVersion is Keva's version, told to the engine.
	AppVersion string
	// Getenv reads the environment; nil = os.Getenv.
	Getenv func(string) string
	// Now is the clock; nil = time.Now.
	Now func() time.Time
	// Handshake bounds the time from launch to a ready thread; 0 = 30 s. A healthy engine needs 0.1 to 0.3 s.
	Handshake time.Duration
}

type factory struct{ o Options }

// New returns the factory of Codex.
func New(o Options) runtime.Factory {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Handshake == 0 {
		o.Handshake = 30 * time.Second
	}
	if o.AppVersion == "" {
		o.AppVersion = "0"
	}
	return &factory{o}
}

func (f *factory) ID() string    { return "codex" }
func (f *factory) Label() string { return "Codex" }

// Start implements runtime.Factory. Events of the start itself are delivered only when it succeeds.
func (f *factory) Start(ctx context.Context, l *slot.Lease, s runtime.Start, sink runtime.Sink) (runtime.Runtime, error) {
	if !l.Valid() {
		return nil, &event.Error{Class: event.ClassConfig, Message: "The engine slot is not held. Start the session again."}
	}
	bin, err := f.o.Find()
	if err != nil {
		return nil, err
	}
	if err := checkHost(bin.File); err != nil {
		return nil, err
	}
	home, err := prepareHome(f.o.StateDir)
	if err != nil {
		return nil, err
	}
	a := newAdapter(f.o, s, sink)
	a.p, err = proc.Start(proc.Spec{
		Path: bin.File, Args: arguments(s.Provider), Dir: s.Dir,
		Env:    environment(f.o.Getenv, home, bin.Path, s.Session, s.Provider),
		OnLine: a.line,
	})
	if err != nil {
		return nil, err
	}
	go a.watch()
	ctx, cancel := context.WithTimeout(ctx, f.o.Handshake)
	defer cancel()
	if err := a.handshake(ctx); err != nil {
		a.p.Stop()
		<-a.done
		return nil, a.startError(err)
	}
	a.release()
	return a, nil
}

// Check implements runtime.Factory.
func (f *factory) Check(ctx context.Context, l *slot.Lease) (string, error) {
	if !l.Valid() {
		return "", &event.Error{Class: event.ClassConfig, Message: "The engine slot is not held. Try again."}
	}
	bin, err := f.o.Find()
	if err != nil {
		return "", err
	}
	home, err := prepareHome(f.o.StateDir)
	if err != nil {
		return "", err
	}
	var mu sync.Mutex
	var out bytes.Buffer
	p, err := proc.Start(proc.Spec{
		Path: bin.File, Args: []string{"--version"}, Dir: home,
		Env: environment(f.o.Getenv, home, bin.Path, "", runtime.Provider{}),
		OnLine: func(line []byte) {
			mu.Lock()
			defer mu.Unlock()
			if out.Len() < 1<<12 {
				out.Write(line)
				out.WriteByte('\n')
			}
		},
	})
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
			Class: event.ClassEngine, Message: "Codex does not answer when it is asked for its version. Run `make engines` to install it again.",
			Detail: ctx.Err().Error(),
		}
	}
	mu.Lock()
	version := strings.TrimSpace(out.String())
	mu.Unlock()
	version = version[strings.LastIndexByte(version, ' ')+1:]
	if exit := p.Exit(); exit.Class != event.ExitClean || version == "" {
		return "", exitError("Codex does not start.", exit)
	}
	if version != Version {
		return version, &event.Error{
			Class: event.ClassEngine,
			Message: "This is Codex " + clip(version, 40) + ", and Keva works with " + Version +
				" only: other versions may run commands without asking. Run `make engines` to install it.",
		}
	}
	return version, checkHost(bin.File)
}

// exitError makes an error of an exit that should not have been.
func exitError(what string, exit event.EngineExited) *event.Error {
	message := what
	if exit.Advice != "" {
		message += " " + exit.Advice
	} else {
		message += " Run `make engines` to install it again; the details say more."
	}
	return &event.Error{Class: event.ClassEngineGone, Message: message, Detail: exit.Stderr}
}

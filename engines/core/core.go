// Package core is the app without its surfaces: folders, store, settings, keys, engines and the session service, put together
// once for the window, the terminal and the tests. It decides nothing that its parts could decide, and draws nothing.
package core

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/agent/onboarding"
	"keva/agent/provider"
	"keva/agent/runtime"
	"keva/agent/session"
	"keva/agent/signin"
	"keva/agent/slot"
	"keva/agent/trust"
	"keva/engines/access"
	"keva/engines/catalog"
	"keva/engines/demo"
	"keva/engines/install"
	"keva/engines/proc"
	"keva/engines/trustscan"
	"keva/engines/userland/plan"
	"keva/platform/device"
	"keva/platform/host"
	"keva/platform/logging"
	"keva/platform/models"
	"keva/platform/network"
	"keva/platform/network/nameserver"
	"keva/platform/network/proxy"
	"keva/platform/project"
	"keva/platform/secret"
	"keva/platform/settings"
	"keva/platform/store"
	"keva/platform/update"
)

// Core is everything below the surfaces. Its fields are set by Open and not changed afterwards; each is safe for concurrent
// use.
type Core struct {
	Store    *store.Store
	Settings *settings.Service
	Keys     *secret.Layered
	Service  *session.Service
	Network  *network.Policy
	Proxy    *proxy.Proxy
	Updates  *update.Checker
	Models   *models.Lister
	SignIn   *signin.Service
	Engines  []runtime.Factory
	Log      zerolog.Logger
	LogFile  *logging.Log

	slot    *slot.Slot
	access  *access.Access
	dirs    host.Dirs
	data    string // where projects and engines may be kept
	version string
	options catalog.Options
	places  catalog.Places
	device  device.Device

	diagnostics diagnostics
	background  context.Context // ends with Close

	namesMu    sync.Mutex
	nameserver *nameserver.Server // nil until a userland needs it

	toolsMu sync.Mutex
	tools   onboarding.Tools // unknown until somebody has looked
	closers []func()
}

// Options say what the surfaces bring.
type Options struct {
	Version string        // Keva's
	Device  device.Device // the machine; nil: a desktop without notifications
	// Place overrides the setting of where engines come from, for this run; "" = the setting.
	Place plan.Kind
}

// Open builds the core. What can be survived (a folder that can't be written, a damaged database) is told by the notices; an
// error means that nothing can run.
func Open(ctx context.Context, o Options) (*Core, []event.Notice, error) {
	if o.Device == nil {
		o.Device = device.New(nil)
	}
	unshielded := secret.Shield() // before there is anything to protect
	dirs, err := host.Find(os.Getenv)
	if err != nil {
		return nil, nil, err
	}
	c := &Core{
		slot: &slot.Slot{},
		Keys: &secret.Layered{System: o.Device.Keys(), File: secret.NewFile(filepath.Join(dirs.Config, "keys"))},
		dirs: dirs, data: dirs.Data, version: o.Version, device: o.Device,
	}
	notices, err := c.openFolders()
	if err != nil {
		return nil, nil, err
	}
	if unshielded != nil {
		c.Log.Warn().Err(unshielded).Msg("other programs of this user can read Keva's memory")
	}
	var told []event.Notice
	if c.Store, told, err = store.Open(ctx, dirs.Data); err != nil {
		return nil, nil, err
	}
	notices = append(notices, told...)
	c.closers = append(c.closers, func() { _ = c.Store.Close() })
	orphans := catalog.Reclaim(c.data) // the folder is locked: whoever started them is gone
	c.sweepTemp(time.Now())

	find := func(id string) (install.Paths, error) {
		cache, err := install.CacheDir() // a phone has none, and needs none
		if err != nil {
			return install.Paths{}, err
		}
		return install.Find(install.Default(), id, cache)
	}
	c.places = catalog.Places{Data: c.data, Find: find, Chosen: func() plan.Kind {
		if o.Place != "" {
			return o.Place
		}
		return plan.Kind(c.Settings.Get().Userland)
	}}
	c.options = catalog.Options{Find: find, Place: c.places.Place, Road: c.road, StateDir: c.data, Version: o.Version}
	c.Engines = catalog.Factories(c.options)
	var known []settings.Engine
	for _, f := range c.Engines {
		known = append(known, settings.Engine{ID: f.ID(), Kind: catalog.Kind(f.ID())})
	}
	c.Settings, told = settings.Open(ctx, c.Store, known)
	notices = append(notices, told...)
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	c.background = background
	c.closers = append(c.closers, stop)
	told, err = c.openNetwork(background)
	if err != nil {
		return nil, nil, err
	}
	notices = append(notices, told...)
	c.openAccounts(ctx)
	c.access = access.New(access.Options{
		Providers: func() []provider.Provider { return c.Settings.Get().Providers },
		Key:       c.keyOf,
		Kind:      catalog.Kind, Pace: 15 * time.Millisecond, Protect: c.LogFile.Protect, Transport: c.transport,
	})
	c.closers = append(c.closers, c.access.Close)
	c.Service = session.NewService(session.Deps{
		Store: c.Store, Slot: c.slot, Factories: c.Engines, Provider: c.access.Resolve,
		CheckDir: project.Check, Instructions: project.Instructions, Trust: c.trust,
		Clock: now, NewID: newID,
		Log: func(what string, err error) { c.Log.Error().Err(err).Msg(what) },
	})
	for _, n := range notices {
		c.Log.Warn().Str("detail", n.Detail).Msg(n.Text)
	}
	return c, append(notices, c.tellOrphans(ctx, orphans)...), nil
}

// openFolders makes the folders, locks the data and opens the log.
func (c *Core) openFolders() (notices []event.Notice, err error) {
	if err := c.dirs.Make(); err != nil { // engines need a home all the same
		if c.data, err = os.MkdirTemp("", "keva"); err != nil {
			return nil, err
		}
		c.closers = append(c.closers, func() { _ = os.RemoveAll(c.data) })
	} else if lock, err := host.LockData(c.dirs.Data); err == nil {
		c.closers = append(c.closers, func() { _ = lock.Release() })
	} else if held := (*host.HeldError)(nil); errors.As(err, &held) {
		return nil, held.Reason
	}
	c.LogFile, err = logging.Open(c.dirs.State)
	if err != nil {
		notices = append(notices, event.Notice{Level: event.LevelWarning, Text: "Keva keeps its log in memory only.", Detail: err.Error()})
	}
	c.closers = append(c.closers, func() { _ = c.LogFile.Close() })
	c.Log = c.LogFile.Logger(zerolog.InfoLevel)
	return notices, nil
}

// tellOrphans says what was found of an earlier run: in its session, or to everybody.
func (c *Core) tellOrphans(ctx context.Context, orphans []proc.Reclaimed) (notices []event.Notice) {
	for _, o := range orphans {
		c.Log.Info().Str("found", string(o.Found)).Int("pid", o.PID).Ints("ended", o.Ended).Ints("left", o.Left).Str("why", o.Why).Msg("run record")
		n, tell := o.Notice()
		if !tell {
			continue
		}
		// Without a session (it was deleted, or it was a version check) everybody is told.
		if o.Session == "" || c.Service.Tell(ctx, o.Session, n) != nil {
			notices = append(notices, n)
		}
	}
	return notices
}

// trust looks at what a project would run or allow by itself, and what of it the user has agreed to as it is now.
func (c *Core) trust(dir string) ([]trust.Entry, trust.Report) {
	r := trustscan.Scan(dir)
	return trust.Granted(r, c.Settings.Get().Consents), r
}

// Agree keeps the user's consent to what a project would run or allow.
func (c *Core) Agree(ctx context.Context, consent trust.Consent) error {
	return c.Settings.Update(ctx, func(s *settings.Settings) { s.Consents = trust.Put(s.Consents, consent) })
}

// AgreedBefore reports whether an earlier content of the folder was agreed to.
func (c *Core) AgreedBefore(dir string) bool {
	for _, consent := range c.Settings.Get().Consents {
		if consent.Dir == dir {
			return true
		}
	}
	return false
}

// RetryStore tries the disk again after the store has fallen back to memory, and returns what is to be said.
func (c *Core) RetryStore(ctx context.Context) ([]event.Notice, error) {
	told, err := c.Store.Retry(ctx)
	if err == nil { // what is on the disk counts from now on
		told = append(told, c.Settings.Reload(ctx)...)
	}
	return told, err
}

// DemoProject makes the sample project, or finds it as it was left, and returns its folder.
func (c *Core) DemoProject(context.Context) (string, error) {
	dir := filepath.Join(c.data, "projects", "demo")
	if demo.IsProject(dir) {
		return dir, nil
	}
	err := demo.NewProjectWith(c.git(), dir)
	if errors.Is(err, demo.ErrNoGit) { // it works without; only the engines' own git steps don't
		c.Log.Warn().Err(err).Msg("demo project")
		err = nil
	}
	return dir, err
}

// Home is the user's home folder, where engines run: projects are looked for there. "" when there is none.
func (c *Core) Home() string {
	if c.places.Kind() == plan.KindPack {
		return plan.Pack("", c.data).HomeDir()
	}
	home, _ := os.UserHomeDir() // without one, paths are typed in full
	return home
}

// git is the git of the place where engines run.
func (c *Core) git() demo.Git {
	if c.places.Kind() != plan.KindPack {
		return demo.HostGit()
	}
	place, err := c.places.Place()
	if err != nil {
		return demo.Git{} // starting an engine will say what is missing
	}
	p, err := plan.New(plan.Request{Place: place, Program: plan.Program{ID: "git", Label: "git", Binary: filepath.Join(place.Root, "usr", "bin", "git")}})
	if err != nil {
		return demo.Git{}
	}
	return demo.Git{Path: p.Path, Env: p.Env}
}

// Close ends engines first, then what they use.
func (c *Core) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, err := range []error{c.Service.Close(ctx), c.SignIn.Close(ctx, budget.EngineStop.Time)} {
		if err != nil {
			c.Log.Error().Err(err).Msg("close")
		}
	}
	for i := len(c.closers) - 1; i >= 0; i-- {
		c.closers[i]()
	}
}

// newID is a random UUID (RFC 9562, version 4).
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

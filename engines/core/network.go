package core

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/session"
	"keva/engines/catalog"
	"keva/engines/userland/plan"
	"keva/platform/network"
	"keva/platform/network/nameserver"
	"keva/platform/network/proxy"
	"keva/platform/settings"
	"keva/platform/update"
)

// proxySecret is the name in the keyring under which the user name and password of the user's proxy lie, as in an address.
const proxySecret = "network/proxy"

// updateKey is the ed25519 public key (base64) that notices of updates are signed with. Releases set it by -ldflags; without
// one the check refuses every notice.
var updateKey string

// openNetwork makes the policy and what hangs on it.
func (c *Core) openNetwork(ctx context.Context) ([]event.Notice, error) {
	c.openDiagnostics(ctx)
	c.Network = network.New(network.Options{
		Sources: []network.Source{
			network.UserSetting(c.networkSetting), network.System(c.device.Proxy), network.Environment(os.Getenv),
		},
		Online: c.online(), Ledger: network.NewLedger(c.Log, c.diagnostics.failed),
	})
	c.protectNetwork(c.Network.Snapshot())
	var err error
	if c.Proxy, err = proxy.Start(ctx, proxy.Options{Policy: c.Network}); err != nil {
		return nil, err
	}
	c.closers = append(c.closers, c.Proxy.Close)
	var told *event.Notice
	c.Updates, told = update.New(update.Options{
		Policy: c.Network, Version: c.version, State: filepath.Join(c.dirs.State, "update.json"), Log: c.Log,
		Config: func() update.Config { return update.Config{Address: c.Settings.Get().Update, Key: updateKey} },
		Clock:  func() time.Time { return time.Now().UTC() },
	})
	watch, stop := context.WithCancel(ctx)
	c.closers = append(c.closers, stop)
	go c.device.Watch(watch, func() { c.Network.Reload() })
	changes, unsubscribe := c.Network.Subscribe()
	c.closers = append(c.closers, unsubscribe)
	go c.followNetwork(watch, changes)
	if c.Updates.Due() { // an address was set, by the user or whoever built this
		go c.Updates.Check(watch) // the result is kept, and shown on the network page
	}
	if told != nil {
		return []event.Notice{*told}, nil
	}
	return nil, nil
}

// names serves the programs of the userland that insist on DNS. Everything else finds names through the proxy.
func (c *Core) names(root string) {
	c.namesMu.Lock()
	defer c.namesMu.Unlock()
	if c.nameserver == nil {
		n, err := nameserver.Start(c.background, nameserver.Options{Resolver: c.Network.Resolver(), Clock: now})
		if err != nil {
			c.Log.Error().Err(err).Msg("names can't be served to the userland")
			return
		}
		c.nameserver = n
	}
	if err := c.nameserver.Announce(filepath.Join(root, "etc", "resolv.conf")); err != nil {
		c.Log.Error().Err(err).Msg("names can't be served to the userland")
	}
}

// online is what the device says, if it says anything.
func (c *Core) online() func() network.Online {
	if c.device.Online() == network.OnlineUnknown {
		return nil // the interfaces are looked at
	}
	return c.device.Online
}

// networkSetting is the user's part of the policy, with the password that the keyring holds.
func (c *Core) networkSetting() network.Setting {
	n := c.Settings.Get().Network
	s := network.Setting{Mode: network.Mode(n.Mode), Proxy: n.Proxy, NoProxy: n.NoProxy, CABundle: n.CABundle}
	if s.Mode != network.Proxied || s.Proxy == "" {
		return s
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	who, err := c.Keys.Get(ctx, proxySecret)
	if err != nil {
		c.Log.Error().Err(err).Msg("the proxy's password can't be read") // the proxy then refuses, and that is said
	}
	if scheme, rest, ok := strings.Cut(s.Proxy, "://"); ok && who != "" {
		s.Proxy = scheme + "://" + who + "@" + rest
	}
	return s
}

// SetNetwork keeps the user's part of the policy and brings it into use.
func (c *Core) SetNetwork(ctx context.Context, s network.Setting) error {
	who := ""
	if at := strings.LastIndexByte(s.Proxy, '@'); at >= 0 {
		if !strings.Contains(s.Proxy, "://") {
			s.Proxy = "http://" + s.Proxy
		}
		u, err := url.Parse(s.Proxy)
		if err != nil {
			return &event.Error{Class: event.ClassConfig, Message: "This address of a proxy can't be understood. It looks like http://name:password@host:port; characters such as @ in a password are written %40."}
		}
		who = u.User.String()
		c.LogFile.Protect(who)
		if p, ok := u.User.Password(); ok {
			c.LogFile.Protect(p)
		}
		u.User = nil
		s.Proxy = u.String()
	}
	if s.Mode == network.Proxied {
		var err error
		if before := c.Settings.Get().Network; who == "" && before.Proxy == s.Proxy {
			// The address as it is shown, without the password: that stays.
		} else if who == "" {
			err = c.Keys.Delete(ctx, proxySecret)
		} else {
			err = c.Keys.Set(ctx, proxySecret, who)
		}
		if err != nil && who != "" { // without a password to keep, a keyring that does not work is no obstacle
			return err
		}
	}
	err := c.Settings.Update(ctx, func(set *settings.Settings) {
		set.Network = settings.Network{Mode: string(s.Mode), Proxy: s.Proxy, NoProxy: s.NoProxy, CABundle: s.CABundle}
	})
	if err != nil {
		return err
	}
	now, _ := c.Network.Reload()
	if list := now.Problems(); len(list) > 0 {
		return list[0]
	}
	return nil
}

// SetUpdateAddress keeps where the update check asks, "" switches it off.
func (c *Core) SetUpdateAddress(ctx context.Context, address string) error {
	if u, err := url.Parse(address); address != "" && (err != nil || u.Scheme != "https" || u.Host == "") {
		return &event.Error{Class: event.ClassConfig, Message: "The address of updates must begin with https:// and name a server."}
	}
	return c.Settings.Update(ctx, func(s *settings.Settings) { s.Update = address })
}

// protectNetwork keeps a policy's passwords out of the log.
func (c *Core) protectNetwork(s *network.Snapshot) {
	for _, secret := range s.Secrets() {
		c.LogFile.Protect(secret)
	}
}

// followNetwork tells sessions whose engine runs that the network has changed: it keeps the old one until its next launch.
func (c *Core) followNetwork(ctx context.Context, changes <-chan *network.Snapshot) {
	before := c.Network.Snapshot()
	for {
		select {
		case <-ctx.Done():
			return
		case now, ok := <-changes:
			if !ok {
				return
			}
			c.protectNetwork(now)
			n, changed := network.Changed(before, now)
			before = now
			if !changed {
				continue
			}
			c.Log.Info().Uint64("version", now.Version()).Msg("the network policy has changed")
			list, err := c.Service.Sessions(ctx)
			if err != nil {
				c.Log.Error().Err(err).Msg("tell of the network")
			}
			for _, m := range list {
				if m.Badge == session.BadgeRunning || m.Badge == session.BadgeNeedsYou {
					if err := c.Service.Tell(ctx, m.ID, n); err != nil {
						c.Log.Error().Err(err).Msg("tell of the network")
					}
				}
			}
		}
	}
}

// road is one launch's way to the network: Keva's proxy, by a credential of this launch only.
func (c *Core) road(label string) (catalog.Road, error) {
	c.Network.Reload() // what the device says may be newer than what was noticed
	launch, err := c.Proxy.Issue(label)
	if err != nil {
		return catalog.Road{}, err
	}
	for _, secret := range launch.Secrets() {
		c.LogFile.Protect(secret)
	}
	policy := launch.Policy()
	system := ""
	if c.places.Kind() == plan.KindPack { // its programs look nowhere else
		if place, err := c.places.Place(); err == nil {
			system = filepath.Join(place.Root, "etc", "ssl", "certs", "ca-certificates.crt")
			c.names(place.Root)
		}
	}
	bundle, err := policy.Bundle(filepath.Join(c.data, "certificates"), system)
	if err != nil {
		launch.Close()
		return catalog.Road{}, err
	}
	env, err := policy.Env(launch.URL(), bundle)
	if err != nil {
		launch.Close()
		return catalog.Road{}, err
	}
	return catalog.Road{Env: env, Close: launch.Close, Traffic: func(hosts ...string) runtime.Traffic {
		t := launch.Traffic(hosts...)
		return runtime.Traffic{LastIn: t.LastIn, Open: t.Waiting, LastError: t.LastError}
	}}, nil
}

// transport carries the gateway's requests to a provider by the policy. An answer may take as long as a model thinks.
func (c *Core) transport(purpose string) http.RoundTripper {
	return c.Network.Transport(network.Use{Purpose: purpose, Wait: -1})
}

// eventOf is err for people, when it is one of the network's.
func eventOf(err error) error {
	var known interface{ Event() *event.Error }
	if errors.As(err, &known) {
		return known.Event()
	}
	return err
}

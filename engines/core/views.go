package core

import (
	"context"
	"fmt"

	"keva/agent/connection"
	"keva/agent/onboarding"
	"keva/agent/provider"
	"keva/engines/catalog"
	"keva/platform/network"
	"keva/platform/settings"
	"keva/platform/update"
)

// FirstStart serves the first start.
type FirstStart struct{ *Core }

// Facts are what is known of the device.
func (f FirstStart) Facts(ctx context.Context) onboarding.Facts {
	set := f.Settings.Get()
	out := onboarding.Facts{Tools: f.Tools(ctx), Engine: set.Engine}
	list, err := f.Service.Sessions(ctx)
	if out.Sessions = len(list); err != nil {
		out.Sessions = 1 // the list says what is wrong; a first start would not
	}
	if out.Sessions > 0 { // nobody is asked for an account any more, and no keyring for a key
		return out
	}
	// The demo is what a device begins with: nobody has chosen it.
	if p, ok := provider.Find(set.Providers, set.Choice(set.Engine).Provider); ok && p.Key != provider.KeyNone {
		out.Provider, out.Usable = p.ID, f.usable(ctx, p)
	}
	return out
}

// usable reports whether nothing more is needed of the user for a provider. A sign-in makes its provider the chosen one only
// when it is done.
func (f FirstStart) usable(ctx context.Context, p provider.Provider) bool {
	if p.Key != provider.KeyRequired {
		return true
	}
	key, err := f.Keys.Get(ctx, provider.Secret(p.ID))
	return err == nil && key != ""
}

// Agents lists the engines.
func (f FirstStart) Agents() []onboarding.Agent {
	var list []onboarding.Agent
	for _, e := range f.Engines {
		list = append(list, onboarding.Agent{ID: e.ID(), Label: e.Label()})
	}
	return list
}

// Choose makes an engine the one for new sessions.
func (f FirstStart) Choose(engine string) error {
	return f.Settings.Update(context.Background(), func(s *settings.Settings) { s.Engine = engine })
}

// Connection serves the network page.
type Connection struct{ *Core }

// View is the network as it is now.
func (n Connection) View() connection.View {
	now := n.Network.Snapshot()
	set := n.Settings.Get()
	v := connection.View{Version: now.Version(), UpdateAddress: set.Update, Setting: connection.Setting{
		Mode: connection.Mode(set.Network.Mode), Proxy: set.Network.Proxy, NoProxy: set.Network.NoProxy, CABundle: set.Network.CABundle,
	}}
	for _, f := range now.Facts() {
		line := connection.Line{Label: f.Name, Value: f.Value}
		if f.From != network.OriginNone { // nobody said anything
			line.From = f.From.Label()
		}
		v.Policy = append(v.Policy, line)
	}
	for _, p := range now.Problems() {
		v.Problems = append(v.Problems, p.Message)
	}
	for _, s := range n.Network.Ledger().Summaries() {
		v.Purposes = append(v.Purposes, connection.Purpose{
			Name: purposeTitle(s.Purpose), LastAttempt: s.LastAttempt, LastSuccess: s.LastSuccess, Failing: s.Failing,
			Class: classWord(s.LastFailure.Class), Why: s.LastFailure.Message,
		})
	}
	hosts, forgotten := n.Proxy.Hosts()
	for _, h := range hosts {
		v.Hosts = append(v.Hosts, connection.Host{Name: h.Host, Bytes: h.In + h.Out, Last: h.Last})
	}
	if forgotten > 0 {
		v.Hosts = append(v.Hosts, connection.Host{Name: fmt.Sprintf("and %d earlier ones", forgotten)})
	}
	v.Update = updateWords(n.Updates.Result())
	return v
}

// classWord is a class as it stands on a tag.
func classWord(c network.Class) string {
	words := map[network.Class]string{
		network.ClassDNS: "Name", network.ClassConnect: "Connection", network.ClassProxyRefused: "Proxy", network.ClassProxyAuth: "Proxy password",
		network.ClassTLS: "Certificate", network.ClassHTTPStatus: "Answer", network.ClassTimeout: "Timeout",
		network.ClassCaptivePortal: "Sign-in page", network.ClassOffline: "Offline", network.ClassUnsupported: "Unsupported",
		network.ClassConfig: "Settings", network.ClassForbidden: "Forbidden",
	}
	if w := words[c]; w != "" {
		return w
	}
	return "Failed"
}

// updateWords is what is known of updates, in a sentence.
func updateWords(r update.Result) string {
	when := "never asked"
	if !r.LastAttempt.IsZero() {
		when = "asked " + r.LastAttempt.Local().Format("2 Jan 15:04")
	}
	switch r.Kind {
	case update.Off:
		return "Off"
	case update.Current:
		return "This is the newest version · " + when
	case update.Newer:
		return "Version " + r.Version + " is there · " + when
	case update.Unknown:
	}
	if r.Failure == nil {
		return "Not known: " + when
	}
	words := "Not known: " + r.Failure.Sentence() + " · " + when
	if !r.LastSuccess.IsZero() {
		words += " · last success " + r.LastSuccess.Local().Format("2 Jan 15:04")
	}
	return words
}

// Set keeps the user's part of the policy.
func (n Connection) Set(ctx context.Context, s connection.Setting) error {
	return n.SetNetwork(ctx, network.Setting{Mode: network.Mode(s.Mode), Proxy: s.Proxy, NoProxy: s.NoProxy, CABundle: s.CABundle})
}

// CheckUpdate asks now.
func (n Connection) CheckUpdate(ctx context.Context) error {
	if r := n.Updates.Check(ctx); r.Failure != nil {
		return r.Failure.Event()
	}
	return nil
}

// Changes tells when the view may have changed.
func (n Connection) Changes(ctx context.Context) <-chan struct{} {
	policy, stopPolicy := n.Network.Subscribe()
	ledger, stopLedger := n.Network.Ledger().Subscribe()
	hosts, stopHosts := n.Proxy.Subscribe()
	out := make(chan struct{}, 1)
	go func() {
		defer close(out)
		for _, stop := range []func(){stopPolicy, stopLedger, stopHosts} {
			defer stop()
		}
		for {
			select {
			case <-ctx.Done():
				return
			case _, open := <-policy:
				if !open {
					return
				}
			case _, open := <-ledger:
				if !open {
					return
				}
			case _, open := <-hosts:
				if !open {
					return
				}
			}
			select {
			case out <- struct{}{}:
			default:
			}
		}
	}()
	return out
}

// Places lists where engines can come from.
func (c *Core) Places() []catalog.State { return c.places.States() }

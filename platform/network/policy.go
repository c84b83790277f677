// Package network is the one network policy of the process: which proxy, which exceptions, which certificates. The app's
// own requests, the engines' environment and the proxy for engines are readings of one Snapshot (paper §5.5: the fault was
// not in either client, it was in having two).
//
// It must never connect around a proxy that is set (I-17), never let an attempt fail without a trace (I-18), and never log
// a credential, a path or a body.
package network

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"keva/agent/budget"
)

// Resolver finds addresses. *net.Resolver is one; on Android it is the system's.
type Resolver interface {
	LookupIP(ctx context.Context, network, host string) ([]net.IP, error)
	LookupCNAME(ctx context.Context, host string) (string, error)
	LookupMX(ctx context.Context, name string) ([]*net.MX, error)
	LookupTXT(ctx context.Context, name string) ([]string, error)
}

// Online says whether the device has a network at all.
type Online string

// The answers. A device may not tell.
const (
	IsOnline      Online = "online"
	Offline       Online = "offline"
	OnlineUnknown Online = "unknown"
)

// Options say what a policy is made from. All but Sources may be left out.
type Options struct {
	// Sources are asked in order: the user's setting, the device, the environment.
	Sources []Source
	// Dial connects to ip:port; every connection of the policy is made by it.
	Dial     func(ctx context.Context, network, addr string) (net.Conn, error)
	Resolver Resolver
	Online   func() Online
	Ledger   *Ledger
	Clock    func() time.Time
	Connect  time.Duration // how long a connection may take; 0 = budget.NetDial
}

// Policy holds the present snapshot. It is safe for concurrent use.
type Policy struct {
	opt    Options
	reload sync.Mutex // one reload at a time

	mu   sync.Mutex
	now  *Snapshot
	subs subscribers[*Snapshot]
}

// New reads the sources once. A policy that can't work is a snapshot too: it says why, and connects nowhere.
func New(o Options) *Policy {
	if o.Dial == nil {
		o.Dial = (&net.Dialer{KeepAlive: 30 * time.Second}).DialContext
	}
	if o.Resolver == nil {
		o.Resolver = net.DefaultResolver
	}
	if o.Online == nil {
		o.Online = interfaces
	}
	if o.Connect == 0 {
		o.Connect = budget.NetDial.Time
	}
	if o.Ledger == nil {
		o.Ledger = NewLedger(zerolog.Nop(), nil)
	}
	if o.Clock == nil {
		o.Clock = func() time.Time { return time.Now().UTC() }
	}
	p := &Policy{opt: o}
	p.Reload()
	return p
}

// Snapshot is the policy as it is now.
func (p *Policy) Snapshot() *Snapshot {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// Ledger is where all attempts are kept.
func (p *Policy) Ledger() *Ledger { return p.opt.Ledger }

// Resolver is the platform's, for who serves names.
func (p *Policy) Resolver() Resolver { return p.opt.Resolver }

// Reload asks the sources again, and reports whether anything changed. Only then there is a new version, and subscribers
// hear of it.
func (p *Policy) Reload() (*Snapshot, bool) {
	p.reload.Lock()
	defer p.reload.Unlock()
	next := discover(p.opt)
	p.mu.Lock()
	old := p.now
	if old != nil && old.print == next.print {
		p.mu.Unlock()
		return old, false
	}
	next.version = 1
	if old != nil {
		next.version = old.version + 1
	}
	p.now = next
	p.mu.Unlock()
	if old != nil {
		old.transport.CloseIdleConnections()
	}
	p.subs.send(next)
	return next, true
}

// Subscribe returns a channel that gets the newest snapshot after a change, and a function that ends it.
func (p *Policy) Subscribe() (<-chan *Snapshot, func()) { return p.subs.add() }

// Transport carries requests by whatever the policy is at the time of each.
func (p *Policy) Transport(u Use) http.RoundTripper { return carrier{snapshot: p.Snapshot, use: u} }

// Client is an HTTP client over Transport. It refuses to be sent from a protected address to an unprotected one.
func (p *Policy) Client(u Use) *http.Client { return client(carrier{snapshot: p.Snapshot, use: u}) }

// interfaces looks for a network interface that is up and has an address. Android does not let an app look: then it is
// unknown, and the host should say (Options.Online).
func interfaces() Online {
	list, err := net.Interfaces()
	if err != nil {
		return OnlineUnknown
	}
	for _, i := range list {
		if i.Flags&net.FlagUp == 0 || i.Flags&net.FlagLoopback != 0 {
			continue
		}
		addrs, err := i.Addrs()
		if err != nil {
			return OnlineUnknown
		}
		if len(addrs) > 0 {
			return IsOnline
		}
	}
	return Offline
}

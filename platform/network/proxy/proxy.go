// Package proxy is the HTTP proxy on loopback that engines and their tools reach the network through. It finds names with
// the device's resolver and goes on by the network policy, so engines need neither a resolver nor a proxy of their own, and
// one place sees which hosts were contacted and when bytes came last.
//
// Every app on a phone can reach loopback. So it must never listen on anything else, never serve a request without the
// credential of a launch, tell a stranger nothing, and never connect to this device itself. It sees no content of tunnels
// and keeps none of what it sees in plain requests.
package proxy

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/platform/network"
)

// user is the name in every credential: only the token matters.
const user = "keva"

// Options say what the proxy works with.
type Options struct {
	Policy *network.Policy
	Clock  func() time.Time
	// Allow decides about each address that is dialled directly; nil = Public. Tests have their servers on loopback.
	Allow func(netip.Addr) error
	Idle  time.Duration // how long a tunnel may carry nothing; 0 = budget.ProxyIdle
}

// Proxy is a running proxy. Its methods may be called from any goroutine.
type Proxy struct {
	opt   Options
	addr  string
	http  *http.Server
	serve sync.WaitGroup // the accept loop
	carry sync.WaitGroup // tunnels

	mu       sync.Mutex
	launches map[*Launch]bool
	conns    map[net.Conn]bool // strangers: no credential yet
	open     int               // of all launches
	refused  int64
	hosts    hosts
	subs     map[chan struct{}]bool
	closed   bool
}

// Start listens on a free port of 127.0.0.1 until ctx ends or Close is called.
func Start(ctx context.Context, o Options) (*Proxy, error) {
	if o.Clock == nil {
		o.Clock = func() time.Time { return time.Now().UTC() }
	}
	if o.Idle == 0 {
		o.Idle = budget.ProxyIdle.Time
	}
	if o.Allow == nil {
		o.Allow = Public
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, &event.Error{
			Class:   event.ClassNetwork,
			Message: "Keva could not open the engines' way to the network on this device. Restart Keva; if it stays so, restart the device.",
			Detail:  err.Error(),
		}
	}
	p := &Proxy{opt: o, addr: l.Addr().String(), launches: map[*Launch]bool{}, conns: map[net.Conn]bool{}, subs: map[chan struct{}]bool{}}
	p.http = &http.Server{
		Handler:           http.HandlerFunc(p.handle),
		ReadHeaderTimeout: budget.ProxyGreeting.Time,
		IdleTimeout:       budget.NetIdle.Time,
		MaxHeaderBytes:    int(budget.ProxyHeader.Size),
		ConnState:         p.state,
		ConnContext:       func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) },
		// "OPTIONS *" would be answered without a credential.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     log.New(io.Discard, "", 0), // it would quote what strangers send
	}
	p.serve.Go(func() { _ = p.http.Serve(l) }) // ends with Close, and only so
	context.AfterFunc(ctx, p.Close)
	return p, nil
}

// Addr is where it listens.
func (p *Proxy) Addr() string { return p.addr }

// Close ends all launches and waits for their tunnels.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.closed = true
	var all []*Launch
	for l := range p.launches {
		all = append(all, l)
	}
	p.mu.Unlock()
	_ = p.http.Close()
	for _, l := range all {
		l.Close()
	}
	p.serve.Wait()
	p.carry.Wait()
}

type connKey struct{}

// state keeps the number of connections small that have not shown a credential: any app on the device can open them.
func (p *Proxy) state(c net.Conn, s http.ConnState) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch s {
	case http.StateNew:
		if int64(len(p.conns)) >= budget.ProxyStrangers.Size {
			_ = c.Close()
			return
		}
		p.conns[c] = true
	case http.StateClosed, http.StateHijacked:
		delete(p.conns, c)
	case http.StateActive, http.StateIdle:
	}
}

// known is the launch whose credential the request shows, nil for a stranger. All launches are compared, each in constant
// time.
func (p *Proxy) known(r *http.Request) *Launch {
	shown, _ := strings.CutPrefix(r.Header.Get("Proxy-Authorization"), "Basic ")
	raw, err := base64.StdEncoding.DecodeString(shown)
	if err != nil {
		raw = nil
	}
	h := sha256.Sum256(raw)
	p.mu.Lock()
	defer p.mu.Unlock()
	var found *Launch
	for l := range p.launches {
		if subtle.ConstantTimeCompare(h[:], l.hash[:]) == 1 {
			found = l
		}
	}
	return found
}

func (p *Proxy) handle(w http.ResponseWriter, r *http.Request) {
	w.Header()["Date"] = nil
	l := p.known(r)
	if l == nil {
		p.mu.Lock()
		p.refused++
		p.mu.Unlock()
		// Programs that ask first (git) come back with the credential. The rest is the same for everybody.
		w.Header().Set("Proxy-Authenticate", `Basic realm=""`)
		w.Header().Set("Connection", "close")
		w.WriteHeader(http.StatusProxyAuthRequired)
		return
	}
	r.Header.Del("Proxy-Authorization")
	if c, ok := r.Context().Value(connKey{}).(net.Conn); ok { // no stranger any more
		p.mu.Lock()
		delete(p.conns, c)
		p.mu.Unlock()
	}
	done, ok := l.enter()
	if !ok {
		l.refused(r.Host, &network.Failure{Class: network.ClassOther, Host: r.Host, Detail: "too many connections are open"})
		refuse(w, http.StatusServiceUnavailable, "Too many connections are open.")
		return
	}
	defer done()
	if r.Method == http.MethodConnect {
		p.connect(w, r, l)
		return
	}
	p.forward(w, r, l)
}

// refuse answers a known program with the reason.
func refuse(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, "Keva: "+why+"\n")
}

// answer is how a failure looks to the program behind the proxy.
func answer(w http.ResponseWriter, f *network.Failure) {
	status := http.StatusBadGateway
	if f.Class == network.ClassTimeout {
		status = http.StatusGatewayTimeout
	} else if f.Class == network.ClassForbidden {
		status = http.StatusForbidden
	}
	w.Header().Set("X-Keva-Failure", string(f.Class))
	refuse(w, status, f.Sentence())
}

// Public refuses addresses of this device and of its link: a program behind the proxy must not reach other apps' local
// servers with Keva's hands. Addresses of the local network are allowed: a developer's machine is there.
func Public(ip netip.Addr) error {
	ip = ip.Unmap()
	if ip.IsLoopback() || ip.IsUnspecified() || ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip == netip.AddrFrom4([4]byte{255, 255, 255, 255}) {
		return &network.Failure{Class: network.ClassForbidden, Detail: "an address of this device or its link"}
	}
	return nil
}

// target checks a host before anything is done about it: also what a configured proxy would resolve.
func (p *Proxy) target(addr string) *network.Failure {
	host, _, err := net.SplitHostPort(addr)
	if err != nil || host == "" {
		return &network.Failure{Class: network.ClassOther, Host: addr, Detail: "no host and port"}
	}
	name := strings.ToLower(strings.TrimRight(host, "."))
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return &network.Failure{Class: network.ClassForbidden, Host: addr, Detail: "this device"}
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		// Old spellings of addresses (127.1, 0x7f000001) are names to us and addresses to others.
		if last := name[strings.LastIndexByte(name, '.')+1:]; strings.HasPrefix(last, "0x") || strings.Trim(last, "0123456789") == "" {
			return &network.Failure{Class: network.ClassForbidden, Host: addr, Detail: "not a name and not an address"}
		}
		return nil
	}
	if err := p.opt.Allow(ip.WithZone("")); err != nil {
		return &network.Failure{Class: network.ClassForbidden, Host: addr, Detail: err.Error()}
	}
	return nil
}

package network

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"keva/agent/budget"
)

// basic is the value of Proxy-Authorization for u, "" without credentials.
func basic(u *url.URL) string {
	if u.User == nil {
		return ""
	}
	password, _ := u.User.Password()
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password))
}

// dial connects to addr (host:port) directly. Names are looked up by the policy's resolver; allow, when not nil, is asked
// about each address before it is dialled.
func (s *Snapshot) dial(ctx context.Context, addr string, allow func(netip.Addr) error) (net.Conn, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	var ips []netip.Addr
	if ip, err := netip.ParseAddr(host); err == nil {
		ips = []netip.Addr{ip}
	} else {
		found, err := s.opt.Resolver.LookupIP(ctx, "ip", host)
		if err != nil {
			return nil, err
		}
		for _, raw := range found {
			if ip, ok := netip.AddrFromSlice(raw); ok {
				ips = append(ips, ip.Unmap())
			}
		}
		if len(ips) == 0 {
			return nil, &net.DNSError{Err: "no address", Name: host, IsNotFound: true}
		}
	}
	var targets []string
	for _, ip := range ips {
		if allow != nil {
			if err := allow(ip); err != nil {
				return nil, err // one forbidden address spoils a name: it is not ours to pick the others
			}
		}
		targets = append(targets, net.JoinHostPort(ip.String(), port))
	}
	return race(ctx, targets, s.opt.Dial)
}

// race dials the targets in order, the next one when the one before failed or is slow: an IPv6 address may lead nowhere.
func race(ctx context.Context, targets []string, dial func(context.Context, string, string) (net.Conn, error)) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		conn net.Conn
		err  error
	}
	results := make(chan result, len(targets))
	next, running := 0, 0
	start := func() {
		target := targets[next]
		next++
		running++
		go func() {
			c, err := dial(ctx, "tcp", target)
			results <- result{c, err}
		}()
	}
	start()
	slow := time.NewTimer(budget.NetFallback.Time)
	defer slow.Stop()
	var first error
	for running > 0 {
		select {
		case r := <-results:
			running--
			if r.err == nil {
				cancel()
				go func(n int) { // late winners are not needed
					for range n {
						if r := <-results; r.err == nil {
							_ = r.conn.Close()
						}
					}
				}(running)
				return r.conn, nil
			}
			if first == nil {
				first = r.err
			}
			if next < len(targets) && ctx.Err() == nil {
				start()
			}
		case <-slow.C:
			if next < len(targets) {
				start()
				slow.Reset(budget.NetFallback.Time)
			}
		}
	}
	return nil, first
}

// Dial opens a tunnel to addr (host:port) as the policy says for https: directly, or by CONNECT through the proxy. allow
// is asked about each address of the target where Keva itself looks it up. The attempt is kept in the ledger; errors are
// *Failure. What the peer sends at once is not lost.
func (s *Snapshot) Dial(ctx context.Context, purpose, addr string, allow func(netip.Addr) error) (net.Conn, error) {
	l, begin := s.opt.Ledger, s.opt.Clock()
	l.begin(purpose, begin)
	ctx, cancel := context.WithTimeout(ctx, s.opt.Connect)
	defer cancel()
	proxy, err := s.ProxyFor(&url.URL{Scheme: "https", Host: addr})
	a := attempt{host: addr, proxy: proxy, connect: true}
	record := Attempt{At: begin, Purpose: purpose, Host: addr, Policy: s.version}
	var conn net.Conn
	switch {
	case err != nil:
	case proxy == nil:
		conn, err = s.dial(ctx, addr, allow)
	default:
		record.Via = proxy.Host
		conn, err = s.tunnel(ctx, proxy, addr)
	}
	if err != nil {
		f := a.failure(err, s.opt.Online)
		l.finish(record, s.opt.Clock(), f)
		return nil, f
	}
	l.finish(record, s.opt.Clock(), nil)
	return conn, nil
}

// Refused keeps an attempt that was not made.
func (s *Snapshot) Refused(purpose string, f *Failure) {
	now := s.opt.Clock()
	s.opt.Ledger.finish(Attempt{At: now, Purpose: purpose, Host: f.Host, Policy: s.version}, now, f)
}

// Lost keeps that a tunnel from Dial was cut after it was open: an attempt that looked well and was not.
func (s *Snapshot) Lost(purpose, addr string, began time.Time, detail string) *Failure {
	f := &Failure{Class: ClassConnect, Host: addr, Detail: detail}
	proxy, err := s.ProxyFor(&url.URL{Scheme: "https", Host: addr})
	if err == nil && proxy != nil {
		f.Class, f.Via = ClassProxyRefused, proxy.Host
	}
	s.opt.Ledger.finish(Attempt{At: began, Purpose: purpose, Host: addr, Policy: s.version}, s.opt.Clock(), f)
	return f
}

// tunnel asks proxy for a connection to addr.
func (s *Snapshot) tunnel(ctx context.Context, proxy *url.URL, addr string) (net.Conn, error) {
	conn, err := s.dial(ctx, proxy.Host, nil)
	if err != nil {
		return nil, err
	}
	// The whole exchange ends with ctx, whatever blocks in it.
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	fail := func(err error) (net.Conn, error) {
		if !stop() && ctx.Err() != nil {
			err = errors.Join(ctx.Err(), err)
		}
		_ = conn.Close()
		return nil, err
	}
	if proxy.Scheme == "https" {
		c := tls.Client(conn, &tls.Config{ServerName: proxy.Hostname(), RootCAs: s.roots, NextProtos: []string{"http/1.1"}})
		if err := c.HandshakeContext(ctx); err != nil {
			return fail(err)
		}
		conn = c
	}
	r := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: addr}, Host: addr, Header: http.Header{}}
	if v := basic(proxy); v != "" {
		r.Header.Set("Proxy-Authorization", v)
	}
	if err := r.Write(conn); err != nil {
		return fail(err)
	}
	limited := &io.LimitedReader{R: conn, N: budget.ProxyHeader.Size}
	br := bufio.NewReader(limited)
	resp, err := http.ReadResponse(br, r)
	if err != nil {
		return fail(err)
	}
	if f := refusal(resp, proxy, addr); f != nil {
		return fail(f)
	}
	if !stop() {
		return fail(context.Cause(ctx))
	}
	if n := br.Buffered(); n > 0 {
		early := make([]byte, n)
		if _, err := io.ReadFull(br, early); err != nil {
			return fail(err)
		}
		return &leading{Conn: conn, early: early}, nil
	}
	return conn, nil
}

// refusal is what a proxy's answer to CONNECT means, nil when the way is open.
func refusal(resp *http.Response, proxy *url.URL, addr string) *Failure {
	f := &Failure{Host: addr, Via: proxy.Host, Status: resp.StatusCode, Detail: "the proxy answered CONNECT with " + http.StatusText(resp.StatusCode)}
	switch {
	case resp.StatusCode/100 == 2:
		return nil
	case resp.StatusCode == http.StatusProxyAuthRequired:
		f.Class = ClassProxyAuth
	case resp.StatusCode == http.StatusNetworkAuthenticationRequired:
		f.Class = ClassCaptivePortal
	default:
		f.Class = ClassProxyRefused
	}
	return f
}

// leading gives first what was read too early.
type leading struct {
	net.Conn
	early []byte
}

func (c *leading) Read(p []byte) (int, error) {
	if len(c.early) > 0 {
		n := copy(p, c.early)
		c.early = c.early[n:]
		return n, nil
	}
	return c.Conn.Read(p)
}

// CloseWrite ends our half where the connection has halves.
func (c *leading) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return c.Conn.Close()
}

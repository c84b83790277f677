package network

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"keva/agent/budget"
)

// Use says what requests are for.
type Use struct {
	Purpose string // for the ledger and the screen: a fixed word, never an address
	// Wait is how long the header of an answer may take; 0 = budget.NetAnswer, negative = for ever.
	Wait time.Duration
	// HTML is set where a page is a good answer. Elsewhere one means that a network's sign-in page answered.
	HTML bool
	// Allow is asked about each address that Keva dials directly; nil allows all.
	Allow func(netip.Addr) error
}

type allowKey struct{}

// Client is an HTTP client over Transport. It refuses to be sent from a protected address to an unprotected one.
func (s *Snapshot) Client(u Use) *http.Client {
	return client(carrier{snapshot: func() *Snapshot { return s }, use: u})
}

// Transport carries requests by this snapshot.
func (s *Snapshot) Transport(u Use) http.RoundTripper {
	return carrier{snapshot: func() *Snapshot { return s }, use: u}
}

func client(c carrier) *http.Client {
	c.follows = true
	return &http.Client{Transport: c, CheckRedirect: func(next *http.Request, via []*http.Request) error {
		if len(via) >= 5 {
			return c.refuse(next, &Failure{Class: ClassOther, Detail: "too many redirects"})
		}
		if next.URL.Scheme != "https" && via[len(via)-1].URL.Scheme == "https" {
			return c.refuse(next, &Failure{
				Class: ClassTLS, Detail: "redirected to an address without protection",
				said: via[0].URL.Host + " sends on to an address without protection, so it was not followed. Check the address.",
			})
		}
		return nil
	}}
}

// newTransport is made once for each snapshot, so that connections are kept.
func (s *Snapshot) newTransport() *http.Transport {
	return &http.Transport{
		Proxy: func(r *http.Request) (*url.URL, error) { return s.ProxyFor(r.URL) },
		DialContext: func(ctx context.Context, _, addr string) (net.Conn, error) {
			ctx, cancel := context.WithTimeout(ctx, s.opt.Connect)
			defer cancel()
			allow, _ := ctx.Value(allowKey{}).(func(netip.Addr) error)
			return s.dial(ctx, addr, allow)
		},
		OnProxyConnectResponse: func(_ context.Context, proxy *url.URL, r *http.Request, resp *http.Response) error {
			if f := refusal(resp, proxy, r.Host); f != nil {
				return f
			}
			return nil
		},
		TLSClientConfig:        &tls.Config{RootCAs: s.roots},
		TLSHandshakeTimeout:    s.opt.Connect,
		IdleConnTimeout:        budget.NetIdle.Time,
		MaxIdleConnsPerHost:    8,
		MaxResponseHeaderBytes: budget.ProxyHeader.Size,
		ForceAttemptHTTP2:      true,
	}
}

// carrier is a RoundTripper that keeps every attempt.
type carrier struct {
	snapshot func() *Snapshot
	use      Use
	follows  bool // redirects are followed: one is no answer yet
}

// refuse keeps an attempt that was not made: a redirect that is not followed.
func (c carrier) refuse(r *http.Request, f *Failure) error {
	f.Host = address(r.URL)
	c.snapshot().Refused(c.use.Purpose, f)
	return f
}

// address is host:port of u.
func address(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = "443"
		if s := strings.ToLower(u.Scheme); s == "http" || s == "ws" {
			port = "80"
		}
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// RoundTrip implements http.RoundTripper. Errors are *Failure. The attempt is a success once the body was read or closed.
func (c carrier) RoundTrip(r *http.Request) (*http.Response, error) {
	s := c.snapshot()
	begin := s.opt.Clock()
	s.opt.Ledger.begin(c.use.Purpose, begin)
	ctx, cancel := context.WithCancelCause(r.Context())
	wait := c.use.Wait
	if wait == 0 {
		wait = budget.NetAnswer.Time
	}
	var late *time.Timer
	if wait > 0 {
		late = time.AfterFunc(wait, func() { cancel(context.DeadlineExceeded) })
	}
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	a := attempt{host: address(r.URL)}
	var err error
	a.proxy, err = s.ProxyFor(r.URL)
	if c.use.Allow != nil && a.proxy == nil { // the address of a proxy is the user's choice
		ctx = context.WithValue(ctx, allowKey{}, c.use.Allow)
	}
	e := &ending{s: s, a: a, record: Attempt{At: begin, Purpose: c.use.Purpose, Host: a.host, Policy: s.version}, cancel: cancel, ctx: ctx}
	if a.proxy != nil {
		e.record.Via = a.proxy.Host
	}
	var resp *http.Response
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // a RoundTripper must
		}
	} else {
		resp, err = s.transport.RoundTrip(r.WithContext(ctx))
	}
	if late != nil && !late.Stop() && err == nil { // it came at the last moment; its body would be cut
		err = context.DeadlineExceeded
		_ = resp.Body.Close()
	}
	if err != nil {
		e.a.connect = !connected.Load()
		return nil, e.fail(err)
	}
	if f := c.judge(r, resp, a); f != nil {
		if f.Class != ClassHTTPStatus {
			_ = resp.Body.Close()
			return nil, e.fail(f)
		}
		_ = e.fail(f) // the caller gets the answer all the same
	}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		e.done(nil)
		return resp, nil // its body is a connection; the context lives as long as the request's
	}
	if c.follows && followed(r, resp) {
		e.once.Do(func() {}) // the next request tells how it went
	}
	resp.Body = &watched{ReadCloser: resp.Body, e: e}
	return resp, nil
}

// followed reports whether an http.Client goes on by itself.
func followed(r *http.Request, resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther:
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		if r.Body != nil && r.GetBody == nil {
			return false
		}
	default:
		return false
	}
	return resp.Header.Get("Location") != ""
}

// judge looks at the header of an answer; nil when it is good.
func (c carrier) judge(r *http.Request, resp *http.Response, a attempt) *Failure {
	f := &Failure{Host: a.host, Status: resp.StatusCode, Detail: http.StatusText(resp.StatusCode)}
	if a.proxy != nil {
		f.Via = a.proxy.Host
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case resp.StatusCode == http.StatusProxyAuthRequired && a.proxy != nil && r.URL.Scheme == "http":
		f.Class = ClassProxyAuth
	case resp.StatusCode == http.StatusNetworkAuthenticationRequired:
		f.Class = ClassCaptivePortal
	case resp.StatusCode >= 400:
		f.Class = ClassHTTPStatus
	case c.follows && followed(r, resp):
		if _, err := resp.Location(); err == nil {
			return nil
		}
		f.Class, f.Detail = ClassOther, "redirected to what is no address"
	case resp.StatusCode/100 == 2 && kind == "text/html" && !c.use.HTML && r.Method != http.MethodHead:
		f.Class, f.Detail = ClassCaptivePortal, "a page came instead of data"
	default:
		return nil
	}
	return f
}

// ending finishes an attempt once.
type ending struct {
	s      *Snapshot
	a      attempt
	record Attempt
	ctx    context.Context
	cancel context.CancelCauseFunc
	once   sync.Once
}

func (e *ending) done(f *Failure) {
	e.once.Do(func() { e.s.opt.Ledger.finish(e.record, e.s.opt.Clock(), f) })
}

func (e *ending) fail(err error) *Failure {
	if cause := context.Cause(e.ctx); errors.Is(cause, context.DeadlineExceeded) && errors.Is(err, context.Canceled) {
		err = cause // the wait was over, nobody cancelled
	}
	f := e.a.failure(err, e.s.opt.Online)
	e.done(f)
	e.cancel(nil)
	return f
}

// watched is a body whose end is the end of the attempt.
type watched struct {
	io.ReadCloser
	e *ending
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	switch {
	case err == nil:
	case err == io.EOF:
		w.e.done(nil)
		w.e.cancel(nil)
	default:
		err = w.e.fail(err)
	}
	return n, err
}

func (w *watched) Close() error {
	err := w.ReadCloser.Close()
	w.e.done(nil) // what was read was good
	w.e.cancel(nil)
	return err
}

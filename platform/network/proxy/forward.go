package proxy

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"

	"keva/platform/network"
)

// forward serves a request for an http:// address.
func (p *Proxy) forward(w http.ResponseWriter, r *http.Request, l *Launch) {
	if r.URL.Scheme != "http" || r.URL.Host == "" {
		refuse(w, http.StatusBadRequest, "This is a proxy: it takes http:// addresses in full, and CONNECT for all others.")
		return
	}
	host := r.URL.Host
	if r.URL.Port() == "" {
		host = net.JoinHostPort(r.URL.Hostname(), "80")
	}
	if f := p.target(host); f != nil {
		l.refused(host, f)
		answer(w, f)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	fl := &flow{l: l, host: host, cut: cancel, lastOut: p.opt.Clock()}
	if !l.began(fl) {
		refuse(w, http.StatusServiceUnavailable, "The engine has ended.")
		return
	}
	defer l.ended(fl)
	rp := &httputil.ReverseProxy{
		Rewrite: func(pr *httputil.ProxyRequest) {
			pr.Out.Host = r.Host
			if pr.Out.Body != nil {
				pr.Out.Body = &counter{pr.Out.Body, fl, false}
			}
		},
		Transport:     l.policy.Transport(network.Use{Purpose: l.purpose(), Wait: -1, HTML: true, Allow: p.opt.Allow}),
		FlushInterval: -1, // server-sent events must not wait for a buffer
		ModifyResponse: func(resp *http.Response) error {
			l.tried(host, nil)
			if both, ok := resp.Body.(io.ReadWriteCloser); ok { // a connection: an upgrade
				resp.Body = &upgraded{both, fl}
			} else {
				resp.Body = &counter{resp.Body, fl, true}
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			var f *network.Failure
			if !errors.As(err, &f) {
				f = &network.Failure{Class: network.ClassOther, Host: host, Detail: err.Error()}
			}
			l.tried(host, f)
			answer(w, f)
		},
		ErrorLog: log.New(io.Discard, "", 0), // what it would say is in the ledger
	}
	rp.ServeHTTP(w, r.WithContext(ctx))
}

type counter struct {
	io.ReadCloser
	f  *flow
	in bool
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.ReadCloser.Read(b)
	if n > 0 {
		c.f.passed(c.in, n)
	}
	return n, err
}

// upgraded counts both directions of what was a request before.
type upgraded struct {
	io.ReadWriteCloser
	f *flow
}

func (u *upgraded) Read(b []byte) (int, error) {
	n, err := u.ReadWriteCloser.Read(b)
	if n > 0 {
		u.f.passed(true, n)
	}
	return n, err
}

func (u *upgraded) Write(b []byte) (int, error) {
	n, err := u.ReadWriteCloser.Write(b)
	if n > 0 {
		u.f.passed(false, n)
	}
	return n, err
}

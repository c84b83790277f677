// Package gateway stands on loopback between an engine and its model provider. The engine, and every command that it runs,
// holds only a token of this launch; the real key is put in here and never leaves Keva's own memory. What passes through is
// counted, so that "receiving" and "the provider is silent" can be told apart.
//
// It must never listen on anything but loopback, never log a key or a body, and never answer a stranger with more than a
// refusal.
package gateway

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"keva/agent/event"
)

// Options says where requests go.
type Options struct {
	Upstream *url.URL // scheme, host and path prefix of the provider
	// Credential puts the provider's key into the headers of a request on its way out. The engine's token is gone then.
	Credential func(http.Header)
	Transport  http.RoundTripper // nil: http.DefaultTransport
	Clock      func() time.Time
}

// Traffic is what has passed so far. Times are zero when nothing has.
type Traffic struct {
	In, Out   int64     // bytes from and to the provider, bodies only
	LastIn    time.Time // last byte from the provider
	LastOut   time.Time // last request to the provider
	Open      int       // requests under way
	Refused   int64     // requests with a wrong token
	LastError string    // why the provider could not be reached, "" when it last could
}

// Gateway is a running gateway. Its methods may be called from any goroutine.
type Gateway struct {
	opt   Options
	token string
	hash  [sha256.Size]byte
	addr  string
	http  *http.Server
	wait  sync.WaitGroup

	in, out, refused atomic.Int64
	lastIn, lastOut  atomic.Int64 // Unix nanoseconds
	open             atomic.Int64
	mu               sync.Mutex
	lastError        string
}

// Start serves on a free loopback port until ctx ends or Close is called.
func Start(ctx context.Context, opt Options) (*Gateway, error) {
	if opt.Transport == nil {
		opt.Transport = http.DefaultTransport
	}
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	if opt.Credential == nil {
		opt.Credential = func(http.Header) {}
	}
	secret := make([]byte, 24)
	if _, err := rand.Read(secret); err != nil {
		return nil, err
	}
	g := &Gateway{opt: opt, token: "keva-" + hex.EncodeToString(secret)}
	g.hash = sha256.Sum256([]byte(g.token))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, &event.Error{
			Class:   event.ClassNetwork,
			Message: "Keva could not open its connection to the model provider on this device. Restart Keva; if it stays, restart the device.",
			Detail:  err.Error(),
		}
	}
	g.addr = l.Addr().String()
	proxy := &httputil.ReverseProxy{
		Rewrite:        g.rewrite,
		Transport:      counting{g},
		FlushInterval:  -1, // server-sent events must not wait for a buffer
		ErrorHandler:   g.failed,
		ModifyResponse: func(*http.Response) error { g.note(""); return nil },
		ErrorLog:       log.New(io.Discard, "", 0), // what it would say is in failed
	}
	g.http = &http.Server{
		Handler:           g.guard(proxy),
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ErrorLog:          log.New(io.Discard, "", 0),
	}
	g.wait.Go(func() { _ = g.http.Serve(l) }) // ends with Close, and only so
	context.AfterFunc(ctx, g.Close)
	return g, nil
}

// BaseURL is what the engine is given as the provider's address.
func (g *Gateway) BaseURL() string { return "http://" + g.addr }

// Token is what the engine is given as its key.
func (g *Gateway) Token() string { return g.token }

// Close ends all connections and waits for the listener.
func (g *Gateway) Close() {
	_ = g.http.Close()
	g.wait.Wait()
}

// Traffic tells what has passed.
func (g *Gateway) Traffic() Traffic {
	g.mu.Lock()
	defer g.mu.Unlock()
	return Traffic{
		In: g.in.Load(), Out: g.out.Load(), LastIn: when(&g.lastIn), LastOut: when(&g.lastOut),
		Open: int(g.open.Load()), Refused: g.refused.Load(), LastError: g.lastError,
	}
}

func when(ns *atomic.Int64) time.Time {
	if n := ns.Load(); n != 0 {
		return time.Unix(0, n).UTC()
	}
	return time.Time{}
}

// guard lets in who shows the token; anybody else on the device learns nothing.
func (g *Gateway) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown := r.Header.Get("X-Api-Key")
		if shown == "" {
			shown, _ = strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		}
		h := sha256.Sum256([]byte(shown))
		if subtle.ConstantTimeCompare(h[:], g.hash[:]) != 1 {
			if r.Method == http.MethodHead { // the CLI's probe carries no credential; it needs to hear that somebody is there
				w.WriteHeader(http.StatusOK)
				return
			}
			g.refused.Add(1)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		g.open.Add(1)
		defer g.open.Add(-1)
		next.ServeHTTP(w, r)
	})
}

func (g *Gateway) rewrite(r *httputil.ProxyRequest) {
	r.SetURL(g.opt.Upstream)
	r.Out.Host = g.opt.Upstream.Host
	r.Out.Header.Del("X-Api-Key")
	r.Out.Header.Del("Authorization")
	g.opt.Credential(r.Out.Header)
	g.lastOut.Store(g.opt.Clock().UnixNano())
	if r.Out.Body != nil {
		r.Out.Body = &counter{ReadCloser: r.Out.Body, g: g, n: &g.out, last: &g.lastOut}
	}
}

// failed answers for a provider that could not be reached, in the words of a gateway and with the cause.
func (g *Gateway) failed(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil && errors.Is(err, context.Canceled) {
		return // the engine hung up
	}
	g.note(err.Error())
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadGateway)
	_, _ = io.WriteString(w, `{"type":"error","error":{"type":"api_error","message":"Keva could not reach the model provider."}}`)
}

func (g *Gateway) note(err string) {
	g.mu.Lock()
	g.lastError = err
	g.mu.Unlock()
}

// counting counts what comes back.
type counting struct{ g *Gateway }

func (c counting) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.g.opt.Transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	c.g.lastIn.Store(c.g.opt.Clock().UnixNano())
	resp.Body = &counter{ReadCloser: resp.Body, g: c.g, n: &c.g.in, last: &c.g.lastIn}
	return resp, nil
}

type counter struct {
	io.ReadCloser
	g    *Gateway
	n    *atomic.Int64
	last *atomic.Int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if n > 0 {
		c.n.Add(int64(n))
		c.last.Store(c.g.opt.Clock().UnixNano())
	}
	return n, err
}

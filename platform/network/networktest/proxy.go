package networktest

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// Kind is how a proxy behaves.
type Kind string

// The kinds.
const (
	Open         Kind = "open"
	Auth         Kind = "auth"         // wants User and Password
	WrongAuth    Kind = "wrong auth"   // is told others
	Refusing     Kind = "refusing"     // forbids everything
	Unreachable  Kind = "unreachable"  // nobody listens
	Slow         Kind = "slow"         // takes connections and never answers
	Cutting      Kind = "cutting"      // connects, and cuts after the first bytes
	Intercepting Kind = "intercepting" // opens TLS with certificates of its own authority
	TLS          Kind = "tls"          // is itself spoken to by TLS
)

// Kinds are all of them.
var Kinds = []Kind{Open, Auth, WrongAuth, Refusing, Unreachable, Slow, Cutting, Intercepting, TLS}

// Credentials that an Auth proxy wants. The password has what must be escaped.
const (
	User     = "worker"
	Password = "p@ss:w/rd%1"
)

// Works reports whether requests get through.
func (k Kind) Works() bool { return k == Open || k == Auth || k == Intercepting || k == TLS }

// Proxy is a proxy of somebody else.
type Proxy struct {
	Kind Kind
	Addr string // where it listens
	URL  string // as a user would write it, with credentials

	w    *World
	ca   *CA
	l    net.Listener
	wait sync.WaitGroup

	mu      sync.Mutex
	targets []string
	conns   map[net.Conn]bool
	closed  bool
}

// NewProxy starts a proxy of a world. ca signs what an intercepting one shows, and the certificate of one that is spoken to
// by TLS. It ends with the test.
func NewProxy(t testing.TB, w *World, kind Kind, ca *CA) *Proxy {
	t.Helper()
	if kind == Unreachable {
		addr := deaf(t)
		return &Proxy{Kind: kind, Addr: addr, URL: "http://" + addr, w: w, ca: ca, conns: map[net.Conn]bool{}}
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{Kind: kind, Addr: l.Addr().String(), w: w, ca: ca, l: l, conns: map[net.Conn]bool{}}
	u := &url.URL{Scheme: "http", Host: p.Addr}
	switch kind {
	case Auth:
		u.User = url.UserPassword(User, Password)
	case WrongAuth:
		u.User = url.UserPassword(User, "wrong-password")
	case TLS:
		u.Scheme = "https"
		p.l = tls.NewListener(l, ca.Server("127.0.0.1"))
	case Open, Refusing, Unreachable, Slow, Cutting, Intercepting:
	}
	p.URL = u.String()
	p.wait.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

// deaf is an address at which nobody listens as long as the test runs: the port is taken, so that no other test gets it.
func deaf(t testing.TB) string {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("127.0.0.1:%d", name.(*unix.SockaddrInet4).Port)
}

func (p *Proxy) close() {
	_ = p.l.Close()
	p.mu.Lock()
	p.closed = true
	for c := range p.conns {
		_ = c.Close()
	}
	p.mu.Unlock()
	p.wait.Wait()
}

// Targets are what it was asked for: host:port of CONNECT, addresses of plain requests.
func (p *Proxy) Targets() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.targets)
}

// keep remembers a connection, to end it with the test; false when that is over.
func (p *Proxy) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		_ = c.Close()
		return false
	}
	p.conns[c] = true
	return true
}

func (p *Proxy) accept() {
	for {
		c, err := p.l.Accept()
		if err != nil {
			return
		}
		if !p.keep(c) {
			return
		}
		p.wait.Go(func() {
			p.serve(c)
			_ = c.Close()
		})
	}
}

func (p *Proxy) serve(c net.Conn) {
	if p.Kind == Slow {
		_, _ = io.Copy(io.Discard, c)
		return
	}
	br := bufio.NewReader(c)
	for {
		r, err := http.ReadRequest(br)
		if err != nil {
			return
		}
		p.mu.Lock()
		p.targets = append(p.targets, r.RequestURI)
		p.mu.Unlock()
		want := "Basic " + base64.StdEncoding.EncodeToString([]byte(User+":"+Password))
		switch {
		case p.Kind == Refusing:
			say(c, r, http.StatusForbidden, "")
			return
		case (p.Kind == Auth || p.Kind == WrongAuth) && r.Header.Get("Proxy-Authorization") != want:
			say(c, r, http.StatusProxyAuthRequired, `Basic realm="corp"`)
			return
		case r.Method == http.MethodConnect:
			p.connect(c, br, r)
			return
		}
		if !p.plain(c, r) {
			return
		}
	}
}

func say(c net.Conn, r *http.Request, status int, authenticate string) {
	resp := &http.Response{StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Request: r, Header: http.Header{}, Close: true, ContentLength: 0}
	if authenticate != "" {
		resp.Header.Set("Proxy-Authenticate", authenticate)
	}
	_ = resp.Write(c)
}

func (p *Proxy) connect(c net.Conn, br *bufio.Reader, r *http.Request) {
	up, err := p.w.Reach(r.RequestURI)
	if err != nil {
		say(c, r, http.StatusBadGateway, "")
		return
	}
	if !p.keep(up) {
		return
	}
	defer up.Close()
	_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
	switch p.Kind {
	case Cutting:
		first := make([]byte, 5)
		_, _ = io.ReadFull(br, first)
		return
	case Intercepting:
		host, _, _ := net.SplitHostPort(r.RequestURI)
		inner := tls.Server(&prefixed{c, br}, p.ca.Server(host))
		// The other side has certificates of its own; an interceptor trusts it.
		outer := tls.Client(up, &tls.Config{ServerName: host, InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
		relay(inner, outer)
	case Open, Auth, WrongAuth, Refusing, Unreachable, Slow, TLS:
		relay(&prefixed{c, br}, up)
	}
}

// plain forwards one request; false when the connection must end.
func (p *Proxy) plain(c net.Conn, r *http.Request) bool {
	addr := r.URL.Host
	if r.URL.Port() == "" {
		addr = net.JoinHostPort(r.URL.Hostname(), "80")
	}
	up, err := p.w.Reach(addr)
	if err != nil {
		say(c, r, http.StatusBadGateway, "")
		return false
	}
	defer up.Close()
	if p.Kind == Cutting {
		return false
	}
	r.Header.Del("Proxy-Authorization")
	r.Header.Set("Connection", "close")
	if r.Write(up) != nil {
		return false
	}
	_, _ = io.Copy(c, up)
	return false
}

// prefixed reads through a buffer that may already hold something.
type prefixed struct {
	net.Conn
	r *bufio.Reader
}

func (p *prefixed) Read(b []byte) (int, error) { return p.r.Read(b) }

func (p *prefixed) CloseWrite() error {
	if half, ok := p.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return p.Conn.Close()
}

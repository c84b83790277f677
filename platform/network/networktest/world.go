// Package networktest makes networks on loopback for tests: names that exist nowhere else, a dialler that writes down
// whatever is dialled, and proxies that behave in every way that proxies do. It is for tests only.
package networktest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
)

// World is a network. Its names resolve to addresses that are reserved for documentation (RFC 5737), which lead to
// listeners on loopback only through its own dialler. It implements network.Resolver.
type World struct {
	mu     sync.Mutex
	names  map[string]string // name: documentation address
	doors  map[string]string // documentation address:port: real address
	dials  []string          // as asked: documentation or loopback address:port
	lookup []string

	MX  map[string][]*net.MX
	TXT map[string][]string
	V6  map[string][]net.IP
	C   map[string]string
}

// New returns an empty world.
func New() *World {
	return &World{names: map[string]string{}, doors: map[string]string{}, MX: map[string][]*net.MX{}, TXT: map[string][]string{}, V6: map[string][]net.IP{}, C: map[string]string{}}
}

// Add makes host:port of the world lead to the real address.
func (w *World) Add(name, port, real string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ip := w.names[name]
	if ip == "" {
		ip = fmt.Sprintf("203.0.113.%d", len(w.names)+1)
		w.names[name] = ip
	}
	w.doors[net.JoinHostPort(ip, port)] = real
}

// IP is the documentation address of a name.
func (w *World) IP(name string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.names[name]
}

// Dial is the dialler of the app under test: it writes down what is dialled. Loopback is dialled as it is.
func (w *World) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	w.mu.Lock()
	w.dials = append(w.dials, addr)
	real, ok := w.doors[addr]
	w.mu.Unlock()
	if !ok {
		if !strings.HasPrefix(addr, "127.") {
			return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("no such place in this world: " + addr)}
		}
		real = addr
	}
	var d net.Dialer
	return d.DialContext(ctx, network, real)
}

// Reach is how others in the world, proxies, connect; nothing is written down. addr is name:port or address:port.
func (w *World) Reach(addr string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	if ip := w.names[host]; ip != "" {
		host = ip
	}
	real, ok := w.doors[net.JoinHostPort(host, port)]
	w.mu.Unlock()
	if !ok {
		return nil, errors.New("no such place in this world: " + addr)
	}
	return net.Dial("tcp", real)
}

// Dials are the addresses that were dialled so far.
func (w *World) Dials() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.dials)
}

// OnlyDialled fails the test when anything but the allowed addresses was dialled.
func (w *World) OnlyDialled(t *testing.T, allowed ...string) {
	t.Helper()
	for _, d := range w.Dials() {
		if !slices.Contains(allowed, d) {
			t.Errorf("dialled direct: %s, allowed is only %v", d, allowed)
		}
	}
}

// Lookups are the names that were asked for.
func (w *World) Lookups() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.lookup)
}

func missing(name string) error {
	return &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
}

// LookupIP implements network.Resolver.
func (w *World) LookupIP(_ context.Context, network, host string) ([]net.IP, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	w.lookup = append(w.lookup, network+" "+host)
	if host == "broken.test" {
		return nil, &net.DNSError{Err: "server misbehaving", Name: host, IsTemporary: true}
	}
	var list []net.IP
	if ip := w.names[host]; ip != "" && network != "ip6" {
		list = append(list, net.ParseIP(ip))
	}
	if network != "ip4" {
		list = append(list, w.V6[host]...)
	}
	if len(list) == 0 {
		return nil, missing(host)
	}
	return list, nil
}

// LookupCNAME implements network.Resolver.
func (w *World) LookupCNAME(_ context.Context, host string) (string, error) {
	if c := w.C[host]; c != "" {
		return c, nil
	}
	if w.IP(host) != "" {
		return host + ".", nil
	}
	return "", missing(host)
}

// LookupMX implements network.Resolver.
func (w *World) LookupMX(_ context.Context, name string) ([]*net.MX, error) {
	if list := w.MX[name]; list != nil {
		return list, nil
	}
	return nil, missing(name)
}

// LookupTXT implements network.Resolver.
func (w *World) LookupTXT(_ context.Context, name string) ([]string, error) {
	if list := w.TXT[name]; list != nil {
		return list, nil
	}
	return nil, missing(name)
}

// relay copies both ways until both have ended.
func relay(a, b io.ReadWriteCloser) {
	var both sync.WaitGroup
	pipe := func(dst, src io.ReadWriteCloser) {
		_, err := io.Copy(dst, src)
		if half, ok := dst.(interface{ CloseWrite() error }); ok && err == nil {
			_ = half.CloseWrite()
		} else {
			_ = dst.Close()
		}
	}
	both.Go(func() { pipe(a, b) })
	both.Go(func() { pipe(b, a) })
	both.Wait()
	_, _ = a.Close(), b.Close()
}

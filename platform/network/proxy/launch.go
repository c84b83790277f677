package proxy

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"sync"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/platform/network"
)

// Launch is one start of an engine: its credential, its policy, and what it has sent and received.
type Launch struct {
	p      *Proxy
	label  string
	token  string
	hash   [sha256.Size]byte
	policy *network.Snapshot

	mu      sync.Mutex // after Proxy.mu, never before it
	closed  bool
	tunnels map[*flow]bool
	traffic map[string]*Traffic // by host, as long as the launch lives
}

// Issue makes a credential for one launch, under the policy as it is now. label is what people know the engine by
// (its name, not a session's: attempts are filed under it).
func (p *Proxy) Issue(label string) (*Launch, error) {
	secret := make([]byte, 24)
	_, _ = rand.Read(secret) // never fails
	l := &Launch{p: p, label: label, token: hex.EncodeToString(secret), policy: p.opt.Policy.Snapshot(), tunnels: map[*flow]bool{}, traffic: map[string]*Traffic{}}
	l.hash = sha256.Sum256([]byte(user + ":" + l.token))
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, &event.Error{Class: event.ClassNetwork, Message: "Keva is closing its way to the network. Start Keva again."}
	}
	p.launches[l] = true
	return l, nil
}

// URL is the proxy's address with the credential: a secret, for one engine's environment.
func (l *Launch) URL() string {
	return (&url.URL{Scheme: "http", User: url.UserPassword(user, l.token), Host: l.p.addr}).String()
}

// String names the launch without its credential: a launch that is printed by accident must not tell it.
func (l *Launch) String() string { return "launch of " + l.label }

// Secrets are the forms of the credential, for the log to strike out.
func (l *Launch) Secrets() []string {
	return []string{l.token, base64.StdEncoding.EncodeToString([]byte(user + ":" + l.token))}
}

// Policy is what the launch was started under.
func (l *Launch) Policy() *network.Snapshot { return l.policy }

// Close makes the credential worthless and cuts what it has open.
func (l *Launch) Close() {
	l.p.mu.Lock()
	delete(l.p.launches, l)
	l.p.mu.Unlock()
	l.mu.Lock()
	l.closed = true
	var open []*flow
	for f := range l.tunnels {
		open = append(open, f)
	}
	l.mu.Unlock()
	for _, f := range open {
		f.cut()
	}
}

// enter counts a connection in; false when there are too many.
func (l *Launch) enter() (func(), bool) {
	p := l.p
	p.mu.Lock()
	defer p.mu.Unlock()
	if int64(p.open) >= budget.ProxyTunnels.Size || p.closed {
		return nil, false
	}
	p.open++
	return func() {
		p.mu.Lock()
		p.open--
		p.mu.Unlock()
	}, true
}

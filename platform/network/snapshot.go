package network

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"keva/agent/event"
)

// Loopback is what is never sent to a proxy: it would reach the proxy's own machine.
const Loopback = "localhost,127.0.0.1,::1"

// way is how addresses of one scheme are reached.
type way struct {
	proxy *url.URL // nil = direct
	err   *Failure // it is not known, or it can't work
}

// text is the way with credentials: for a fingerprint, not for people.
func (w way) text() string {
	switch {
	case w.err != nil:
		return "error: " + w.err.Sentence() + w.err.Detail
	case w.proxy != nil:
		return w.proxy.String()
	}
	return ""
}

// Snapshot is a policy at one moment. It never changes and is safe for concurrent use.
type Snapshot struct {
	version     uint64
	http, https way
	noProxy     string
	caBundle    string
	origin      Origin // of the proxies
	caOrigin    Origin
	problems    []*event.Error
	print       string // equal prints are equal policies

	choose    func(*url.URL) (*url.URL, error)
	roots     *x509.CertPool // nil = the system's
	extra     []byte         // PEM of caBundle
	transport *http.Transport
	opt       Options
}

// discover asks the sources.
func discover(o Options) *Snapshot {
	s := &Snapshot{opt: o, origin: OriginNone, caOrigin: OriginNone}
	decided := false
	for _, src := range o.Sources {
		c, err := src.Read()
		if err != nil {
			if !decided {
				s.block(src.Origin(), err)
				decided = true
			}
			continue
		}
		if c.CABundle != "" && s.caBundle == "" {
			s.trust(c.CABundle, src.Origin())
		}
		if !decided && c.Mode != Unsaid {
			s.decide(c, src.Origin())
			decided = true
		}
	}
	s.noProxy = strings.Trim(s.noProxy+","+Loopback, ",")
	s.choose = s.chooser()
	s.transport = s.newTransport()
	h := sha256.New()
	fmt.Fprintf(h, "%q|%q|%q|%q|%v|%v|%q|%x", s.http.text(), s.https.text(), s.noProxy, s.caBundle, s.origin, s.caOrigin, s.problemTexts(), sha256.Sum256(s.extra))
	s.print = hex.EncodeToString(h.Sum(nil))
	return s
}

// block closes both ways: it is not known whether there is a proxy, so going direct could be going around it.
func (s *Snapshot) block(from Origin, err error) {
	f := &Failure{Class: ClassConfig, Detail: err.Error(), cause: err, said: "Keva could not find out whether " + from.Label() +
		" asks for a proxy, so nothing is sent. Try again; if it stays so, choose a mode in Settings."}
	var e *event.Error
	if errors.As(err, &e) {
		f.said, f.Detail = e.Message, e.Detail
	}
	s.origin, s.http.err, s.https.err = from, f, f
	s.problems = append(s.problems, f.Event())
}

func (s *Snapshot) decide(c Config, from Origin) {
	s.origin = from
	switch {
	case c.Mode == Direct:
		return
	case c.Mode != Proxied:
		s.block(from, fmt.Errorf("unknown mode %q", c.Mode))
		return
	case c.PAC != "":
		f := unsupported(from, "proxy scripts (PAC)")
		s.http.err, s.https.err = f, f
		s.problems = append(s.problems, f.Event())
	default:
		parse := func(text string) (w way) {
			if text != "" {
				w.proxy, w.err = parseProxy(text, from)
			}
			return w
		}
		s.http, s.https = parse(c.HTTP), parse(c.HTTPS)
		for _, f := range []*Failure{s.https.err, s.http.err} {
			if f != nil && (len(s.problems) == 0 || s.problems[len(s.problems)-1].Message != f.Sentence()) {
				s.problems = append(s.problems, f.Event())
			}
		}
	}
	var told []*event.Error
	s.noProxy, told = parseNoProxy(c.NoProxy, from)
	s.problems = append(s.problems, told...)
}

// chooser reads NO_PROXY as golang.org/x/net/http/httpproxy does. A way that can't work gets a stand-in, to tell what is
// excepted from it.
func (s *Snapshot) chooser() func(*url.URL) (*url.URL, error) {
	const nowhere = "http://unusable.invalid:1"
	text := func(w way) string {
		if w.err != nil {
			return nowhere
		}
		return w.text()
	}
	of := (&httpproxy.Config{HTTPProxy: text(s.http), HTTPSProxy: text(s.https), NoProxy: s.noProxy}).ProxyFunc()
	return func(u *url.URL) (*url.URL, error) {
		w := s.https
		ask := *u
		switch strings.ToLower(u.Scheme) {
		case "https", "wss":
			ask.Scheme = "https"
		case "http", "ws":
			ask.Scheme, w = "http", s.http
		default:
			return nil, &Failure{Class: ClassOther, Detail: "scheme " + u.Scheme}
		}
		p, err := of(&ask)
		switch {
		case err != nil:
			return nil, err
		case p == nil:
			return nil, nil
		case w.err != nil:
			return nil, w.err
		}
		return w.proxy, nil
	}
}

// ProxyFor is the proxy through which u is reached, with its credentials; nil = direct. A *Failure means that u must not be
// reached at all while the policy is as it is.
func (s *Snapshot) ProxyFor(u *url.URL) (*url.URL, error) { return s.choose(u) }

// Version counts the policies of this run of Keva, from 1.
func (s *Snapshot) Version() uint64 { return s.version }

// NoProxy is the effective list, loopback included.
func (s *Snapshot) NoProxy() string { return s.noProxy }

// Problems are what was found wrong. Proxies that can't work close their scheme; the others only say so.
func (s *Snapshot) Problems() []*event.Error { return append([]*event.Error(nil), s.problems...) }

func (s *Snapshot) problemTexts() (list []string) {
	for _, p := range s.problems {
		list = append(list, p.Message)
	}
	return list
}

// Secrets are the credentials in the policy, for the log to strike out.
func (s *Snapshot) Secrets() []string {
	return append(secrets(s.http.proxy), secrets(s.https.proxy)...)
}

// String is the policy without credentials: one that is printed by accident must not tell them.
func (s *Snapshot) String() string {
	list := []string{fmt.Sprintf("policy %d", s.version)}
	for _, f := range s.Facts() {
		list = append(list, f.Name+": "+f.Value+" ("+string(f.From)+")")
	}
	return strings.Join(list, "; ")
}

// Fact is one line of the policy for people.
type Fact struct {
	Name, Value string
	From        Origin
}

// Facts says what the policy is and where each part came from, without credentials.
func (s *Snapshot) Facts() []Fact {
	show := func(w way) string {
		switch {
		case w.err != nil:
			return "unusable"
		case w.proxy == nil:
			return "direct"
		case w.proxy.User != nil:
			return w.proxy.Scheme + "://" + w.proxy.Host + " (with a user name)"
		}
		return w.proxy.Scheme + "://" + w.proxy.Host
	}
	list := []Fact{
		{"Proxy for https", show(s.https), s.origin},
		{"Proxy for http", show(s.http), s.origin},
		{"Without a proxy", s.noProxy, s.origin},
	}
	if s.caBundle != "" {
		list = append(list, Fact{"Extra certificates", s.caBundle, s.caOrigin})
	}
	return list
}

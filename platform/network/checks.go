package network

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"strings"

	"keva/agent/doctor"
)

// DoctorPurpose is what the attempts of the checks are filed under in the ledger.
const DoctorPurpose = "doctor"

// Checks are what the doctor looks at: the policy, names, the proxy, and a trusted connection to each of hosts (names
// without a port), which are the providers in use. They go through the policy like everything else, and are kept in the
// ledger.
func (p *Policy) Checks(hosts ...string) []doctor.Check {
	const group = "Network"
	checks := []doctor.Check{
		{ID: "network.policy", Group: group, Title: "Network settings", Run: func(context.Context) []doctor.Finding { return p.checkPolicy() }},
		{ID: "network.online", Group: group, Title: "Network", Run: func(context.Context) []doctor.Finding { return p.checkOnline() }},
	}
	for _, h := range hosts {
		checks = append(
			checks,
			doctor.Check{ID: "network.dns." + h, Group: group, Title: "Name of " + h, Run: func(ctx context.Context) []doctor.Finding { return p.checkName(ctx, h) }},
			doctor.Check{ID: "network.tls." + h, Group: group, Title: "Connection to " + h, Run: func(ctx context.Context) []doctor.Finding { return p.checkConnection(ctx, h) }},
		)
	}
	return checks
}

func (p *Policy) checkPolicy() []doctor.Finding {
	s := p.Snapshot()
	found := doctor.Finding{State: doctor.OK, Says: "No proxy: connections are direct.", Detail: s.String()}
	if s.https.proxy != nil || s.http.proxy != nil {
		found.Says = "A proxy is used, as " + s.origin.Label() + " says."
	}
	if s.https.err != nil || s.http.err != nil {
		found.State, found.Says, found.Remedy = doctor.Failed, "The proxy setting can't work, so nothing is sent.", "Correct the proxy in "+s.origin.Label()+"."
	}
	list := []doctor.Finding{found}
	for _, e := range s.problems {
		list = append(list, doctor.Finding{State: doctor.Warning, Says: e.Message, Detail: e.Detail})
	}
	return list
}

func (p *Policy) checkOnline() []doctor.Finding {
	switch p.opt.Online() {
	case IsOnline:
		return []doctor.Finding{{State: doctor.OK, Says: "The device is connected to a network."}}
	case Offline:
		return []doctor.Finding{{State: doctor.Failed, Says: "The device has no network.", Remedy: "Connect it to a network. The demo works without."}}
	case OnlineUnknown:
	}
	return []doctor.Finding{{State: doctor.Unknown, Says: "The device does not tell whether it is connected to a network."}}
}

func (p *Policy) checkName(ctx context.Context, host string) []doctor.Finding {
	proxy, err := p.Snapshot().ProxyFor(&url.URL{Scheme: "https", Host: host})
	switch {
	case err != nil:
		return []doctor.Finding{{State: doctor.Unknown, Says: "It was not looked up: the proxy setting can't work."}}
	case proxy != nil:
		return []doctor.Finding{{State: doctor.Absent, Says: "The proxy looks it up."}}
	}
	ips, err := p.opt.Resolver.LookupIP(ctx, "ip", host)
	if err != nil {
		f := attempt{host: host}.failure(err, p.opt.Online)
		return []doctor.Finding{{State: doctor.Failed, Says: f.Sentence(), Detail: string(f.Class) + ": " + f.Detail}}
	}
	var list []string
	for _, ip := range ips {
		list = append(list, ip.String())
	}
	return []doctor.Finding{{State: doctor.OK, Says: "It was found.", Detail: strings.Join(list, ", ")}}
}

func (p *Policy) checkConnection(ctx context.Context, host string) []doctor.Finding {
	s := p.Snapshot()
	addr := net.JoinHostPort(host, "443")
	began := s.opt.Clock()
	conn, err := s.Dial(ctx, DoctorPurpose, addr, nil)
	var f *Failure
	if err == nil {
		defer conn.Close()
		c := tls.Client(conn, &tls.Config{ServerName: host, RootCAs: s.roots})
		if err = c.HandshakeContext(ctx); err == nil {
			return []doctor.Finding{{State: doctor.OK, Says: "It can be reached, and the connection is trusted.", Detail: issuer(c)}}
		}
		proxy, _ := s.ProxyFor(&url.URL{Scheme: "https", Host: addr}) // it was asked just now
		f = attempt{host: addr, proxy: proxy}.failure(err, s.opt.Online)
		s.opt.Ledger.finish(Attempt{At: began, Purpose: DoctorPurpose, Host: addr, Policy: s.version}, s.opt.Clock(), f)
	} else if !errors.As(err, &f) {
		f = attempt{host: addr}.failure(err, s.opt.Online)
	}
	state := doctor.Failed
	if f.Class == ClassCancelled {
		state = doctor.Unknown
	}
	return []doctor.Finding{{State: state, Says: f.Sentence(), Detail: string(f.Class) + ": " + f.Detail}}
}

// issuer says who vouches for the other side: behind an intercepting proxy it is the proxy's authority.
func issuer(c *tls.Conn) string {
	chains := c.ConnectionState().VerifiedChains
	if len(chains) == 0 || len(chains[0]) == 0 {
		return ""
	}
	return "vouched for by " + chains[0][len(chains[0])-1].Subject.String()
}

package nameserver

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"keva/agent/budget"
)

type key struct {
	name string // lower case, with the final dot
	kind dnsmessage.Type
}

type cached struct {
	answers []dnsmessage.Resource
	code    dnsmessage.RCode
	at      time.Time
	until   time.Time
}

// resolve answers q from the cache or by the resolver. A name that exists without such a record is success without answers.
func (s *Server) resolve(q dnsmessage.Question) ([]dnsmessage.Resource, dnsmessage.RCode) {
	k := key{strings.ToLower(q.Name.String()), q.Type}
	now := s.opt.Clock()
	s.mu.Lock()
	c, ok := s.cache[k]
	s.mu.Unlock()
	if !ok || !now.Before(c.until) {
		ctx, cancel := context.WithTimeout(s.ctx, budget.NamesAnswer.Time)
		defer cancel()
		c = s.ask(ctx, q.Type, k.name)
		c.at = now
		if c.code == dnsmessage.RCodeServerFailure || c.code == dnsmessage.RCodeNotImplemented {
			return nil, c.code // not known is not kept
		}
		c.until = now.Add(budget.NamesKeep.Time)
		if len(c.answers) == 0 {
			c.until = now.Add(budget.NamesKeepMissing.Time)
		}
		s.keep(k, c, now)
	}
	left := uint32(max(1, c.until.Sub(now)/time.Second))
	out := make([]dnsmessage.Resource, len(c.answers))
	for i, a := range c.answers {
		a.Header.TTL = left
		if strings.EqualFold(a.Header.Name.String(), q.Name.String()) {
			a.Header.Name = q.Name // in the letters of the question: some check that
		}
		out[i] = a
	}
	return out, c.code
}

func (s *Server) keep(k key, c cached, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if int64(len(s.cache)) >= budget.NamesCache.Size {
		var oldest key
		first := true
		for k, c := range s.cache {
			if !now.Before(c.until) {
				delete(s.cache, k)
				continue
			}
			if first || c.at.Before(s.cache[oldest].at) {
				oldest, first = k, false
			}
		}
		if int64(len(s.cache)) >= budget.NamesCache.Size {
			delete(s.cache, oldest)
		}
	}
	s.cache[k] = c
}

// ask asks the device's resolver.
func (s *Server) ask(ctx context.Context, kind dnsmessage.Type, name string) (c cached) {
	r := s.opt.Resolver
	host := strings.TrimSuffix(name, ".")
	if host == "" || strings.ContainsRune(host, 0) {
		c.code = dnsmessage.RCodeNameError
		return c
	}
	add := func(owner string, t dnsmessage.Type, body dnsmessage.ResourceBody) {
		if n, err := dnsmessage.NewName(owner); err == nil {
			c.answers = append(c.answers, dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: n, Type: t, Class: dnsmessage.ClassINET}, Body: body})
		}
	}
	var err error
	switch kind {
	case dnsmessage.TypeA, dnsmessage.TypeAAAA:
		network := map[dnsmessage.Type]string{dnsmessage.TypeA: "ip4", dnsmessage.TypeAAAA: "ip6"}[kind]
		var ips []net.IP
		if ips, err = r.LookupIP(ctx, network, host); err == nil {
			for _, ip := range ips {
				if v4 := ip.To4(); v4 != nil && kind == dnsmessage.TypeA {
					add(name, kind, &dnsmessage.AResource{A: [4]byte(v4)})
				} else if v4 == nil && len(ip) == 16 && kind == dnsmessage.TypeAAAA {
					add(name, kind, &dnsmessage.AAAAResource{AAAA: [16]byte(ip)})
				}
			}
		}
	case dnsmessage.TypeCNAME:
		var target string
		if target, err = r.LookupCNAME(ctx, host); err == nil && !strings.EqualFold(dotted(target), name) {
			if n, bad := dnsmessage.NewName(dotted(target)); bad == nil {
				add(name, kind, &dnsmessage.CNAMEResource{CNAME: n})
			}
		}
	case dnsmessage.TypeMX:
		var list []*net.MX
		if list, err = r.LookupMX(ctx, host); err == nil || len(list) > 0 {
			for _, mx := range list {
				if n, bad := dnsmessage.NewName(dotted(mx.Host)); bad == nil {
					add(name, kind, &dnsmessage.MXResource{Pref: mx.Pref, MX: n})
				}
			}
		}
	case dnsmessage.TypeTXT:
		var list []string
		if list, err = r.LookupTXT(ctx, host); err == nil {
			for _, text := range list {
				add(name, kind, &dnsmessage.TXTResource{TXT: pieces(text)})
			}
		}
	default:
		c.code = dnsmessage.RCodeNotImplemented
		return c
	}
	if err == nil || len(c.answers) > 0 {
		return c
	}
	c.code = dnsmessage.RCodeServerFailure
	var missing *net.DNSError
	if errors.As(err, &missing) && missing.IsNotFound {
		c.code = dnsmessage.RCodeNameError
		// The resolver says the same for a missing name and a missing record.
		if s.exists(ctx, host) {
			c.code = dnsmessage.RCodeSuccess
		}
	}
	return c
}

// exists reports whether the name has any address.
func (s *Server) exists(ctx context.Context, host string) bool {
	ips, err := s.opt.Resolver.LookupIP(ctx, "ip", host)
	return err == nil && len(ips) > 0
}

func dotted(name string) string { return strings.TrimSuffix(name, ".") + "." }

// pieces cuts a text into what fits into one string of a TXT record.
func pieces(text string) (list []string) {
	for len(text) > 255 {
		list, text = append(list, text[:255]), text[255:]
	}
	return append(list, text)
}

package nameserver

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"keva/agent/budget"
	"keva/agent/event"
	nt "keva/platform/network/networktest"
)

func world() *nt.World {
	w := nt.New()
	w.Add("a.keva.test", "80", "")
	w.V6["a.keva.test"] = []net.IP{net.ParseIP("2001:db8::7")}
	w.Add("v4.keva.test", "80", "")
	w.C["www.keva.test"] = "a.keva.test."
	w.MX["keva.test"] = []*net.MX{{Host: "mail.keva.test.", Pref: 10}, {Host: "mail2.keva.test.", Pref: 20}}
	w.TXT["keva.test"] = []string{"v=one", strings.Repeat("long ", 100)}
	w.TXT["huge.keva.test"] = []string{strings.Repeat("x", 3000)}
	return w
}

func start(t *testing.T, o Options) *Server {
	t.Helper()
	s, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// dig asks by Go's own resolver, which tries UDP, then TCP for a cut answer.
func dig(s *Server) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, network, s.Addr())
	}}
}

// A program with a resolver of its own gets what the device's resolver says, of every kind.
func TestRealResolverReadsIt(t *testing.T) {
	w := world()
	r := dig(start(t, Options{Resolver: w}))
	ctx := t.Context()
	ips, err := r.LookupIP(ctx, "ip", "a.keva.test.")
	if err != nil || len(ips) != 2 {
		t.Error(ips, err)
	}
	if ips, err := r.LookupIP(ctx, "ip4", "A.Keva.Test."); err != nil || len(ips) != 1 || ips[0].String() != w.IP("a.keva.test") {
		t.Error(ips, err)
	}
	mx, err := r.LookupMX(ctx, "keva.test.")
	if err != nil || len(mx) != 2 || mx[0].Host != "mail.keva.test." || mx[0].Pref != 10 {
		t.Error(mx, err)
	}
	txt, err := r.LookupTXT(ctx, "keva.test.")
	if err != nil || !slices.Contains(txt, "v=one") || !slices.Contains(txt, strings.Repeat("long ", 100)) {
		t.Error(txt, err)
	}
	// 3,000 bytes fit into no UDP answer: it says so, and the second try is by TCP.
	if txt, err := r.LookupTXT(ctx, "huge.keva.test."); err != nil || len(txt) != 1 || len(txt[0]) != 3000 {
		t.Error(len(txt), err)
	}
	var dns *net.DNSError
	if _, err := r.LookupIP(ctx, "ip4", "nowhere.keva.test."); !errors.As(err, &dns) || !dns.IsNotFound {
		t.Error(err)
	}
	if _, err := r.LookupIP(ctx, "ip4", "broken.test."); !errors.As(err, &dns) || dns.IsNotFound {
		t.Error("a resolver that fails is no proof that there is nothing:", err)
	}
}

func question(name string, kind dnsmessage.Type) dnsmessage.Question {
	return dnsmessage.Question{Name: dnsmessage.MustNewName(name), Type: kind, Class: dnsmessage.ClassINET}
}

func packet(t testing.TB, edns int, qs ...dnsmessage.Question) []byte {
	t.Helper()
	m := dnsmessage.Message{Header: dnsmessage.Header{ID: 77, RecursionDesired: true}, Questions: qs}
	if edns > 0 {
		var h dnsmessage.ResourceHeader
		if err := h.SetEDNS0(edns, dnsmessage.RCodeSuccess, false); err != nil {
			t.Fatal(err)
		}
		m.Additionals = append(m.Additionals, dnsmessage.Resource{Header: h, Body: &dnsmessage.OPTResource{}})
	}
	out, err := m.Pack()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func read(t *testing.T, b []byte) dnsmessage.Message {
	t.Helper()
	var m dnsmessage.Message
	if err := m.Unpack(b); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAnswers(t *testing.T) {
	s := start(t, Options{Resolver: world()})
	for _, c := range []struct {
		name    string
		q       dnsmessage.Question
		code    dnsmessage.RCode
		answers int
	}{
		{"address", question("a.keva.test.", dnsmessage.TypeA), dnsmessage.RCodeSuccess, 1},
		{"IPv6", question("a.keva.test.", dnsmessage.TypeAAAA), dnsmessage.RCodeSuccess, 1},
		{"the name is there, the record is not", question("v4.keva.test.", dnsmessage.TypeAAAA), dnsmessage.RCodeSuccess, 0},
		{"no mail", question("a.keva.test.", dnsmessage.TypeMX), dnsmessage.RCodeSuccess, 0},
		{"no name", question("nowhere.keva.test.", dnsmessage.TypeA), dnsmessage.RCodeNameError, 0},
		{"no name, mail", question("nowhere.keva.test.", dnsmessage.TypeMX), dnsmessage.RCodeNameError, 0},
		{"alias", question("www.keva.test.", dnsmessage.TypeCNAME), dnsmessage.RCodeSuccess, 1},
		{"no alias", question("a.keva.test.", dnsmessage.TypeCNAME), dnsmessage.RCodeSuccess, 0},
		{"failure", question("broken.test.", dnsmessage.TypeA), dnsmessage.RCodeServerFailure, 0},
		{"another kind", question("a.keva.test.", dnsmessage.TypeSRV), dnsmessage.RCodeNotImplemented, 0},
		{"the root", question(".", dnsmessage.TypeA), dnsmessage.RCodeNameError, 0},
		{"another class", dnsmessage.Question{Name: dnsmessage.MustNewName("a.keva.test."), Type: dnsmessage.TypeA, Class: dnsmessage.ClassCHAOS}, dnsmessage.RCodeRefused, 0},
	} {
		m := read(t, s.answer(packet(t, 0, c.q), true))
		if m.RCode != c.code || len(m.Answers) != c.answers || m.ID != 77 || !m.Response || !m.RecursionAvailable || len(m.Questions) != 1 {
			t.Errorf("%s: %+v", c.name, m)
		}
	}
	// The letters of the question come back as they were.
	if m := read(t, s.answer(packet(t, 0, question("A.kEva.test.", dnsmessage.TypeA)), true)); m.Answers[0].Header.Name.String() != "A.kEva.test." {
		t.Error(m.Answers)
	}
}

// What is too long for UDP says so; how long it may be is the asker's word, up to a bound.
func TestSizes(t *testing.T) {
	w := world()
	w.TXT["mid.keva.test"] = []string{strings.Repeat("y", 900)}
	s := start(t, Options{Resolver: w})
	for _, c := range []struct {
		edns int
		udp  bool
		name string
		cut  bool
	}{
		{0, true, "mid.keva.test.", true},
		{0, false, "mid.keva.test.", false},
		{4096, true, "mid.keva.test.", false},
		{600, true, "mid.keva.test.", true},
		{1, true, "v4.keva.test.", false},
		{65535, true, "huge.keva.test.", true},
		{0, false, "huge.keva.test.", false},
	} {
		reply := s.answer(packet(t, c.edns, question(c.name, dnsmessage.TypeTXT)), c.udp)
		m := read(t, reply)
		if m.Truncated != c.cut || c.cut != (len(m.Answers) == 0) && c.name != "v4.keva.test." {
			t.Errorf("%+v: cut %v, %d answers", c, m.Truncated, len(m.Answers))
		}
		if limit := max(512, min(c.edns, maxUDP)); c.udp && len(reply) > limit {
			t.Errorf("%+v: %d bytes", c, len(reply))
		}
		if (len(m.Additionals) == 1) != (c.edns > 0) {
			t.Errorf("%+v: %v", c, m.Additionals)
		}
	}
}

func TestMalformed(t *testing.T) {
	s := start(t, Options{Resolver: world()})
	good := packet(t, 0, question("a.keva.test.", dnsmessage.TypeA))
	answer := append([]byte(nil), good...)
	answer[2] |= 0x80
	for name, b := range map[string][]byte{"nothing": {}, "short": good[:7], "an answer": answer} {
		if reply := s.answer(b, true); reply != nil {
			t.Errorf("%s: %x", name, reply)
		}
	}
	update := append([]byte(nil), good...)
	update[2] |= 5 << 3
	two := packet(t, 0, question("a.keva.test.", dnsmessage.TypeA), question("v4.keva.test.", dnsmessage.TypeA))
	for name, c := range map[string]struct {
		b    []byte
		code dnsmessage.RCode
	}{
		"no question": {packet(t, 0), dnsmessage.RCodeFormatError}, "two questions": {two, dnsmessage.RCodeFormatError},
		"torn question": {good[:len(good)-3], dnsmessage.RCodeFormatError}, "an update": {update, dnsmessage.RCodeNotImplemented},
	} {
		if m := read(t, s.answer(c.b, true)); m.RCode != c.code || len(m.Answers) > 0 {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

// counted is a resolver that counts questions.
type counted struct {
	*nt.World
	n atomic.Int64
}

func (c *counted) LookupIP(ctx context.Context, network, host string) ([]net.IP, error) {
	c.n.Add(1)
	return c.World.LookupIP(ctx, network, host)
}

// Answers are kept for their time and no longer, absence for a shorter one, failures not at all; and the cache is bounded.
func TestCache(t *testing.T) {
	now := time.Unix(1000, 0)
	r := &counted{World: world()}
	s := start(t, Options{Resolver: r, Clock: func() time.Time { return now }})
	ask := func(name string) dnsmessage.Message {
		return read(t, s.answer(packet(t, 0, question(name, dnsmessage.TypeA)), true))
	}
	asked := func(want int64, what string) {
		t.Helper()
		if got := r.n.Swap(0); got != want {
			t.Errorf("%s: the resolver was asked %d times", what, got)
		}
	}
	if ttl := ask("a.keva.test.").Answers[0].Header.TTL; ttl != 60 {
		t.Error(ttl)
	}
	asked(1, "first")
	now = now.Add(50 * time.Second)
	if ttl := ask("A.keva.test.").Answers[0].Header.TTL; ttl != 10 {
		t.Error("an old answer is told as fresh:", ttl)
	}
	asked(0, "kept")
	now = now.Add(10 * time.Second)
	ask("a.keva.test.")
	asked(1, "over")
	ask("nowhere.keva.test.")
	r.n.Store(0)
	now = now.Add(9 * time.Second)
	ask("nowhere.keva.test.")
	asked(0, "absence is kept")
	now = now.Add(time.Second)
	ask("nowhere.keva.test.")
	if r.n.Swap(0) == 0 {
		t.Error("absence is kept for too long")
	}
	ask("broken.test.")
	ask("broken.test.")
	asked(2, "failures are not kept")
	for i := range int(budget.NamesCache.Size) + 50 {
		s.keep(key{string(rune(i)), dnsmessage.TypeA}, cached{until: now.Add(time.Minute), at: now}, now)
	}
	if int64(len(s.cache)) > budget.NamesCache.Size {
		t.Error(len(s.cache))
	}
}

// Many programs at once, on both ways, and several questions on one connection.
func TestManyAtOnce(t *testing.T) {
	s := start(t, Options{Resolver: world()})
	if host, _, err := net.SplitHostPort(s.Addr()); err != nil || host != "127.0.0.1" {
		t.Fatal(s.Addr())
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			c, err := net.Dial("tcp", s.Addr())
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			_ = c.SetDeadline(time.Now().Add(20 * time.Second))
			for range 5 {
				q := packet(t, 0, question("a.keva.test.", dnsmessage.TypeA))
				if _, err := c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(q))), q...)); err != nil {
					t.Error(err)
					return
				}
				var size [2]byte
				if _, err := io.ReadFull(c, size[:]); err != nil {
					t.Error(err)
					return
				}
				reply := make([]byte, binary.BigEndian.Uint16(size[:]))
				if _, err := io.ReadFull(c, reply); err != nil {
					t.Error(err)
					return
				}
				var m dnsmessage.Message
				if err := m.Unpack(reply); err != nil || len(m.Answers) != 1 {
					t.Error(err, m)
				}
			}
		})
	}
	all.Wait()
	s.Close()
	if c, err := net.Dial("tcp", s.Addr()); err == nil {
		_ = c.Close()
		t.Error("still listening")
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add([]byte{}, true)
	f.Add(packet(f, 0, question("a.keva.test.", dnsmessage.TypeA)), true)
	f.Add(packet(f, 4096, question("huge.keva.test.", dnsmessage.TypeTXT)), false)
	s := &Server{opt: Options{Resolver: world(), Clock: time.Now}, cache: map[key]cached{}, ctx: context.Background()}
	f.Fuzz(func(t *testing.T, b []byte, udp bool) {
		reply := s.answer(b, udp)
		if udp && len(reply) > maxUDP {
			t.Fatal(len(reply))
		}
		if reply != nil {
			read(t, reply)
		}
	})
}

// Programs of the userland find the server by a file, and an old port in it does not stay.
func TestAnnounce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "resolv.conf")
	for range 2 {
		s := start(t, Options{Resolver: world()})
		if err := s.Announce(path); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || !strings.HasSuffix(string(got), "\nnameserver "+s.Addr()+"\n") || strings.Count(string(got), "nameserver") != 1 {
			t.Errorf("%q %v", got, err)
		}
		s.Close()
	}
	if left, err := os.ReadDir(filepath.Dir(path)); len(left) != 1 || err != nil {
		t.Error(left, err)
	}
	var e *event.Error
	if err := start(t, Options{Resolver: world()}).Announce(filepath.Join(path, "below a file")); !errors.As(err, &e) || e.Message == "" {
		t.Error(err)
	}
}

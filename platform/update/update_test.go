package update

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"keva/agent/budget"
	"keva/platform/network"
	nt "keva/platform/network/networktest"
)

// publisher is a server at https://updates.keva.test, reached through a proxy, as everything is.
type publisher struct {
	*nt.World
	pub   ed25519.PublicKey
	key   ed25519.PrivateKey
	now   time.Time
	proxy *nt.Proxy
	conf  Config
	state string
	log   bytes.Buffer

	mu    sync.Mutex
	serve http.HandlerFunc
	asked int
}

func newPublisher(t *testing.T, kind nt.Kind) *publisher {
	t.Helper()
	p := &publisher{World: nt.New(), now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), state: filepath.Join(t.TempDir(), "update.json")}
	var err error
	if p.pub, p.key, err = ed25519.GenerateKey(nil); err != nil {
		t.Fatal(err)
	}
	ca := nt.NewCA(t, "origin")
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.asked++
		serve := p.serve
		p.mu.Unlock()
		serve(w, r)
	}))
	s.TLS = ca.Server("updates.keva.test")
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	p.Add("updates.keva.test", "443", s.Listener.Addr().String())
	p.proxy = nt.NewProxy(t, p.World, kind, ca)
	p.conf = Config{Address: "https://updates.keva.test/latest.json", Key: base64.StdEncoding.EncodeToString(p.pub)}
	t.Setenv("SSL_CERT_FILE", "") // only what the setting says
	setting := network.Setting{Mode: network.Proxied, Proxy: p.proxy.URL, CABundle: ca.Path}
	policies.Store(p, network.New(network.Options{
		Sources: []network.Source{network.UserSetting(func() network.Setting { return setting })}, Dial: p.World.Dial, Resolver: p.World,
		Ledger: network.NewLedger(zerolog.New(&p.log), nil), Online: func() network.Online { return network.OnlineUnknown },
	}))
	return p
}

// policies keep the policy of each publisher: one process has one.
var policies sync.Map

func (p *publisher) policy() *network.Policy {
	v, _ := policies.Load(p)
	return v.(*network.Policy)
}

// checker is a start of the app.
func (p *publisher) checker(t *testing.T) *Checker {
	t.Helper()
	c, note := New(Options{
		Policy: p.policy(), Config: func() Config { return p.conf }, Version: "0.1.0", State: p.state, Clock: func() time.Time { return p.now },
		Log: zerolog.New(&p.log),
	})
	if note != nil {
		t.Fatal(note)
	}
	return c
}

func (p *publisher) manifest(version string, sequence uint64) Manifest {
	return Manifest{
		Sequence: sequence, Version: version, Published: p.now.Add(-time.Hour), Expires: p.now.Add(30 * 24 * time.Hour),
		Notes: "Better.", Page: "https://keva.test/download",
	}
}

func (p *publisher) publish(t *testing.T, m Manifest) []byte {
	t.Helper()
	data, err := Sign(p.key, m)
	if err != nil {
		t.Fatal(err)
	}
	p.say(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(data)
	})
	return data
}

func (p *publisher) say(h http.HandlerFunc) {
	p.mu.Lock()
	p.serve = h
	p.mu.Unlock()
}

// Off until an address is set; then newer and up to date are told apart, through the policy, and survive a restart.
func TestResults(t *testing.T) {
	p := newPublisher(t, nt.Auth)
	set := p.conf
	p.conf = Config{}
	c := p.checker(t)
	if r := c.Check(t.Context()); r.Kind != Off || p.asked > 0 || len(p.Dials()) > 0 {
		t.Fatalf("%+v", r)
	}
	p.conf = set
	if r := c.Result(); r.Kind != Unknown || r.Failure != nil || !r.LastAttempt.IsZero() || !c.Due() {
		t.Fatalf("never asked is unknown: %+v", r)
	}
	p.publish(t, p.manifest("0.1.0", 1))
	if r := c.Check(t.Context()); r.Kind != Current || r.Failure != nil || r.LastSuccess != p.now || c.Due() {
		t.Fatalf("%+v", r)
	}
	p.publish(t, p.manifest("0.10.0", 2))
	p.now = p.now.Add(time.Hour)
	r := c.Check(t.Context())
	if r.Kind != Newer || r.Version != "0.10.0" || r.Notes != "Better." || r.Page != "https://keva.test/download" {
		t.Fatalf("%+v", r)
	}
	if again := p.checker(t).Result(); again.Kind != Newer || again.Version != "0.10.0" || again.LastAttempt != p.now || again.LastSuccess != p.now {
		t.Fatalf("%+v", again)
	}
	p.OnlyDialled(t, p.proxy.Addr)
	if p.log.Len() > 0 {
		t.Error(p.log.String())
	}
	p.conf.Address = "https://other.keva.test/"
	if r := c.Result(); r.Kind != Unknown {
		t.Errorf("another address has not said anything: %+v", r)
	}
}

// Whatever is hostile or broken is unknown: never "up to date", never "newer". It leaves one line, one record, the times
// and the class, and does not shake what was known of replays.
func TestHostileManifests(t *testing.T) {
	p := newPublisher(t, nt.Open)
	_, stranger, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	good := p.publish(t, p.manifest("9.9.9", 5))
	c := p.checker(t)
	if r := c.Check(t.Context()); r.Kind != Newer {
		t.Fatalf("%+v", r)
	}
	firstSuccess := p.now
	by := func(key ed25519.PrivateKey, change func(*Manifest)) []byte {
		m := p.manifest("9.9.9", 6)
		change(&m)
		m.Format = format
		data, err := sign(key, m)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	body := func(b []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(b)
		}
	}
	raw := func(payload string) []byte { // signed by the right key, and nonsense
		sig := ed25519.Sign(p.key, []byte(context+payload))
		return fmt.Appendf(nil, `{"payload":%q,"signature":%q}`, base64.StdEncoding.EncodeToString([]byte(payload)), base64.StdEncoding.EncodeToString(sig))
	}
	plainSig := base64.StdEncoding.EncodeToString(ed25519.Sign(p.key, []byte(`{}`)))
	for name, x := range map[string]struct {
		serve http.HandlerFunc
		class Class
	}{
		"somebody else's signature": {body(by(stranger, func(*Manifest) {})), Unsigned},
		"a signature of nothing else": {
			body(fmt.Appendf(nil, `{"payload":%q,"signature":%q}`, base64.StdEncoding.EncodeToString([]byte(`{}`)), plainSig)), Unsigned,
		},
		"no signature":        {body([]byte(`{"payload":"e30="}`)), Unsigned},
		"older than before":   {body(by(p.key, func(m *Manifest) { m.Sequence = 4 })), Replayed},
		"expired":             {body(by(p.key, func(m *Manifest) { m.Expires = p.now.Add(-time.Second) })), Expired},
		"no expiry":           {body(by(p.key, func(m *Manifest) { m.Expires = time.Time{} })), Malformed},
		"not a version":       {body(by(p.key, func(m *Manifest) { m.Version = "newest" })), Malformed},
		"a huge number":       {body(by(p.key, func(m *Manifest) { m.Version = "99999999999999999999.0.0" })), Malformed},
		"a page without TLS":  {body(by(p.key, func(m *Manifest) { m.Page = "http://keva.test/" })), Malformed},
		"a script as page":    {body(by(p.key, func(m *Manifest) { m.Page = "javascript:alert(1)" })), Malformed},
		"notes without end":   {body(by(p.key, func(m *Manifest) { m.Notes = strings.Repeat("x", 20<<10) })), Malformed},
		"another format":      {body(raw(`{"format":2,"sequence":9,"version":"9.9.9"}`)), Malformed},
		"signed nonsense":     {body(raw(`[1,2`)), Malformed},
		"torn":                {body(good[:len(good)/2]), Malformed},
		"empty":               {body(nil), Malformed},
		"something behind it": {body(append(append([]byte{}, good...), `{"payload":""}`...)), Malformed},
		"huge":                {body(bytes.Repeat([]byte(" "), int(budget.UpdateManifest.Size)+1)), TooLong},
		"a page of a hotel":   {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "text/html") }, "captive_portal"},
		"missing":             {http.NotFound, "http_status"},
		"redirect to http": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://updates.keva.test/", http.StatusFound)
		}, "tls"},
		"redirect in a circle": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) }, "other"},
		"no content":           {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, "http_status"},
		"cut": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "{")
			panic(http.ErrAbortHandler)
		}, "connect"},
	} {
		p.log.Reset()
		p.now = p.now.Add(time.Minute)
		p.say(x.serve)
		before := len(p.policy().Ledger().Attempts())
		r := c.Check(t.Context())
		if r.Kind != Unknown || r.Failure == nil || r.Failure.Class != x.class || r.Version != "" || r.Failure.Sentence() == "" {
			t.Errorf("%s: %+v %+v, want %s", name, r, r.Failure, x.class)
		}
		if r.LastAttempt != p.now || r.LastSuccess != firstSuccess {
			t.Errorf("%s: %v %v", name, r.LastAttempt, r.LastSuccess)
		}
		failed := 0
		for _, a := range p.policy().Ledger().Attempts()[before:] {
			if a.Outcome == network.Failed && a.Purpose == Purpose && string(a.Class) == string(x.class) {
				failed++
			}
		}
		if n := strings.Count(p.log.String(), "\n"); n != 1 || failed != 1 {
			t.Errorf("%s: %d lines, %d records: %s", name, n, failed, p.log.String())
		}
		if kept := p.checker(t).Result(); kept.Kind != Unknown || kept.Failure == nil || kept.Failure.Class != x.class || kept.LastSuccess != firstSuccess {
			t.Errorf("%s, after a restart: %+v", name, kept)
		}
	}
	if s := c.kept.Sequence; s != 5 {
		t.Errorf("the highest sequence is %d", s)
	}
	p.publish(t, p.manifest("0.1.0", 5))
	if r := c.Check(t.Context()); r.Kind != Current || r.Failure != nil {
		t.Errorf("%+v", r)
	}
	p.now = p.now.Add(60 * 24 * time.Hour)
	if r := c.Result(); r.Kind != Unknown || r.Failure == nil || r.Failure.Class != Expired {
		t.Errorf("what was true two months ago is not up to date: %+v", r)
	}
}

// Every way in which the network fails has its class on the screen, and nothing goes around the proxy (§5.5).
func TestNetworkFailures(t *testing.T) {
	for kind, class := range map[nt.Kind]Class{
		nt.WrongAuth: "proxy_auth", nt.Refusing: "proxy_refused", nt.Unreachable: "proxy_refused", nt.Cutting: "proxy_refused",
	} {
		p := newPublisher(t, kind)
		p.publish(t, p.manifest("9.9.9", 1))
		r := p.checker(t).Check(t.Context())
		if r.Kind != Unknown || r.Failure == nil || r.Failure.Class != class || r.LastAttempt != p.now || !r.LastSuccess.IsZero() {
			t.Errorf("%s: %+v %+v", kind, r, r.Failure)
		}
		var f *network.Failure
		if !errors.As(r.Failure, &f) || strings.Count(p.log.String(), "\n") != 1 {
			t.Errorf("%s: %s", kind, p.log.String())
		}
		p.OnlyDialled(t, p.proxy.Addr)
	}
}

func TestSettingsThatCantWork(t *testing.T) {
	p := newPublisher(t, nt.Open)
	p.publish(t, p.manifest("9.9.9", 1))
	set := p.conf
	for _, conf := range []Config{
		{"http://updates.keva.test/", set.Key},
		{"updates", set.Key},
		{"https://", set.Key},
		{"https://u:secret-word@updates.keva.test/", set.Key},
		{set.Address, ""},
		{set.Address, "AAAA"},
		{set.Address, "not base64"},
	} {
		p.conf = conf
		p.log.Reset()
		r := p.checker(t).Check(t.Context())
		if r.Kind != Unknown || r.Failure == nil || r.Failure.Class != Address || r.Failure.Event().Class != "config" || strings.Contains(p.log.String(), "secret-word") {
			t.Errorf("%+v: %+v %s", conf, r, p.log.String())
		}
	}
	if p.asked > 0 {
		t.Error("asked all the same")
	}
}

// A damaged state is told and does not stop the next check; one that can't be kept is told beside the result.
func TestState(t *testing.T) {
	p := newPublisher(t, nt.Open)
	p.publish(t, p.manifest("9.9.9", 3))
	for _, torn := range []string{`{"last_attempt": "2026`, "", "null{}", "[]"} {
		if err := os.WriteFile(p.state, []byte(torn), 0o600); err != nil {
			t.Fatal(err)
		}
		c, note := New(Options{Policy: p.policy(), Config: func() Config { return p.conf }, Version: "0.1.0", State: p.state, Clock: func() time.Time { return p.now }})
		if note == nil || c.Result().Kind != Unknown {
			t.Errorf("%q: %v %+v", torn, note, c.Result())
		}
		if r := c.Check(t.Context()); r.Kind != Newer || r.Failure != nil {
			t.Errorf("%q: %+v", torn, r)
		}
	}
	if info, err := os.Stat(p.state); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	p.state = filepath.Join(p.state, "below a file")
	c, _ := New(Options{Policy: p.policy(), Config: func() Config { return p.conf }, Version: "0.1.0", State: p.state, Clock: func() time.Time { return p.now }})
	if r := c.Check(t.Context()); r.Kind != Newer || r.Failure == nil || r.Failure.Class != Storage {
		t.Errorf("%+v", r)
	}
}

func TestVersions(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		newer bool
	}{{"0.10.0", "0.9.9", true}, {"1.0.0", "1.0.0", false}, {"v1.0.1", "1.0.0", true}, {"1.0.0-rc1", "1.0.0", false}, {"0.9.9", "0.10.0", false}} {
		a, ok := parse(c.a)
		b, ok2 := parse(c.b)
		if !ok || !ok2 || newer(a, b) != c.newer {
			t.Error(c)
		}
	}
	for _, bad := range []string{"", "1", "1.2", "1.2.3.4", "1.02.3", "-1.2.3", "a.b.c", "1..2", "+1.2.3"} {
		if _, ok := parse(bad); ok {
			t.Error(bad)
		}
	}
}

func FuzzOpen(f *testing.F) {
	pub, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		f.Fatal(err)
	}
	good, err := Sign(key, Manifest{Sequence: 1, Version: "1.2.3", Published: time.Now(), Expires: time.Now()})
	if err != nil {
		f.Fatal(err)
	}
	if _, bad := open(good, pub); bad != nil {
		f.Fatal(bad.Detail)
	}
	f.Add(good)
	f.Add([]byte(`{"payload":"","signature":""}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, bad := open(b, pub); bad == nil && m.Version != "1.2.3" {
			t.Fatalf("believed: %+v", m)
		}
	})
}

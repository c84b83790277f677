package network_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	"golang.org/x/net/http/httpproxy"

	"keva/platform/network"
	nt "keva/platform/network/networktest"
)

func joined(t *testing.T, list []*nt.CA) string {
	t.Helper()
	var all []byte
	for _, c := range list {
		data, err := os.ReadFile(c.Path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data...)
	}
	path := filepath.Join(t.TempDir(), "all.pem")
	if err := os.WriteFile(path, all, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func environ(kv ...string) network.Source {
	m := map[string]string{}
	for _, x := range kv {
		k, v, _ := strings.Cut(x, "=")
		m[k] = v
	}
	return network.Environment(func(k string) string { return m[k] })
}

func snapshot(sources ...network.Source) *network.Snapshot {
	return network.New(network.Options{Sources: sources}).Snapshot()
}

func proxyFor(t *testing.T, s *network.Snapshot, text string) string {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.ProxyFor(u)
	switch {
	case err != nil:
		return "error"
	case p == nil:
		return "direct"
	}
	return p.String()
}

// The user's setting goes before the device, the device before the environment; the first that says something says all.
func TestPrecedence(t *testing.T) {
	env := environ("HTTPS_PROXY=http://env:1", "NO_PROXY=env.example", "NODE_EXTRA_CA_CERTS=/none")
	android := network.System(func() (network.DefaultProxy, bool, error) {
		return network.DefaultProxy{Host: "android", Port: 2, Exclusions: []string{"*.corp.example", "one.example"}}, true, nil
	})
	none := network.System(func() (network.DefaultProxy, bool, error) { return network.DefaultProxy{}, false, nil })
	set := func(s network.Setting) network.Source {
		return network.UserSetting(func() network.Setting { return s })
	}
	for _, c := range []struct {
		name      string
		sources   []network.Source
		url, want string
		from      network.Origin
	}{
		{"nobody", nil, "https://a.example", "direct", network.OriginNone},
		{"environment", []network.Source{set(network.Setting{}), none, env}, "https://a.example", "http://env:1", network.OriginEnvironment},
		{"environment, http", []network.Source{env}, "http://a.example", "direct", network.OriginEnvironment},
		{"device", []network.Source{set(network.Setting{}), android, env}, "http://a.example", "http://android:2", network.OriginSystem},
		{"device's exception", []network.Source{android, env}, "https://x.corp.example", "direct", network.OriginSystem},
		{"not the environment's exception", []network.Source{android, env}, "https://env.example", "http://android:2", network.OriginSystem},
		{"setting", []network.Source{set(network.Setting{Mode: network.Proxied, Proxy: "me:3"}), android, env}, "https://a.example", "http://me:3", network.OriginSetting},
		{"setting: direct", []network.Source{set(network.Setting{Mode: network.Direct}), android, env}, "https://a.example", "direct", network.OriginSetting},
		{"lower case", []network.Source{environ("HTTPS_PROXY=http://up:1", "https_proxy=http://low:1")}, "https://a.example", "http://low:1", network.OriginEnvironment},
		{"all", []network.Source{environ("ALL_PROXY=http://all:1", "http_proxy=http://low:1")}, "https://a.example", "http://all:1", network.OriginEnvironment},
		{"websocket", []network.Source{environ("ALL_PROXY=http://all:1")}, "wss://a.example", "http://all:1", network.OriginEnvironment},
		{"one scheme is broken", []network.Source{environ("HTTPS_PROXY=http://ok:1", "ALL_PROXY=socks5://x:1")}, "https://a.example", "http://ok:1", network.OriginEnvironment},
		{"the other", []network.Source{environ("HTTPS_PROXY=http://ok:1", "ALL_PROXY=socks5://x:1")}, "http://a.example", "error", network.OriginEnvironment},
		{"its exception", []network.Source{environ("ALL_PROXY=socks5://x:1", "NO_PROXY=a.example")}, "http://a.example", "direct", network.OriginEnvironment},
		{"unknown scheme", []network.Source{env}, "gopher://a.example", "error", network.OriginEnvironment},
	} {
		s := snapshot(c.sources...)
		if got := proxyFor(t, s, c.url); got != c.want || s.Facts()[0].From != c.from {
			t.Errorf("%s: %s from %s", c.name, got, s.Facts()[0].From)
		}
	}
	if s := snapshot(set(network.Setting{}), android, env); len(s.Problems()) != 1 || s.Facts()[3].From != network.OriginEnvironment {
		t.Errorf("certificates come from who names them, and bad ones are told: %v %v", s.Problems(), s.Facts())
	}
	pac := network.System(func() (network.DefaultProxy, bool, error) {
		return network.DefaultProxy{Host: "localhost", Port: 5, PAC: "http://x/p.pac"}, true, nil
	})
	if s := snapshot(pac); proxyFor(t, s, "https://a.example") != "error" || !strings.Contains(s.Problems()[0].Message, "PAC") {
		t.Error(s.Problems())
	}
}

// Loopback is never sent to a proxy, and entries that match nothing are told.
func TestNoProxy(t *testing.T) {
	s := snapshot(environ("ALL_PROXY=http://p:1", "NO_PROXY=10.0.0.0/8, 192.168.1.7 .corp.example;host.example:8443,fd00::/8,bad/33,a*b"))
	for u, want := range map[string]string{
		"https://localhost:3000/": "direct", "http://127.0.0.1/": "direct", "http://127.9.9.9/": "direct", "http://[::1]:5/": "direct",
		"https://10.1.2.3/": "direct", "https://11.1.2.3/": "http://p:1", "http://192.168.1.7:99/": "direct",
		"https://x.corp.example/": "direct", "https://corp.example/": "http://p:1", "https://host.example/": "http://p:1",
		"https://host.example:8443/": "direct", "https://[fd00::5]/": "direct", "https://X.CORP.example/": "direct",
	} {
		if got := proxyFor(t, s, u); got != want {
			t.Errorf("%s: %s", u, got)
		}
	}
	if p := s.Problems(); len(p) != 2 {
		t.Error(p)
	}
}

// The two readings of one snapshot agree: what Go decides for a URL, and what a program decides that only has the exported
// environment. With the proxy for engines, all but loopback goes there, and there Go decides.
func TestEnvironmentSaysTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	host := func() string {
		switch r.IntN(6) {
		case 0:
			return netip.AddrFrom4([4]byte{byte(pick("\x0a", "\x7f", "\xc0")[0]), byte(r.IntN(3)), byte(r.IntN(3)), byte(r.IntN(4))}).String()
		case 1:
			return pick("[::1]", "[fd00::1]", "[2001:db8::1]", "[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]")
		case 2:
			return pick("localhost", "LOCALHOST", "localhost.", "a.localhost", "bücher.example", "xn--bcher-kva.example")
		}
		return pick("", "a.", "b.a.", "x.") + pick("example", "corp.example", "CORP.example", "test", "keva.test")
	}
	entry := func() string {
		h := host()
		switch r.IntN(8) {
		case 0:
			return "." + h
		case 1:
			return "*." + h
		case 2:
			return h + ":" + pick("80", "443", "8080")
		case 3:
			return pick("10.0.0.0/8", "127.0.0.0/8", "fd00::/8", "192.0.0.0/15", "0.0.0.0/0", "10.0.0.0/99")
		case 4:
			return pick("", " ", "*x", ":80", "[", "a b", "%", "..", ".")
		case 5:
			if r.IntN(4) == 0 {
				return "*"
			}
		}
		return h
	}
	const local = "http://keva:token@127.0.0.1:4321"
	agreed := map[string]int{}
	for range 20000 {
		var list []string
		for range r.IntN(4) {
			list = append(list, entry())
		}
		s := snapshot(environ(
			pick("", "HTTPS_PROXY=http://u:p%40w@one:1", "HTTPS_PROXY=https://one:1"), pick("", "http_proxy=two:2"),
			pick("", "", "ALL_PROXY=http://three:3"), "NO_PROXY="+strings.Join(list, pick(",", ", ", " "))))
		u := &url.URL{Scheme: pick("http", "https"), Host: host() + pick("", ":80", ":443", ":8080"), Path: "/"}
		goSays, err := s.ProxyFor(u)
		if err != nil {
			t.Fatal(err)
		}
		for _, through := range []string{"", local} {
			env, err := s.Env(through, "")
			if err != nil {
				t.Fatal(err)
			}
			for _, lower := range []bool{true, false} { // programs read either spelling
				theirs, err := config(env, lower).ProxyFunc()(u)
				if err != nil {
					t.Fatal(err)
				}
				final := theirs
				if theirs != nil && theirs.String() == local {
					final = goSays // the proxy for engines decides, by the same snapshot
				} else if through != "" && theirs != nil {
					t.Fatalf("%s goes to %s", u, theirs)
				}
				if fmt.Sprint(final) != fmt.Sprint(goSays) {
					t.Fatalf("%s with NO_PROXY %q: Go says %v, the environment %v\n%v", u, s.NoProxy(), goSays, final, env)
				}
			}
		}
		agreed[map[bool]string{true: "direct", false: "proxied"}[goSays == nil]]++
	}
	if agreed["direct"] < 1000 || agreed["proxied"] < 1000 {
		t.Errorf("too few of a kind to mean anything: %v", agreed)
	}
}

// config reads an environment as programs do that know one spelling only.
func config(env []string, lower bool) *httpproxy.Config {
	get := func(name string) string {
		if lower {
			name = strings.ToLower(name)
		}
		for _, kv := range env {
			if v, ok := strings.CutPrefix(kv, name+"="); ok {
				return v
			}
		}
		return ""
	}
	return &httpproxy.Config{HTTPProxy: get("HTTP_PROXY"), HTTPSProxy: get("HTTPS_PROXY"), NoProxy: get("NO_PROXY")}
}

func TestEnvForEngines(t *testing.T) {
	s := snapshot(environ("ALL_PROXY=http://corp:1", "NO_PROXY=intern.example"))
	env, err := s.Env("http://keva:t@127.0.0.1:5", "/data/ca.pem")
	if err != nil {
		t.Fatal(err)
	}
	text := "\n" + strings.Join(env, "\n") + "\n"
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"} {
		if !strings.Contains(text, "\n"+name+"=http://keva:t@127.0.0.1:5\n") {
			t.Errorf("%s is missing in %s", name, text)
		}
	}
	for _, name := range []string{
		"SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "CODEX_CA_CERTIFICATE", "GIT_SSL_CAINFO", "CURL_CA_BUNDLE", "PIP_CERT", "npm_config_cafile",
	} {
		if !strings.Contains(text, "\n"+name+"=/data/ca.pem\n") {
			t.Errorf("%s is missing in %s", name, text)
		}
	}
	if !strings.Contains(text, "\nNODE_USE_ENV_PROXY=1\n") || strings.Contains(text, "corp") || strings.Contains(text, "intern") {
		t.Error(text)
	}
}

// A change has a version, a notice for subscribers, and a sentence for engines that run; a reload without a change has
// nothing.
func TestChanges(t *testing.T) {
	setting := network.Setting{}
	p := network.New(network.Options{Sources: []network.Source{network.UserSetting(func() network.Setting { return setting })}})
	heard, end := p.Subscribe()
	first := p.Snapshot()
	if s, changed := p.Reload(); changed || s != first || first.Version() != 1 {
		t.Fatal("a change from nothing")
	}
	setting = network.Setting{Mode: network.Proxied, Proxy: "http://user:first@p:1"}
	second, changed := p.Reload()
	if !changed || second.Version() != 2 || <-heard != second || p.Snapshot() != second {
		t.Fatal("the change was not told")
	}
	setting.Proxy = "http://user:second@p:1"
	third, changed := p.Reload()
	if !changed || third.Version() != 3 {
		t.Fatal("a new password is a change")
	}
	if got := proxyFor(t, second, "https://a.example"); got != "http://user:first@p:1" {
		t.Fatal("a snapshot has changed: " + got)
	}
	if n, tell := network.Changed(second, third); !tell || !strings.Contains(n.Text, "started anew") {
		t.Error(n, tell)
	}
	if _, tell := network.Changed(third, third); tell {
		t.Error("the same policy is no news")
	}
	end()
	if s, open := <-heard; open && s != third {
		t.Error("an old snapshot is kept for a slow reader")
	}
	if got := strings.Join(third.Secrets(), " "); !strings.Contains(got, "second") {
		t.Error("the log can't know the password: " + got)
	}
	if s := fmt.Sprintf("%v %v %s", third.Facts(), third, third); strings.Contains(s, ":second") || !strings.Contains(s, "policy 3") {
		t.Error(s)
	}
}

// Certificates: what engines get holds the system's and the extra ones, and never a private key.
func TestBundle(t *testing.T) {
	system, extra := nt.NewCA(t, "system"), nt.NewCA(t, "extra")
	data, err := os.ReadFile(extra.Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(extra.Path, append(data, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "new")
	s := snapshot(environ("SSL_CERT_FILE=" + extra.Path))
	path, err := s.Bundle(dir, system.Path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil || bytes.Count(got, []byte("BEGIN CERTIFICATE")) != 2 || bytes.Contains(got, []byte("PRIVATE")) {
		t.Fatalf("%v\n%s", err, got)
	}
	if again, err := s.Bundle(dir, system.Path); again != path || err != nil {
		t.Error(again, err)
	}
	if left, err := os.ReadDir(dir); len(left) != 1 || err != nil {
		t.Error(left, err)
	}
	if path, err := snapshot().Bundle(dir, system.Path); path != system.Path || err != nil {
		t.Error(path, err)
	}
	if _, err := s.Bundle(dir, filepath.Join(dir, "none")); err == nil {
		t.Error("certificates of a system that are not there are no certificates")
	}
	if s := snapshot(environ("SSL_CERT_FILE=" + filepath.Join(dir, "none"))); len(s.Problems()) != 1 || proxyFor(t, s, "https://a.example") != "direct" {
		t.Error(s.Problems())
	}
}

// I-17: whatever somebody wrote into a proxy variable, it never means direct.
func FuzzAnyProxyIsNotDirect(f *testing.F) {
	for _, s := range []string{"http://p:1", "p:1", "socks5://x", "://", "http://[::1", "http://%zz", "@", "http://u:p@", "*", "direct", "http://a b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := snapshot(environ("HTTPS_PROXY=" + text))
		u := &url.URL{Scheme: "https", Host: "a.example"}
		p, err := s.ProxyFor(u)
		if p == nil && err == nil && strings.TrimSpace(text) != "" {
			t.Fatalf("%q means direct", text)
		}
		if err != nil && len(s.Problems()) == 0 {
			t.Fatalf("%q closes the way and nothing is said", text)
		}
		if p != nil && (p.Hostname() == "" || p.Port() == "") {
			t.Fatalf("%q became %s", text, p)
		}
	})
}

// The ledger is bounded, tells subscribers, and hands every failure on.
func TestLedger(t *testing.T) {
	var told []network.Attempt
	l := network.NewLedger(zerolog.Nop(), func(a network.Attempt) { told = append(told, a) })
	p := network.New(network.Options{Ledger: l, Resolver: nt.New(), Online: func() network.Online { return network.OnlineUnknown }})
	heard, end := l.Subscribe()
	defer end()
	for range 300 {
		_, err := p.Snapshot().Dial(t.Context(), "p", "nowhere.keva.test:443", nil)
		var f *network.Failure
		if !errors.As(err, &f) || f.Class != network.ClassDNS {
			t.Fatal(err)
		}
	}
	<-heard
	if len(told) != 300 || len(l.Attempts()) != 200 || len(l.Summaries()) != 1 {
		t.Errorf("%d told, %d kept, %v", len(told), len(l.Attempts()), l.Summaries())
	}
	a := l.Attempts()[199]
	if a.Class != network.ClassDNS || a.Outcome != network.Failed || a.Host != "nowhere.keva.test:443" || a.Message == "" || a.Policy != 1 {
		t.Errorf("%+v", a)
	}
	if s, ok := l.Of("never"); ok || !s.LastAttempt.IsZero() {
		t.Error(s)
	}
}

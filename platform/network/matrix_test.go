package network_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"keva/platform/network"
	nt "keva/platform/network/networktest"
)

// lab is a world with a server, api.keva.test, by http and https, and a proxy of some kind.
type lab struct {
	*nt.World
	proxy  *nt.Proxy
	origin *nt.CA // of the server
	theirs *nt.CA // of the proxy
	log    bytes.Buffer
	policy *network.Policy
}

func newLab(t *testing.T, kind nt.Kind, handler http.HandlerFunc) *lab {
	t.Helper()
	l := &lab{World: nt.New(), origin: nt.NewCA(t, "origin"), theirs: nt.NewCA(t, "corp")}
	plain := httptest.NewServer(handler)
	t.Cleanup(plain.Close)
	secure := httptest.NewUnstartedServer(handler)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.TLS = l.origin.Server("api.keva.test")
	secure.StartTLS()
	t.Cleanup(secure.Close)
	l.Add("api.keva.test", "80", plain.Listener.Addr().String())
	l.Add("api.keva.test", "443", secure.Listener.Addr().String())
	if kind != "" {
		l.proxy = nt.NewProxy(t, l.World, kind, l.theirs)
	}
	return l
}

// with makes the policy: proxy as the user's setting, and certificates.
func (l *lab) with(setting network.Setting) *network.Policy {
	l.policy = network.New(network.Options{
		Sources:  []network.Source{network.UserSetting(func() network.Setting { return setting })},
		Dial:     l.World.Dial,
		Resolver: l.World,
		Online:   func() network.Online { return network.OnlineUnknown },
		Ledger:   network.NewLedger(zerolog.New(&l.log), nil),
		Connect:  3 * time.Second,
	})
	return l.policy
}

func get(ctx context.Context, c *http.Client, url string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	resp, err := c.Do(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

var hello = func(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"hello":%q}`, r.Host)
}

// I-17 and I-18 for the app's own client: every kind of proxy, by both schemes. Nothing but the proxy is ever dialled, and
// each failure has its class, one line in the log and one record.
func TestProxyMatrix(t *testing.T) {
	want := map[nt.Kind]map[string]network.Class{
		nt.Open: {}, nt.Auth: {}, nt.Intercepting: {}, nt.TLS: {},
		nt.WrongAuth:   {"https": network.ClassProxyAuth, "http": network.ClassProxyAuth},
		nt.Refusing:    {"https": network.ClassProxyRefused, "http": network.ClassHTTPStatus},
		nt.Unreachable: {"https": network.ClassProxyRefused, "http": network.ClassProxyRefused},
		nt.Slow:        {"https": network.ClassTimeout, "http": network.ClassTimeout},
		nt.Cutting:     {"https": network.ClassProxyRefused, "http": network.ClassConnect},
	}
	for _, kind := range nt.Kinds {
		for _, scheme := range []string{"https", "http"} {
			t.Run(string(kind)+"/"+scheme, func(t *testing.T) {
				l := newLab(t, kind, hello)
				ca := l.origin
				if kind == nt.Intercepting || kind == nt.TLS && scheme == "http" {
					ca = l.theirs
				}
				setting := network.Setting{Mode: network.Proxied, Proxy: l.proxy.URL, CABundle: ca.Path}
				if kind == nt.TLS && scheme == "https" { // both authorities are needed
					setting.CABundle = both(t, l.origin, l.theirs)
				}
				p := l.with(setting)
				ctx := t.Context()
				wait := time.Duration(0)
				if kind == nt.Slow {
					wait = 500 * time.Millisecond
				}
				body, err := get(ctx, p.Client(network.Use{Purpose: "test", Wait: wait}), scheme+"://api.keva.test/")
				l.OnlyDialled(t, l.proxy.Addr)
				if len(l.Dials()) == 0 {
					t.Error("nothing was dialled")
				}
				if names := l.Lookups(); len(names) > 0 {
					t.Error("the network was asked for names that are the proxy's to find:", names)
				}
				class := want[kind][scheme]
				sum, _ := p.Ledger().Of("test")
				if class == "" {
					if err != nil || !strings.Contains(body, "api.keva.test") {
						t.Fatalf("%q %v", body, err)
					}
					if sum.LastSuccess.IsZero() || sum.Failing || l.log.Len() > 0 {
						t.Errorf("%+v\n%s", sum, l.log.String())
					}
					return
				}
				var f *network.Failure
				if class != network.ClassHTTPStatus && (!errors.As(err, &f) || f.Class != class || f.Via != l.proxy.Addr) {
					t.Errorf("%v: %+v, want %s", err, f, class)
				}
				if n := len(l.Dials()); n > 1 {
					t.Errorf("%d dials", n)
				}
				if !sum.Failing || sum.LastFailure.Class != class || !sum.LastSuccess.IsZero() || sum.LastAttempt.IsZero() {
					t.Errorf("%+v, want %s", sum, class)
				}
				if n := strings.Count(l.log.String(), "\n"); n != 1 || !strings.Contains(l.log.String(), string(class)) {
					t.Errorf("%d lines: %s", n, l.log.String())
				}
				if s := l.log.String() + fmt.Sprint(p.Ledger().Attempts(), p.Snapshot().Facts(), p.Snapshot().Problems(), err); strings.Contains(s, "wrong-password") {
					t.Error("the password is told: " + s)
				}
			})
		}
	}
}

func both(t *testing.T, list ...*nt.CA) string {
	t.Helper()
	return joined(t, list)
}

// An intercepting proxy whose authority nobody trusts is a failure, not a way.
func TestInterceptedWithoutTheCertificate(t *testing.T) {
	l := newLab(t, nt.Intercepting, hello)
	p := l.with(network.Setting{Mode: network.Proxied, Proxy: l.proxy.URL, CABundle: l.origin.Path})
	_, err := get(t.Context(), p.Client(network.Use{Purpose: "test"}), "https://api.keva.test/")
	var f *network.Failure
	if !errors.As(err, &f) || f.Class != network.ClassTLS {
		t.Fatalf("%v %+v", err, f)
	}
	l.OnlyDialled(t, l.proxy.Addr)
}

// Without a proxy names are the resolver's and connections direct; NO_PROXY does the same for what it lists.
func TestDirect(t *testing.T) {
	for name, set := range map[string]func(*lab) network.Setting{
		"no proxy":   func(l *lab) network.Setting { return network.Setting{CABundle: l.origin.Path} },
		"direct":     func(l *lab) network.Setting { return network.Setting{Mode: network.Direct, CABundle: l.origin.Path} },
		"suffix":     func(l *lab) network.Setting { return l.except(".keva.test") },
		"host":       func(l *lab) network.Setting { return l.except("api.keva.test") },
		"port":       func(l *lab) network.Setting { return l.except("api.keva.test:443") },
		"everything": func(l *lab) network.Setting { return l.except("*") },
		"with space": func(l *lab) network.Setting { return l.except("a.example api.keva.test") },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, nt.Refusing, hello)
			p := l.with(set(l))
			if _, err := get(t.Context(), p.Client(network.Use{Purpose: "test"}), "https://api.keva.test/"); err != nil {
				t.Fatal(err)
			}
			l.OnlyDialled(t, l.IP("api.keva.test")+":443")
			if len(l.proxy.Targets()) > 0 {
				t.Error("the proxy was asked")
			}
		})
	}
}

func (l *lab) except(list string) network.Setting {
	return network.Setting{Mode: network.Proxied, Proxy: l.proxy.URL, NoProxy: list, CABundle: l.origin.Path}
}

// What can't work closes the way: it never means direct.
func TestUnusableProxyIsNotDirect(t *testing.T) {
	for proxy, class := range map[string]network.Class{
		"socks5://127.0.0.1:1": network.ClassUnsupported, "socks4a://u:p@h:1": network.ClassUnsupported,
		"pac+http://x/p.pac": network.ClassUnsupported, "ftp://x:1": network.ClassConfig, "http://": network.ClassConfig,
		"http://h:99999": network.ClassConfig, "http://h:1/path": network.ClassConfig, "http://h:x": network.ClassConfig,
		"http://a b:1": network.ClassConfig, " ": network.ClassConfig, "http://u:s3cr3t-word@h:1/x": network.ClassConfig,
	} {
		t.Run(proxy, func(t *testing.T) {
			l := newLab(t, "", hello)
			p := l.with(network.Setting{Mode: network.Proxied, Proxy: proxy, NoProxy: "allowed.keva.test"})
			for _, url := range []string{"https://api.keva.test/", "http://api.keva.test/"} {
				_, err := get(t.Context(), p.Client(network.Use{Purpose: "test"}), url)
				var f *network.Failure
				if !errors.As(err, &f) || f.Class != class || f.Event().Class != "config" {
					t.Errorf("%s: %v %+v", url, err, f)
				}
				if strings.Contains(fmt.Sprint(err, l.log.String()), "s3cr3t-word") {
					t.Error("the password is told")
				}
			}
			if d := l.Dials(); len(d) > 0 {
				t.Error("dialled", d)
			}
			if len(p.Snapshot().Problems()) == 0 {
				t.Error("nothing is said")
			}
			if env, err := p.Snapshot().Env("", ""); err == nil {
				t.Error("engines would go direct", env)
			}
		})
	}
}

// An address that can't be found out is not "none".
func TestUnknownProxyIsNotDirect(t *testing.T) {
	l := newLab(t, "", hello)
	fail := errors.New("the system does not answer")
	p := network.New(network.Options{
		Sources: []network.Source{network.System(func() (network.DefaultProxy, bool, error) { return network.DefaultProxy{}, false, fail })},
		Dial:    l.World.Dial, Resolver: l.World,
	})
	_, err := get(t.Context(), p.Client(network.Use{Purpose: "test"}), "http://api.keva.test/")
	if !errors.Is(err, fail) || len(l.Dials()) > 0 {
		t.Fatal(err, l.Dials())
	}
	fail = nil
	if _, changed := p.Reload(); !changed {
		t.Fatal("the second answer was not heard")
	}
	if _, err := get(t.Context(), p.Client(network.Use{Purpose: "test"}), "http://api.keva.test/"); err != nil {
		t.Fatal(err)
	}
}

// Each way in which a server or a network can disappoint has its class.
func TestClasses(t *testing.T) {
	l := newLab(t, "", func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/missing":
			http.Error(w, "no", http.StatusNotFound)
		case "/portal":
			w.WriteHeader(http.StatusNetworkAuthenticationRequired)
		case "/page":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<html>Sign in</html>")
		case "/silent":
			<-r.Context().Done()
		case "/cut":
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "half")
			panic(http.ErrAbortHandler)
		case "/down":
			http.Redirect(w, r, "http://api.keva.test/", http.StatusFound)
		}
	})
	shut := httptest.NewServer(nil)
	l.Add("shut.keva.test", "443", shut.Listener.Addr().String())
	shut.Close()
	other := httptest.NewUnstartedServer(nil)
	other.Config.ErrorLog = log.New(io.Discard, "", 0)
	other.TLS = nt.NewCA(t, "stranger").Server("x")
	other.StartTLS()
	defer other.Close()
	l.Add("stranger.keva.test", "443", other.Listener.Addr().String())
	l.Add("plain.keva.test", "443", "")
	plain := httptest.NewServer(nil)
	defer plain.Close()
	l.Add("plain.keva.test", "443", plain.Listener.Addr().String())
	p := l.with(network.Setting{CABundle: l.origin.Path})
	for url, class := range map[string]network.Class{
		"https://nowhere.keva.test/": network.ClassDNS, "https://shut.keva.test/": network.ClassConnect,
		"https://stranger.keva.test/": network.ClassTLS, "https://plain.keva.test/": network.ClassTLS,
		"https://api.keva.test/missing": network.ClassHTTPStatus, "https://api.keva.test/portal": network.ClassCaptivePortal,
		"https://api.keva.test/page": network.ClassCaptivePortal, "https://api.keva.test/silent": network.ClassTimeout,
		"https://api.keva.test/cut": network.ClassConnect, "https://api.keva.test/down": network.ClassTLS,
		"http://api.keva.test/cut": network.ClassConnect,
	} {
		l.log.Reset()
		wait := time.Duration(0)
		if strings.HasSuffix(url, "silent") {
			wait = 300 * time.Millisecond
		}
		body, err := get(t.Context(), p.Client(network.Use{Purpose: url, Wait: wait}), url+"?key=hidden-word")
		sum, _ := p.Ledger().Of(url)
		if sum.LastFailure.Class != class || !sum.Failing {
			t.Errorf("%s: %+v (%q, %v), want %s", url, sum, body, err, class)
		}
		if (err == nil) != (class == network.ClassHTTPStatus) {
			t.Errorf("%s: %v", url, err)
		}
		if strings.Count(l.log.String(), "\n") != 1 || strings.Contains(l.log.String(), "hidden-word") {
			t.Errorf("%s: %s", url, l.log.String())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l.log.Reset()
	if _, err := get(ctx, p.Client(network.Use{Purpose: "given up"}), "https://api.keva.test/"); err == nil {
		t.Error("no error")
	}
	if sum, _ := p.Ledger().Of("given up"); sum.Failing || !sum.LastSuccess.IsZero() || l.log.Len() > 0 {
		t.Errorf("a cancelled attempt tells nothing of the network: %+v %s", sum, l.log.String())
	}
}

// Without any network that is what is said, and not the name's or the proxy's fault.
func TestOffline(t *testing.T) {
	l := newLab(t, nt.Unreachable, hello)
	for _, s := range []network.Setting{{}, {Mode: network.Proxied, Proxy: l.proxy.URL}} {
		p := network.New(network.Options{
			Sources: []network.Source{network.UserSetting(func() network.Setting { return s })}, Dial: l.World.Dial, Resolver: l.World,
			Online: func() network.Online { return network.Offline },
		})
		_, err := get(t.Context(), p.Client(network.Use{Purpose: "test"}), "https://nowhere.keva.test/")
		var f *network.Failure
		if !errors.As(err, &f) || f.Class != network.ClassOffline {
			t.Errorf("%+v: %v %+v", s, err, f)
		}
	}
}

// Streams pass as they come, and the wait for the header does not cut them.
func TestStreamOutlivesTheWait(t *testing.T) {
	next := make(chan struct{})
	l := newLab(t, nt.Open, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: one\n\n")
		w.(http.Flusher).Flush()
		<-next
		fmt.Fprint(w, "data: two\n\n")
	})
	p := l.with(network.Setting{Mode: network.Proxied, Proxy: l.proxy.URL, CABundle: l.origin.Path})
	const wait = 3 * time.Second
	r, err := p.Client(network.Use{Purpose: "stream", Wait: wait}).Get("https://api.keva.test/")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	buf := make([]byte, 11)
	if _, err := io.ReadFull(r.Body, buf); err != nil || string(buf) != "data: one\n\n" {
		t.Fatalf("%q %v", buf, err)
	}
	if sum, _ := p.Ledger().Of("stream"); !sum.LastSuccess.IsZero() || sum.LastAttempt.IsZero() {
		t.Errorf("a stream under way is neither: %+v", sum)
	}
	time.AfterFunc(wait+100*time.Millisecond, func() { close(next) })
	if rest, err := io.ReadAll(r.Body); err != nil || string(rest) != "data: two\n\n" {
		t.Fatalf("%q %v", rest, err)
	}
	if sum, _ := p.Ledger().Of("stream"); sum.LastSuccess.IsZero() {
		t.Errorf("%+v", sum)
	}
}

// Tunnels for engines go the same ways, by every kind of proxy.
func TestTunnelMatrix(t *testing.T) {
	want := map[nt.Kind]network.Class{
		nt.WrongAuth: network.ClassProxyAuth, nt.Refusing: network.ClassProxyRefused, nt.Unreachable: network.ClassProxyRefused,
		nt.Slow: network.ClassTimeout,
	}
	for _, kind := range nt.Kinds {
		t.Run(string(kind), func(t *testing.T) {
			l := newLab(t, kind, hello)
			setting := network.Setting{Mode: network.Proxied, Proxy: l.proxy.URL, CABundle: l.theirs.Path}
			p := network.New(network.Options{
				Sources: []network.Source{network.UserSetting(func() network.Setting { return setting })}, Dial: l.World.Dial, Resolver: l.World,
				Ledger: network.NewLedger(zerolog.New(&l.log), nil), Connect: time.Second, Online: func() network.Online { return network.OnlineUnknown },
			})
			conn, err := p.Snapshot().Dial(t.Context(), "engine", "api.keva.test:443", nil)
			l.OnlyDialled(t, l.proxy.Addr)
			sum, _ := p.Ledger().Of("engine")
			if class := want[kind]; class != "" {
				var f *network.Failure
				if !errors.As(err, &f) || f.Class != class || sum.LastFailure.Class != class || strings.Count(l.log.String(), "\n") != 1 {
					t.Fatalf("%v %+v %+v %s", err, f, sum, l.log.String())
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if kind == nt.Cutting {
				return // the way is open; what comes then is the engine's to see
			}
			c := tls.Client(conn, &tls.Config{ServerName: "api.keva.test", InsecureSkipVerify: true})
			fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: api.keva.test\r\nConnection: close\r\n\r\n")
			if body, err := io.ReadAll(c); !strings.Contains(string(body), "hello") {
				t.Fatalf("%q %v", body, err)
			}
		})
	}
}

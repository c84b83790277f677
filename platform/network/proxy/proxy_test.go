package proxy

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"keva/agent/budget"
	"keva/platform/network"
	nt "keva/platform/network/networktest"
)

type lab struct {
	*nt.World
	policy  *network.Policy
	setting network.Setting
	proxy   *Proxy
	launch  *Launch
	ca      *nt.CA
	log     bytes.Buffer
}

// newLab is a world with api.keva.test by http and https, and the proxy under test in front of it.
func newLab(t *testing.T, kind nt.Kind, handler http.HandlerFunc) *lab {
	t.Helper()
	l := &lab{World: nt.New(), ca: nt.NewCA(t, "origin")}
	plain := httptest.NewServer(handler)
	t.Cleanup(plain.Close)
	secure := httptest.NewUnstartedServer(handler)
	secure.TLS = l.ca.Server("api.keva.test")
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	l.Add("api.keva.test", "80", plain.Listener.Addr().String())
	l.Add("api.keva.test", "443", secure.Listener.Addr().String())
	if kind != "" {
		l.setting = network.Setting{Mode: network.Proxied, Proxy: nt.NewProxy(t, l.World, kind, l.ca).URL}
	}
	l.policy = network.New(network.Options{
		Sources: []network.Source{network.UserSetting(func() network.Setting { return l.setting })}, Dial: l.World.Dial, Resolver: l.World,
		Ledger: network.NewLedger(zerolog.New(&l.log), nil), Connect: 2 * time.Second,
		Online: func() network.Online { return network.OnlineUnknown },
	})
	var err error
	if l.proxy, err = Start(t.Context(), Options{Policy: l.policy}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.proxy.Close)
	if l.launch, err = l.proxy.Issue("toy"); err != nil {
		t.Fatal(err)
	}
	return l
}

// client is a program that was given the proxy's URL.
func (l *lab) client(t *testing.T, proxy string) *http.Client {
	t.Helper()
	u, err := url.Parse(proxy)
	if err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{Proxy: http.ProxyURL(u), TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: time.Minute}
}

// raw sends bytes as they are and returns the answer up to the end of the connection, or of its header.
func (l *lab) raw(t *testing.T, text string) string {
	t.Helper()
	c, err := net.Dial("tcp", l.proxy.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	fmt.Fprint(c, text)
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	if strings.HasPrefix(text, "CONNECT") && resp.StatusCode == http.StatusOK {
		return "200 a tunnel"
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	fmt.Fprintln(&b, resp.StatusCode, string(body))
	_ = resp.Header.Write(&b)
	return b.String()
}

func (l *lab) credential() string {
	return "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+l.launch.token)) + "\r\n"
}

func hello(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hello from "+r.Host) }

// Other apps on the phone reach loopback too: without the credential of a launch all they get is 407, whatever they ask.
func TestStrangersLearnNothing(t *testing.T) {
	l := newLab(t, "", hello)
	token := l.launch.token
	b64 := func(s string) string {
		return "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(s)) + "\r\n"
	}
	ended, err := l.proxy.Issue("ended")
	if err != nil {
		t.Fatal(err)
	}
	ended.Close()
	answers := map[string]bool{}
	for _, credential := range []string{
		"", "Proxy-Authorization: Basic\r\n", "Proxy-Authorization: Basic !!!\r\n", b64(""), b64("keva:"), b64("keva:" + token[:len(token)-1]),
		b64("keva:" + token + "0"), b64("keva:" + token[:8]), b64(token), b64("other:" + token), b64("keva:" + ended.token),
		"Proxy-Authorization: Bearer " + token + "\r\n", "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("keva:"+token)) + "\r\n",
		strings.Replace(b64("keva:"+token), "Basic ", "", 1) + "X: y\r\n",
	} {
		for _, ask := range []string{
			"CONNECT api.keva.test:443 HTTP/1.1\r\nHost: api.keva.test:443\r\n", "GET http://api.keva.test/ HTTP/1.1\r\nHost: api.keva.test\r\n",
			"GET / HTTP/1.1\r\nHost: x\r\n", "OPTIONS * HTTP/1.1\r\nHost: x\r\n", "CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n",
		} {
			if strings.HasPrefix(credential, "Proxy-Authorization: a") { // the bare base64
				continue
			}
			answers[l.raw(t, ask+credential+"\r\n")] = true
		}
	}
	if len(answers) != 1 {
		t.Errorf("the answers differ: %v", answers)
	}
	for a := range answers {
		if !strings.HasPrefix(a, "407 \n") || strings.Contains(strings.ToLower(a), "keva") || strings.Contains(a, "Date") {
			t.Errorf("%q", a)
		}
	}
	if d := l.Dials(); len(d) > 0 {
		t.Error("dialled for a stranger:", d)
	}
	if hosts, _ := l.proxy.Hosts(); len(hosts) > 0 || l.proxy.Refused() == 0 {
		t.Error(hosts, l.proxy.Refused())
	}
	if a := l.raw(t, "CONNECT api.keva.test:443 HTTP/1.1\r\nHost: api.keva.test:443\r\n"+l.credential()+"\r\n"); !strings.HasPrefix(a, "200") {
		t.Error(a)
	}
}

// Nothing but loopback may hear it.
func TestListensOnLoopbackOnly(t *testing.T) {
	l := newLab(t, "", hello)
	host, port, err := net.SplitHostPort(l.proxy.Addr())
	if err != nil || !netip.MustParseAddr(host).IsLoopback() {
		t.Fatal(l.proxy.Addr())
	}
	p := 0
	if _, err := fmt.Sscan(port, &p); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		data, err := os.ReadFile(table)
		if err != nil {
			t.Fatal("the kernel's table of sockets is needed: ", err)
		}
		for _, line := range strings.Split(string(data), "\n") {
			f := strings.Fields(line)
			if len(f) > 3 && f[3] == "0A" && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", p)) && f[1] != fmt.Sprintf("0100007F:%04X", p) {
				t.Errorf("it listens on %s, which is not 127.0.0.1", f[1])
			}
		}
	}
	l.proxy.Close()
	if c, err := net.Dial("tcp", l.proxy.Addr()); err == nil {
		_ = c.Close()
		t.Error("still listening")
	}
	if _, err := l.proxy.Issue("late"); err == nil {
		t.Error("a credential for a proxy that is gone")
	}
}

// Both kinds of requests pass, directly and through a proxy, and are counted for the launch and the host.
func TestCarriesAndCounts(t *testing.T) {
	for _, kind := range []nt.Kind{"", nt.Open, nt.Auth} {
		l := newLab(t, kind, hello)
		for _, scheme := range []string{"https", "http"} {
			resp, err := l.client(t, l.launch.URL()).Post(scheme+"://api.keva.test/", "text/plain", strings.NewReader("question"))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if string(body) != "hello from api.keva.test" || err != nil {
				t.Fatalf("%q %v", body, err)
			}
		}
		tr := l.launch.Traffic()
		if tr.In < 40 || tr.Out < 16 || tr.LastIn.IsZero() || tr.LastOut.IsZero() || tr.LastError != "" {
			t.Errorf("%+v", tr)
		}
		if other := l.launch.Traffic("other.keva.test"); other != (Traffic{}) {
			t.Errorf("%+v", other)
		}
		if one := l.launch.Traffic("api.keva.test"); one.In != tr.In {
			t.Errorf("%+v", one)
		}
		hosts, _ := l.proxy.Hosts()
		if len(hosts) != 2 || hosts[0].By != "toy" || hosts[0].In == 0 || hosts[1].In == 0 || hosts[0].Attempts != 1 {
			t.Errorf("%+v", hosts)
		}
		if s := fmt.Sprint(hosts, l.policy.Ledger().Attempts(), l.log.String()); strings.Contains(s, l.launch.token) {
			t.Error("the credential is told")
		}
	}
}

// A program behind the proxy must not reach what other apps serve on this device.
func TestThisDeviceIsOutOfReach(t *testing.T) {
	l := newLab(t, "", hello)
	l.Add("rebind.keva.test", "80", "")
	inside := httptest.NewServer(http.HandlerFunc(hello))
	defer inside.Close()
	l.V6["sneaky.keva.test"] = []net.IP{net.IPv6loopback}
	l.V6["link.keva.test"] = []net.IP{net.ParseIP("fe80::1")}
	port := strings.Split(inside.Listener.Addr().String(), ":")[1]
	asked := 0
	for _, host := range []string{
		"127.0.0.1", "127.8.8.8", "localhost", "LocalHost", "localhost.", "a.localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]",
		"169.254.169.254", "[fe80::1]", "224.0.0.1", "127.1", "2130706433", "0x7f000001", "0x7f.1", "sneaky.keva.test", "link.keva.test",
	} {
		a := l.raw(t, "CONNECT "+host+":"+port+" HTTP/1.1\r\nHost: "+host+":"+port+"\r\n"+l.credential()+"\r\n")
		if !strings.HasPrefix(a, "403") || !strings.Contains(a, "this device") {
			t.Errorf("CONNECT %s: %s", host, a)
		}
		asked += 2
		a = l.raw(t, "GET http://"+host+":"+port+"/ HTTP/1.1\r\nHost: "+host+"\r\n"+l.credential()+"\r\n")
		if !strings.HasPrefix(a, "403") {
			t.Errorf("GET %s: %s", host, a)
		}
	}
	if d := l.Dials(); len(d) > 0 {
		t.Error("dialled", d)
	}
	if n := strings.Count(l.log.String(), `"class":"forbidden"`); n != asked || len(l.policy.Ledger().Attempts()) != asked {
		t.Errorf("%d refusals left %d lines and %d records", asked, n, len(l.policy.Ledger().Attempts()))
	}
}

// A connection that is upgraded (WebSocket) carries both ways.
func TestUpgrade(t *testing.T) {
	l := newLab(t, "", func(w http.ResponseWriter, r *http.Request) {
		c, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		fmt.Fprint(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		line, err := rw.ReadString('\n')
		fmt.Fprintf(c, "%s, %v\n", strings.TrimSpace(line), err)
	})
	c, err := net.Dial("tcp", l.proxy.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	fmt.Fprintf(c, "GET http://api.keva.test/ HTTP/1.1\r\nHost: api.keva.test\r\nConnection: Upgrade\r\nUpgrade: echo\r\n%s\r\n", l.credential())
	r := bufio.NewReader(c)
	resp, err := http.ReadResponse(r, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatal(resp, err)
	}
	fmt.Fprint(c, "over here\n")
	if line, err := r.ReadString('\n'); line != "over here, <nil>\n" {
		t.Fatalf("%q %v", line, err)
	}
	if tr := l.launch.Traffic(); tr.In < 10 || tr.Out < 10 {
		t.Errorf("%+v", tr)
	}
}

// What can't be reached is an answer with the class, one line of the log, and never a way around the proxy.
func TestFailures(t *testing.T) {
	for kind, want := range map[nt.Kind]string{
		nt.WrongAuth: "proxy_auth", nt.Refusing: "proxy_refused", nt.Unreachable: "proxy_refused", nt.Slow: "timeout",
	} {
		l := newLab(t, kind, hello)
		a := l.raw(t, "CONNECT api.keva.test:443 HTTP/1.1\r\nHost: api.keva.test:443\r\n"+l.credential()+"\r\n")
		if !strings.HasPrefix(a, "50") || !strings.Contains(a, "X-Keva-Failure: "+want) {
			t.Errorf("%s: %s", kind, a)
		}
		if strings.Count(l.log.String(), "\n") != 1 || !strings.Contains(l.log.String(), want) || l.launch.Traffic().LastError != want {
			t.Errorf("%s: %+v %s", kind, l.launch.Traffic(), l.log.String())
		}
		for _, d := range l.Dials() {
			if !strings.HasPrefix(d, "127.") {
				t.Errorf("%s: dialled direct: %s", kind, d)
			}
		}
		if hosts, _ := l.proxy.Hosts(); len(hosts) != 1 || hosts[0].Failures != 1 || string(hosts[0].Failure) != want {
			t.Errorf("%s: %+v", kind, hosts)
		}
	}
}

// tunnel opens one to a server of the test that talks raw TCP.
func tunnel(t *testing.T, l *lab, serve func(*net.TCPConn)) *net.TCPConn {
	t.Helper()
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	l.Add("raw.keva.test", "9000", ln.Addr().String())
	go func() {
		c, err := ln.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		serve(c.(*net.TCPConn))
	}()
	c, err := net.Dial("tcp", l.proxy.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(30 * time.Second))
	// What follows the request at once must not be lost.
	fmt.Fprintf(c, "CONNECT raw.keva.test:9000 HTTP/1.1\r\nHost: raw.keva.test:9000\r\n%s\r\nearly", l.credential())
	head := make([]byte, len("HTTP/1.1 200 Connection established\r\n\r\n"))
	if _, err := io.ReadFull(c, head); err != nil || !strings.HasPrefix(string(head), "HTTP/1.1 200") {
		t.Fatalf("%q %v", head, err)
	}
	return c.(*net.TCPConn)
}

// One side may end its half and still hear the other: git and rsync do so.
func TestHalfClose(t *testing.T) {
	for _, kind := range []nt.Kind{"", nt.Open} {
		l := newLab(t, kind, hello)
		c := tunnel(t, l, func(s *net.TCPConn) {
			all, err := io.ReadAll(s)
			fmt.Fprintf(s, "you said %q, %v", all, err)
		})
		fmt.Fprint(c, " and late")
		if err := c.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(c); string(got) != `you said "early and late", <nil>` || err != nil {
			t.Fatalf("%q %v", got, err)
		}
	}
}

// A connection that broke must not look finished.
func TestCutIsNotAnEnd(t *testing.T) {
	l := newLab(t, "", hello)
	c := tunnel(t, l, func(s *net.TCPConn) {
		_, _ = io.ReadFull(s, make([]byte, 5))
		fmt.Fprint(s, "half")
		_, _ = io.ReadFull(s, make([]byte, 2))
		_ = s.SetLinger(0)
	})
	buf := make([]byte, 4)
	if _, err := io.ReadFull(c, buf); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(c, "go")
	if n, err := c.Read(buf); err == nil || err == io.EOF {
		t.Fatalf("%d %v: a cut answer looks whole", n, err)
	}
	l.proxy.Close() // waits for the tunnel
	if sum, _ := l.policy.Ledger().Of("engine: toy"); sum.LastFailure.Class != network.ClassConnect || strings.Count(l.log.String(), "\n") != 1 {
		t.Errorf("a cut connection leaves no trace: %+v %s", sum, l.log.String())
	}
}

// What the program does not take is not fetched: memory stays flat.
func TestBackPressure(t *testing.T) {
	l := newLab(t, "", hello)
	const total = 64 << 20
	wrote := make(chan int, 1)
	c := tunnel(t, l, func(s *net.TCPConn) {
		_ = s.SetWriteDeadline(time.Now().Add(2 * time.Second))
		sum := 0
		block := make([]byte, 64<<10)
		for sum < total {
			n, err := s.Write(block)
			sum += n
			if err != nil {
				break
			}
		}
		wrote <- sum
	})
	_ = c // nothing is read
	if n := <-wrote; n >= total/2 {
		t.Errorf("%d bytes were taken for a program that reads nothing", n)
	}
}

// Server-sent events pass as they come, by both ways, and the evidence says so.
func TestStreamsAtOnce(t *testing.T) {
	for _, scheme := range []string{"http", "https"} {
		next := make(chan struct{})
		l := newLab(t, "", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: one\n\n")
			w.(http.Flusher).Flush()
			<-next
			fmt.Fprint(w, "data: two\n\n")
		})
		resp, err := l.client(t, l.launch.URL()).Get(scheme + "://api.keva.test/")
		if err != nil {
			t.Fatal(err)
		}
		r := bufio.NewReader(resp.Body)
		if line, err := r.ReadString('\n'); line != "data: one\n" {
			t.Fatal(line, err)
		}
		before := l.launch.Traffic("api.keva.test")
		if before.Open != 1 || before.LastIn.IsZero() {
			t.Errorf("%+v", before)
		}
		close(next)
		if rest, err := io.ReadAll(r); string(rest) != "\ndata: two\n\n" || err != nil {
			t.Fatalf("%q %v", rest, err)
		}
		_ = resp.Body.Close()
		if after := l.launch.Traffic(); after.In <= before.In || after.LastIn.Before(before.LastIn) {
			t.Errorf("%+v then %+v", before, after)
		}
	}
}

// The end of a launch ends its connections and its credential, and nobody else's.
func TestLaunchEnds(t *testing.T) {
	l := newLab(t, "", hello)
	other, err := l.proxy.Issue("other")
	if err != nil {
		t.Fatal(err)
	}
	c := tunnel(t, l, func(s *net.TCPConn) { _, _ = io.Copy(io.Discard, s) })
	l.launch.Close()
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("still open")
	}
	if a := l.raw(t, "CONNECT api.keva.test:443 HTTP/1.1\r\nHost: api.keva.test:443\r\n"+l.credential()+"\r\n"); !strings.HasPrefix(a, "407") {
		t.Error(a)
	}
	resp, err := l.client(t, other.URL()).Get("http://api.keva.test/")
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp, err)
	}
	_ = resp.Body.Close()
}

// One launch is under one policy: a change reaches the next one.
func TestLaunchKeepsItsPolicy(t *testing.T) {
	l := newLab(t, nt.Refusing, hello)
	l.setting = network.Setting{}
	if _, changed := l.policy.Reload(); !changed {
		t.Fatal("no change")
	}
	ask := "CONNECT api.keva.test:443 HTTP/1.1\r\nHost: api.keva.test:443\r\n"
	if a := l.raw(t, ask+l.credential()+"\r\n"); !strings.HasPrefix(a, "502") {
		t.Error(a)
	}
	if _, tell := network.Changed(l.launch.Policy(), l.policy.Snapshot()); !tell {
		t.Error("the change is not told")
	}
	var err error
	if l.launch, err = l.proxy.Issue("toy"); err != nil {
		t.Fatal(err)
	}
	if a := l.raw(t, ask+l.credential()+"\r\n"); !strings.HasPrefix(a, "200") {
		t.Error(a)
	}
}

// Strangers can't take all connections, and what a program sends is bounded.
func TestLimits(t *testing.T) {
	l := newLab(t, "", hello)
	var last net.Conn
	for range budget.ProxyStrangers.Size + 10 {
		c, err := net.Dial("tcp", l.proxy.Addr())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		last = c
	}
	_ = last.SetDeadline(time.Now().Add(budget.ProxyGreeting.Time / 2))
	if _, err := last.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("one stranger too many was let in: %v", err)
	}
	m := newLab(t, "", hello)
	long := "GET http://api.keva.test/ HTTP/1.1\r\nHost: api.keva.test\r\nX: " + strings.Repeat("x", int(budget.ProxyHeader.Size)+8192) + "\r\n" + m.credential() + "\r\n"
	if a := m.raw(t, long); strings.HasPrefix(a, "200") {
		t.Error("a header without end was taken")
	}
	m.proxy.mu.Lock()
	m.proxy.open = int(budget.ProxyTunnels.Size)
	m.proxy.mu.Unlock()
	if a := m.raw(t, "GET http://api.keva.test/ HTTP/1.1\r\nHost: api.keva.test\r\n"+m.credential()+"\r\n"); !strings.HasPrefix(a, "503") {
		t.Error(a)
	}
}

// The list of hosts is bounded: an engine can ask for any number.
func TestHostsAreBounded(t *testing.T) {
	l := newLab(t, "", hello)
	for i := range int(budget.ProxyHosts.Size) + 20 {
		l.launch.tried(fmt.Sprintf("h%d:443", i), nil)
	}
	hosts, lost := l.proxy.Hosts()
	if int64(len(hosts)) != budget.ProxyHosts.Size || lost != 20 || int64(len(l.launch.traffic)) > budget.ProxyHosts.Size+1 {
		t.Error(len(hosts), lost, len(l.launch.traffic))
	}
}

// Hop-by-hop headers end here, and nothing tells the server of Keva.
func TestHeaders(t *testing.T) {
	var got http.Header
	l := newLab(t, "", func(w http.ResponseWriter, r *http.Request) { got = r.Header.Clone() })
	l.raw(t, "GET http://api.keva.test/ HTTP/1.1\r\nHost: api.keva.test\r\nConnection: X-Hop\r\nX-Hop: 1\r\nX-Stay: 2\r\n"+l.credential()+"\r\n")
	if got.Get("X-Stay") != "2" || got.Get("X-Hop") != "" || got.Get("Proxy-Authorization") != "" || got.Get("X-Forwarded-For") != "" {
		t.Error(got)
	}
}

// A tunnel that carries nothing for long is closed; one whose other direction is alive is not.
func TestIdleTunnel(t *testing.T) {
	t.Parallel()
	l := newLab(t, "", hello)
	var err error
	if l.proxy, err = Start(t.Context(), Options{Policy: l.policy, Idle: 2 * time.Second}); err != nil {
		t.Fatal(err)
	}
	if l.launch, err = l.proxy.Issue("toy"); err != nil {
		t.Fatal(err)
	}
	c := tunnel(t, l, func(s *net.TCPConn) {
		for range 10 { // twice as long, in one direction only
			fmt.Fprint(s, ".")
			time.Sleep(400 * time.Millisecond)
		}
		_, _ = io.Copy(io.Discard, s)
	})
	all, err := io.ReadAll(c)
	if len(all) != 10 || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%d bytes, %v", len(all), err)
	}
}

package signin

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"keva/engines/demo"
)

// secretToken is in everything that the vendors hand out and that must not be found anywhere else.
const secretToken = "planted-token-5e1f"

// goodKey is the API key that both vendors take.
const goodKey = "sk-good-key-" + secretToken

// vendors stands for the servers of Anthropic and OpenAI, under their own names: a proxy on loopback that takes the
// engines' TLS apart with a certificate authority of the test. The engines are the real ones and are changed in nothing;
// they reach it as they reach a company's proxy that reads along.
type vendors struct {
	t    *testing.T
	ca   string // file
	key  *ecdsa.PrivateKey
	root *x509.Certificate
	l    net.Listener

	mu        sync.Mutex
	asked     []string // "METHOD host/path", in order
	unknown   []string // the same, of what nobody answered
	email     string
	approved  bool // the user has written the device code into the page
	noDevice  bool // device codes are switched off
	refuse    int  // status that every token is refused with, 0 = not
	down      bool // connections are cut
	goodCode  string
	exchanged int
	model     *demo.Server // what answers for both vendors' models, nil for none
}

func newVendors(t *testing.T) *vendors {
	t.Helper()
	v := &vendors{t: t, email: "lab@example.com", goodCode: "good-code"}
	var err error
	if v.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	v.root = v.certificate("test authority", nil)
	v.ca = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(v.ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: v.root.Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	if v.l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			c, err := v.l.Accept()
			if err != nil {
				return
			}
			go v.tunnel(c)
		}
	}()
	t.Cleanup(func() { v.l.Close() })
	return v
}

// env is what the engines need to get here.
func (v *vendors) env() []string {
	proxy := "http://" + v.l.Addr().String()
	return []string{
		"HTTPS_PROXY=" + proxy, "https_proxy=" + proxy,
		"NODE_EXTRA_CA_CERTS=" + v.ca, "SSL_CERT_FILE=" + v.ca, "CODEX_CA_CERTIFICATE=" + v.ca,
	}
}

// transport is the way of Keva's own requests, as the network policy would choose it.
func (v *vendors) transport() http.RoundTripper {
	pool := x509.NewCertPool()
	pool.AddCert(v.root)
	return &http.Transport{
		Proxy:             http.ProxyURL(&url.URL{Scheme: "http", Host: v.l.Addr().String()}),
		TLSClientConfig:   &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
		DisableKeepAlives: true,
	}
}

func (v *vendors) set(change func(*vendors)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	change(v)
}

func (v *vendors) requests() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return append([]string{}, v.asked...)
}

func (v *vendors) certificate(host string, parent *x509.Certificate) *x509.Certificate {
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<60))
	if err != nil {
		v.t.Fatal(err)
	}
	c := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: host},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, BasicConstraintsValid: true,
	}
	if parent == nil {
		parent = c
		c.IsCA, c.KeyUsage, c.ExtKeyUsage = true, x509.KeyUsageCertSign, nil
	} else {
		c.DNSNames = []string{host}
	}
	raw, err := x509.CreateCertificate(rand.Reader, c, parent, &v.key.PublicKey, v.key)
	if err != nil {
		v.t.Fatal(err)
	}
	out, err := x509.ParseCertificate(raw)
	if err != nil {
		v.t.Fatal(err)
	}
	return out
}

// tunnel serves one CONNECT.
func (v *vendors) tunnel(c net.Conn) {
	defer c.Close()
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil || r.Method != http.MethodConnect {
		return
	}
	v.mu.Lock()
	down := v.down
	v.mu.Unlock()
	if down {
		return
	}
	if _, err := io.WriteString(c, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		return
	}
	leaf := v.certificate(host, v.root)
	t := tls.Server(c, &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{leaf.Raw}, PrivateKey: v.key}}, NextProtos: []string{"http/1.1"},
		MinVersion: tls.VersionTLS12,
	})
	one := &once{conn: t, done: make(chan struct{})}
	s := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { v.serve(host, w, r) }), ReadHeaderTimeout: time.Minute}
	s.ConnState = func(_ net.Conn, st http.ConnState) {
		if st == http.StateClosed || st == http.StateHijacked {
			one.Close()
		}
	}
	_ = s.Serve(one) // ends with the connection
}

// once is a listener with one connection.
type once struct {
	conn  net.Conn
	taken bool
	done  chan struct{}
	close sync.Once
}

func (o *once) Accept() (net.Conn, error) {
	if !o.taken {
		o.taken = true
		return o.conn, nil
	}
	<-o.done
	return nil, net.ErrClosed
}
func (o *once) Close() error   { o.close.Do(func() { close(o.done) }); return nil }
func (o *once) Addr() net.Addr { return o.conn.LocalAddr() }

// serve answers for host.
func (v *vendors) serve(host string, w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if v.infer(host, w, r, body) {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	what := r.Method + " " + host + r.URL.Path
	v.asked = append(v.asked, what)
	if !v.anthropic(host, w, r, body) && !v.openAI(host, w, r) {
		v.unknown = append(v.unknown, what+"?"+r.URL.RawQuery+" "+string(body[:min(len(body), 300)]))
		w.WriteHeader(http.StatusNotFound)
	}
}

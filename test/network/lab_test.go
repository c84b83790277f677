package network

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"keva/engines/demo"
	"keva/platform/network"
	nt "keva/platform/network/networktest"
	"keva/platform/network/proxy"
)

// lab is a network with a provider, a forge and two registries, whose names exist nowhere else, behind a proxy of some
// kind. A program reaches them through the lab's proxies or not at all.
type lab struct {
	*nt.World
	kind   nt.Kind
	corp   *nt.Proxy
	policy *network.Policy
	proxy  *proxy.Proxy
	launch *proxy.Launch
	env    []string
	log    buffer
}

// buffer is a log that may be written and read at once.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

const hostNames = "api.keva.test git.keva.test npm.keva.test pypi.keva.test"

// newLab builds it. trusted says whether the policy has the certificate that programs will see.
func newLab(t *testing.T, kind nt.Kind, trusted bool) *lab {
	t.Helper()
	l := &lab{World: nt.New(), kind: kind}
	origin, corp := nt.NewCA(t, "origin"), nt.NewCA(t, "corp")
	for _, name := range strings.Fields(hostNames) {
		s := httptest.NewUnstartedServer(site(t, name))
		s.TLS = origin.Server(name)
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.StartTLS()
		t.Cleanup(s.Close)
		l.Add(name, "443", s.Listener.Addr().String())
	}
	setting := network.Setting{CABundle: origin.Path}
	if kind != "" {
		l.corp = nt.NewProxy(t, l.World, kind, corp)
		setting.Mode, setting.Proxy = network.Proxied, l.corp.URL
	}
	switch {
	case kind == nt.Intercepting && trusted:
		setting.CABundle = corp.Path
	case kind == nt.TLS: // the proxy shows one, the servers the other
		setting.CABundle = joined(t, origin.Path, corp.Path)
	}
	l.policy = network.New(network.Options{
		Sources: []network.Source{network.UserSetting(func() network.Setting { return setting })},
		Dial:    l.World.Dial, Resolver: l.World, Connect: 2 * time.Second,
		Online: func() network.Online { return network.OnlineUnknown },
		Ledger: network.NewLedger(zerolog.New(&l.log), nil),
	})
	if p := l.policy.Snapshot().Problems(); len(p) > 0 {
		t.Fatal(p)
	}
	var err error
	if l.proxy, err = proxy.Start(t.Context(), proxy.Options{Policy: l.policy}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.proxy.Close)
	if l.launch, err = l.proxy.Issue("program"); err != nil {
		t.Fatal(err)
	}
	bundle, err := l.policy.Snapshot().Bundle(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	if l.env, err = l.policy.Snapshot().Env(l.launch.URL(), bundle); err != nil {
		t.Fatal(err)
	}
	return l
}

func joined(t *testing.T, paths ...string) string {
	t.Helper()
	var all []byte
	for _, p := range paths {
		data, err := os.ReadFile(p)
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

// site is what a name serves.
func site(t *testing.T, name string) http.Handler {
	t.Helper()
	switch name {
	case "api.keva.test":
		return provider(t)
	case "git.keva.test":
		return forge(t)
	case "npm.keva.test":
		return http.HandlerFunc(npmRegistry)
	}
	return pythonIndex(t)
}

// provider is the demo behind TLS; without a key it greets.
func provider(t *testing.T) http.Handler {
	t.Helper()
	d, err := demo.Start(t.Context(), demo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	up, err := url.Parse(d.AnthropicBase())
	if err != nil {
		t.Fatal(err)
	}
	rp := &httputil.ReverseProxy{FlushInterval: -1, ErrorLog: log.New(io.Discard, "", 0), Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(up)
		r.Out.Host = up.Host
		if r.Out.Header.Get("X-Api-Key") != "" {
			r.Out.Header.Set("X-Api-Key", d.Key())
		} else {
			r.Out.Header.Set("Authorization", "Bearer "+d.Key())
		}
	}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hello" {
			fmt.Fprint(w, "hello from "+r.Host)
			return
		}
		rp.ServeHTTP(w, r)
	})
}

// forge serves one repository by git's own program.
func forge(t *testing.T) http.Handler {
	t.Helper()
	root := t.TempDir()
	out, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal("git is needed for this test: install it (./setup.sh): ", err)
	}
	repo := filepath.Join(root, "project.git")
	work := filepath.Join(root, "work")
	for _, args := range [][]string{
		{"init", "-q", "--bare", repo},
		{"init", "-q", work},
		{"-C", work, "-c", "user.name=T", "-c", "user.email=t@keva.test", "commit", "-q", "--allow-empty", "-m", "first"},
		{"-C", work, "push", "-q", repo, "HEAD:refs/heads/main"},
		{"-C", repo, "symbolic-ref", "HEAD", "refs/heads/main"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, text)
		}
	}
	return &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(out)), "git-http-backend"), Dir: root, Stderr: io.Discard,
		Env: []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1"},
	}
}

func npmRegistry(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/keva-probe" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(w, `{"name":"keva-probe","dist-tags":{"latest":"7.8.9"},"versions":{"7.8.9":{"name":"keva-probe","version":"7.8.9","dist":{"tarball":"https://npm.keva.test/x.tgz","shasum":"0000000000000000000000000000000000000000"}}}}`)
}

// pythonIndex serves one package.
func pythonIndex(t *testing.T) http.Handler {
	t.Helper()
	var wheel bytes.Buffer
	z := zip.NewWriter(&wheel)
	for name, text := range map[string]string{
		"keva_probe.py":                       "",
		"keva_probe-7.8.9.dist-info/METADATA": "Metadata-Version: 2.1\nName: keva-probe\nVersion: 7.8.9\n",
		"keva_probe-7.8.9.dist-info/WHEEL":    "Wheel-Version: 1.0\nGenerator: keva\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
		"keva_probe-7.8.9.dist-info/RECORD":   "",
	} {
		f, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(wheel.Bytes())
	const file = "/files/keva_probe-7.8.9-py3-none-any.whl"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/simple/keva-probe/":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, `<!DOCTYPE html><a href="%s#sha256=%s">keva_probe-7.8.9-py3-none-any.whl</a>`, file, hex.EncodeToString(sum[:]))
		case file:
			_, _ = w.Write(wheel.Bytes())
		default:
			http.NotFound(w, r)
		}
	})
}

// run runs a program with the exported environment and nothing else of ours.
func (l *lab) run(t *testing.T, argv ...string) (string, error) {
	t.Helper()
	if _, err := exec.LookPath(argv[0]); err != nil {
		t.Fatalf("%s is needed for this test: install it (./setup.sh test)", argv[0])
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	home := t.TempDir()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = home
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home, "LANG=C.UTF-8", "GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_SYSTEM=/dev/null",
		"npm_config_cache=" + filepath.Join(home, "npm"), "npm_config_fetch_retries=0", "npm_config_update_notifier=false", "npm_config_globalconfig=/dev/null",
		"PIP_CONFIG_FILE=/dev/null", "PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_NO_CACHE_DIR=1",
	}, l.env...)
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		t.Errorf("%s did not end", argv[0])
	}
	return string(out), err
}

// classes are how each kind of proxy shows in the ledger of tunnels.
var classes = map[nt.Kind]network.Class{
	nt.WrongAuth: network.ClassProxyAuth, nt.Refusing: network.ClassProxyRefused, nt.Unreachable: network.ClassProxyRefused,
	nt.Slow: network.ClassTimeout, nt.Cutting: network.ClassProxyRefused,
}

// check is what must hold after any program did what it could: nothing went around the proxy, everything went through it,
// failures left a line each, and no credential is told.
func (l *lab) check(t *testing.T, host string) {
	t.Helper()
	l.OnlyDialled(t, l.corp.Addr)
	if names := l.Lookups(); len(names) > 0 {
		t.Errorf("the network was asked for names that are the proxy's to find: %v", names)
	}
	for _, target := range l.corp.Targets() {
		if name, _, _ := strings.Cut(target, ":"); !slices.Contains(strings.Fields(hostNames), name) {
			t.Errorf("the proxy was asked for %s", target)
		}
	}
	l.proxy.Close() // its tunnels have ended then
	hosts, _ := l.proxy.Hosts()
	if !slices.ContainsFunc(hosts, func(h proxy.Host) bool { return h.Host == host+":443" }) {
		t.Errorf("%s was never asked for: %+v", host, hosts)
	}
	sum, _ := l.policy.Ledger().Of("engine: program")
	failures := 0
	for _, a := range l.policy.Ledger().Attempts() {
		if a.Outcome == network.Failed {
			failures++
			if a.Class != classes[l.kind] && l.kind != nt.Intercepting {
				t.Errorf("%+v, want %q", a, classes[l.kind])
			}
		}
	}
	if lines := strings.Count(l.log.String(), "\n"); lines != failures {
		t.Errorf("%d failures, %d lines in the log", failures, lines)
	}
	if l.kind.Works() {
		if sum.LastSuccess.IsZero() || l.launch.Traffic(host).In == 0 {
			t.Errorf("%+v %+v", sum, l.launch.Traffic(host))
		}
	} else if failures == 0 || sum.LastFailure.Class != classes[l.kind] {
		t.Errorf("no failure is kept: %+v", sum)
	}
	for _, secret := range append(l.launch.Secrets(), "wrong-password", nt.Password, url.QueryEscape(nt.Password)) {
		if strings.Contains(l.log.String()+fmt.Sprint(l.policy.Ledger().Attempts(), hosts), secret) {
			t.Error("a credential is told")
		}
	}
}

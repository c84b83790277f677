//go:build jail

package jail

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"keva/test/jail/box"
	"keva/test/jail/lab"
)

// The world outside, as an app sees it: no name server, nothing but a proxy on loopback, which Keva is on a phone. Behind it
// are a git server that speaks https and a real sshd, both outside of the jail.
func TestRemotes(t *testing.T) {
	w := newWorld(t)
	for _, policy := range policies(lab.Oldest, lab.Middle, lab.Newest) {
		t.Run(policy, func(t *testing.T) {
			remotes(t, policy, w)
		})
	}
}

func remotes(t *testing.T, policy string, w *world) {
	dir := folder(t, "remotes-"+policy)
	for name, data := range map[string][]byte{"ca.pem": w.ca, "key": w.clientKey, "known_hosts": w.knownHosts} {
		if err := os.WriteFile(filepath.Join(jail.Root, dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := box.Own(jail.Root + dir); err != nil {
		t.Fatal(err)
	}
	const proxy = "127.0.0.1:4321"
	ssh := "ssh -i " + dir + "/key -o UserKnownHostsFile=" + dir + "/known_hosts -o IdentitiesOnly=yes -o ProxyCommand='nc -X connect -x " + proxy + " %h %p'"
	for _, c := range []struct{ name, want, script string }{
		{"https", "pushed", `git clone -q https://git.example/repo.git h; cd h; cat f; echo $RANDOM$$ > n; git add n; git commit -qm n; git push -q origin HEAD:https-` + policy + `; git ls-remote origin | grep -q https-` + policy + ` && echo pushed`},
		{"https-refuses-a-stranger", "certificate", `! GIT_SSL_CAINFO=$TREE/etc/ssl/certs/ca-certificates.crt git ls-remote https://git.example/repo.git 2>&1`},
		{"ssh", "pushed", `git clone -q ssh://` + w.user + `@ssh.example` + w.repository + ` s; cd s; cat f; echo $RANDOM$$ > n; git add n; git commit -qm n; git push -q origin HEAD:ssh-` + policy + `; git ls-remote origin | grep -q ssh-` + policy + ` && echo pushed`},
		{"ssh-command", "over ssh", `$GIT_SSH_COMMAND_ ` + w.user + `@ssh.example 'echo over ssh'`},
		{"submodule-over-https", "^1$", `git init -q top; cd top; git submodule add -q https://git.example/repo.git sub; cat sub/f`},
		{"curl", "^200$", `curl -s -o /dev/null -w '%{http_code}\n' 'https://git.example/repo.git/info/refs?service=git-upload-pack'`},
		{"python", "^200$", `python3 -c 'import urllib.request as u; print(u.urlopen("https://git.example/repo.git/info/refs?service=git-upload-pack").status)'`},
		{"node", "^200$", `node -e 'fetch("https://git.example/repo.git/info/refs?service=git-upload-pack").then(r=>console.log(r.status))'`},
		{"no-name-server", "(?i)could not resolve", `! env -u HTTPS_PROXY -u https_proxy timeout 60 git ls-remote https://git.example/repo.git 2>&1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := config(t, policy, jail.Tree+"/usr/bin/bash", "-e", "-o", "pipefail", "-c", strings.ReplaceAll(c.script, "$GIT_SSH_COMMAND_", ssh))
			x.Dir, x.Listen = dir, []string{proxy}
			ca := dir + "/ca.pem"
			x.Env = append(x.Env, "TREE="+jail.Tree, "HTTPS_PROXY=http://"+proxy, "https_proxy=http://"+proxy, "GIT_SSH_COMMAND="+ssh,
				"GIT_SSL_CAINFO="+ca, "CURL_CA_BUNDLE="+ca, "SSL_CERT_FILE="+ca, "NODE_EXTRA_CA_CERTS="+ca, "GIT_TERMINAL_PROMPT=0")
			out, err := w.run(t, x)
			if p := (lab.Check{Want: patterns(t, c.want)}).Problem(err, out); p != "" {
				t.Errorf("%s\n%s\noutput:\n%s", p, c.script, tail(out))
			}
		})
	}
}

// world is what is behind the proxy.
type world struct {
	git                       net.Listener // https
	ca, clientKey, knownHosts []byte
	user, repository          string
	sshd                      []string // sshd for one connection on its standard files
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	sh := func(script string) []byte {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "bash", "-ec", script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
		return out
	}
	sh(`git init -q -b main w; cd w; echo 1 > f; git add f; git commit -qm one; cd ..; git clone -q --bare w repo.git; git -C repo.git config http.receivepack true`)
	sh(`ssh-keygen -q -t ed25519 -N '' -f host; ssh-keygen -q -t ed25519 -N '' -f key`)
	w := &world{user: strings.TrimSpace(string(sh("id -un"))), repository: filepath.Join(dir, "repo.git")}
	w.clientKey = sh("cat key")
	w.knownHosts = append([]byte("ssh.example "), sh("cut -d' ' -f1,2 host.pub")...)
	settings := fmt.Sprintf("HostKey %[1]s/host\nAuthorizedKeysFile %[1]s/key.pub\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\nPidFile none\nLogLevel ERROR\n", dir)
	if err := os.WriteFile(filepath.Join(dir, "sshd_config"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	w.sshd = []string{"/usr/sbin/sshd", "-i", "-e", "-f", filepath.Join(dir, "sshd_config")}
	if os.Geteuid() == 0 {
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil { // where it confines itself; its package makes it at boot
			t.Fatal(err)
		}
	}
	w.serveGit(t, dir, strings.TrimSpace(string(sh("git --exec-path"))))
	return w
}

// serveGit serves the repositories in dir by git's own program, as git.example.
func (w *world) serveGit(t *testing.T, dir, exec string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "git.example"}, DNSNames: []string{"git.example"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	w.ca = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	plain, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.git = plain
	server := &http.Server{Handler: &cgi.Handler{
		Path: filepath.Join(exec, "git-http-backend"), Dir: dir,
		Env: []string{"GIT_PROJECT_ROOT=" + dir, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"},
	}}
	go func() {
		cert := tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
		_ = server.Serve(tls.NewListener(plain, &tls.Config{Certificates: []tls.Certificate{cert}})) // ends with Close
	}()
	t.Cleanup(func() { _ = server.Close() })
}

// run runs a box whose one listener is the proxy.
func (w *world) run(t *testing.T, c box.Config) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	b, err := c.Command(ctx, jail.Box)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	b.Stdout, b.Stderr = &out, &out
	if err := b.Start(); err != nil {
		t.Fatal(err)
	}
	proxy := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { w.connect(t, rw, r) })}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = proxy.Serve(b.Listeners[0]) // ends with Close
	}()
	err = b.Wait()
	_ = proxy.Close()
	<-done
	return out.String(), err
}

// connect is the proxy: CONNECT to the two hosts that exist.
func (w *world) connect(t *testing.T, rw http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect {
		http.Error(rw, "only CONNECT", http.StatusMethodNotAllowed)
		return
	}
	var far io.ReadWriteCloser
	var err error
	switch r.Host {
	case "git.example:443":
		far, err = net.Dial("tcp4", w.git.Addr().String())
	case "ssh.example:22":
		far, err = w.startSSHD()
	default:
		err = errors.New("no such host")
	}
	if err != nil {
		http.Error(rw, err.Error(), http.StatusBadGateway)
		return
	}
	near, pending, err := rw.(http.Hijacker).Hijack()
	if err != nil {
		t.Error(err)
		_ = far.Close()
		return
	}
	_, _ = io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n") // a client that is gone is noticed below
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(far, pending); _ = far.Close() })
	both.Go(func() { _, _ = io.Copy(near, far); _ = near.Close() })
	both.Wait()
}

// startSSHD starts the server for one connection.
func (w *world) startSSHD() (io.ReadWriteCloser, error) {
	pair, err := socketpair()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(w.sshd[0], w.sshd[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = pair[1], pair[1], os.Stderr
	err = cmd.Start()
	_ = pair[1].Close() // it is the server's
	if err != nil {
		return nil, errors.Join(err, pair[0].Close())
	}
	go func() { _ = cmd.Wait() }() // it says what is wrong on standard error
	conn, err := net.FileConn(pair[0])
	return conn, errors.Join(err, pair[0].Close())
}

func socketpair() ([2]*os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return [2]*os.File{}, err
	}
	return [2]*os.File{os.NewFile(uintptr(fds[0]), "near"), os.NewFile(uintptr(fds[1]), "far")}, nil
}

func patterns(t *testing.T, want string) []*regexp.Regexp {
	t.Helper()
	re, err := regexp.Compile("(?m)" + want)
	if err != nil {
		t.Fatal(err)
	}
	return []*regexp.Regexp{re}
}

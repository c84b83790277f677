package gateway

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"
)

func start(t *testing.T, upstream string) *Gateway {
	t.Helper()
	u, err := url.Parse(upstream)
	if err != nil {
		t.Fatal(err)
	}
	g, err := Start(t.Context(), Options{Upstream: u, Credential: func(h http.Header) { h.Set("X-Api-Key", "real-key") }})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func ask(t *testing.T, g *Gateway, token, path string) *http.Response {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, g.BaseURL()+path, strings.NewReader("hello"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

// The engine's token buys the provider's key on the way out, and nobody else's does.
func TestKeyStaysInside(t *testing.T) {
	var got http.Header
	var path string
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, path = r.Header.Clone(), r.URL.Path
		fmt.Fprint(w, "fine")
	}))
	defer up.Close()
	g := start(t, up.URL+"/base")
	resp := ask(t, g, g.Token(), "/v1/messages")
	if body, _ := io.ReadAll(resp.Body); string(body) != "fine" || path != "/base/v1/messages" {
		t.Fatalf("%q from %s", body, path)
	}
	if got.Get("X-Api-Key") != "real-key" || strings.Contains(fmt.Sprint(got), g.Token()) {
		t.Fatalf("the provider saw %v", got)
	}
	tr := g.Traffic()
	for tr.Open != 0 { // the client may have read all before the handler is back
		runtime.Gosched()
		tr = g.Traffic()
	}
	if tr.Out != 5 || tr.In != 4 || tr.LastIn.IsZero() || tr.Open != 0 {
		t.Fatalf("%+v", tr)
	}
	got = nil
	for _, token := range []string{"", "wrong", "real-key", g.Token() + "x"} {
		resp := ask(t, g, token, "/v1/messages")
		if body, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusUnauthorized || len(body) != 0 {
			t.Fatalf("%q: %d %q", token, resp.StatusCode, body)
		}
	}
	if got != nil {
		t.Fatal("a stranger reached the provider")
	}
}

// Server-sent events pass as they come: a buffer would make the engine wait for the end.
func TestStreamsAtOnce(t *testing.T) {
	next := make(chan struct{})
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: one\n\n")
		w.(http.Flusher).Flush()
		<-next
		fmt.Fprint(w, "data: two\n\n")
	}))
	defer up.Close()
	g := start(t, up.URL)
	resp := ask(t, g, g.Token(), "/")
	r := bufio.NewReader(resp.Body)
	if line, err := r.ReadString('\n'); err != nil || line != "data: one\n" {
		t.Fatal(line, err)
	}
	before := g.Traffic()
	if before.Open != 1 {
		t.Fatalf("%+v", before)
	}
	close(next)
	if rest, err := io.ReadAll(r); err != nil || string(rest) != "\ndata: two\n\n" {
		t.Fatalf("%q %v", rest, err)
	}
	if after := g.Traffic(); !after.LastIn.After(before.LastIn) && after.In <= before.In {
		t.Fatalf("%+v then %+v", before, after)
	}
}

// A provider that can't be reached is an answer with a cause, not a hang.
func TestUnreachable(t *testing.T) {
	up := httptest.NewServer(nil)
	addr := up.URL
	up.Close()
	g := start(t, addr)
	resp := ask(t, g, g.Token(), "/")
	body, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusBadGateway || !strings.Contains(string(body), "could not reach") || g.Traffic().LastError == "" {
		t.Fatalf("%d %s %+v", resp.StatusCode, body, g.Traffic())
	}
}

func TestLoopbackOnly(t *testing.T) {
	g := start(t, "http://127.0.0.1:1")
	u, _ := url.Parse(g.BaseURL())
	if u.Hostname() != "127.0.0.1" {
		t.Fatal(g.BaseURL())
	}
	g.Close()
	c := http.Client{Timeout: 5 * time.Second}
	if _, err := c.Get(g.BaseURL()); err == nil {
		t.Fatal("still listening")
	}
}

package signin

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"keva/agent/event"
	"keva/agent/session"
	"keva/engines/demo"
)

// infer lets the demo's model answer for both vendors, to those who show the token that they were given.
func (v *vendors) infer(host string, w http.ResponseWriter, r *http.Request, body []byte) bool {
	v.mu.Lock()
	d := v.model
	v.mu.Unlock()
	if d == nil {
		return false
	}
	to, prefix, header := d.AnthropicBase(), "", "X-Api-Key"
	switch {
	case host == "api.anthropic.com" && strings.HasPrefix(r.URL.Path, "/v1/messages"):
	case host == "chatgpt.com" && r.URL.Path == "/backend-api/codex/responses" && r.Method == http.MethodPost:
		to, prefix, header = d.OpenAIBase(), "/backend-api/codex", "Authorization"
	default:
		return false
	}
	v.mu.Lock()
	v.asked = append(v.asked, r.Method+" "+host+r.URL.Path)
	v.mu.Unlock()
	shown := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if shown != "sk-ant-oat01-"+secretToken && shown != v.jwt() {
		w.WriteHeader(http.StatusUnauthorized)
		return true
	}
	u, err := url.Parse(to)
	if err != nil {
		v.t.Error(err)
		return false
	}
	if r.Header.Get("Content-Encoding") == "zstd" { // so does Codex with a ChatGPT plan
		z, err := zstd.NewReader(bytes.NewReader(body))
		if err == nil {
			body, err = io.ReadAll(z)
			z.Close()
		}
		if err != nil {
			v.t.Error(err)
		}
		r.Header.Del("Content-Encoding")
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	p := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(p *httputil.ProxyRequest) {
		p.Out.URL.Path = strings.TrimPrefix(p.In.URL.Path, prefix)
		p.SetURL(u)
		p.Out.Header.Del("Authorization")
		p.Out.Header.Set(header, map[string]string{"X-Api-Key": d.Key(), "Authorization": "Bearer " + d.Key()}[header])
	}}
	p.ServeHTTP(w, r)
	return true
}

// From an empty device to a first answer: sign in, and the next prompt is answered by the vendor that was signed in to,
// through the same road, with the engine's own token and nothing that Keva was told.
func TestFirstAnswerAfterTheSignIn(t *testing.T) {
	for _, method := range []string{"claude/code", "codex/device"} {
		t.Run(method, func(t *testing.T) {
			v := newVendors(t)
			d, err := demo.Start(t.Context(), demo.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = d.Close() })
			v.set(func(v *vendors) { v.model = d })
			a := open(t, t.TempDir(), v)
			w := a.asked(t, method)
			a.person(t, v, method, w.State)
			if end := a.until(t, "ended", ended); reasonOf(end.State) != nil {
				t.Fatalf("%+v", reasonOf(end.State))
			}
			set := a.set.Get()
			choice := set.Choice(set.Engine)
			if set.Engine != engineOf(method) {
				t.Fatalf("new sessions begin with %s", set.Engine)
			}
			project := filepath.Join(t.TempDir(), "project")
			if err := demo.NewProject(project); err != nil {
				t.Fatal(err)
			}
			s, err := a.Service.Create(t.Context(), session.New{Dir: project, Engine: set.Engine, Provider: choice.Provider, Model: choice.Model, Effort: choice.Effort})
			if err != nil {
				t.Fatal(err)
			}
			updates := s.Subscribe(t.Context())
			if err := s.Send(t.Context(), "#script hello"); err != nil {
				t.Fatal(err)
			}
			follow(t, s, updates)
			if v := s.View(); v.Verdict != event.Success {
				t.Errorf("%s", v.Verdict)
			}
			t.Logf("unknown: %q", v.unknown)
		})
	}
}

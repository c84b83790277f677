package demo

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"keva/agent/budget"
)

func TestCredential(t *testing.T) {
	s := startServer(t, Options{})
	other := startServer(t, Options{})
	if s.Key() == other.Key() || len(s.Key()) < 32 {
		t.Errorf("keys %q and %q", s.Key(), other.Key())
	}
	for _, key := range []string{"", "demo", s.Key() + "x", s.Key()[1:], other.Key()} {
		for path, shape := range map[string]string{"/v1/messages": `{"error":{"message":`, "/v1/responses": `"code":"invalid_api_key"`, "/anything": `"type":"error"`} {
			status, _, body := request(t, http.MethodPost, "http://"+s.addr+path, key, "{}")
			if status != http.StatusUnauthorized || !strings.Contains(body, shape) {
				t.Errorf("key %q, %s: %d %s", key, path, status, body)
			}
		}
	}
	for _, r := range s.Requests() {
		if r.Body != nil || r.Header.Get("Authorization") != "" {
			t.Error("a refused request is kept with its body or credential")
		}
	}
	if status, _, _ := post(t, s, "/v1/messages", claudeHello); status != http.StatusOK {
		t.Errorf("the right key: %d", status)
	}
	if header := s.Requests()[len(s.Requests())-1].Header; strings.Contains(strings.Join(header["Authorization"], ""), s.Key()) {
		t.Error("the credential is kept")
	}
}

func TestRoutes(t *testing.T) {
	s := startServer(t, Options{})
	tests := []struct {
		method, path, body string
		status             int
		has                string
	}{
		{http.MethodHead, "/", "", 200, ""},
		{http.MethodHead, "/v1/anything", "", 200, ""},
		{http.MethodPost, "/v1/messages/count_tokens", `{"messages":[]}`, 200, `{"input_tokens":4}`},
		{http.MethodPost, "/v1/messages/count_tokens", `{`, 400, "invalid_request_error"},
		{http.MethodGet, "/v1/models", "", 200, ModelCodex},
		{http.MethodGet, "/", "", 200, "Keva"},
		{http.MethodPost, "/v1/nothing", "{}", 404, "not_found"},
		{http.MethodGet, "/v1/messages", "", 404, "not_found_error"},
		{http.MethodPost, "/v1/messages?beta=true", claudeHello, 200, "message_stop"},
		{http.MethodPost, "/v1/responses/", codexHello, 200, "response.completed"},
	}
	for _, test := range tests {
		status, _, body := request(t, test.method, "http://"+s.addr+test.path, s.Key(), test.body)
		if status != test.status || !strings.Contains(body, test.has) {
			t.Errorf("%s %s: %d %s", test.method, test.path, status, body)
		}
	}
}

func TestBodyLimitAndPacking(t *testing.T) {
	s := startServer(t, Options{MaxBody: 1000})
	if status, _, body := post(t, s, "/v1/messages", strings.Repeat("x", 1001)); status != http.StatusRequestEntityTooLarge || !strings.Contains(body, "request_too_large") {
		t.Errorf("%d %s", status, body)
	}
	packed := func(text string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write([]byte(text)) // into memory
		_ = z.Close()
		return b.String()
	}
	send := func(encoding, body string) int {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/messages", strings.NewReader(body))
		req.Header.Set("X-Api-Key", s.Key())
		req.Header.Set("Content-Encoding", encoding)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, req)
		return w.Code
	}
	for _, test := range []struct {
		encoding, body string
		status         int
	}{
		{"gzip", packed(claudeHello), 200},
		{"gzip", packed(strings.Repeat("x", 100_000)), 413}, // a small bomb
		{"gzip", "no gzip", 400},
		{"zstd", "x", 415},
	} {
		if got := send(test.encoding, test.body); got != test.status {
			t.Errorf("%s: %d, want %d", test.encoding, got, test.status)
		}
	}
}

func TestLoopbackOnly(t *testing.T) {
	for _, listen := range []string{":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:0", "localhost:0", "nonsense"} {
		if s, err := Start(t.Context(), Options{Listen: listen}); err == nil {
			closeServer(t, s)
			t.Errorf("%q is served", listen)
		}
	}
}

// Nothing of the server is left when it is closed or its context ends, also with requests that wait.
func TestCloseLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, end := range []string{"close", "context"} {
		ctx, cancel := context.WithCancel(context.Background())
		s, err := Start(ctx, Options{})
		if err != nil {
			t.Fatal(err)
		}
		arrived := make(chan struct{})
		s.Inject(Injection{Fault: Fault{Never: true}, Match: func(*Request) bool { close(arrived); return true }})
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.OpenAIBase()+"/responses", strings.NewReader(codexHello))
			if err != nil {
				return
			}
			req.Header.Set("Authorization", "Bearer "+s.Key())
			if res, err := http.DefaultClient.Do(req); err == nil {
				_ = res.Body.Close()
			}
		}()
		<-arrived
		if end == "context" {
			cancel()
			<-s.served
		}
		closeServer(t, s)
		cancel()
		<-gone
	}
	http.DefaultClient.CloseIdleConnections()
	deadline := time.Now().Add(5 * time.Second)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			stack := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stack[:runtime.Stack(stack, true)])
		}
		runtime.Gosched()
	}
}

// The log of requests is bounded: each request of a long session carries its whole history.
func TestRequestLogIsBounded(t *testing.T) {
	s := startServer(t, Options{})
	big := `{"messages":[{"role":"user","content":"` + strings.Repeat("x", 1<<20) + `"}]}`
	for range 20 {
		post(t, s, "/v1/messages", big)
	}
	total := 0
	for _, r := range s.Requests() {
		total += len(r.Body)
	}
	if total > int(budget.DemoLog.Size) || total < int(budget.DemoLog.Size)/2 {
		t.Errorf("%d bytes are kept", total)
	}
}

var hostile = []string{
	``, ` `, `{`, `null`, `[]`, `"x"`, `{}`, "\xff\xfe", `{"messages":null}`, `{"messages":[null,1,"x",[],{}]}`,
	`{"messages":[{"role":"user","content":null},{"role":"user","content":[1,null,{"type":"text"},{"type":"tool_result","tool_use_id":"toolu_tour-look-1-0-0-0-x"}]}]}`,
	`{"messages":[{"role":"user","content":"tour"},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_tour-nosuchstep-999999-0-0-0-x","content":"x"}]}]}`,
	`{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_01","content":"for nobody","is_error":true}]}]}`,
	`{"messages":[{"role":"robot","content":"tour"},{"role":"assistant","content":[{"type":"tool_use","id":"toolu_tour-edit-5-0-0-0-x","name":"Edit"}]}],"tools":[{"name":"Edit"}]}`,
	`{"input":null}`, `{"input":[null,1,"x",{},{"type":"message"},{"type":"function_call_output","call_id":"call_tour-look-1-0-999-0-x","output":[{"type":"input_text","text":"{\"action\":99,\"text\":\"x\"}\n{\"action\":"}]}]}`,
	`{"input":[{"type":"message","role":"user","content":"tour"},{"type":"custom_tool_call","call_id":"call_tour-look-0-0-999-0-x","name":"exec"},{"type":"custom_tool_call_output","call_id":"call_tour-look-0-0-999-0-x","output":{"a":1}}],"tools":[{"type":"custom","name":"exec"}]}`,
	`{"input":[{"type":"agent_message","content":[{"type":"encrypted_content","encrypted_content":"#agent reviewer"}]}],"tools":[{"type":"namespace","name":"n","tools":[{"type":"namespace","tools":null}]}]}`,
}

// Whatever comes in, an answer in the shape of the provider goes out.
func FuzzRequests(f *testing.F) {
	for _, body := range hostile {
		f.Add(body)
	}
	s, err := newServer(Options{})
	if err != nil {
		f.Fatal(err)
	}
	for _, never := range []string{"never", "slow"} {
		delete(s.scripts, never) // they end with the client only, which a recorder is not
	}
	s.names = scriptNames(s.scripts)
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{"/v1/messages", "/v1/responses", "/v1/messages/count_tokens"} {
			w := httptest.NewRecorder()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
			r.Header.Set("X-Api-Key", s.Key())
			func() {
				defer func() {
					if p := recover(); p != nil && p != http.ErrAbortHandler { //nolint:errorlint // a panic's value
						panic(p)
					}
				}()
				s.ServeHTTP(w, r)
			}()
			switch kind := w.Header().Get("Content-Type"); kind {
			case "application/json":
				if !json.Valid(w.Body.Bytes()) {
					t.Errorf("%s: %s", path, w.Body)
				}
			case "text/event-stream":
			default:
				t.Errorf("%s: content type %q", path, kind)
			}
		}
	})
}

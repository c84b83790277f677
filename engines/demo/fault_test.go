package demo

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"
)

const (
	claudeHello = `{"model":"m","stream":true,"metadata":{"user_id":"u"},"messages":[{"role":"user","content":"hi"}]}`
	codexHello  = `{"model":"m","stream":true,"prompt_cache_key":"u","input":[{"type":"message","role":"user","content":"hi"}]}`
)

// Both wires, since a fault must look on each like the real service's.
var bothWires = []struct{ name, path, body, end, text string }{
	{"claude", "/v1/messages", claudeHello, "event: message_stop", "content_block_delta"},
	{"codex", "/v1/responses", codexHello, "event: response.completed", "output_text.delta"},
}

func TestFaults(t *testing.T) {
	for _, w := range bothWires {
		t.Run(w.name, func(t *testing.T) {
			s := startServer(t, Options{})
			with := func(f Fault) (int, http.Header, string) {
				t.Helper()
				defer s.Inject(Injection{Fault: f})()
				return post(t, s, w.path, w.body)
			}

			if _, _, body := with(Fault{}); !strings.Contains(body, w.end) || !strings.Contains(body, w.text) {
				t.Errorf("no fault: %s", body)
			}
			status, header, body := with(Fault{Status: http.StatusTooManyRequests, Message: "slow down", RetryAfter: "7"})
			if status != 429 || header.Get("Retry-After") != "7" || !strings.Contains(body, "slow down") || strings.Contains(body, "event:") {
				t.Errorf("status: %d %v %s", status, header, body)
			}
			if status, _, body := with(Fault{Refuse: "no"}); status < 400 || status == 429 || status > 499 || !strings.Contains(body, `"message":"no"`) {
				t.Errorf("refuse: %d %s", status, body)
			}
			if _, _, body := with(Fault{Cut: CutInside}); !strings.Contains(body, w.text) || strings.Contains(body, w.end) || !strings.Contains(body, "<unexpected EOF>") {
				t.Errorf("cut inside: %s", body)
			}
			if _, _, body := with(Fault{Cut: CutBefore}); strings.Contains(body, w.text) || strings.Contains(body, w.end) || !strings.Contains(body, "event:") {
				t.Errorf("cut before: %s", body)
			}
			if _, _, body := with(Fault{Cut: CutAfter, CutBlock: 99}); !strings.Contains(body, w.text) || !strings.Contains(body, "<unexpected EOF>") {
				t.Errorf("cut after the last: %s", body)
			}
			if _, _, body := with(Fault{Huge: 300_000}); len(body) < 300_000 || !strings.Contains(body, w.end) {
				t.Errorf("huge: %d bytes", len(body))
			}
			if _, _, body := with(Fault{Malformed: true}); !strings.Contains(body, "\xff") || !strings.Contains(body, w.end) {
				t.Errorf("malformed: %q", body)
			}
			if _, _, body := with(Fault{Empty: true}); strings.Contains(body, w.text) || !strings.Contains(body, w.end) {
				t.Errorf("empty: %s", body)
			}
			begin := time.Now()
			if _, _, body := with(Fault{FirstByteMS: 40, ChunkMS: 1}); time.Since(begin) < 40*time.Millisecond || !strings.Contains(body, w.end) {
				t.Errorf("delay: %s after %s", body, time.Since(begin))
			}
		})
	}
}

// A fault ends after its number of times, and a script's own fault counts for each conversation alone.
func TestFaultTimes(t *testing.T) {
	s := startServer(t, Options{})
	s.Inject(Injection{Fault: Fault{Status: 500, Times: 2}, Script: "hello"})
	var got []int
	for range 3 {
		status, _, _ := post(t, s, "/v1/messages", claudeHello)
		got = append(got, status)
	}
	for _, user := range []string{"a", "a", "b"} {
		status, _, _ := post(t, s, "/v1/messages", strings.NewReplacer(`"u"`, `"`+user+`"`, `"hi"`, `"#script overloaded"`).Replace(claudeHello))
		got = append(got, status)
	}
	want := []int{500, 500, 200, 529, 200, 529}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

func TestFaultOnMatchingRequestsOnly(t *testing.T) {
	s := startServer(t, Options{})
	s.Inject(Injection{Fault: Fault{Status: 500}, Match: func(r *Request) bool { return strings.HasSuffix(r.Path, "responses") }})
	if status, _, _ := post(t, s, "/v1/messages", claudeHello); status != 200 {
		t.Errorf("status %d", status)
	}
	if status, _, _ := post(t, s, "/v1/responses", codexHello); status != 500 {
		t.Errorf("status %d", status)
	}
}

// Without an answer the client's going, or the server's end, is what ends the request.
func TestNeverEndsWithClient(t *testing.T) {
	s := startServer(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	s.Inject(Injection{Fault: Fault{Never: true}, Match: func(*Request) bool { cancel(); return true }})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.AnthropicBase()+"/v1/messages", strings.NewReader(claudeHello))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", s.Key())
	if res, err := http.DefaultClient.Do(req); err == nil {
		res.Body.Close()
		t.Error("there was an answer")
	}
	s.handler.Wait() // hangs when the handler does not notice
}

// Text comes in pieces while it is written, not at the end: that is what makes the demo look alive.
func TestTextIsStreamed(t *testing.T) {
	s := startServer(t, Options{Pace: time.Millisecond})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.AnthropicBase()+"/v1/messages", strings.NewReader(claudeHello))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", s.Key())
	s.Inject(Injection{Fault: Fault{ChunkMS: 60_000}}) // so slow that only a stream gets the head
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	line, err := bufio.NewReader(res.Body).ReadString('\n')
	if err != nil || line != "event: message_start\n" {
		t.Errorf("%q %v", line, err)
	}
}

func TestChunksLoseNothing(t *testing.T) {
	for _, text := range []string{"", "a", " ", "  two  spaces ", "line\n\nline", "ünï — 日本語 text", strings.Repeat("日本語", 50_000), strings.Repeat("word ", 30_000)} {
		pieces := chunks(text)
		if strings.Join(pieces, "") != text {
			t.Errorf("%.20q is not whole", text)
		}
		for _, piece := range pieces {
			if piece == "" || strings.ToValidUTF8(piece, "!") != piece {
				t.Errorf("%.20q has the piece %.20q", text, piece)
			}
		}
	}
}

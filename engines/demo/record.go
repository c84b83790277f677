package demo

import (
	"encoding/json"
	"net/http"
	"time"

	"keva/agent/budget"
)

// Request is what a test may look at afterwards. The credential is not in it.
type Request struct {
	Time         time.Time
	Method, Path string
	Header       http.Header
	Body         json.RawMessage // as sent, unpacked; may be no JSON at all; nil when the log was full or it was refused
	Script, Step string          // what was answered; "": something else than a script
}

// Decode reads the body into v.
func (r *Request) Decode(v any) error { return json.Unmarshal(r.Body, v) }

// requestLog keeps the last requests within a budget: a long session's requests carry its whole history each.
type requestLog struct {
	requests []*Request
	bytes    int
}

func (s *Server) keep(r *http.Request, body []byte) *Request {
	header := r.Header.Clone()
	header.Del("Authorization")
	header.Del("X-Api-Key")
	req := &Request{Time: time.Now(), Method: r.Method, Path: r.URL.Path, Header: header, Body: body}
	s.mu.Lock()
	defer s.mu.Unlock()
	log := &s.log
	log.requests = append(log.requests, req)
	log.bytes += len(body)
	for len(log.requests) > 1 && (len(log.requests) > int(budget.DemoRequests.Size) || log.bytes > int(budget.DemoLog.Size)) {
		log.bytes -= len(log.requests[0].Body)
		log.requests[0] = nil
		log.requests = log.requests[1:]
	}
	return req
}

// answered notes what a request got.
func (s *Server) answered(req *Request, answer Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	req.Script, req.Step = answer.Script, answer.Step
}

// Requests are the requests so far, oldest first; only the last ones of a long session.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Request, 0, len(s.log.requests))
	for _, req := range s.log.requests {
		out = append(out, *req)
	}
	return out
}

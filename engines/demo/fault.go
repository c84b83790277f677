package demo

import (
	"net/http"
	"slices"
	"time"
)

// Fault is a way in which a provider can fail. The zero value is no fault. Scripts carry faults in a step; tests give them
// to Server.Inject.
type Fault struct {
	FirstByteMS int    `json:"first_byte_ms,omitempty"` // wait before the answer's head
	ChunkMS     int    `json:"chunk_ms,omitempty"`      // wait before each piece of text
	Refuse      string `json:"refuse,omitempty"`        // an error with this message that no engine retries
	Status      int    `json:"status,omitempty"`        // an HTTP error instead of an answer
	Type        string `json:"type,omitempty"`          // of the error body
	Code        string `json:"code,omitempty"`          // of the error body (OpenAI)
	Message     string `json:"message,omitempty"`       // of the error body
	RetryAfter  string `json:"retry_after,omitempty"`   // header, in seconds
	Cut         Cut    `json:"cut,omitempty"`           // the connection breaks
	CutBlock    int    `json:"cut_block,omitempty"`     // at this block of the answer, from 0
	Huge        int    `json:"huge,omitempty"`          // bytes of an extra text block before the others
	Never       bool   `json:"never,omitempty"`         // no answer until the client goes
	Malformed   bool   `json:"malformed,omitempty"`     // frames that are no JSON, then the end
	Empty       bool   `json:"empty,omitempty"`         // a well-formed answer without content
	Times       int    `json:"times,omitempty"`         // how often, then no more; 0: always
}

// Cut says where a stream breaks.
type Cut string

// The places.
const (
	CutBefore Cut = "before" // before the block begins
	CutInside Cut = "inside" // in the middle of the block
	CutAfter  Cut = "after"  // after the block is complete
)

// Injection is a fault that a test puts on the requests to come.
type Injection struct {
	Fault
	Script string              // only answers of this script; "": every one, also the engines' side requests
	Match  func(*Request) bool // only these requests; nil: every one. It must not change the request.
}

// Inject lets the following requests fail. The returned function takes the fault back. An injected fault goes before the
// script's own.
func (s *Server) Inject(in Injection) (remove func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	entry := &injected{Injection: in}
	s.injected = append(s.injected, entry)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		entry.off = true
	}
}

type injected struct {
	Injection
	used int
	off  bool
}

// faultFor picks the fault of an answer, if there is one, and counts its use.
func (s *Server) faultFor(req *Request, conversation string, answer Answer) *Fault {
	s.mu.Lock()
	injected := slices.Clone(s.injected)
	s.mu.Unlock()
	for _, in := range injected {
		if in.Script != "" && in.Script != answer.Script || in.Match != nil && !in.Match(req) {
			continue
		}
		if s.use(in) {
			return &in.Fault
		}
	}
	fault := answer.Fault
	if fault == nil || fault.Times == 0 {
		return fault
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := conversation + "\x00" + answer.Script + "\x00" + answer.Step
	if s.faults[key] >= fault.Times {
		return nil
	}
	s.faults[key]++
	return fault
}

// use counts one use of an injected fault; false when it is used up or taken back.
func (s *Server) use(in *injected) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if in.off || in.Times > 0 && in.used >= in.Times {
		return false
	}
	in.used++
	return true
}

// errorFor is the HTTP error of a fault in the terms of one wire, or nil.
func (f *Fault) errorFor(w wire) *apiError {
	switch {
	case f.Refuse != "" && w == wireAnthropic:
		return &apiError{Status: http.StatusBadRequest, Type: "invalid_request_error", Message: f.Refuse}
	case f.Refuse != "":
		// Codex shows this error's own message, and at once; of a 400 it would show the raw body.
		return &apiError{Status: http.StatusNotFound, Type: "invalid_request_error", Code: "model_not_found", Message: f.Refuse}
	case f.Status != 0:
		e := &apiError{Status: f.Status, Type: f.Type, Code: f.Code, Message: f.Message, RetryAfter: f.RetryAfter}
		if e.Type == "" {
			e.Type = errorType(w, f.Status)
		}
		if e.Message == "" {
			e.Message = "Scripted failure of the demo provider."
		}
		return e
	default:
		return nil
	}
}

// errorType is the type word that the real service uses for a status.
func errorType(w wire, status int) string {
	if w == wireOpenAI {
		switch {
		case status == http.StatusTooManyRequests:
			return "rate_limit_exceeded"
		case status >= 500:
			return "server_error"
		default:
			return "invalid_request_error"
		}
	}
	switch status {
	case http.StatusUnauthorized:
		return "authentication_error"
	case http.StatusForbidden:
		return "permission_error"
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large"
	case http.StatusTooManyRequests:
		return "rate_limit_error"
	case 529:
		return "overloaded_error"
	}
	if status >= 500 {
		return "api_error"
	}
	return "invalid_request_error"
}

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }

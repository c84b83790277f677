package demo

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
)

// ServeHTTP routes a request. The engines' reachability probe (HEAD /) is the only thing that needs no credential, and it
// tells nothing.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		panic(http.ErrAbortHandler) // the server closes
	}
	defer s.handler.Done()
	proto := wireOf(r)
	if r.Method == http.MethodHead {
		s.keep(r, nil)
		w.WriteHeader(http.StatusOK)
		return
	}
	if !s.allowed(r) {
		s.keep(r, nil)
		writeError(w, proto, &apiError{Status: http.StatusUnauthorized, Type: unauthorizedType(proto), Code: "invalid_api_key", Message: "This demo provider wants the credential of its launch."})
		return
	}
	body, e := s.readBody(w, r)
	if e != nil {
		s.keep(r, nil)
		writeError(w, proto, e)
		return
	}
	req := s.keep(r, body)
	switch route := r.Method + " " + strings.TrimSuffix(r.URL.Path, "/"); route {
	case "POST /v1/messages":
		s.messages(w, r, req)
	case "POST /v1/messages/count_tokens":
		s.countTokens(w, r, req)
	case "POST /v1/responses":
		s.responses(w, r, req)
	case "GET /v1/models":
		writeJSON(w, http.StatusOK, models(proto))
	case "GET ":
		writeJSON(w, http.StatusOK, fields{"name": "Keva demo provider"})
	default:
		writeError(w, proto, &apiError{Status: http.StatusNotFound, Type: errorType(proto, http.StatusNotFound), Code: "not_found", Message: "The demo provider has no " + r.Method + " " + short(r.URL.Path) + "."})
	}
}

// wireOf tells the protocol of a request, for the shape of its errors.
func wireOf(r *http.Request) wire {
	if strings.HasPrefix(r.URL.Path, "/v1/messages") || r.Header.Get("anthropic-version") != "" {
		return wireAnthropic
	}
	if strings.HasPrefix(r.URL.Path, "/v1/") {
		return wireOpenAI
	}
	return wireAnthropic
}

func unauthorizedType(proto wire) string {
	if proto == wireOpenAI {
		return "invalid_request_error"
	}
	return "authentication_error"
}

// readBody reads the request within the limit, unpacked.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request) ([]byte, *apiError) {
	var reader io.Reader = http.MaxBytesReader(w, r.Body, s.maxBody)
	switch encoding := r.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
	case "gzip":
		unpacked, err := gzip.NewReader(reader)
		if err != nil {
			return nil, &apiError{Status: http.StatusBadRequest, Type: "invalid_request_error", Message: "The request is no valid gzip: " + err.Error()}
		}
		reader = unpacked
	default:
		return nil, &apiError{Status: http.StatusUnsupportedMediaType, Type: "invalid_request_error", Message: "The demo provider can't unpack " + short(encoding) + "."}
	}
	var body bytes.Buffer
	n, err := io.Copy(&body, io.LimitReader(reader, s.maxBody+1))
	var tooBig *http.MaxBytesError
	switch {
	case errors.As(err, &tooBig), n > s.maxBody:
		return nil, &apiError{Status: http.StatusRequestEntityTooLarge, Type: "request_too_large", Message: "The request is too big for the demo provider."}
	case err != nil:
		return nil, &apiError{Status: http.StatusBadRequest, Type: "invalid_request_error", Message: "The request could not be read: " + err.Error()}
	}
	return body.Bytes(), nil
}

func models(proto wire) fields {
	if proto == wireAnthropic {
		return fields{"data": []any{fields{"type": "model", "id": ModelClaude, "display_name": "Keva demo", "created_at": "2026-01-01T00:00:00Z"}}, "has_more": false, "first_id": ModelClaude, "last_id": ModelClaude}
	}
	return fields{"object": "list", "data": []any{fields{"id": ModelCodex, "object": "model", "created": 0, "owned_by": "keva-demo"}}}
}

// apiError is an error in the shape of a provider.
type apiError struct {
	Status              int
	Type, Code, Message string
	RetryAfter          string
}

func writeError(w http.ResponseWriter, proto wire, e *apiError) {
	if e.RetryAfter != "" {
		w.Header().Set("Retry-After", e.RetryAfter)
	}
	if proto == wireOpenAI {
		var code any
		if e.Code != "" {
			code = e.Code
		}
		writeJSON(w, e.Status, fields{"error": fields{"message": e.Message, "type": e.Type, "code": code, "param": nil}})
		return
	}
	writeJSON(w, e.Status, fields{"type": "error", "error": fields{"type": e.Type, "message": e.Message}})
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	data, err := json.Marshal(body)
	if err != nil {
		panic("demo: an answer can't be encoded: " + err.Error()) // all answers are built here from plain values
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data) // a client that went does not want it
}

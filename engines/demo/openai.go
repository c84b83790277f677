package demo

import (
	"encoding/json"
	"net/http"
)

// responses serves POST /v1/responses.
func (s *Server) responses(w http.ResponseWriter, r *http.Request, req *Request) {
	var body responsesRequest
	if err := json.Unmarshal(req.Body, &body); err != nil {
		writeError(w, wireOpenAI, &apiError{Status: http.StatusBadRequest, Type: "invalid_request_error", Code: "invalid_json", Message: "The request is no valid JSON: " + err.Error()})
		return
	}
	conv := body.conversation(s.choose)
	answer := next(conv, codexTools{})
	s.answered(req, answer)
	fault := s.faultFor(req, conv.Key, answer)
	if !s.before(w, r, wireOpenAI, fault) {
		return
	}
	out := newResponse(body.Model, s.nonce(), tokens(len(req.Body)))
	if fault != nil && fault.Huge > 0 {
		out.text(huge(fault.Huge), "commentary")
	}
	if fault == nil || !fault.Empty {
		out.play(answer)
	}
	out.end()
	if !body.Stream {
		writeJSON(w, http.StatusOK, out.body("completed"))
		return
	}
	s.stream(r.Context(), w, out.frames, fault)
}

package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// messages serves POST /v1/messages.
func (s *Server) messages(w http.ResponseWriter, r *http.Request, req *Request) {
	var body messagesRequest
	if err := json.Unmarshal(req.Body, &body); err != nil {
		writeError(w, wireAnthropic, &apiError{Status: http.StatusBadRequest, Type: "invalid_request_error", Message: "The request is no valid JSON: " + err.Error()})
		return
	}
	m := newMessage(body.Model, "msg_demo_"+s.nonce(), tokens(len(req.Body)))
	var answer Answer
	conv := body.conversation(s.choose)
	if !s.side(&body, conv, m) {
		if len(body.Tools) == 0 && conv.Script.usesTools() {
			conv.Script = s.scripts[fallback] // a side question that quotes a prompt is no wish to work
		}
		answer = next(conv, claudeTools{})
		s.answered(req, answer)
	}
	fault := s.faultFor(req, conv.Key, answer)
	if !s.before(w, r, wireAnthropic, fault) {
		return
	}
	if fault != nil && fault.Huge > 0 {
		m.text(huge(fault.Huge))
	}
	if fault == nil || !fault.Empty {
		m.play(answer, s.nonce())
	}
	m.end()
	if !body.Stream {
		writeJSON(w, http.StatusOK, m.body())
		return
	}
	s.stream(r.Context(), w, m.frames, fault)
}

// side answers the requests that the CLI makes beside the conversation: the search that its WebSearch tool asks the
// service for, and small questions without tools (titles, summaries of a step).
func (s *Server) side(body *messagesRequest, conv *Conversation, m *message) bool {
	for _, tool := range body.Tools {
		if strings.HasPrefix(tool.Type, "web_search") {
			m.search("srvtoolu_demo"+s.nonce(), s.findSearch(conv.Prompt))
			return true
		}
	}
	system := joinText(body.System)
	if len(body.Tools) == 0 && strings.Contains(strings.ToLower(system), "title") {
		title := short(sessionTag.ReplaceAllString(conv.Prompt, "$1"))
		if strings.Contains(system, "JSON") || bytes.Contains(body.Output, []byte("json_schema")) {
			quoted, err := json.Marshal(fields{"title": title})
			if err != nil {
				panic("demo: a title can't be encoded: " + err.Error()) // a map with one string
			}
			title = string(quoted)
		}
		m.text(title)
		return true
	}
	return false
}

// sessionTag holds what a title is wanted for.
var sessionTag = regexp.MustCompile(`(?s)^.*<session>\s*(.*?)\s*</session>.*$`)

// findSearch is the scripted result for a query: the search tool of the CLI sends it inside a prompt of its own words.
func (s *Server) findSearch(prompt string) *Search {
	for _, name := range s.names {
		for _, step := range s.scripts[name].Steps {
			for _, action := range step.Do {
				if action.Search != nil && strings.Contains(prompt, action.Search.Query) {
					return action.Search
				}
			}
		}
	}
	return &Search{Query: short(prompt), Summary: "The demo has no network, and no scripted result for this search."}
}

// countTokens serves POST /v1/messages/count_tokens.
func (s *Server) countTokens(w http.ResponseWriter, r *http.Request, req *Request) {
	if !json.Valid(req.Body) {
		writeError(w, wireAnthropic, &apiError{Status: http.StatusBadRequest, Type: "invalid_request_error", Message: "The request is no valid JSON."})
		return
	}
	fault := s.faultFor(req, "", Answer{})
	if !s.before(w, r, wireAnthropic, fault) {
		return
	}
	writeJSON(w, http.StatusOK, fields{"input_tokens": tokens(len(req.Body))})
}

// before plays the part of a fault that comes before an answer. It returns false when there will be none.
func (s *Server) before(w http.ResponseWriter, r *http.Request, proto wire, fault *Fault) bool {
	if fault == nil {
		return true
	}
	if !wait(r.Context(), milliseconds(fault.FirstByteMS)) {
		return false
	}
	if fault.Never {
		<-r.Context().Done() // the client went, or the server closes
		return false
	}
	if e := fault.errorFor(proto); e != nil {
		writeError(w, proto, e)
		return false
	}
	return true
}

// huge is a text of about n bytes with numbered lines, so that a lost piece is seen.
func huge(n int) string {
	var b strings.Builder
	b.Grow(n + 32)
	for i := 1; b.Len() < n; i++ {
		fmt.Fprintf(&b, "line %08d of a long answer\n", i)
	}
	return b.String()
}

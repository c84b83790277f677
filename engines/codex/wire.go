// Package codex drives the Codex app-server: wire types, a pure mapper from frames to events, and the adapter that runs
// the process. Field names and orders are those measured on version 0.171.0.
//
// It must never let a command or an edit run that nobody approved, never take the end of a sub-agent for the end of a
// turn, and never drop a frame that it does not know.
package codex

import (
	"bytes"
	"encoding/json"
	"strings"
)

// message is one line in either direction: JSON-RPC without the "jsonrpc" member. A request has id and method, a
// notification a method, a reply an id and result or error. Ids are kept as they were written: the client's and the
// server's are separate spaces, and either may be of any type.
type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *rpcError       `json:"error,omitempty"`
}

// rpcError is the error member of a reply.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// shape is what kind of message a line is.
type shape int

const (
	shapeNone shape = iota // no JSON-RPC at all
	shapeRequest
	shapeNotification
	shapeReply
)

// decode reads a line. A line that is no message gives shapeNone, never an error.
func decode(line []byte) (message, shape) {
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		return message{}, shapeNone
	}
	m.ID = compact(m.ID)
	switch {
	case m.Method != "" && m.ID != nil:
		return m, shapeRequest
	case m.Method != "":
		return m, shapeNotification
	case m.ID != nil && (m.Result != nil || m.Error != nil):
		return m, shapeReply
	}
	return message{}, shapeNone
}

// compact gives an id one spelling, so that it can be a map key.
func compact(id json.RawMessage) json.RawMessage {
	if len(id) == 0 || bytes.Equal(id, []byte("null")) {
		return nil
	}
	if id[0] != '{' && id[0] != '[' {
		return id
	}
	var b bytes.Buffer
	if json.Compact(&b, id) != nil {
		return id
	}
	return b.Bytes()
}

// field reads one string field of a JSON object, "" when it is missing or no string.
func field(raw json.RawMessage, name string) string {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return ""
	}
	return word(m[name])
}

// word reads a JSON string; anything else is kept as its JSON text, so that an unexpected shape is seen and not taken
// for an empty word.
func word(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// firstLine cuts a text to its first line, at most n runes.
func firstLine(s string, n int) string {
	s = strings.TrimSpace(s)
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = strings.TrimSpace(s[:i]) + " …"
	}
	return clip(s, n)
}

// clip cuts a text to at most n runes and marks the cut.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

package claude

import (
	"bytes"
	"encoding/json"
	"strings"

	"keva/agent/event"
	"keva/agent/runtime"
)

// object is a JSON object that Keva writes. Encoding it can't fail: it holds strings, booleans and valid JSON only.
type object map[string]any

func (o object) line() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(o); err != nil {
		panic("claude: a message that can't be encoded: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// userLine is a message of the user. What comes before it is a block of its own, so that it stays apart from what the
// user wrote.
func userLine(m runtime.Message) []byte {
	var content any = m.Text
	if m.Context != "" {
		content = []object{{"type": "text", "text": m.Context}, {"type": "text", "text": m.Text}}
	}
	l := object{"type": "user", "message": object{"role": "user", "content": content}, "parent_tool_use_id": nil}
	if m.ID != "" {
		l["uuid"] = m.ID
	}
	return l.line()
}

func controlLine(id string, request object) []byte {
	return object{"type": "control_request", "request_id": id, "request": request}.line()
}

func responseLine(id string, response object) []byte {
	return object{
		"type": "control_response", "response": object{"subtype": "success", "request_id": id, "response": response},
	}.line()
}

func errorLine(id, text string) []byte {
	return object{
		"type": "control_response", "response": object{"subtype": "error", "request_id": id, "error": text},
	}.line()
}

// allowLine allows a call with exactly the input that was shown. updatedInput is required by the wire, whatever its
// documentation says.
func allowLine(id string, input json.RawMessage) []byte {
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	return responseLine(id, object{"behavior": "allow", "updatedInput": input})
}

// denyLine refuses a call. The model reads the reason.
func denyLine(id, reason string) []byte {
	if strings.TrimSpace(reason) == "" {
		reason = "The user did not allow this."
	}
	return responseLine(id, object{"behavior": "deny", "message": reason})
}

// answerLine gives the user's answers to the questions of a request; several choices become one string.
func answerLine(id string, input json.RawMessage, a runtime.Answer) []byte {
	fields := map[string]json.RawMessage{}
	if json.Unmarshal(input, &fields) != nil {
		return denyLine(id, a.Reason)
	}
	answers := map[string]string{}
	for question, choices := range a.Answers {
		answers[question] = strings.Join(choices, ", ")
	}
	raw, err := json.Marshal(answers)
	if err != nil {
		return denyLine(id, a.Reason)
	}
	fields["answers"] = raw
	updated, err := json.Marshal(fields)
	if err != nil {
		return denyLine(id, a.Reason)
	}
	return allowLine(id, updated)
}

// replyTo is our answer to an open request.
func replyTo(id string, q *request, a runtime.Answer) []byte {
	switch {
	case a.Decision != event.Allow:
		return denyLine(id, a.Reason)
	case q.questions != nil:
		return answerLine(id, q.input, a)
	}
	return allowLine(id, q.input)
}

package codex

import (
	"encoding/json"
	"strings"

	"keva/agent/event"
)

// outcome maps a turn's status word. It is fail-closed (I-2): an unknown word is a failure, a missing one or one that
// says that the turn still runs is unknown.
func outcome(status string) event.Outcome {
	switch status {
	case "completed":
		return event.Success
	case "interrupted":
		return event.Interrupted
	case "", "inProgress":
		return event.Unknown
	}
	return event.Failure
}

// wordClasses are the words of codexErrorInfo, as in the schema of 0.171.0.
var wordClasses = map[string]event.Class{
	"contextWindowExceeded":       event.ClassContext,
	"sessionBudgetExceeded":       event.ClassBudget,
	"usageLimitExceeded":          event.ClassLimit,
	"rateLimitExceeded":           event.ClassLimit,
	"flexUnavailable":             event.ClassOverloaded,
	"serverOverloaded":            event.ClassOverloaded,
	"policyCapacityUnavailable":   event.ClassOverloaded,
	"modelNotFound":               event.ClassModel,
	"cyberPolicy":                 event.ClassRefusal,
	"bioPolicy":                   event.ClassRefusal,
	"misalignmentPolicyViolation": event.ClassRefusal,
	"inferenceHookDenied":         event.ClassDenied,
	"tooManyDenials":              event.ClassDenied,
	"internalServerError":         event.ClassServer,
	"unauthorized":                event.ClassAuth,
	"badRequest":                  event.ClassRequest,
	"threadRollbackFailed":        event.ClassEngine,
	"sandboxError":                event.ClassEngine,
	"activeTurnNotSteerable":      event.ClassRequest,
}

// failure turns the engine's error into one for people. The engine's own words stay in Detail.
func failure(w *wireError) *event.Error {
	if w == nil {
		return nil
	}
	class, status := classify(w)
	e := &event.Error{Class: class, Status: status, Detail: w.Message}
	if w.AdditionalDetails != "" {
		e.Detail += "\n" + w.AdditionalDetails
	}
	said := w.Message
	if strings.HasPrefix(said, "Reconnecting") { // a retry: the cause is beside it
		said = w.AdditionalDetails
	}
	e.Message = class.Sentence(status, plain(said))
	return e
}

func classify(w *wireError) (event.Class, int) {
	info := word(w.Info)
	if c, ok := wordClasses[info]; ok {
		return c, 0
	}
	var obj map[string]struct {
		Status *int `json:"httpStatusCode"`
	}
	if json.Unmarshal(w.Info, &obj) == nil {
		for key, v := range obj {
			switch {
			case v.Status != nil:
				return statusClass(*v.Status), *v.Status
			case wordClasses[key] != "":
				return wordClasses[key], 0
			case strings.Contains(w.AdditionalDetails, "high demand"): // its word for a 500
				return event.ClassServer, 0
			case key == "httpConnectionFailed" || strings.HasPrefix(key, "responseStream"):
				return event.ClassNetwork, 0
			}
		}
	}
	return messageClass(w.Message), 0
}

// statusClass maps the HTTP status that a provider answered with.
func statusClass(status int) event.Class {
	switch {
	case status == 401 || status == 403:
		return event.ClassAuth
	case status == 402:
		return event.ClassBilling
	case status == 404:
		return event.ClassModel
	case status == 413:
		return event.ClassContext
	case status == 429:
		return event.ClassLimit
	case status == 503 || status == 529:
		return event.ClassOverloaded
	case status >= 500:
		return event.ClassServer
	case status >= 400:
		return event.ClassRequest
	}
	return event.ClassNetwork
}

// messageClass reads the few messages that come with codexErrorInfo "other" and have a kind after all.
func messageClass(msg string) event.Class {
	switch {
	case strings.HasPrefix(msg, "Missing environment variable"):
		return event.ClassConfig
	case strings.Contains(msg, "max_output_tokens"):
		return event.ClassTooLong
	case strings.Contains(msg, "content_filter"):
		return event.ClassRefusal
	case strings.HasPrefix(msg, "Reconnecting"), strings.Contains(msg, "stream disconnected"),
		strings.Contains(msg, "error sending request"), strings.Contains(msg, "idle timeout"),
		strings.Contains(msg, "stream closed"):
		return event.ClassNetwork
	case strings.Contains(msg, "invalid_request_error"):
		return event.ClassRequest
	}
	return event.ClassOther
}

// plain takes the sentence out of a provider's error body, which some failures carry raw.
func plain(msg string) string {
	var body struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
		Detail string `json:"detail"`
	}
	if json.Unmarshal([]byte(msg), &body) == nil {
		if body.Error.Message != "" {
			return body.Error.Message
		}
		if body.Detail != "" {
			return body.Detail
		}
	}
	return clip(strings.TrimSpace(msg), 300)
}

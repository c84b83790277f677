package claude

import (
	"strings"

	"keva/agent/event"
)

// apiError turns the engine's word and text for a failed request into a class and a sentence with a remedy; the engine's
// own text, which may be jargon, becomes the detail (protocol/claude.md §7).
func apiError(word, text string, status int) *event.Error {
	c := errorClass(word, text, status)
	return &event.Error{Class: c, Message: c.Sentence(status, ""), Detail: text, Status: status}
}

func errorClass(word, text string, status int) event.Class {
	switch word {
	case "authentication_failed":
		return event.ClassAuth
	case "billing_error":
		return event.ClassBilling
	case "rate_limit":
		return event.ClassLimit
	case "overloaded":
		return event.ClassOverloaded
	case "model_not_found":
		return event.ClassModel
	case "max_output_tokens":
		return event.ClassTooLong
	case "invalid_request":
		return requestClass(text)
	}
	if c := textClass(text); c != "" {
		return c
	}
	switch {
	case status == 401 || status == 403:
		return event.ClassAuth
	case status == 404:
		return event.ClassModel
	case status == 429:
		return event.ClassLimit
	case status == 529:
		return event.ClassOverloaded
	case status >= 500:
		return event.ClassServer
	case status >= 400:
		return event.ClassRequest
	case word == "server_error":
		return event.ClassServer
	}
	return event.ClassOther
}

func requestClass(text string) event.Class {
	switch {
	case strings.HasPrefix(text, "Prompt is too long"):
		return event.ClassContext
	case strings.Contains(text, "violate our Usage Policy"):
		return event.ClassRefusal
	}
	return event.ClassRequest
}

// textClass knows the sentences that the CLI writes itself. They are the only sign where the wire carries no word: in the
// result of a sub-agent.
func textClass(text string) event.Class {
	switch {
	case strings.HasPrefix(text, "Invalid API key"), strings.HasPrefix(text, "Failed to authenticate"),
		strings.HasPrefix(text, "Not logged in"):
		return event.ClassAuth
	case strings.HasPrefix(text, "Credit balance is too low"):
		return event.ClassBilling
	case strings.HasPrefix(text, "There's an issue with the selected model"):
		return event.ClassModel
	case strings.HasPrefix(text, "Prompt is too long"):
		return event.ClassContext
	case strings.HasPrefix(text, "Request too large"):
		return event.ClassRequest
	case strings.HasPrefix(text, "API Error: Unable to connect"), strings.HasPrefix(text, "API Error: Connection closed"):
		return event.ClassNetwork
	case strings.HasPrefix(text, "API Error: Repeated 529"):
		return event.ClassOverloaded
	case strings.HasPrefix(text, "API Error: 4"):
		return event.ClassRequest
	case strings.HasPrefix(text, "API Error: 5"):
		return event.ClassServer
	case strings.HasPrefix(text, "API Error"):
		return event.ClassOther
	}
	return ""
}

// retryCause is why the engine tries again. Without an HTTP status there was no answer at all.
func retryCause(word string, status int) event.Error {
	e := apiError(word, "", status)
	if status == 0 && (word == "unknown" || word == "") {
		e = &event.Error{Class: event.ClassNetwork, Message: event.ClassNetwork.Sentence(0, "")}
	}
	e.Detail = word
	return *e
}

// resultError explains a turn that failed. The first of a result's errors may be an internal diagnostic (H3): it is kept as
// a detail and never shown as the message.
func resultError(l line, t *turn) *event.Error {
	detail := l.Result
	if detail == "" && len(l.Errors) > 0 {
		detail = strings.Join(l.Errors, "\n")
	}
	switch {
	case l.Subtype == "error_max_turns", l.Subtype == "error_max_budget_usd":
		return &event.Error{Class: event.ClassBudget, Message: event.ClassBudget.Sentence(0, ""), Detail: detail}
	case noConversation(detail):
		return resumeError(detail)
	case l.StopReason == "refusal":
		return &event.Error{Class: event.ClassRefusal, Message: event.ClassRefusal.Sentence(0, ""), Detail: detail}
	case t.fault != nil:
		e := *t.fault
		if l.TerminalReason == "prompt_too_long" {
			e.Class, e.Message = event.ClassContext, event.ClassContext.Sentence(0, "")
		}
		if e.Status = l.APIStatus; e.Class == event.ClassOther {
			return apiError("", e.Detail, e.Status)
		}
		return &e
	case l.Subtype == "success":
		return apiError("", detail, l.APIStatus)
	}
	return &event.Error{
		Class: event.ClassEngine, Message: "Claude Code ended the turn with an error of its own. Send the message again.",
		Detail: detail,
	}
}

// agentFailure tells from the result of an Agent block that its requests failed, although the engine calls it completed: a
// text of the CLI's own instead of a report, or an answer that took no tokens (F9).
func agentFailure(r toolResult, bs []block, o event.Outcome, agent bool) event.Class {
	if !agent || o != event.Success || r.Async || len(bs) == 0 {
		return ""
	}
	c := textClass(bs[0].Text)
	switch {
	case strings.HasPrefix(bs[0].Text, "API Error"):
		return c
	case r.TotalTokens != nil && *r.TotalTokens == 0:
		if c == "" {
			return event.ClassOther
		}
		return c
	}
	return ""
}

func noConversation(text string) bool {
	return strings.Contains(text, "No conversation found with session ID")
}

// resumeError says that the engine has lost its own record of a session.
func resumeError(detail string) *event.Error {
	return &event.Error{
		Class:   event.ClassResume,
		Message: "Claude Code does not have this conversation any more, or had it in another folder. Keva's own record stays; go on in a new one.",
		Detail:  strings.TrimSpace(detail),
	}
}

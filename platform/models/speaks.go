package models

import (
	"context"
	"net/http"
	"strings"

	"keva/agent/event"
	"keva/agent/provider"
)

// Speaks finds out whether an address has protocol k at all, before an engine fails with it in a way that nobody
// understands. An empty request is sent, which costs nothing: a server that has the protocol refuses its content, one that
// has not does not find the path. The error is a refusal with what to do, or why it could not be found out.
func (l *Lister) Speaks(ctx context.Context, p provider.Provider, k provider.Kind, key string) error {
	base := address(p, k)
	path, other := base+"/responses", base+"/chat/completions"
	if k == provider.Anthropic {
		path, other = base+"/v1/messages", base+"/v1/chat/completions"
	}
	there, e := l.has(ctx, path, p, k, key)
	if e != nil {
		return e
	}
	if there {
		return nil
	}
	chat, e := l.has(ctx, other, p, k, key)
	if e == nil && !chat && k == provider.Anthropic {
		chat, e = l.has(ctx, base+"/chat/completions", p, k, key)
	}
	switch {
	case e != nil:
		return e
	case chat && k == provider.Responses:
		return provider.ChatOnly(p.Name)
	case chat:
		return &event.Error{
			Class: event.ClassConfig, Message: p.Name + " answers Chat Completions at this address, and Claude Code needs Anthropic Messages. Use an address that has it: many servers have one beside it.",
		}
	}
	hint := "It should end with /v1."
	if k == provider.Anthropic {
		hint = "It should end before /v1."
		if strings.HasSuffix(base, "/v1") {
			hint = "Remove /v1 from its end."
		}
	}
	return &event.Error{
		Class: event.ClassConfig, Status: http.StatusNotFound,
		Message: "There is no " + k.Label() + " at this address. Check it. " + hint,
	}
}

// has reports whether there is something at a path that takes requests.
func (l *Lister) has(ctx context.Context, url string, p provider.Provider, k provider.Kind, key string) (bool, *event.Error) {
	status, body, err := l.do(ctx, http.MethodPost, url, p, k, key, []byte("{}"))
	switch {
	case err != nil:
		return false, reason(err, key)
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status == http.StatusNotImplemented:
		return false, nil
	case status >= 300 && status < 400, status >= 500, status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusProxyAuthRequired:
		return false, classify(status, body, key)
	}
	return true, nil
}

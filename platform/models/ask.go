package models

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/agent/provider"
)

// Where a provider of the app's own that names no address is.
var defaults = map[provider.Kind]string{
	provider.Anthropic: "https://api.anthropic.com",
	provider.Responses: "https://api.openai.com/v1",
}

// address is the provider's address for k.
func address(p provider.Provider, k provider.Kind) string {
	base := p.Base(k)
	if base == "" {
		base = defaults[k]
	}
	return strings.TrimRight(base, "/")
}

// listPath is where models are listed below the address, as engines use it: that of Anthropic Messages ends before /v1.
func listPath(k provider.Kind) string {
	if k == provider.Anthropic {
		return "/v1/models?limit=1000"
	}
	return "/models"
}

// Verify tries a key out, by asking for the list of models. An error of event.ClassAuth is the provider's refusal; with any
// other it could not be found out whether the key works.
func (l *Lister) Verify(ctx context.Context, p provider.Provider, k provider.Kind, key string) error {
	if _, err := l.ask(ctx, p, k, key); err != nil {
		return err
	}
	return nil
}

// ask is one request for the list.
func (l *Lister) ask(ctx context.Context, p provider.Provider, k provider.Kind, key string) ([]named, *event.Error) {
	status, body, err := l.do(ctx, http.MethodGet, address(p, k)+listPath(k), p, k, key, nil)
	if err != nil {
		return nil, reason(err, key)
	}
	if e := classify(status, body, key); e != nil {
		return nil, e
	}
	var r struct {
		Data []struct {
			ID      string `json:"id"`
			Display string `json:"display_name"`
			Name    string `json:"name"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &r); err != nil || r.Data == nil {
		return nil, &event.Error{
			Class: event.ClassServer, Status: status,
			Message: "The address answers, but not with a list of models. Check the address; if this network wants a sign-in, do that first.",
			Detail:  snippet(body, key),
		}
	}
	var out []named
	for _, m := range r.Data {
		id, name := clean(m.ID), clean(m.Display)
		if name == "" {
			name = clean(m.Name)
		}
		if id == "" || id != m.ID || len(id) > maxName || strings.ContainsAny(id, " \t") {
			continue // it could not be asked for
		}
		if len(name) > maxName {
			name = ""
		}
		if out = append(out, named{id, name}); len(out) == maxModels {
			break
		}
	}
	return out, nil
}

// do makes one request. Redirects are answers: Transport does not follow them.
func (l *Lister) do(ctx context.Context, method, url string, p provider.Provider, k provider.Kind, key string, body []byte) (int, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, budget.ModelList.Time)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	for name, value := range p.Headers {
		r.Header.Set(name, value)
	}
	r.Header.Set("Accept", "application/json")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if k == provider.Anthropic {
		r.Header.Set("Anthropic-Version", "2023-06-01")
	}
	switch {
	case key == "":
	case k == provider.Anthropic && p.Auth != provider.AuthBearer:
		r.Header.Set("X-Api-Key", key)
	default:
		r.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := l.deps.Transport.RoundTrip(r)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, budget.ModelListBody.Size))
	if err != nil {
		return 0, nil, err
	}
	if to := resp.Header.Get("Location"); resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return resp.StatusCode, []byte(to), nil
	}
	return resp.StatusCode, raw, nil
}

// classify says what is wrong with an answer, nil for a good one.
func classify(status int, body []byte, key string) *event.Error {
	e := &event.Error{Status: status, Detail: snippet(body, key)}
	switch {
	case status >= 200 && status < 300:
		return nil
	case status >= 300 && status < 400:
		e.Class, e.Message = event.ClassConfig, "The address only sends on to another one ("+strconv.Itoa(status)+"), and the key was not sent there. Write the address that it leads to."
	case status == 401 || status == 403:
		e.Class, e.Message = event.ClassAuth, "The provider does not take this key (HTTP "+strconv.Itoa(status)+"): it is wrong, revoked, or for another address. Make a new one there and paste it."
	case status == 404 || status == 405 || status == 501:
		e.Class, e.Message = event.ClassModel, "The provider lists no models at this address (HTTP "+strconv.Itoa(status)+"). Check the address; if it is right, write the model's name yourself."
	case status == 407:
		e.Class, e.Message = event.ClassNetwork, "The proxy wants other credentials. Correct them in the network settings."
	default:
		e.Class = statusClass(status)
		e.Message = e.Class.Sentence(status, "")
	}
	return e
}

func statusClass(status int) event.Class {
	switch {
	case status == 402:
		return event.ClassBilling
	case status == 429:
		return event.ClassLimit
	case status == 503 || status == 529:
		return event.ClassOverloaded
	case status >= 500:
		return event.ClassServer
	}
	return event.ClassRequest
}

// reason is a failed attempt for people, in the words of the network policy where it has some.
func reason(err error, key string) *event.Error {
	var told interface{ Event() *event.Error }
	var e *event.Error
	switch {
	case errors.As(err, &told):
		e = told.Event()
	case errors.As(err, &e):
	case errors.Is(err, context.Canceled):
		e = &event.Error{Class: event.ClassInterrupted, Message: "The request was stopped."}
	case errors.Is(err, context.DeadlineExceeded):
		e = &event.Error{Class: event.ClassNetwork, Message: "The provider did not answer in time. Check the network and the address, then try again.", Detail: err.Error()}
	default:
		e = &event.Error{Class: event.ClassNetwork, Message: event.ClassNetwork.Sentence(0, ""), Detail: err.Error()}
	}
	return &event.Error{Class: e.Class, Status: e.Status, Message: without(e.Message, key), Detail: without(e.Detail, key)}
}

// snippet is the beginning of a body, for the curious.
func snippet(body []byte, key string) string {
	return without(strings.ToValidUTF8(string(body[:min(len(body), 500)]), "\uFFFD"), key)
}

func without(text, key string) string {
	if key == "" {
		return text
	}
	return strings.ReplaceAll(text, key, "•••")
}

package codex

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/agent/runtime"
	"keva/engines/proc"
)

// talk is an app-server without a thread, which is only asked about accounts.
type talk struct {
	p *proc.Process

	mu    sync.Mutex
	next  int
	waits map[string]chan message
	ends  map[string]completed // logins that have ended, by id
	moved chan struct{}        // closed and replaced when one has
}

// startTalk starts the engine outside of any session and shakes hands.
func startTalk(ctx context.Context, o Options) (*talk, error) {
	home, err := prepareHome(o.StateDir)
	if err != nil {
		return nil, err
	}
	t := &talk{waits: map[string]chan message{}, ends: map[string]completed{}, moved: make(chan struct{})}
	pl, err := o.plan(home, runtime.Start{}, home, arguments(runtime.Provider{}))
	if err != nil {
		return nil, err
	}
	spec := pl.Spec()
	spec.Record, spec.OnLine = o.record(""), t.line
	t.p, err = proc.Start(spec)
	if err != nil {
		return nil, err
	}
	_, err = t.ask(ctx, "initialize", map[string]any{
		"clientInfo":   map[string]any{"name": "keva", "title": "Keva", "version": o.AppVersion},
		"capabilities": map[string]any{"experimentalApi": true},
	})
	if err == nil {
		err = t.write(ctx, message{Method: "initialized"})
	}
	if err != nil {
		t.p.Stop()
		return nil, err
	}
	return t, nil
}

func (t *talk) line(l []byte) {
	m, shape := decode(l)
	t.mu.Lock()
	defer t.mu.Unlock()
	switch shape {
	case shapeReply:
		if wait, ok := t.waits[string(m.ID)]; ok {
			delete(t.waits, string(m.ID))
			wait <- m // buffered
		}
	case shapeNotification:
		var c completed
		if m.Method == "account/login/completed" && params(m.Params, &c) && c.ID != "" {
			t.ends[c.ID] = c
			close(t.moved)
			t.moved = make(chan struct{})
		}
	case shapeRequest: // without a thread the engine asks for nothing
	case shapeNone:
	}
}

func (t *talk) write(ctx context.Context, m message) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	err = t.p.Write(ctx, line)
	if errors.Is(err, proc.ErrGone) {
		<-t.p.Done()
		return t.gone()
	}
	return err
}

// ask writes a request and waits for its reply.
func (t *talk) ask(ctx context.Context, method string, p any) (json.RawMessage, error) {
	limit, cancel := context.WithTimeout(ctx, budget.SignInReply.Time)
	defer cancel()
	raw, err := marshalParams(p)
	if err != nil {
		return nil, err
	}
	wait := make(chan message, 1)
	t.mu.Lock()
	t.next++
	id := jsonInt(t.next)
	t.waits[id] = wait
	t.mu.Unlock()
	if err := t.write(limit, message{ID: json.RawMessage(id), Method: method, Params: raw}); err != nil {
		return nil, err
	}
	select {
	case m := <-wait:
		return result(method, m)
	case <-t.p.Done():
		select {
		case m := <-wait: // it was the last thing that it said
			return result(method, m)
		default:
			return nil, t.gone()
		}
	case <-limit.Done():
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &event.Error{
			Class: event.ClassEngine, Message: "Codex does not answer. Try again; if it stays so, install it again.", Detail: method,
		}
	}
}

// completed waits for the end of login id.
func (t *talk) completed(ctx context.Context, id string) (completed, error) {
	for {
		t.mu.Lock()
		end, ok := t.ends[id]
		moved := t.moved
		t.mu.Unlock()
		if ok {
			return end, nil
		}
		select {
		case <-moved:
		case <-t.p.Done():
			t.mu.Lock()
			end, ok := t.ends[id]
			t.mu.Unlock()
			if ok {
				return end, nil
			}
			return completed{}, t.gone()
		case <-ctx.Done():
			return completed{}, ctx.Err()
		}
	}
}

// gone explains a process that ended too early.
func (t *talk) gone() error {
	return exitError("Codex ended before the sign-in did. Begin again.", t.p.Exit())
}

// loginFailed is what the engine says of a login that failed.
type loginFailed string

func (e loginFailed) Error() string { return string(e) }

func asCall(err error, to **callError) bool { return errors.As(err, to) }

// loginError says why a sign-in failed, by what the engine says.
func loginError(err error) error {
	var said string
	var failed loginFailed
	var refused *callError
	switch {
	case errors.As(err, &failed):
		said = string(failed)
	case errors.As(err, &refused):
		said = refused.Message
	default:
		return err
	}
	e := &event.Error{Class: event.ClassAuth, Detail: said}
	low := strings.ToLower(said)
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(low, p) {
				return true
			}
		}
		return false
	}
	switch {
	case has("already in use"): // of the two ports that OpenAI lets the page come back to
		e.Class = event.ClassConfig
		e.Message = "Other programs on this device hold the ports 1455 and 1457 that the page comes back to. Close them (another Codex?), or sign in with a code."
	case has("timed out", "expired"):
		e.Message = "The sign-in was not finished in time. Begin again for a new code."
	case has("access_denied", "denied"):
		e.Message = "The page says that the sign-in was declined. Begin again, and allow it there."
	case has("workspace routing"): // the account is there; its server is not
		e.Class = event.ClassNetwork
		e.Message = "You signed in, but OpenAI's server did not say which workspace you use, so Codex can't work yet. Check the network, then begin again."
	case has("403", "forbidden", "workspace"):
		e.Message = "OpenAI does not let this account or workspace use Codex. Sign in with another account, or use an API key."
	case has("device code login is not enabled", "404"):
		e.Message = "OpenAI offers no sign-in with a code for this account. Sign in in the browser of this device instead, or allow it in ChatGPT's security settings."
	case has("429"):
		e.Class, e.Message = event.ClassLimit, "OpenAI takes no more sign-ins for the moment. Wait a few minutes, then begin again."
	case has("status 5", "(5"):
		e.Class, e.Message = event.ClassServer, "OpenAI's sign-in does not work at the moment. Try again later."
	case has("certificate", "tls"):
		e.Class, e.Message = event.ClassNetwork, "The connection to OpenAI is not safe: its certificate is not trusted. If a proxy reads this network's traffic, add its certificate in the settings."
	case has("error sending request", "dns", "connect", "network"):
		e.Class, e.Message = event.ClassNetwork, "OpenAI can't be reached, so the sign-in failed. Check the network and the proxy, then begin again."
	default:
		e.Message = "The sign-in failed. It said: " + clip(said, 300) + ". Begin again."
	}
	return e
}

package claude

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"

	"keva/agent/budget"
	"keva/agent/event"
	"keva/agent/runtime"
	"keva/engines/proc"
)

// talkArgs start an engine that is only asked about its account: no project, no message, no tools.
var talkArgs = []string{
	"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose", "--permission-prompt-tool", "stdio",
	"--setting-sources", "user", "--strict-mcp-config",
}

// talk is a process that is asked control requests.
type talk struct {
	p *proc.Process

	mu    sync.Mutex
	next  int
	waits map[string]chan controlResponse
}

// talk starts the engine outside of any session. Only its control responses are read.
func (o Options) talk(args []string) (*talk, error) {
	if err := o.makeDirs(); err != nil {
		return nil, err
	}
	t := &talk{waits: map[string]chan controlResponse{}}
	p, err := o.launchPlan(runtime.Start{}, o.home(), args)
	if err != nil {
		return nil, err
	}
	spec := p.Spec()
	spec.Record, spec.OnLine = o.record(""), t.line
	if t.p, err = proc.Start(spec); err != nil {
		return nil, err
	}
	return t, nil
}

// stop ends the process.
func (t *talk) stop() { t.p.Stop() }

func (t *talk) line(l []byte) {
	var m line
	var r controlResponse
	if decode(l, &m) != nil || m.Type != "control_response" || decode(m.Response, &r) != nil {
		return // nothing else is asked for
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if wait := t.waits[r.RequestID]; wait != nil {
		delete(t.waits, r.RequestID)
		r.Response = append(json.RawMessage(nil), r.Response...) // the line is the reader's
		wait <- r                                                // buffered
	}
}

// begin writes a request and returns where its reply will arrive.
func (t *talk) begin(ctx context.Context, request object) (<-chan controlResponse, error) {
	wait := make(chan controlResponse, 1)
	t.mu.Lock()
	t.next++
	id := "keva-" + strconv.Itoa(t.next)
	t.waits[id] = wait
	t.mu.Unlock()
	err := t.p.Write(ctx, controlLine(id, request))
	if errors.Is(err, proc.ErrGone) {
		<-t.p.Done()
		return nil, t.gone()
	}
	return wait, err
}

// ask writes a request and waits for its reply.
func (t *talk) ask(ctx context.Context, request object) (json.RawMessage, error) {
	limit, cancel := context.WithTimeout(ctx, budget.SignInReply.Time)
	defer cancel()
	wait, err := t.begin(limit, request)
	if err != nil {
		return nil, err
	}
	reply := func(r controlResponse) (json.RawMessage, error) {
		if r.Subtype != "success" {
			return nil, errors.New(r.Error)
		}
		return r.Response, nil
	}
	select {
	case r := <-wait:
		return reply(r)
	case <-t.p.Done():
		select {
		case r := <-wait:
			return reply(r)
		default:
			return nil, t.gone()
		}
	case <-limit.Done():
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &event.Error{
			Class: event.ClassEngine, Message: "Claude Code does not answer. Try again; if it stays so, install it again.",
			Detail: limit.Err().Error(),
		}
	}
}

// gone explains a process that ended too early.
func (t *talk) gone() error {
	exit := t.p.Exit()
	return &event.Error{
		Class: event.ClassEngineGone, Message: "Claude Code ended before the sign-in did. Begin again. " + exit.Advice, Detail: exit.Stderr,
	}
}

func strange(raw []byte) error {
	return &event.Error{
		Class: event.ClassEngine, Message: "Claude Code answered in a way that Keva does not understand. Install the version that Keva was made for.",
		Detail: string(raw[:min(len(raw), 2000)]),
	}
}

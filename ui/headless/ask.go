package headless

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"

	"keva/agent/event"
	"keva/agent/runtime"
	"keva/agent/turn"
)

// asker brings requests to the user, one at a time, oldest first, and their answers to the engine. Each request is
// answered at most once from here; that the first answer counts is the session's business.
type asker struct {
	run     *run
	seen    map[string]bool
	queue   []turn.Request
	current *turn.Request
	step    int                 // of a question: which one is asked
	answer  map[string][]string // of a question, so far
	reason  bool                // the reason of a denial is asked
	reading bool                // a line was asked of the reader and has not come
	stale   bool                // that line was asked for a request that is gone
	eof     bool
	stopped bool

	lines  chan line // nil until something is asked
	want   chan struct{}
	failed chan error // answers that did not arrive
}

func newAsker(r *run) *asker {
	return &asker{run: r, seen: map[string]bool{}, failed: make(chan error, 64)}
}

type line struct {
	text string
	err  error
}

// look takes new requests and drops those that are gone.
func (a *asker) look(ctx context.Context) {
	pending := a.run.view.State().PendingRequests()
	open := map[string]bool{}
	for _, p := range pending {
		open[p.ID] = true
		if !a.seen[p.ID] {
			a.seen[p.ID] = true
			a.take(ctx, p)
		}
	}
	kept := a.queue[:0]
	for _, q := range a.queue {
		if open[q.ID] {
			kept = append(kept, q)
		}
	}
	a.queue = kept
	if a.current != nil && !open[a.current.ID] {
		a.run.err.line("This request is gone; it needs no answer any more.")
		a.current, a.reason, a.stale = nil, false, a.reading
	}
	a.next(ctx)
}

// take answers a request without a person where that can be, else queues it.
func (a *asker) take(ctx context.Context, p turn.Request) {
	if p.Approval != nil && a.run.Allow != nil && !a.stopped {
		if d, why := a.run.Allow(*p.Approval); d != "" {
			a.send(ctx, p.ID, runtime.Answer{Decision: d, By: event.ByRule, Reason: why})
			return
		}
	}
	switch {
	case a.stopped:
		a.refuse(ctx, p)
	case !a.run.Ask:
		a.deny(ctx, p, "Keva runs without a terminal, so nobody could be asked.")
	case a.eof:
		a.deny(ctx, p, "Nobody answered: the input has ended.")
	default:
		a.queue = append(a.queue, p)
	}
}

// deny answers with no, and says so.
func (a *asker) deny(ctx context.Context, p turn.Request, why string) {
	if p.Question != nil {
		a.run.err.line("A question was not answered: " + oneLine(why, 200))
	}
	a.send(ctx, p.ID, runtime.Answer{Decision: event.Deny, By: event.ByRule, Reason: why})
}

// refuse is the answer of a stop (I-12).
func (a *asker) refuse(ctx context.Context, p turn.Request) {
	a.send(ctx, p.ID, runtime.Answer{Decision: event.Deny, By: event.ByStop, Reason: "The user stopped the turn."})
}

// stop answers everything that is open, and everything that still comes.
func (a *asker) stop(ctx context.Context) {
	a.stopped = true
	if a.current != nil {
		a.refuse(ctx, *a.current)
	}
	for _, p := range a.queue {
		a.refuse(ctx, p)
	}
	a.current, a.queue, a.reason, a.stale = nil, nil, false, a.reading
}

// send gives an answer to the session without waiting for it: updates and signals must go on.
func (a *asker) send(ctx context.Context, id string, answer runtime.Answer) {
	go func() {
		if _, err := a.run.s.Answer(ctx, id, answer); err != nil {
			a.fail(err)
		}
	}()
}

// fail shows an error of a call that nobody waits for. When there are too many to show, the first ones tell enough.
func (a *asker) fail(err error) {
	select {
	case a.failed <- err:
	default:
	}
}

// next shows the oldest request when none is shown.
func (a *asker) next(ctx context.Context) {
	if a.current != nil || len(a.queue) == 0 {
		return
	}
	p := a.queue[0]
	a.queue = a.queue[1:]
	a.current, a.step, a.answer = &p, 0, map[string][]string{}
	a.show()
	a.read(ctx)
}

// read asks for one line. The input is read only on demand: what the user types for another program, or before the request
// is shown, is not taken for an answer by a reader that ran ahead.
func (a *asker) read(ctx context.Context) {
	if a.reading {
		return
	}
	if a.lines == nil {
		a.lines, a.want = make(chan line), make(chan struct{}, 1)
		go readLines(ctx, a.run.In, a.want, a.lines)
	}
	a.reading = true
	a.want <- struct{}{}
}

func readLines(ctx context.Context, in io.Reader, want <-chan struct{}, lines chan<- line) {
	br := bufio.NewReader(in)
	for {
		select {
		case <-want:
		case <-ctx.Done():
			return
		}
		text, err := br.ReadString('\n')
		if err != nil && text != "" && errors.Is(err, io.EOF) {
			err = nil // a last line without its end; the next read says EOF again
		}
		select {
		case lines <- line{strings.TrimRight(text, "\r\n"), err}:
		case <-ctx.Done():
			return
		}
	}
}

// answered takes a line.
func (a *asker) answered(ctx context.Context, l line) {
	a.reading = false
	stale := a.stale
	a.stale = false
	switch {
	case l.err != nil:
		a.eof = true
		open := a.queue
		if a.current != nil {
			open = append([]turn.Request{*a.current}, open...)
		}
		a.current, a.queue = nil, nil
		for _, p := range open {
			a.run.err.line("The input has ended, so the answer is no.")
			a.deny(ctx, p, "Nobody answered: the input has ended.")
		}
		return
	case a.current == nil:
		return
	case stale:
		a.run.err.line("That answer was meant for a request that is gone. Please answer this one:")
		a.show()
		a.read(ctx)
		return
	case a.current.Approval != nil:
		a.approval(ctx, l.text)
	default:
		a.question(ctx, l.text)
	}
	a.next(ctx)
}

// close answers the current request.
func (a *asker) close(ctx context.Context, answer runtime.Answer) {
	answer.By = event.ByUser
	a.send(ctx, a.current.ID, answer)
	a.current, a.reason = nil, false
}

func (a *asker) approval(ctx context.Context, text string) {
	if a.reason {
		a.close(ctx, runtime.Answer{Decision: event.Deny, Reason: strings.TrimSpace(text)})
		return
	}
	word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	switch strings.ToLower(word) {
	case "a", "allow", "y", "yes":
		if rest != "" { // "yes but …" is no plain yes
			a.again(ctx, "Type only “a” to allow it, or “d” and the reason to deny it.")
			return
		}
		a.close(ctx, runtime.Answer{Decision: event.Allow})
	case "d", "deny", "n", "no":
		if rest = strings.TrimSpace(rest); rest != "" {
			a.close(ctx, runtime.Answer{Decision: event.Deny, Reason: rest})
			return
		}
		a.reason = true
		a.run.err.line("Reason (Enter for none):")
		a.read(ctx)
	case "?", "s", "show":
		a.show()
		a.read(ctx)
	default:
		a.again(ctx, "Type “a” to allow it once, “d” to deny it, “?” to see it again.")
	}
}

func (a *asker) again(ctx context.Context, sentence string) {
	a.run.err.line(sentence)
	a.read(ctx)
}

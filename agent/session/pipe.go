package session

import (
	"context"
	"sync"

	"keva/agent/event"
)

// pipe is the one path of an event: numbered, made durable, accounted, published, in this order (I-4: what is persisted
// is what was shown). Events that arrive while a batch is being written make the next batch.
type pipe struct {
	s *Session

	mu      sync.Mutex
	waiting []entry
	busy    bool
	subs    map[*subscriber]bool
	unsaved []event.Event // published, but the store refused them; written with the next batch

	seq int64 // only the writing goroutine touches it
}

type entry struct {
	e    event.Event
	done chan struct{} // closed when it is durable, or when the store has refused it; may be nil
}

func newPipe(s *Session, last int64) *pipe {
	return &pipe{s: s, seq: last, subs: map[*subscriber]bool{}}
}

// put takes an event. With wait it returns when the event was published.
func (p *pipe) put(e event.Event, wait bool) {
	var done chan struct{}
	if wait {
		done = make(chan struct{})
	}
	p.mu.Lock()
	p.waiting = append(p.waiting, entry{e, done})
	start := !p.busy
	p.busy = true
	p.mu.Unlock()
	if start {
		go p.drain()
	}
	if wait {
		<-done
	}
}

func (p *pipe) drain() {
	for {
		p.mu.Lock()
		batch := p.waiting
		p.waiting = nil
		if len(batch) == 0 {
			p.busy = false
			p.mu.Unlock()
			return
		}
		p.mu.Unlock()
		p.write(batch)
	}
}

func (p *pipe) write(batch []entry) {
	evs := make([]event.Event, 0, len(batch))
	for _, b := range batch {
		if n := len(evs); n > 0 && joined(&evs[n-1], b.e) {
			continue
		}
		p.seq++
		e := b.e
		e.Seq, e.Session = p.seq, p.s.id
		if e.Time.IsZero() {
			e.Time = p.s.svc.deps.Clock()
		}
		evs = append(evs, e)
	}
	p.mu.Lock()
	all := append(p.unsaved[:len(p.unsaved):len(p.unsaved)], evs...)
	p.mu.Unlock()
	p.s.announce(evs)
	err := p.s.svc.deps.Store.Append(context.Background(), all)
	if err != nil {
		p.s.svc.deps.Log("keep events", err)
	}
	p.s.account(evs, err)

	p.mu.Lock()
	p.unsaved = nil
	if err != nil {
		p.unsaved = all
	}
	p.mu.Unlock()
	p.publish(evs)
	for _, b := range batch {
		if b.done != nil {
			close(b.done)
		}
	}
}

// publish shows evs, which may be none, and the present view to all subscribers.
func (p *pipe) publish(evs []event.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	view := p.s.View()
	for sub := range p.subs {
		sub.push(Update{Events: evs, View: view})
	}
}

// joined appends e to the text delta before it when both belong to one block: a batch holds one delta for each block, not
// one for each token.
func joined(last *event.Event, e event.Event) bool {
	if last.Turn != e.Turn || last.Scope != e.Scope {
		return false
	}
	switch a := last.Body.(type) {
	case event.TextDelta:
		if b, ok := e.Body.(event.TextDelta); ok && a.Block == b.Block {
			a.Text += b.Text
			last.Body = a
			return true
		}
	case event.ReasoningDelta:
		if b, ok := e.Body.(event.ReasoningDelta); ok && a.Block == b.Block {
			a.Text += b.Text
			last.Body = a
			return true
		}
	}
	return false
}

// subscriber receives every update, in order, however slow it is.
type subscriber struct {
	mu    sync.Mutex
	queue []Update
	wake  chan struct{}
}

func (s *subscriber) push(u Update) {
	s.mu.Lock()
	s.queue = append(s.queue, u)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *subscriber) take() []Update {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.queue
	s.queue = nil
	return q
}

// Subscribe returns all events that are stored, as the first update (History), and then each batch as it is published.
// Nothing is dropped and nothing comes twice. The channel is closed when ctx ends.
func (s *Session) Subscribe(ctx context.Context) <-chan Update {
	out := make(chan Update)
	sub := &subscriber{wake: make(chan struct{}, 1)}
	p := s.pipe
	p.mu.Lock()
	p.subs[sub] = true
	p.mu.Unlock()
	go func() {
		defer close(out)
		defer func() {
			p.mu.Lock()
			delete(p.subs, sub)
			p.mu.Unlock()
		}()
		send := func(u Update) bool {
			select {
			case out <- u:
				return true
			case <-ctx.Done():
				return false
			}
		}
		first, last := p.history(ctx)
		if !send(first) {
			return
		}
		for {
			for _, u := range sub.take() {
				// What history has shown is not shown again; the view after it is, for it may be the last for hours.
				if u.Events = after(u.Events, last); len(u.Events) > 0 {
					last = u.Events[len(u.Events)-1].Seq
				}
				if !send(u) {
					return
				}
			}
			select {
			case <-sub.wake:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

// history is the first update, and the seq of its last event. Its view is that after exactly these events: what is stored
// or accounted for meanwhile comes with an update of its own.
func (p *pipe) history(ctx context.Context) (u Update, last int64) {
	s := p.s
	s.mu.Lock()
	u = Update{View: s.view(), History: true}
	seq := s.seq
	s.mu.Unlock()
	evs, err := s.svc.deps.Store.Events(ctx, s.id, 0, 0)
	if err != nil {
		if ctx.Err() == nil {
			s.svc.deps.Log("read events", err)
		}
		u.Events = []event.Event{{Session: s.id, Time: s.svc.deps.Clock(), Body: event.Notice{
			Level: event.LevelError, Class: event.ClassOther,
			Text:   "The earlier part of this session could not be read. It is kept as it is; what happens now is shown below.",
			Detail: err.Error(),
		}}}
	} else {
		u.Events = upTo(evs, seq)
	}
	if n := len(u.Events); n > 0 {
		last = u.Events[n-1].Seq
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if rest := upTo(after(p.unsaved, last), seq); len(rest) > 0 {
		u.Events = append(u.Events, rest...)
		last = rest[len(rest)-1].Seq
	}
	return u, last
}

// upTo keeps events to seq.
func upTo(evs []event.Event, seq int64) []event.Event {
	n := len(evs)
	for n > 0 && evs[n-1].Seq > seq {
		n--
	}
	return evs[:n:n]
}

// after drops events that history has shown already.
func after(evs []event.Event, last int64) []event.Event {
	for i, e := range evs {
		if e.Seq > last {
			return evs[i:]
		}
	}
	return nil
}

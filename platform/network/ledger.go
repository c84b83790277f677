package network

import (
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"keva/agent/budget"
)

// Outcome is how an attempt ended.
type Outcome string

// The outcomes. An attempt has no outcome before it ended.
const (
	Succeeded Outcome = "success"
	Failed    Outcome = "failed"
	Cancelled Outcome = "cancelled" // says nothing about the network
)

// Attempt is one finished attempt to reach something.
type Attempt struct {
	At      time.Time     `json:"at"` // when it began
	Took    time.Duration `json:"took"`
	Purpose string        `json:"purpose"` // what for, e.g. "update check"
	Host    string        `json:"host"`    // host:port
	Via     string        `json:"via"`     // host:port of the proxy, "" = direct
	Policy  uint64        `json:"policy"`  // version of the snapshot that decided
	Outcome Outcome       `json:"outcome"`
	Class   Class         `json:"class,omitempty"` // of Failed
	Status  int           `json:"status,omitempty"`
	Message string        `json:"message,omitempty"` // of Failed: the sentence for the user
	Detail  string        `json:"detail,omitempty"`
}

// Summary is what a screen shows of one purpose. A zero time means never, since Keva started.
type Summary struct {
	Purpose     string
	LastAttempt time.Time
	LastSuccess time.Time
	LastFailure Attempt // At is zero when there was none
	Failing     bool    // the last attempt that ended, ended badly
}

// Ledger keeps what became of every attempt (I-18): one log line for each failure, one record in a ring, and the last times
// of each purpose. It is safe for concurrent use.
type Ledger struct {
	log      zerolog.Logger
	onFailed func(Attempt)

	mu       sync.Mutex
	ring     []Attempt // oldest first
	purposes map[string]*Summary
	subs     subscribers[struct{}]
}

// NewLedger returns an empty ledger. failed is told of every failure, in its own words for a store; it may be nil and must
// not call back.
func NewLedger(log zerolog.Logger, failed func(Attempt)) *Ledger {
	if failed == nil {
		failed = func(Attempt) {}
	}
	return &Ledger{log: log, onFailed: failed, purposes: map[string]*Summary{}}
}

// summary is that of a purpose; l.mu is held.
func (l *Ledger) summary(purpose string) *Summary {
	s := l.purposes[purpose]
	if s == nil {
		s = &Summary{Purpose: purpose}
		l.purposes[purpose] = s
	}
	return s
}

// begin notes that an attempt began: what hangs is visible before it ends.
func (l *Ledger) begin(purpose string, at time.Time) {
	l.mu.Lock()
	l.summary(purpose).LastAttempt = at
	l.mu.Unlock()
	l.subs.send(struct{}{})
}

// end keeps a finished attempt.
func (l *Ledger) end(a Attempt) {
	l.mu.Lock()
	s := l.summary(a.Purpose)
	switch a.Outcome {
	case Succeeded:
		s.LastSuccess, s.Failing = later(s.LastSuccess, a.At.Add(a.Took)), false
	case Failed:
		s.LastFailure, s.Failing = a, true
	case Cancelled:
	}
	if n := int(budget.NetAttempts.Size); len(l.ring) >= n {
		l.ring = slices.Delete(l.ring, 0, len(l.ring)-n+1)
	}
	l.ring = append(l.ring, a)
	l.mu.Unlock()
	if a.Outcome == Failed {
		l.log.Warn().Str("purpose", a.Purpose).Str("class", string(a.Class)).Str("host", a.Host).Str("via", a.Via).
			Int("status", a.Status).Dur("took", a.Took).Str("detail", a.Detail).Msg("network attempt failed")
		l.onFailed(a)
	}
	l.subs.send(struct{}{})
}

// finish makes the record of an attempt that ended with f, nil for success.
func (l *Ledger) finish(a Attempt, now time.Time, f *Failure) {
	a.Took = now.Sub(a.At)
	a.Outcome = Succeeded
	if f != nil {
		a.Outcome, a.Class, a.Status, a.Message, a.Detail = Failed, f.Class, f.Status, f.Sentence(), f.Detail
		if f.Class == ClassCancelled {
			a.Outcome = Cancelled
		}
		if f.Via != "" {
			a.Via = f.Via
		}
	}
	l.end(a)
}

// Report keeps a failure that only the caller could see, such as an answer that means nothing. class may be one of the
// caller's own.
func (l *Ledger) Report(purpose, host string, began time.Time, class Class, sentence, detail string) {
	l.end(Attempt{At: began, Purpose: purpose, Host: host, Outcome: Failed, Class: class, Message: sentence, Detail: detail})
}

// Attempts are the last ones, oldest first.
func (l *Ledger) Attempts() []Attempt {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.ring)
}

// Of is the summary of a purpose; false when nothing was tried for it.
func (l *Ledger) Of(purpose string) (Summary, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.purposes[purpose]; s != nil {
		return *s, true
	}
	return Summary{Purpose: purpose}, false
}

// Summaries are those of all purposes, by name.
func (l *Ledger) Summaries() []Summary {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]Summary, 0, len(l.purposes))
	for _, s := range l.purposes {
		list = append(list, *s)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Purpose < list[j].Purpose })
	return list
}

// Subscribe returns a channel that gets a value after something changed, and a function that ends it. Changes in quick
// succession may come as one.
func (l *Ledger) Subscribe() (<-chan struct{}, func()) { return l.subs.add() }

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// subscribers each have a channel that holds the newest value only: a slow reader misses steps, never the end.
type subscribers[T any] struct {
	mu   sync.Mutex
	list map[chan T]bool
}

func (s *subscribers[T]) add() (<-chan T, func()) {
	ch := make(chan T, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.list == nil {
		s.list = map[chan T]bool{}
	}
	s.list[ch] = true
	return ch, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.list[ch] {
			delete(s.list, ch)
			close(ch)
		}
	}
}

func (s *subscribers[T]) send(v T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for ch := range s.list {
		select {
		case <-ch: // what nobody has read is old
		default:
		}
		ch <- v
	}
}

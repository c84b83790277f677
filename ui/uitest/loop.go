// Package uitest is what tests of screens share: a thread of the user interface that a test turns by hand, and scripted
// sessions. It is used by tests only.
package uitest

import (
	"sync"
	"testing"
	"time"
)

// Loop is the thread of the user interface in a test: what other goroutines hand to it runs when the test says so, on the
// test's goroutine.
type Loop struct {
	t     testing.TB
	queue chan func()

	mu     sync.Mutex
	timers []timer
	now    time.Time
}

type timer struct {
	at time.Time
	f  func()
}

// NewLoop makes a loop whose clock stands at a fixed time.
func NewLoop(t testing.TB) *Loop {
	return &Loop{t: t, queue: make(chan func(), 1024), now: time.Date(2026, 11, 30, 14, 2, 10, 0, time.UTC)}
}

// Now is the loop's clock.
func (l *Loop) Now() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

// Post hands f to the loop and does not wait.
func (l *Loop) Post(f func()) { l.queue <- f }

// Do hands f to the loop and waits until it has run, or until the test is over.
func (l *Loop) Do(f func()) {
	done := make(chan struct{})
	l.queue <- func() { f(); close(done) }
	select {
	case <-done:
	case <-l.t.Context().Done():
	}
}

// Go runs f in a goroutine.
func (l *Loop) Go(f func()) { go f() }

// After runs f on the loop once Advance has moved the clock by d.
func (l *Loop) After(d time.Duration, f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timers = append(l.timers, timer{l.now.Add(d), f})
}

// Advance moves the clock and runs what is due.
func (l *Loop) Advance(d time.Duration) {
	l.mu.Lock()
	l.now = l.now.Add(d)
	var due, rest []timer
	for _, t := range l.timers {
		if t.at.After(l.now) {
			rest = append(rest, t)
		} else {
			due = append(due, t)
		}
	}
	l.timers = rest
	l.mu.Unlock()
	for _, t := range due {
		t.f()
	}
}

// Timers is the number of timers that wait.
func (l *Loop) Timers() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.timers)
}

// Until runs what is handed in until done holds. The test fails when that takes longer than ten seconds.
func (l *Loop) Until(what string, done func() bool) {
	l.t.Helper()
	deadline := time.After(10 * time.Second)
	for !done() {
		select {
		case f := <-l.queue:
			f()
		case <-time.After(time.Millisecond): // what is waited for may happen off the loop
		case <-deadline:
			l.t.Fatalf("waited too long for: %s", what)
		}
	}
}

// Drain runs what was handed in so far.
func (l *Loop) Drain() {
	for {
		select {
		case f := <-l.queue:
			f()
		default:
			return
		}
	}
}

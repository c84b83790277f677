package e2e

import (
	"sync"
	"testing"
	"time"
)

// thread is the thread of the user interface at the pace of real life: what others hand to it runs on the test's
// goroutine while the test waits for something.
type thread struct {
	t     *testing.T
	queue chan func()
	over  chan struct{} // closed when nothing runs any more
	once  sync.Once
}

func newThread(t *testing.T) *thread {
	l := &thread{t: t, queue: make(chan func(), 1024), over: make(chan struct{})}
	t.Cleanup(l.stop)
	return l
}

// stop lets go of who still waits for the thread.
func (l *thread) stop() { l.once.Do(func() { close(l.over) }) }

// Post hands f over, in order, and does not wait.
func (l *thread) Post(f func()) {
	select {
	case l.queue <- f:
	case <-l.over:
	}
}

// Do hands f over and waits until it has run.
func (l *thread) Do(f func()) {
	done := make(chan struct{})
	l.Post(func() { f(); close(done) })
	select {
	case <-done:
	case <-l.over:
	}
}

// After runs f on the thread after a delay.
func (l *thread) After(d time.Duration, f func()) { time.AfterFunc(d, func() { l.Post(f) }) }

// until runs what is handed in until done holds.
func (l *thread) until(what string, limit time.Duration, done func() bool, state func() string) {
	l.t.Helper()
	deadline := time.After(limit)
	for !done() {
		select {
		case f := <-l.queue:
			f()
		case <-deadline:
			l.t.Fatalf("waited %v for: %s\n%s", limit, what, state())
		}
	}
}

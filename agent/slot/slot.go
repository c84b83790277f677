// Package slot hands out the one engine slot. A phone holds one engine; whoever starts an engine process must show a
// Lease, so that no surface can forget to ask (I-13, paper §5.4 and §5.6). It must never start or stop a process itself.
package slot

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Holder says who has the slot and what for, in words for people.
type Holder struct {
	Who   string    // e.g. "chat", "engine check"
	What  string    // e.g. the session's title
	Since time.Time // UTC
}

// BusyError is the refusal: the slot is taken and its holder did not yield in time.
type BusyError struct{ Holder Holder }

func (e *BusyError) Error() string {
	if e.Holder.What == "" {
		return fmt.Sprintf("The engine is in use by %s. Stop it there first.", e.Holder.Who)
	}
	return fmt.Sprintf("The engine is in use by %s (%s). Stop it there first.", e.Holder.Who, e.Holder.What)
}

// Slot is the single slot. The zero value is free. It is safe for concurrent use.
type Slot struct {
	mu   sync.Mutex
	cur  *Lease
	free chan struct{} // closed when cur is released; nil when free
}

// Lease is the right to run one engine process. It ends with Release.
type Lease struct {
	slot   *Slot
	holder Holder
	yield  func()
	once   sync.Once
}

// Holder tells who holds the lease.
func (l *Lease) Holder() Holder { return l.holder }

// Valid reports whether the lease still holds the slot. A nil lease does not.
func (l *Lease) Valid() bool {
	if l == nil {
		return false
	}
	l.slot.mu.Lock()
	defer l.slot.mu.Unlock()
	return l.slot.cur == l
}

// Release frees the slot. Calling it again is harmless, also on nil.
func (l *Lease) Release() {
	if l == nil {
		return
	}
	l.once.Do(func() {
		s := l.slot
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.cur == l {
			s.cur = nil
			close(s.free)
			s.free = nil
		}
	})
}

// Acquire takes the slot. If it is taken, the holder is asked to yield once (its yield function is called in a goroutine
// of its own) and Acquire waits until the slot is free or ctx ends; then it returns a *BusyError that names the holder.
// yield is what the new holder will be asked with; nil means that it does not yield.
func (s *Slot) Acquire(ctx context.Context, h Holder, yield func()) (*Lease, error) {
	asked := map[*Lease]bool{}
	for {
		s.mu.Lock()
		if s.cur == nil {
			if h.Since.IsZero() {
				h.Since = time.Now().UTC()
			}
			l := &Lease{slot: s, holder: h, yield: yield}
			s.cur, s.free = l, make(chan struct{})
			s.mu.Unlock()
			return l, nil
		}
		cur, free := s.cur, s.free
		s.mu.Unlock()
		if cur.yield == nil {
			return nil, &BusyError{cur.holder}
		}
		if !asked[cur] {
			asked[cur] = true
			go cur.yield()
		}
		select {
		case <-free:
		case <-ctx.Done():
			return nil, &BusyError{cur.holder}
		}
	}
}

// Current tells who holds the slot.
func (s *Slot) Current() (Holder, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cur == nil {
		return Holder{}, false
	}
	return s.cur.holder, true
}

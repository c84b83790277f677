package slot

import (
	"context"
	"errors"
	"sync"
	"testing"
)

// I-13: of many that ask at once, one has the slot at any time.
func TestOneHolder(t *testing.T) {
	var s Slot
	var mu sync.Mutex
	var wg sync.WaitGroup
	held, most := 0, 0
	for range 50 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			l, err := s.Acquire(context.Background(), Holder{Who: "x"}, func() {})
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			held++
			most = max(most, held)
			mu.Unlock()
			mu.Lock()
			held--
			mu.Unlock()
			l.Release()
			l.Release()
		}()
	}
	wg.Wait()
	if most != 1 {
		t.Fatalf("%d held it at once", most)
	}
	if _, taken := s.Current(); taken {
		t.Fatal("still taken")
	}
}

// I-13: whoever comes second waits, also when it is the same surface again.
func TestSecondWaits(t *testing.T) {
	var s Slot
	first, err := s.Acquire(context.Background(), Holder{Who: "chat"}, func() {})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if second, err := s.Acquire(ctx, Holder{Who: "chat"}, nil); err == nil {
		t.Fatalf("two hold it: %+v and %+v", first.Holder(), second.Holder())
	}
	first.Release()
	if _, err := s.Acquire(context.Background(), Holder{Who: "chat"}, nil); err != nil {
		t.Fatal(err)
	}
}

// A holder that can't yield is named at once.
func TestRefusalNamesTheHolder(t *testing.T) {
	var s Slot
	l, err := s.Acquire(context.Background(), Holder{Who: "sign-in", What: "Claude"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Acquire(context.Background(), Holder{Who: "chat"}, nil)
	var busy *BusyError
	if !errors.As(err, &busy) || busy.Holder.Who != "sign-in" {
		t.Fatal(err)
	}
	var none *Lease
	if !l.Valid() || none.Valid() {
		t.Fatal("validity")
	}
	l.Release()
	none.Release()
	if l.Valid() {
		t.Fatal("valid after its release")
	}
}

package unpack

import (
	"testing"
	"time"
)

// TestMeter: not more often than agreed, never more than there is; rate and time left only when they are known, and
// without what was there before.
func TestMeter(t *testing.T) {
	now := time.Unix(0, 0)
	var told []Progress
	o := Options{Progress: func(p Progress) { told = append(told, p) }, now: func() time.Time { return now }}
	m := newMeter(o, 1000).stage(Unpacking)
	m.start(500)
	for _, p := range told {
		if p.Rate != 0 || p.Left != -1 || p.Total != 1000 {
			t.Errorf("nothing is known yet, and told was %+v", p)
		}
	}
	begin := len(told)
	for range 400 {
		now = now.Add(10 * time.Millisecond)
		m.add(1)
	}
	if n := len(told) - begin; n < 35 || n > 40 {
		t.Errorf("told %d times in 4 s", n)
	}
	last := told[len(told)-1]
	if last.Done != 900 || last.Rate < 99 || last.Rate > 101 || last.Left < 900*time.Millisecond || last.Left > 1100*time.Millisecond {
		t.Errorf("100 bytes/s, 100 left: %+v", last)
	}
	m.finish()
	if p := told[len(told)-1]; p.Stage != Done || p.Done != 1000 || p.Left != 0 {
		t.Errorf("in the end: %+v", p)
	}
}

// TestProgress: the stages come in order, what is done only grows within one, and ends with all.
func TestProgress(t *testing.T) {
	var last Progress
	order := map[Stage]int{Checking: 1, Unpacking: 2, Saving: 3, Done: 4}
	_, err := Install(t.Context(), source(bigPack(t)), t.TempDir(), Options{Arch: arch, Progress: func(p Progress) {
		if order[p.Stage] < order[last.Stage] || p.Stage == last.Stage && p.Done < last.Done || p.Done > p.Total {
			t.Errorf("%+v after %+v", p, last)
		}
		last = p
	}})
	if err != nil || last.Stage != Done || last.Done != last.Total || last.Total == 0 {
		t.Errorf("%s; the last: %+v", detail(err), last)
	}
}

package chat

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The prefix sums are those of the plain slice, whatever is inserted, removed and measured in whatever order.
func TestHeightsAgreeWithASlice(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var h heights
	var want []float32
	for range 3000 {
		n := len(want)
		v := float32(r.IntN(200) + 1)
		switch op := r.IntN(4); {
		case op < 2 || n == 0:
			i := r.IntN(n + 1)
			h.insert(i, v)
			want = slices.Insert(want, i, v)
		case op == 2:
			i := r.IntN(n)
			h.set(i, v, true)
			want[i] = v
		default:
			i := r.IntN(n)
			h.remove(i)
			want = slices.Delete(want, i, i+1)
		}
		if i := r.IntN(len(want) + 1); h.top(i) != sum(want[:i]) {
			t.Fatalf("top of %d is %v, want %v", i, h.top(i), sum(want[:i]))
		}
		if len(want) > 0 {
			y := r.Float32() * sum(want)
			i := h.at(y)
			if top := sum(want[:i]); y < top || y >= top+want[i] {
				t.Fatalf("%v is not in row %d", y, i)
			}
		}
	}
}

func sum(s []float32) float32 {
	var n float32
	for _, v := range s {
		n += v
	}
	return n
}

package chat

import (
	"slices"
	"sort"
)

// heights are the row heights of the transcript with their prefix sums. Rows that were never in view have an estimate, so
// that a session of thousands of rows opens without measuring them (REPORTS O1).
type heights struct {
	rows  []float32
	known []bool
	sums  []float64 // sums[i] is the top of row i; valid up to and including index valid
	valid int
}

func (h *heights) len() int { return len(h.rows) }

// insert puts a row of an estimated height before row i.
func (h *heights) insert(i int, estimate float32) {
	h.rows = slices.Insert(h.rows, i, estimate)
	h.known = slices.Insert(h.known, i, false)
	h.cut(i)
}

// remove takes row i away.
func (h *heights) remove(i int) {
	h.rows = slices.Delete(h.rows, i, i+1)
	h.known = slices.Delete(h.known, i, i+1)
	h.cut(i)
}

// cut forgets the sums behind row i.
func (h *heights) cut(i int) {
	h.valid = min(h.valid, i)
	for len(h.sums) < len(h.rows)+1 {
		h.sums = append(h.sums, 0)
	}
	h.sums = h.sums[:len(h.rows)+1]
}

// set writes the height of row i, and returns by how much it changed.
func (h *heights) set(i int, height float32, known bool) float32 {
	d := height - h.rows[i]
	h.rows[i], h.known[i] = height, known
	if d != 0 {
		h.valid = min(h.valid, i)
	}
	return d
}

// top is the distance from the start to row i; top(len) is the total.
func (h *heights) top(i int) float32 {
	if len(h.sums) == 0 {
		return 0
	}
	for h.valid < i {
		h.sums[h.valid+1] = h.sums[h.valid] + float64(h.rows[h.valid])
		h.valid++
	}
	return float32(h.sums[i])
}

func (h *heights) total() float32 { return h.top(len(h.rows)) }

// at is the row that covers y; the first or the last one outside.
func (h *heights) at(y float32) int {
	n := len(h.rows)
	if n == 0 {
		return 0
	}
	h.top(n)
	i := sort.Search(n, func(i int) bool { return float32(h.sums[i+1]) > y })
	return min(i, n-1)
}

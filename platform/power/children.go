package power

import (
	"os"
	"strconv"
	"strings"
)

// Children counts the processes of this user below root ("/proc") that descend from pid, pid itself not counted. It reads what
// the system shows; processes that end meanwhile are not counted.
func Children(root string, pid int) (int, error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return 0, err
	}
	parent := map[int]int{}
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		data, err := os.ReadFile(root + "/" + e.Name() + "/stat")
		if err != nil {
			continue // gone, or another user's
		}
		// The name may hold anything; the fields begin after its last bracket: state, parent.
		rest := string(data)[strings.LastIndexByte(string(data), ')')+1:]
		if f := strings.Fields(rest); len(f) > 1 {
			if p, err := strconv.Atoi(f[1]); err == nil {
				parent[id] = p
			}
		}
	}
	n := 0
	for id := range parent {
		seen := 0
		for p, ok := parent[id]; ok && seen < len(parent); p, ok = parent[p] {
			if p == pid {
				n++
				break
			}
			seen++
		}
	}
	return n, nil
}

// Crowd says when the processes of an app come close to what Android allows all apps together: it then ends some, and looks
// as if nothing had happened. The zero value has warned of nothing.
type Crowd struct{ warned bool }

// ChildLimit is Android's default (max_phantom_processes), and ChildWarning the number at which the user is told.
const (
	ChildLimit   = 32
	ChildWarning = 24
)

// Warn reports whether n is worth a word now: once when it gets there, and again only after it has fallen well below.
func (c *Crowd) Warn(n int) bool {
	switch {
	case n >= ChildWarning && !c.warned:
		c.warned = true
		return true
	case n < ChildWarning/2:
		c.warned = false
	}
	return false
}

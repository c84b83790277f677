//go:build linux && amd64

package box

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Policy is the sorted list of the system calls that a release lets an app make; every other one traps.
type Policy struct {
	Calls []int          `json:"calls"`
	Names map[int]string `json:"-"`
}

// ParsePolicy reads lines of "name number"; "#" begins a comment. A line of another form is an error: a call that is lost
// here would be trapped for no reason, or worse, never tested.
func ParsePolicy(r io.Reader) (Policy, error) {
	p := Policy{Names: map[int]string{}}
	in := bufio.NewScanner(r)
	for n := 1; in.Scan(); n++ {
		line, _, _ := strings.Cut(in.Text(), "#")
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		if len(f) != 2 {
			return Policy{}, fmt.Errorf("line %d: want a name and a number, have %q", n, line)
		}
		nr, err := strconv.Atoi(f[1])
		if err != nil || nr < 0 {
			return Policy{}, fmt.Errorf("line %d: %q is no system call number", n, f[1])
		}
		if _, twice := p.Names[nr]; !twice {
			p.Calls = append(p.Calls, nr)
		}
		p.Names[nr] = f[0]
	}
	if err := in.Err(); err != nil {
		return Policy{}, err
	}
	if len(p.Calls) == 0 {
		return Policy{}, fmt.Errorf("the policy allows nothing")
	}
	slices.Sort(p.Calls)
	return p, nil
}

// Mode says what happens to a call that the policy does not allow.
type Mode string

// The modes.
const (
	ModeTrap   Mode = "trap"   // SIGSYS, as on a phone
	ModeRecord Mode = "record" // it is let through and counted
	ModeOff    Mode = "off"    // no policy at all
)

// ParseMode reads a mode.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case ModeTrap, ModeRecord, ModeOff:
		return m, nil
	}
	return "", fmt.Errorf("%q is no mode: use trap, record or off", s)
}

package elfedit

import (
	"bufio"
	"bytes"
	"debug/elf"
	"fmt"
	"strconv"
	"strings"
)

// Policy is the set of system calls that one Android release lets an app make, in the numbers of one processor.
type Policy struct {
	Name    string // of its file, for reports: "android10-release.arm64"
	machine elf.Machine
	allowed map[int]bool
}

// Allows says whether the call number passes.
func (p Policy) Allows(nr int) bool { return p.allowed[nr] }

// ParsePolicy reads a policy file: a line "name number" for each allowed call, and comments that begin with "#". For
// which processor it is follows from the number of read, which every policy allows.
func ParsePolicy(name string, text []byte) (Policy, error) {
	p := Policy{Name: name, allowed: map[int]bool{}}
	names := map[string]int{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line, _, _ := strings.Cut(lines.Text(), "#")
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		bad := func(why string) (Policy, error) {
			return Policy{}, fail(fmt.Sprintf("Line %d of the policy %s is not a system call: %s.", n, name, why), lines.Text())
		}
		if len(f) != 2 {
			return bad("want a name and a number")
		}
		nr, err := strconv.Atoi(f[1])
		if err != nil || nr < 0 || nr > maxCall {
			return bad("the number is none")
		}
		if _, twice := names[f[0]]; twice || p.allowed[nr] {
			return bad("it is there twice")
		}
		names[f[0]], p.allowed[nr] = nr, true
	}
	if err := lines.Err(); err != nil {
		return Policy{}, fail("The policy "+name+" can't be read.", err.Error())
	}
	switch read, ok := names["read"]; {
	case ok && read == 0:
		p.machine = elf.EM_X86_64
	case ok && read == 63:
		p.machine = elf.EM_AARCH64
	default:
		return Policy{}, fail("The policy "+name+" allows no read: it is for no processor that we know, or not a policy.", "")
	}
	return p, nil
}

// No Linux call has a number near this one.
const maxCall = 4095

package elfedit

import (
	"bytes"
	"debug/elf"
	"fmt"
	"sort"
)

// Site is one instruction that enters the kernel.
type Site struct {
	Address uint64 // virtual, as in a disassembly
	Call    int    // its number; -1 when it is no constant
}

// Report says what NopAll did and what it can't know. The order is that of the addresses.
type Report struct {
	Patched []Site // return -ENOSYS now
	Unknown []Site // numbers that come from elsewhere, as in syscall(2): what they call is decided at run time
	Allowed int    // sites with a constant number that the policy lets pass
	Dup2    int    // amd64: functions dup2 that use dup3 now
}

// Calls gives the numbers of the patched calls with how often each was patched.
func (r Report) Calls() map[int]int {
	m := map[int]int{}
	for _, s := range r.Patched {
		m[s.Call]++
	}
	return m
}

// site is an instruction that enters the kernel, with what is needed to change it.
type site struct {
	Site
	load, call uint64 // file offsets of the instruction that loads the number, and of the call
	form       form
	shared     bool // a jump leads between load and call: other numbers come here too
}

// form is how the number is loaded.
type form int

const (
	formUnknown form = iota
	formMov32        // amd64 b8 imm32: mov $nr,%eax
	formMov64        // amd64 48 c7 c0 imm32: mov $nr,%rax
	formXor          // amd64 31 c0: number 0
	formMovz         // arm64 movz x8,#nr
)

// NopAll makes every call that the policy doesn't allow return -ENOSYS without entering the kernel, as an old kernel
// would, and returns the changed copy. glibc falls back on older calls then.
//
// A SIGSYS handler is no substitute where signals are blocked: at a thread's start, in a child of posix_spawn, and before
// any handler is installed. A call with a forbidden constant number that can't be changed is therefore an error, and the
// file must not be packed.
//
// For amd64 give the policy "as arm64 in amd64 numbers" (RELEASE.arm64eq): the calls that only x86_64's own policy refuses
// have no fallback and are left to the handler, except dup2, which becomes dup3.
func NopAll(file []byte, policy Policy) ([]byte, Report, error) {
	m, err := parse(file)
	if err != nil {
		return nil, Report{}, err
	}
	if m.machine != policy.machine {
		return nil, Report{}, fail("The policy "+policy.Name+" is for another processor than the file.", m.machine.String())
	}
	sites, err := m.sites()
	if err != nil {
		return nil, Report{}, err
	}
	out := bytes.Clone(file)
	var r Report
	if m.machine == elf.EM_X86_64 && policy.Allows(sysDup2) {
		if r.Dup2, err = replaceDup2(out, sites); err != nil {
			return nil, Report{}, err
		}
	}
	for _, s := range sites {
		switch {
		case s.form == formUnknown:
			r.Unknown = append(r.Unknown, s.Site)
		case policy.Allows(s.Call):
			r.Allowed++
		case s.shared || s.form == formXor:
			return nil, Report{}, fail(
				fmt.Sprintf("Call %d at %#x is refused by %s and can't be patched; the program would die there.", s.Call, s.Address, policy.Name),
				"a jump leads between the number and the call, or the number has no room")
		default:
			s.patch(out)
			r.Patched = append(r.Patched, s.Site)
		}
	}
	return out, r, nil
}

// patch leaves flags and all other registers alone.
func (s site) patch(out []byte) {
	switch s.form {
	case formMov32: // mov $-38,%eax … cdqe
		copy(out[s.load+1:], []byte{0xda, 0xff, 0xff, 0xff})
		copy(out[s.call:], []byte{0x48, 0x98})
	case formMov64: // mov $-38,%rax … cdqe, which changes nothing
		copy(out[s.load+3:], []byte{0xda, 0xff, 0xff, 0xff})
		copy(out[s.call:], []byte{0x48, 0x98})
	case formMovz: // mov x0,#-38
		le.PutUint32(out[s.call:], 0x928004a0)
	case formUnknown, formXor: // NopAll doesn't come here with these
	}
}

// sites finds the calls of all executable sections.
func (m image) sites() ([]site, error) {
	f, err := elf.NewFile(bytes.NewReader(m.bytes))
	if err != nil {
		return nil, fail("The ELF file's section headers can't be read.", err.Error())
	}
	var all []site
	found := false
	for _, s := range f.Sections {
		if s.Type != elf.SHT_PROGBITS || s.Flags&elf.SHF_EXECINSTR == 0 {
			continue
		}
		if !inside(s.Offset, s.FileSize, uint64(len(m.bytes))) || s.Addr+s.FileSize < s.Addr {
			return nil, fail("A section of the ELF file lies outside the file.", s.Name)
		}
		found = true
		code := m.bytes[s.Offset : s.Offset+s.FileSize]
		var these []site
		if m.machine == elf.EM_X86_64 {
			these = sitesAMD64(code, s.Addr, s.Offset)
		} else {
			these = sitesARM64(code, s.Addr, s.Offset)
		}
		all = append(all, these...)
	}
	if !found {
		return nil, fail("The ELF file has no section with code, so its calls can't be found.", "")
	}
	sort.Slice(all, func(i, j int) bool { return all[i].Address < all[j].Address })
	return all, nil
}

// targets marks the sites that a jump from elsewhere reaches between the number and the call.
func targets(sites []site, section uint64, offset uint64, jumps map[uint64]bool) {
	for i, s := range sites {
		if s.form == formUnknown {
			continue
		}
		for at := s.load + 1; at <= s.call; at++ {
			if jumps[at-offset+section] {
				sites[i].shared = true
			}
		}
	}
}

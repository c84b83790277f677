package elfedit

import (
	"bytes"
	"debug/elf"

	"golang.org/x/arch/x86/x86asm"
)

// On x86_64 Android the policy also refuses calls that programs can't do without, like dup2. The SIGSYS handler makes the
// newer call in their place, but not where signals are blocked or handlers are reset: there the kernel kills. Two such
// places are met, and both are edited away: dup2 in glibc's posix_spawn, and whatever musl does with all signals blocked.

// dup2 of glibc, and the same by dup3. Equal descriptors are an error of dup3; posix_spawn never passes them, and for
// everybody else k.so has its own dup2.
var (
	dup2Code = []byte{
		0xb8, 0x21, 0x00, 0x00, 0x00, // mov $33,%eax
		0x0f, 0x05, // syscall
		0x48, 0x3d, 0x01, 0xf0, 0xff, 0xff, // cmp $-4095,%rax
		0x73, 0x01, // jae error
		0xc3, // ret; error:
	}
	dup3Code = []byte{
		0x31, 0xd2, // xor %edx,%edx
		0xb8, 0x24, 0x01, 0x00, 0x00, // mov $292,%eax
		0x0f, 0x05, // syscall
		0x85, 0xc0, // test %eax,%eax
		0x78, 0x03, // js error
		0xc3,       // ret
		0x66, 0x90, // error:
	}
)

const sysDup2 = 33

// replaceDup2 edits glibc's dup2. A dup2 that it doesn't know is an error: the spawned child would die.
func replaceDup2(out []byte, sites []site) (int, error) {
	n := 0
	for _, s := range sites {
		if s.form == formUnknown || s.Call != sysDup2 {
			continue
		}
		if !bytes.HasPrefix(out[s.load:], dup2Code) {
			return 0, fail("This libc's dup2 is another one than expected, so it can't be replaced by dup3.", "")
		}
		copy(out[s.load:], dup3Code)
		n++
	}
	return n, nil
}

// What musl blocks: every signal, or every one but its own three (32 to 34).
const (
	allSignals = ^uint64(0)
	appSignals = uint64(0xfffffffc7fffffff)
	sigsysBit  = uint64(1) << (31 - 1)
)

// unblockSIGSYS takes SIGSYS out of the masks with which a static amd64 program's musl blocks signals, so that the handler
// works there too. It gives the number of masks. Recognised are rt_sigprocmask(SIG_BLOCK, constant, …), instruction by
// instruction, and the call in posix_spawn, which makes its mask on the stack.
func (m image) unblockSIGSYS(out []byte) int {
	if m.machine != elf.EM_X86_64 {
		return 0
	}
	n := 0
	masks := map[uint64]bool{}
	lea := []byte{0x48, 0x8d, 0x35} // lea disp(%rip),%rsi
	for _, p := range m.programs {
		if p.kind != elf.PT_LOAD || le.Uint32(m.bytes[p.at+4:])&uint32(elf.PF_X) == 0 {
			continue
		}
		code := m.bytes[p.offset : p.offset+p.filled]
		for at := 0; ; {
			next := bytes.Index(code[at:], lea)
			if next < 0 {
				break
			}
			at += next
			if address, ok := blockCall(code[at:], p.address+uint64(at)); ok {
				masks[address] = true
			}
			at += len(lea)
		}
		n += unblockSpawn(code, out[p.offset:p.offset+p.filled])
	}
	for address := range masks {
		offset, ok := m.constant(address)
		if !ok {
			continue
		}
		if v := le.Uint64(m.bytes[offset:]); v == allSignals || v == appSignals {
			le.PutUint64(out[offset:], v&^sigsysBit)
			n++
		}
	}
	return n
}

// blockCall follows code from a lea at address to a system call, and gives the mask's address if it blocks by that mask.
func blockCall(code []byte, address uint64) (uint64, bool) {
	const sigprocmask, most = 14, 6 // instructions
	mask, blocks, nr := uint64(0), false, -1
	for range most {
		in, err := x86asm.Decode(code, 64)
		if err != nil || in.Len > len(code) {
			return 0, false
		}
		switch mem, _ := in.Args[1].(x86asm.Mem); {
		case in.Op == x86asm.LEA && in.Args[0] == x86asm.RSI && mem.Base == x86asm.RIP:
			mask = address + uint64(in.Len) + uint64(mem.Disp)
		case in.Op == x86asm.XOR && in.Args[0] == x86asm.EDI && in.Args[1] == x86asm.EDI:
			blocks = true // SIG_BLOCK is 0
		case in.Op == x86asm.MOV && in.Len == 5 && code[0] == 0xb8:
			nr = int(le.Uint32(code[1:]))
		case in.Op == x86asm.SYSCALL:
			return mask, blocks && nr == sigprocmask && mask != 0
		case in.Op == x86asm.MOV || in.Op == x86asm.XOR: // other arguments
		default:
			return 0, false
		}
		code, address = code[in.Len:], address+uint64(in.Len)
	}
	return 0, false
}

// unblockSpawn finds "both words of a mask on the stack are all ones; call", where the mask is the second argument, the
// first is SIG_BLOCK, and what is called makes rt_sigprocmask. out are the bytes to change.
func unblockSpawn(code, out []byte) int {
	const most, near = 64, 48 // bytes: of the arguments before, and of the called function to its call
	ones := []byte{0xff, 0xff, 0xff, 0xff}
	store := []byte{0x48, 0xc7, 0x44, 0x24} // movq $-1,off(%rsp), with off and the constant behind it
	sigprocmask := []byte{0xb8, 0x0e, 0x00, 0x00, 0x00, 0x0f, 0x05}
	n := 0
	for at := 0; ; at++ {
		next := bytes.Index(code[at:], store)
		if next < 0 {
			return n
		}
		at += next
		rest := code[at:]
		if len(rest) < 23 || rest[4] > 0x77 || !bytes.Equal(rest[5:9], ones) || !bytes.Equal(rest[9:13], store) ||
			rest[13] != rest[4]+8 || !bytes.Equal(rest[14:18], ones) || rest[18] != 0xe8 {
			continue
		}
		before := code[max(0, at-most):at]
		target := int64(at) + 23 + int64(int32(le.Uint32(rest[19:])))
		if !bytes.Contains(before, []byte{0x48, 0x8d, 0x74, 0x24, rest[4]}) || // lea off(%rsp),%rsi
			!bytes.Contains(before, []byte{0x31, 0xff}) || // xor %edi,%edi
			target < 0 || target >= int64(len(code)) ||
			!bytes.Contains(code[target:min(target+near, int64(len(code)))], sigprocmask) {
			continue
		}
		out[at+8] = 0xbf // the constant is sign-extended: all ones but SIGSYS
		n++
	}
}

// constant gives the file offset of eight bytes that the program can't write.
func (m image) constant(address uint64) (uint64, bool) {
	for _, p := range m.programs {
		if p.kind == elf.PT_LOAD && le.Uint32(m.bytes[p.at+4:])&uint32(elf.PF_W) == 0 && inside(address-p.address, 8, p.filled) {
			return p.offset + address - p.address, true
		}
	}
	return 0, false
}

package elfedit

import (
	"golang.org/x/arch/x86/x86asm"
)

// sitesAMD64 walks the code once. The number is known when a constant went to eax and nothing else did since.
func sitesAMD64(code []byte, address, offset uint64) []site {
	var sites []site
	jumps := map[uint64]bool{}
	var load uint64
	nr, kind := -1, formUnknown
	forget := func() { nr, kind = -1, formUnknown }
	for i := 0; i < len(code); {
		in, err := x86asm.Decode(code[i:], 64)
		if err != nil || in.Len == 0 {
			forget()
			i++
			continue
		}
		at := uint64(i)
		if rel, ok := in.Args[0].(x86asm.Rel); ok && in.Op != x86asm.CALL {
			jumps[address+at+uint64(in.Len)+uint64(int64(rel))] = true // addresses wrap as the processor's do
		}
		switch v, form := constant(in, code[i:]); {
		case form != formUnknown:
			nr, kind, load = v, form, offset+at
		case in.Op == x86asm.SYSCALL:
			sites = append(sites, site{Site: Site{Address: address + at, Call: nr}, load: load, call: offset + at, form: kind})
			forget()
		case leaves(in.Op) || writesA(in):
			forget()
		}
		i += in.Len
	}
	targets(sites, address, offset, jumps)
	return sites
}

// constant recognises the ways in which compilers and glibc load a call's number.
func constant(in x86asm.Inst, code []byte) (int, form) {
	switch {
	case in.Op == x86asm.MOV && in.Len == 5 && code[0] == 0xb8:
		return number(le.Uint32(code[1:]), formMov32)
	case in.Op == x86asm.MOV && in.Len == 7 && code[0] == 0x48 && code[1] == 0xc7 && code[2] == 0xc0:
		return number(le.Uint32(code[3:]), formMov64)
	case in.Op == x86asm.XOR && in.Args[0] == x86asm.EAX && in.Args[1] == x86asm.EAX:
		return 0, formXor
	}
	return -1, formUnknown
}

// number rejects what is no call's number: most constants that go to eax are something else.
func number(v uint32, f form) (int, form) {
	if v > maxCall {
		return -1, formUnknown
	}
	return int(v), f
}

// leaves: what comes after is reached from elsewhere, or after code that may change eax.
func leaves(op x86asm.Op) bool {
	switch op {
	case x86asm.CALL, x86asm.RET, x86asm.JMP, x86asm.UD2, x86asm.HLT, x86asm.INT, x86asm.LRET:
		return true
	default:
		return false
	}
}

// writesA says whether an instruction may change the number in eax. Those that only read are listed: a wrong "yes" makes
// a call unknown, a wrong "no" makes it another one.
func writesA(in x86asm.Inst) bool {
	switch in.Op {
	case x86asm.CMP, x86asm.TEST, x86asm.PUSH, x86asm.NOP:
		return false
	case x86asm.MUL, x86asm.IMUL, x86asm.DIV, x86asm.IDIV, x86asm.CPUID, x86asm.RDTSC, x86asm.CDQE, x86asm.CWDE, x86asm.CBW,
		x86asm.CMPXCHG, x86asm.CMPXCHG8B, x86asm.CMPXCHG16B, x86asm.XGETBV, x86asm.LODSB, x86asm.LODSD, x86asm.LODSQ, x86asm.LODSW:
		return true
	case x86asm.XCHG, x86asm.XADD:
		return isA(in.Args[0]) || isA(in.Args[1])
	default:
		return isA(in.Args[0])
	}
}

func isA(a x86asm.Arg) bool {
	switch a {
	case x86asm.AL, x86asm.AH, x86asm.AX, x86asm.EAX, x86asm.RAX:
		return true
	default:
		return false
	}
}

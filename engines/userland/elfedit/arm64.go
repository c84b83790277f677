package elfedit

import (
	"strings"

	"golang.org/x/arch/arm64/arm64asm"
)

// sitesARM64 walks the code once. The number is known when a constant went to x8 and nothing else did since.
func sitesARM64(code []byte, address, offset uint64) []site {
	const svc, ret, bl, blMask, b, blr, blrMask = 0xd4000001, 0xd65f03c0, 0x94000000, 0xfc000000, 0x14000000, 0xd63f0000, 0xfffffc1f
	var sites []site
	jumps := map[uint64]bool{}
	var load uint64
	nr, kind := -1, formUnknown
	forget := func() { nr, kind = -1, formUnknown }
	for i := 0; i+4 <= len(code); i += 4 {
		w, at := le.Uint32(code[i:]), uint64(i)
		if to, ok := branch(w); ok {
			jumps[address+at+uint64(to)] = true // addresses wrap as the processor's do
		}
		switch {
		case w&0xffe0001f == 0xd2800008 || w&0xffe0001f == 0x52800008: // movz x8|w8,#imm16
			nr, kind, load = int(w>>5&0xffff), formMovz, offset+at
		case w == svc:
			sites = append(sites, site{Site: Site{Address: address + at, Call: nr}, load: load, call: offset + at, form: kind})
		case w == ret, w&blMask == b, w&blMask == bl, w&blrMask == blr:
			forget()
		case kind != formUnknown && writesX8(code[i:i+4]):
			forget()
		}
	}
	targets(sites, address, offset, jumps)
	return sites
}

// branch gives the distance of a direct jump: b, b.cond, cbz, cbnz, tbz, tbnz. A call (bl) returns behind itself.
func branch(w uint32) (int64, bool) {
	signed := func(v uint32, bits uint) int64 { return int64(int32(v<<(32-bits))>>(32-bits)) * 4 }
	switch {
	case w&0xfc000000 == 0x14000000:
		return signed(w&0x3ffffff, 26), true
	case w&0xff000010 == 0x54000000, w&0x7e000000 == 0x34000000:
		return signed(w>>5&0x7ffff, 19), true
	case w&0x7e000000 == 0x36000000:
		return signed(w>>5&0x3fff, 14), true
	}
	return 0, false
}

// writesX8 says whether an instruction may change the number. What can't be decoded may.
func writesX8(code []byte) bool {
	in, err := arm64asm.Decode(code)
	if err != nil {
		return true
	}
	op := in.Op.String()
	switch {
	case strings.HasPrefix(op, "ST") && !strings.HasPrefix(op, "STX") && !strings.HasPrefix(op, "STLX"),
		strings.HasPrefix(op, "CB"), strings.HasPrefix(op, "TB"), op == "CMP", op == "CMN", op == "TST", op == "CCMP", op == "CCMN":
		return false
	}
	second := strings.HasPrefix(op, "LDP") || strings.HasPrefix(op, "LDXP") || strings.HasPrefix(op, "LDAXP")
	return isX8(in.Args[0]) || second && isX8(in.Args[1])
}

func isX8(a arm64asm.Arg) bool {
	switch a {
	case arm64asm.X8, arm64asm.W8, arm64asm.RegSP(arm64asm.X8), arm64asm.RegSP(arm64asm.W8):
		return true
	default:
		return false
	}
}

package elfedit

import (
	"bytes"
	"debug/elf"
	"encoding/binary"

	"keva/agent/event"
)

// fail is an error of the builder: what was wrong with the file, and what that means.
func fail(message, detail string) error {
	return &event.Error{Class: event.ClassOther, Message: message, Detail: detail}
}

// Headers of 64-bit ELF, all that we edit.
const (
	headerSize  = 64
	programSize = 56
	dynamicSize = 16
)

// program is one entry of the program header table, with the place of the entry itself.
type program struct {
	at                              uint64 // file offset of this entry
	kind                            elf.ProgType
	offset, address, filled, memory uint64
}

// image is an ELF file whose headers were checked against its size: every offset in it may be used as an index.
type image struct {
	bytes    []byte
	machine  elf.Machine
	kind     elf.Type
	programs []program
}

var le = binary.LittleEndian

// isELF tells a 64-bit little-endian ELF file from anything else.
func isELF(file []byte) bool {
	return len(file) >= headerSize && bytes.HasPrefix(file, []byte(elf.ELFMAG)) &&
		file[elf.EI_CLASS] == byte(elf.ELFCLASS64) && file[elf.EI_DATA] == byte(elf.ELFDATA2LSB)
}

// inside says whether size bytes at offset lie in a file of n bytes; sums may not wrap around.
func inside(offset, size, n uint64) bool { return offset <= n && size <= n-offset }

func parse(file []byte) (image, error) {
	if !isELF(file) {
		return image{}, fail("The file is not a 64-bit ELF file.", "")
	}
	m := image{bytes: file, machine: elf.Machine(le.Uint16(file[18:])), kind: elf.Type(le.Uint16(file[16:]))}
	if m.machine != elf.EM_X86_64 && m.machine != elf.EM_AARCH64 {
		return image{}, fail("The ELF file is for another processor than amd64 and arm64.", m.machine.String())
	}
	table, size, count := le.Uint64(file[32:]), uint64(le.Uint16(file[54:])), uint64(le.Uint16(file[56:]))
	if count == 0 {
		return m, nil // an object file
	}
	if size != programSize || !inside(table, size*count, uint64(len(file))) {
		return image{}, fail("The ELF file's program headers lie outside the file.", "")
	}
	for i := range count {
		at := table + i*size
		h := file[at : at+size]
		p := program{
			at: at, kind: elf.ProgType(le.Uint32(h)),
			offset: le.Uint64(h[8:]), address: le.Uint64(h[16:]), filled: le.Uint64(h[32:]), memory: le.Uint64(h[40:]),
		}
		if p.kind != elf.PT_NULL && !inside(p.offset, p.filled, uint64(len(file))) {
			return image{}, fail("A segment of the ELF file lies outside the file.", p.kind.String())
		}
		m.programs = append(m.programs, p)
	}
	return m, nil
}

func (m image) find(kind elf.ProgType) (program, bool) {
	for _, p := range m.programs {
		if p.kind == kind {
			return p, true
		}
	}
	return program{}, false
}

// section finds a section by name. Stripped files have sections too; a file without any is an error.
func (m image) section(name string) (offset, size uint64, err error) {
	f, err := elf.NewFile(bytes.NewReader(m.bytes))
	if err != nil {
		return 0, 0, fail("The ELF file's section headers can't be read.", err.Error())
	}
	s := f.Section(name)
	if s == nil || s.Type != elf.SHT_PROGBITS || !inside(s.Offset, s.FileSize, uint64(len(m.bytes))) {
		return 0, 0, fail("The ELF file has no usable section "+name+".", "")
	}
	return s.Offset, s.FileSize, nil
}

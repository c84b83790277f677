package elfedit

import (
	"bytes"
	"debug/elf"
	"fmt"
	"path"
	"strings"

	"keva/engines/userland/pack"
)

// SlotSize is the room for an absolute path that is written at the place of installation.
const SlotSize = 256

// Options say what a program of the tree gets. Paths inside the tree begin with a slash.
type Options struct {
	Path    string // of the file in the tree, "usr/bin/git"
	Interp  string // interpreter of a dynamic program
	Static  string // interpreter of a static program; "" leaves static programs alone
	Library string // folder at the tree's top with all libraries, "l"
	Preload string // library that comes first among the needed ones, "k.so"
}

// Prepare makes a program start by itself from any place: it names its interpreter by an absolute path (a slot, to be
// filled on the phone), looks for libraries relative to itself, and loads the preload first. LD_LIBRARY_PATH and
// LD_PRELOAD would do the same until somebody clears the environment.
//
// Nothing in the file moves: the slot is appended and the interpreter's program header points at it (the kernel reads it
// from there, padded with NULs), the two strings take the place of the old interpreter's name, and the two dynamic
// entries that of DT_DEBUG, of DT_HASH where DT_GNU_HASH exists, and of spare ends.
//
// A static program has no interpreter. One of its headers that only a dynamic linker would read becomes one. On amd64 it
// also stops blocking SIGSYS (see unblockSIGSYS).
//
// What is no program (libraries, also those with an interpreter like libc.so.6; object files; no ELF at all) comes back
// as it is, without relocations.
func Prepare(file []byte, o Options) ([]byte, []pack.Reloc, error) {
	if !isELF(file) {
		return file, nil, nil
	}
	m, err := parse(file)
	if err != nil {
		return nil, nil, err
	}
	if m.kind != elf.ET_EXEC && m.kind != elf.ET_DYN {
		return file, nil, nil
	}
	dyn, err := m.dynamic()
	if err != nil {
		return nil, nil, err
	}
	if dyn.has(elf.DT_SONAME) { // a preload that needs libc.so.6, needed by libc.so.6, is a circle: IFUNCs crash
		return file, nil, nil
	}
	interp, ok := m.find(elf.PT_INTERP)
	if !ok {
		return m.prepareStatic(dyn, o)
	}
	out := bytes.Clone(file)
	if err := m.writeDynamic(out, dyn, interp, o); err != nil {
		return nil, nil, err
	}
	out, reloc := appendSlot(out, o.Interp)
	setProgram(out, interp.at, interp.address, reloc.Offset)
	return out, []pack.Reloc{reloc}, nil
}

// prepareStatic gives a static program an interpreter. Which header it takes: PT_GNU_RELRO, or PT_NOTE.
func (m image) prepareStatic(dyn dynamic, o Options) ([]byte, []pack.Reloc, error) {
	pie := m.kind == elf.ET_DYN && dyn.value(elf.DT_FLAGS_1)&uint64(elf.DF_1_PIE) != 0
	if o.Static == "" || m.kind == elf.ET_DYN && !pie || le.Uint64(m.bytes[24:]) == 0 {
		return m.bytes, nil, nil // a library without a name, for instance an extension module of Python
	}
	victim, ok := m.find(elf.PT_GNU_RELRO)
	if !ok {
		victim, ok = m.find(elf.PT_NOTE)
	}
	if !ok {
		return nil, nil, fail("The static program "+o.Path+" has no program header to spare, so it can't be given an interpreter.", "")
	}
	out := bytes.Clone(m.bytes)
	m.unblockSIGSYS(out)
	out, reloc := appendSlot(out, o.Static)
	setProgram(out, victim.at, 0, reloc.Offset)
	return out, []pack.Reloc{reloc}, nil
}

// setProgram makes the program header at at an interpreter's: flags readable, file range the slot.
func setProgram(out []byte, at, address uint64, slot int64) {
	h := out[at : at+programSize]
	le.PutUint32(h, uint32(elf.PT_INTERP))
	le.PutUint32(h[4:], uint32(elf.PF_R))
	le.PutUint64(h[8:], uint64(slot))
	le.PutUint64(h[16:], address) // glibc reads a name of the linker there
	le.PutUint64(h[24:], address)
	le.PutUint64(h[32:], SlotSize)
	le.PutUint64(h[40:], SlotSize)
	le.PutUint64(h[48:], 1)
}

// appendSlot adds the room for PREFIX+suffix at the end of the file.
func appendSlot(out []byte, suffix string) ([]byte, pack.Reloc) {
	for len(out)%16 != 0 {
		out = append(out, 0)
	}
	r := pack.Reloc{Kind: pack.Slot, Offset: int64(len(out)), Room: SlotSize, Suffix: suffix}
	return append(out, make([]byte, SlotSize)...), r
}

// RootSlot finds the all-NUL section that a C source left for PREFIX+suffix.
func RootSlot(file []byte, section, suffix string) (pack.Reloc, error) {
	m, err := parse(file)
	if err != nil {
		return pack.Reloc{}, err
	}
	offset, size, err := m.section(section)
	if err != nil {
		return pack.Reloc{}, err
	}
	if size != SlotSize || len(bytes.Trim(m.bytes[offset:offset+size], "\x00")) != 0 {
		return pack.Reloc{}, fail(fmt.Sprintf("The section %s is not a slot of %d NULs.", section, SlotSize), fmt.Sprint(size))
	}
	return pack.Reloc{Kind: pack.Slot, Offset: int64(offset), Room: SlotSize, Suffix: suffix}, nil
}

// searchPath leads from the program's folder to the library folder at the tree's top.
func searchPath(o Options) (string, error) {
	p := path.Clean(o.Path)
	if o.Path == "" || path.IsAbs(p) || p == "." || strings.HasPrefix(p, "../") {
		return "", fail("The path "+o.Path+" is not one inside the tree.", "")
	}
	return "$ORIGIN/" + strings.Repeat("../", strings.Count(p, "/")) + o.Library, nil
}

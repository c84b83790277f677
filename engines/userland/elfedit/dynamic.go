package elfedit

import (
	"debug/elf"
	"fmt"
)

type entry struct {
	tag   elf.DynTag
	value uint64
}

// dynamic is the dynamic section up to its first end, and the room that it has.
type dynamic struct {
	offset  uint64
	room    int // entries that fit, ends included
	entries []entry
}

func (d dynamic) value(tag elf.DynTag) uint64 {
	for _, e := range d.entries {
		if e.tag == tag {
			return e.value
		}
	}
	return 0
}

func (d dynamic) has(tag elf.DynTag) bool {
	for _, e := range d.entries {
		if e.tag == tag {
			return true
		}
	}
	return false
}

// dynamic reads PT_DYNAMIC; a file without one has no entries and no room.
func (m image) dynamic() (dynamic, error) {
	p, ok := m.find(elf.PT_DYNAMIC)
	if !ok {
		return dynamic{}, nil
	}
	if p.filled%dynamicSize != 0 {
		return dynamic{}, fail("The ELF file's dynamic section is cut off.", "")
	}
	d := dynamic{offset: p.offset, room: int(p.filled / dynamicSize)}
	for i := range d.room {
		b := m.bytes[p.offset+uint64(i)*dynamicSize:]
		e := entry{elf.DynTag(int64(le.Uint64(b))), le.Uint64(b[8:])}
		if e.tag == elf.DT_NULL {
			return d, nil
		}
		d.entries = append(d.entries, e)
	}
	return dynamic{}, fail("The ELF file's dynamic section has no end.", "")
}

// writeDynamic puts DT_RPATH (not RUNPATH: it serves the libraries' own needs too) and a first DT_NEEDED into out. Their
// strings lie where the interpreter's name was, outside the string table: offsets are relative to it, modulo 2^64.
func (m image) writeDynamic(out []byte, d dynamic, interp program, o Options) error {
	if d.room == 0 {
		return fail("The program "+o.Path+" has an interpreter and no dynamic section.", "")
	}
	search, err := searchPath(o)
	if err != nil {
		return err
	}
	text := search + "\x00" + o.Preload + "\x00"
	if uint64(len(text)) > interp.filled {
		return fail("The program "+o.Path+" lies too deep: its search path doesn't fit.", fmt.Sprintf("%q in %d bytes", text, interp.filled))
	}
	if !m.loaded(interp.address, interp.offset, interp.filled) {
		return fail("The interpreter's name of "+o.Path+" is not in memory, so nothing can be put in its place.", "")
	}
	if overlap(interp.offset, interp.filled, d.offset, uint64(d.room)*dynamicSize) ||
		interp.offset < headerSize || m.inTable(interp.offset, interp.filled) || m.inTable(d.offset, uint64(d.room)*dynamicSize) {
		return fail("Headers of "+o.Path+" overlap.", "")
	}
	table := d.value(elf.DT_STRTAB)
	if table == 0 {
		return fail("The program "+o.Path+" has no string table.", "")
	}
	next := []entry{{elf.DT_NEEDED, interp.address + uint64(len(search)) + 1 - table}}
	for _, e := range d.entries {
		switch {
		case e.tag == elf.DT_DEBUG, e.tag == elf.DT_RPATH, e.tag == elf.DT_RUNPATH, e.tag == elf.DT_HASH && d.has(elf.DT_GNU_HASH):
		default:
			next = append(next, e)
		}
	}
	next = append(next, entry{elf.DT_RPATH, interp.address - table})
	if len(next)+1 > d.room {
		return fail("The program "+o.Path+" has no room in its dynamic section.", fmt.Sprintf("%d of %d", len(next)+1, d.room))
	}
	b := out[d.offset : d.offset+uint64(d.room)*dynamicSize]
	clear(b)
	for i, e := range next {
		le.PutUint64(b[i*dynamicSize:], uint64(e.tag))
		le.PutUint64(b[i*dynamicSize+8:], e.value)
	}
	name := out[interp.offset : interp.offset+interp.filled]
	clear(name)
	copy(name, text)
	return nil
}

// loaded says whether the bytes at a file offset are mapped at an address.
func (m image) loaded(address, offset, size uint64) bool {
	for _, p := range m.programs {
		if p.kind == elf.PT_LOAD && inside(p.offset, p.filled, uint64(len(m.bytes))) && offset >= p.offset &&
			inside(offset-p.offset, size, p.filled) && address-p.address == offset-p.offset {
			return true
		}
	}
	return false
}

// inTable says whether a range touches the program headers or the file's own.
func (m image) inTable(offset, size uint64) bool {
	table := le.Uint64(m.bytes[32:])
	return overlap(offset, size, table, uint64(len(m.programs))*programSize) || overlap(offset, size, 0, headerSize)
}

func overlap(a, an, b, bn uint64) bool { return a < b+bn && b < a+an }

package proc

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"runtime"
	"testing"
)

// elfImage is the smallest file that the kernel takes for a program of machine, with the given loader.
func elfImage(machine uint16, loader string) string {
	var b bytes.Buffer
	h := elf.Header64{
		Type: uint16(elf.ET_DYN), Machine: machine, Version: 1,
		Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 2, Shentsize: 64,
	}
	copy(h.Ident[:], "\x7fELF\x02\x01\x01")
	size := uint64(64 + 2*56 + len(loader) + 1)
	interp := elf.Prog64{Type: uint32(elf.PT_INTERP), Off: 64 + 2*56, Filesz: uint64(len(loader) + 1), Memsz: uint64(len(loader) + 1), Align: 1}
	if loader == "" {
		interp = elf.Prog64{Type: uint32(elf.PT_NULL)}
	}
	load := elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Filesz: size, Memsz: size, Align: 4096}
	for _, part := range []any{h, interp, load, append([]byte(loader), 0)} {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			panic(err)
		}
	}
	return b.String()
}

func ownMachine() uint16 {
	if runtime.GOARCH == "arm64" {
		return uint16(elf.EM_AARCH64)
	}
	return uint16(elf.EM_X86_64)
}

// Engines are files from the network: any bytes must be read without a panic.
func FuzzReadProgram(f *testing.F) {
	f.Add([]byte(elfImage(62, "/lib/ld.so")))
	f.Add([]byte("#!/bin/sh"))
	f.Add([]byte("#! "))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := writeProgram(t, data)
		Interpreter(path)
		ForeignMachine(path)
	})
}

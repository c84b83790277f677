package shim

import (
	"bytes"
	"debug/elf"
	"os"
	"path/filepath"
	"testing"
)

// compiled gives both products for a processor.
func compiled(t *testing.T, arch string) (dir string, preload, stub []byte) {
	t.Helper()
	dir = t.TempDir()
	if err := Compile(t.Context(), arch, dir); err != nil {
		t.Fatal(err)
	}
	read := func(name string) []byte {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	return dir, read(Preload), read(Stub)
}

// The pack is reproducible only when its compiled parts are; and phones have pages of 16 KiB.
func TestCompile(t *testing.T) {
	for arch := range machines {
		_, preload, stub := compiled(t, arch)
		_, again, stubAgain := compiled(t, arch)
		if !bytes.Equal(preload, again) || !bytes.Equal(stub, stubAgain) {
			t.Errorf("%s: another folder, other bytes", arch)
		}
		for name, b := range map[string][]byte{Preload: preload, Stub: stub} {
			f, err := elf.NewFile(bytes.NewReader(b))
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range f.Progs {
				if p.Type == elf.PT_LOAD && p.Align < 1<<16 {
					t.Errorf("%s %s: a segment is aligned to %d", arch, name, p.Align)
				}
				if p.Type == elf.PT_GNU_STACK && p.Flags&elf.PF_X != 0 {
					t.Errorf("%s %s: the stack is executable", arch, name)
				}
			}
			if _, err := Slots(arch, name, b); err != nil {
				t.Errorf("%s %s: %v", arch, name, err)
			}
		}
	}
	if err := Compile(t.Context(), "riscv64", t.TempDir()); err == nil {
		t.Error("another processor was accepted")
	}
}

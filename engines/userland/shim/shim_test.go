package shim

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"keva/agent/event"
)

// once: compiling takes most of the time of these tests.
var once = map[string]func() (map[string][]byte, error){"amd64": compileOnce("amd64"), "arm64": compileOnce("arm64")}

func compileOnce(arch string) func() (map[string][]byte, error) {
	return sync.OnceValues(func() (map[string][]byte, error) { return compile(arch) })
}

func compile(arch string) (map[string][]byte, error) {
	dir, err := os.MkdirTemp("", "shim-test-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := Compile(context.Background(), arch, dir); err != nil {
		return nil, err
	}
	made := map[string][]byte{}
	for name := range products {
		if made[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// compiled gives copies of both products for a processor.
func compiled(t *testing.T, arch string) map[string][]byte {
	t.Helper()
	made, err := once[arch]()
	if err != nil {
		var e *event.Error
		if errors.As(err, &e) {
			t.Fatal(e.Message, e.Detail)
		}
		t.Fatal(err)
	}
	mine := map[string][]byte{}
	for name, b := range made {
		mine[name] = bytes.Clone(b)
	}
	return mine
}

// The pack is reproducible only when its compiled parts are; and phones have pages of 16 KiB.
func TestCompile(t *testing.T) {
	for arch := range machines {
		made := compiled(t, arch)
		again, err := compile(arch)
		if err != nil {
			t.Fatal(err)
		}
		for name, b := range made {
			if !bytes.Equal(b, again[name]) {
				t.Errorf("%s %s: another folder, other bytes", arch, name)
			}
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
			for _, sec := range f.Sections {
				if name == Stub && sec.Type == elf.SHT_RELA && sec.Size > 0 {
					t.Errorf("%s: ldk has relocations, and nobody would apply them", arch)
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

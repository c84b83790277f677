package elfedit

import (
	"bytes"
	"debug/elf"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const hello = `#include <stdio.h>
int main(void) { puts("hello"); return 0; }`

// bare is a program without any library, for either processor.
const bare = `static long call(long n, long a, long b, long c) {
#ifdef __x86_64__
  long r;
  __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return r;
#else
  register long x8 __asm__("x8") = n; register long x0 __asm__("x0") = a; register long x1 __asm__("x1") = b; register long x2 __asm__("x2") = c;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  return x0;
#endif
}
#ifdef __x86_64__
enum { nr_write = 1, nr_exit = 60 };
#else
enum { nr_write = 64, nr_exit = 93 };
#endif
void _start(void) { call(nr_write, 1, (long)WORD, sizeof WORD - 1); call(nr_exit, 0, 0, 0); for (;;) ; }`

var bareFlags = []string{"-nostdlib", "-nostartfiles", "-ffreestanding", "-fno-stack-protector"}

// The kernel reads an interpreter's name padded with NULs; the program starts without any environment, from a place that
// it was not built for, and its preload comes first.
func TestPrepareStartsFromAnyPlace(t *testing.T) {
	linker := map[string]string{"amd64": "/lib64/ld-linux-x86-64.so.2", "arm64": "/lib/ld-linux-aarch64.so.1"}[runtime.GOARCH]
	program := compile(t, "gcc", hello)
	edited, relocs, err := Prepare(program, Options{Path: "usr/bin/hello", Interp: "/usr/linker", Library: "l", Preload: "k.so"})
	if err != nil {
		t.Fatal(err)
	}
	prefix := filepath.Join(t.TempDir(), "place", strings.Repeat("long", 20))
	path := filepath.Join(prefix, "usr/bin/hello")
	install(t, path, prefix, edited, relocs)
	preload := compile(t, "gcc", `#include <stdio.h>
__attribute__((constructor)) static void first(void) { printf("preload "); }`, "-shared", "-fPIC", "-Wl,-soname,k.so")
	install(t, filepath.Join(prefix, "l/k.so"), prefix, preload, nil)
	target, err := filepath.EvalSymlinks(linker)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, filepath.Join(prefix, "usr/linker")); err != nil {
		t.Fatal(err)
	}
	if got := output(t, path); got != "preload hello\n" {
		t.Errorf("the program said %q", got)
	}
	// Without its interpreter the kernel refuses it: so it was the slot that counted.
	if err := os.Remove(filepath.Join(prefix, "usr/linker")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.StartProcess(path, []string{path}, &os.ProcAttr{}); !os.IsNotExist(err) {
		t.Errorf("without its interpreter: %v", err)
	}
}

// What was edited, byte for byte: the header of the interpreter, its old name, the dynamic section, the slot. Nothing moves.
func TestPrepareMovesNothing(t *testing.T) {
	program := compile(t, "gcc", hello)
	edited, relocs, err := Prepare(program, Options{Path: "usr/lib/git-core/hello", Interp: "/ld", Library: "l", Preload: "k.so"})
	if err != nil {
		t.Fatal(err)
	}
	before, err := parse(program)
	if err != nil {
		t.Fatal(err)
	}
	interp, _ := before.find(elf.PT_INTERP)
	dyn, _ := before.find(elf.PT_DYNAMIC)
	for i := range program {
		at := uint64(i)
		edit := at-interp.at < programSize || at-interp.offset < interp.filled || at-dyn.offset < dyn.filled
		if !edit && edited[i] != program[i] {
			t.Fatalf("byte %#x changed from %#x to %#x", i, program[i], edited[i])
		}
	}
	if got := string(edited[interp.offset : interp.offset+interp.filled]); !strings.HasPrefix(got, "$ORIGIN/../../../l\x00k.so\x00") {
		t.Errorf("the old interpreter's place has %q", got)
	}
	if len(relocs) != 1 || relocs[0].Room != SlotSize || relocs[0].Offset+SlotSize != int64(len(edited)) || len(edited)-len(program) >= SlotSize+16 {
		t.Errorf("relocations %+v of %d bytes", relocs, len(edited))
	}
	f, err := elf.NewFile(bytes.NewReader(edited))
	if err != nil {
		t.Fatal(err)
	}
	d := f.Section(".dynamic")
	data, err := d.Data()
	if err != nil {
		t.Fatal(err)
	}
	if elf.DynTag(le.Uint64(data)) != elf.DT_NEEDED {
		t.Error("the preload isn't the first among the needed libraries")
	}
	if _, _, err := Prepare(program, Options{Path: "usr/lib/a/b/c/d/e/f/hello", Interp: "/ld", Library: "l", Preload: "k.so"}); err == nil {
		t.Error("a search path that doesn't fit was accepted")
	}
	if _, _, err := Prepare(program, Options{Path: "/usr/bin/hello", Interp: "/ld", Library: "l", Preload: "k.so"}); err == nil {
		t.Error("a path outside the tree was accepted")
	}
}

// Static programs of every kind get the interpreter; so the handler is there before their first instruction.
func TestPrepareStatic(t *testing.T) {
	stub := compile(t, "gcc", bare, append(bareFlags, `-DWORD="stub"`, "-fPIE", "-static-pie", "-Wl,-z,norelro")...)
	for name, program := range map[string][]byte{
		"libc":        compile(t, "gcc", hello, "-static"),
		"libc pie":    compile(t, "gcc", hello, "-static-pie"),
		"without one": compile(t, "gcc", bare, append(bareFlags, `-DWORD="self"`, "-static", "-Wl,--build-id")...),
	} {
		edited, relocs, err := Prepare(program, Options{Path: "opt/x/bin/x", Static: "/stub"})
		if err != nil || len(relocs) != 1 {
			t.Fatalf("%s: %v %v", name, relocs, err)
		}
		prefix := t.TempDir()
		install(t, filepath.Join(prefix, "stub"), prefix, stub, nil)
		install(t, filepath.Join(prefix, "x"), prefix, edited, relocs)
		if got := output(t, filepath.Join(prefix, "x")); got != "stub" {
			t.Errorf("%s: it is %q that ran", name, got)
		}
	}
}

// A library is no program, even with an entry point or an interpreter: a preload in libc.so.6 would make a circle.
func TestPrepareLeavesLibrariesAlone(t *testing.T) {
	o := Options{Path: "usr/lib/x.so", Interp: "/ld", Static: "/stub", Library: "l", Preload: "k.so"}
	library := `int answer(void) { return 42; }`
	for name, file := range map[string][]byte{
		"text":                   []byte("#!/bin/sh\n"),
		"empty":                  nil,
		"named library":          compile(t, "gcc", library, "-shared", "-fPIC", "-Wl,-soname,x.so"),
		"library with interp":    compile(t, "gcc", `const char i[] __attribute__((section(".interp"))) = "/lib64/ld-linux-x86-64.so.2";`+library, "-shared", "-fPIC", "-Wl,-soname,x.so"),
		"module without a name":  compile(t, "gcc", library, "-shared", "-fPIC"),
		"module with an entry":   compile(t, "gcc", library, "-shared", "-fPIC", "-Wl,-e,answer"),
		"object file":            compile(t, "gcc", library, "-c"),
		"32-bit header, no more": append([]byte("\x7fELF\x01\x01\x01"), make([]byte, 100)...),
	} {
		edited, relocs, err := Prepare(file, o)
		if err != nil || relocs != nil || !bytes.Equal(edited, file) {
			t.Errorf("%s: changed, or %v", name, err)
		}
	}
}

func TestRootSlot(t *testing.T) {
	source := func(size string) string {
		return `__attribute__((section(".keva.root"), used)) volatile char root[` + size + `];
` + hello
	}
	file := compile(t, "gcc", source("256"), "-s")
	r, err := RootSlot(file, ".keva.root", "/l")
	if err != nil {
		t.Fatal(err)
	}
	if r.Room != SlotSize || r.Suffix != "/l" || !bytes.Equal(file[r.Offset:r.Offset+SlotSize], make([]byte, SlotSize)) {
		t.Errorf("%+v is no slot", r)
	}
	if _, err := RootSlot(file, ".other", ""); err == nil {
		t.Error("a section that isn't there was found")
	}
	if _, err := RootSlot(compile(t, "gcc", source("128")), ".keva.root", ""); err == nil {
		t.Error("a slot that is too small was accepted")
	}
}
